package features

import (
	"runtime"

	"mediant/encode"
	"mediant/internal/rowops"
)

// A Size is what the sizes in bytes of a map, and of what is needed to make it and to use it, depend on.
type Size struct {
	In       int     // encoded columns
	RowBytes float64 // of an encoded row
	Sample   int     // rows that the map is fitted on
	Features int     // see Spec.Estimate
}

// For returns the spec that Fit goes by for rows that are sparse, or not.
func (s Spec) For(sparse bool) Spec {
	if sparse && s.IsAuto() {
		s.Kind, s.Kernel = NystromFeatures, "linear"
	}
	return s
}

// SizeOf returns the sizes of the map that Fit makes from so many rows of an encoder.
func (s Spec) SizeOf(e *encode.Encoder, rows int) Size {
	return s.For(e.Sparse()).sizeOf(e.Width(), e.RowBytes(), rows)
}

// LeastSize returns sizes no larger than those of any map that Fit makes from at least so many rows.
func (s Spec) LeastSize(rows int) Size {
	size := s.sizeOf(1, 8, rows)
	if !s.HasSize() {
		size.Features = 1
	}
	return size
}

func (s Spec) sizeOf(in int, rowBytes float64, rows int) Size {
	size := Size{In: in, RowBytes: rowBytes, Sample: rows, Features: s.Estimate(in)}
	if s.Kind == NystromFeatures && s.Given == nil {
		size.Features = min(size.Features, rows)
	}
	return size
}

// MapBytes estimates the size in bytes of the map itself.
func (s Spec) MapBytes(z Size) float64 {
	in, p := float64(z.In), float64(z.Features)
	switch s.Kind {
	case NystromFeatures:
		return p*z.RowBytes + 8*p*p
	case FourierFeatures:
		if !s.Independent && !s.Orthogonal && !s.Quasi && z.In >= structuredColumns && z.Features/2 >= structuredFrequencies {
			width := float64(blockWidth(z.In))
			return 8 * ((p/(2*width)+1)*hadamards*width + p)
		}
		return 8 * 2 * in * p / 2 // once as they are, once packed
	case PolynomialFeatures:
		return 8 * 2 * p
	case TensorSketchFeatures, CountSketchFeatures:
		return 16 * in * float64(max(1, s.Degree))
	}
	return 8 * 4 * p
}

// Bytes is the size in bytes of the arrays of a map; 0 for one that is not of this package.
func Bytes(m Map) float64 {
	s, ok := m.(stored)
	if !ok {
		return 0
	}
	numbers := 0.0
	for _, a := range s.header().Arrays {
		numbers += float64(a.Rows) * float64(a.Cols)
	}
	if f, ok := m.(*Fourier); ok {
		if _, dense := f.w.(projection); dense {
			numbers *= 2 // packed as well
		}
	}
	return 8 * numbers
}

// FitBytes estimates what Fit, and the map's identity after it, need beside the map and the rows: bandwidths are medians of the distances of at most
// bandwidthRows rows, landmarks are picked by a factor with a column a landmark for each row.
func (s Spec) FitBytes(z Size) float64 {
	rows, p := float64(z.Sample), float64(z.Features)
	need := 2.5 * s.MapBytes(z) // its weights in a row, and their bytes
	if s.hasBandwidth() && s.Bandwidth == 0 {
		sample := min(rows, bandwidthRows)
		need = max(need, 8*1.5*sample*sample+2*sample*z.RowBytes)
	}
	if s.Kind != NystromFeatures {
		return need
	}
	whiten := 8 * p * p
	if s.Given == nil && s.Landmarks != Uniform {
		factor := 8 * min(rows, maxCandidates) * p
		if s.Landmarks == RidgeLeverage {
			factor += 2 * 8 * p * p
		}
		whiten = max(whiten, factor)
	}
	return max(need, whiten+panelBytes(p*z.RowBytes))
}

// bandwidthRows is the number of rows that rules for bandwidths look at.
const bandwidthRows = 1000

// panelBytes bounds the copy of the landmarks that kernels hold at a time.
func panelBytes(landmarks float64) float64 { return min(landmarks, 1<<28) }

// UseBytes estimates what MapTo needs beside its rows and features: on each goroutine a block of rows made dense.
func (s Spec) UseBytes(z Size) float64 {
	scratch := 8 * rowops.BlockRows * float64(z.Features)
	if s.Kind == NystromFeatures {
		return scratch + panelBytes(float64(z.Features)*z.RowBytes)
	}
	if s.Kind != LinearFeatures && !s.Independent {
		scratch += 8 * rowops.BlockRows * float64(z.In)
	}
	return float64(runtime.GOMAXPROCS(0)) * scratch
}

// WithSize returns s with no more features than size, if it has a size.
func (s Spec) WithSize(size int) Spec {
	if s.HasSize() {
		now := s.Size
		if now == 0 {
			now = s.Estimate(1)
		}
		s.Size = min(now, size)
	}
	return s
}
