package features

import (
	"runtime"

	"mediant/encode"
	"mediant/internal/rowops"
)

// A Size has the quantities on which the memory for a map, for fitting it and for using it depends.
type Size struct {
	In       int     // encoded columns
	RowBytes float64 // of an encoded row
	Sample   int     // rows that the map is fitted on
	Features int     // see Spec.Estimate
}

// Resolve returns the spec with the defaults that Fit uses for sparse or for dense rows.
func (s Spec) Resolve(sparse bool) Spec {
	if sparse && s.IsAuto() {
		s.Kind, s.Kernel = NystromFeatures, "linear"
	}
	return s
}

// SizeOf returns the Size of the map that Fit makes from this number of encoded rows.
func (s Spec) SizeOf(e *encode.Encoder, rows int) Size {
	return s.Resolve(e.Sparse()).sizeOf(e.Width(), e.RowBytes(), rows)
}

// LeastSize returns a lower bound of the Size of every map that Fit makes from at least this number of rows.
func (s Spec) LeastSize(rows int) Size {
	size := s.sizeOf(1, 8, rows)
	if !s.HasSize() {
		size.Features = 1
	}
	return size
}

func (s Spec) sizeOf(in int, rowBytes float64, rows int) Size {
	size := Size{In: in, RowBytes: rowBytes, Sample: rows, Features: s.Estimate(in)}
	if s.maker().byRows && s.LandmarkRows == nil {
		size.Features = min(size.Features, rows)
	}
	return size
}

// MapBytes estimates the size in bytes of the map itself.
func (s Spec) MapBytes(z Size) float64 {
	if m := s.maker(); m.bytes != nil {
		return m.bytes(s, z)
	}
	return 8 * 4 * float64(z.Features)
}

// Bytes is the size in bytes of the arrays of a map; 0 for one that is not registered.
func Bytes(m Map) float64 {
	if own, ok := m.(interface{ bytes() float64 }); ok {
		return own.bytes()
	}
	s, err := storedOf(m)
	if err != nil {
		return 0
	}
	return 8 * sizeOfArrays(s.header().Arrays)
}

// sizeOfArrays is the number of elements of all arrays.
func sizeOfArrays(arrays []array) (numbers float64) {
	for _, a := range arrays {
		numbers += float64(a.Rows) * float64(a.Cols)
	}
	return numbers
}

// FitBytes estimates what Fit, and the map's identity after it, need beside the map and the rows: bandwidths are medians of the distances of at most
// bandwidthRows rows, and some maps need more.
func (s Spec) FitBytes(z Size) float64 {
	return max(2.5*s.MapBytes(z), s.FittingBytes(z)) // the identity has the map's weights in a row, and their bytes
}

// FittingBytes is FitBytes without the identity.
func (s Spec) FittingBytes(z Size) float64 {
	need := 0.
	if s.hasBandwidth() && s.Bandwidth == 0 {
		sample := min(float64(z.Sample), bandwidthRows)
		need = 8*1.5*sample*sample + 2*sample*z.RowBytes
	}
	if m := s.maker(); m.fitBytes != nil {
		return max(need, m.fitBytes(s, z))
	}
	return need
}

// bandwidthRows is the number of rows that rules for bandwidths look at.
const bandwidthRows = 1000

// UseBytes estimates what MapTo needs beside its rows and features: on each goroutine a block of rows made dense.
func (s Spec) UseBytes(z Size) float64 {
	if m := s.maker(); m.useBytes != nil {
		return m.useBytes(s, z)
	}
	return useBytes(z, true)
}

// useBytes is a block of features on each goroutine, and one of rows if they are made dense.
func useBytes(z Size, dense bool) float64 {
	scratch := 8 * rowops.BlockRows * float64(z.Features)
	if dense {
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
