package kerneltest

import "gonum.org/v1/gonum/mat"

// Sparse returns x as a matrix of nonzeros, in which At panics: whoever takes it by its nonzeros is
// well, and whoever loops over its elements is found out.
func Sparse(x mat.Matrix) mat.Matrix {
	n, width := x.Dims()
	s := sparse{width: width, rows: make([][]element, n)}
	for i := range n {
		for j := range width {
			if v := x.At(i, j); v != 0 {
				s.rows[i] = append(s.rows[i], element{j, v})
			}
		}
	}
	return s
}

type element struct {
	column int
	value  float64
}

type sparse struct {
	width int
	rows  [][]element
}

var _ mat.RowNonZeroDoer = sparse{}

func (s sparse) Dims() (r, c int) { return len(s.rows), s.width }

func (s sparse) At(i, j int) float64 {
	panic("kerneltest: an element of a sparse matrix was asked for")
}

func (s sparse) T() mat.Matrix { return mat.Transpose{Matrix: s} }

func (s sparse) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	for _, e := range s.rows[i] {
		fn(i, e.column, e.value)
	}
}
