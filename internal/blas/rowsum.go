package blas

import "mediant/internal/asm"

// A RowSum forms a row of a product from its nonzeros, Σ v_j b_j, with the bits that Gemm gives the same
// row stored densely, as long as what it leaves out is finite. The zero value is ready for use.
type RowSum struct {
	to    []float64 // the sum of whole stretches of depthBlock terms, or of the first
	part  []float64 // the sum of the present stretch, if it is not the first
	block int       // the present stretch, -1 before the first
	parts bool      // whether part is in use
}

// Start begins a sum in to, which it clears.
func (s *RowSum) Start(to []float64) {
	clear(to)
	s.to, s.block, s.parts = to, -1, false
}

// Add adds v times row j of the right factor; j ascends from call to call.
func (s *RowSum) Add(j int, v float64, row []float64) {
	if block := j / depthBlock; block != s.block {
		s.next(block)
	}
	if s.parts {
		asm.Axpy(v, row, s.part)
	} else {
		asm.Axpy(v, row, s.to)
	}
}

// next begins a stretch.
func (s *RowSum) next(block int) {
	s.Done()
	if s.block >= 0 {
		if cap(s.part) < len(s.to) {
			s.part = make([]float64, len(s.to))
		}
		s.part = s.part[:len(s.to)]
		clear(s.part)
		s.parts = true
	}
	s.block = block
}

// Done completes the sum.
func (s *RowSum) Done() {
	if s.parts {
		asm.Axpy(1, s.part, s.to)
		s.parts = false
	}
}
