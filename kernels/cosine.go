package kernels

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

var _ Kernel = Cosine{}

func init() {
	Register(Registration[Cosine]{
		Name:     "cosine",
		New:      func([]float64, float64) (Cosine, error) { return Cosine{}, nil },
		Describe: func(Cosine) (Desc, error) { return Desc{}, nil },
		Restore:  func(Desc) (Cosine, error) { return Cosine{}, nil },
	})
}

// Cosine is the kernel
//
//	k(x, y) = x'y/(|x| |y|)
//
// the cosine of the angle between two rows, and 0 where one of them is all zeros. It has no parameters;
// the zero value is ready for use.
type Cosine struct{}

// GramTo implements Kernel, at the cost of DotTo. Norms beyond float64 give NaN.
func (Cosine) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	DotTo(dst, x, y)
	left, right := norms(x), norms(y)
	to := dst.RawMatrix()
	for i, norm := range left {
		row := line(to, i)
		for j, other := range right {
			row[j] = cosine(row[j], norm, other)
		}
	}
}

// cosine divides by one norm after the other, so that their product cannot overflow, and clips what
// rounding leaves beyond 1.
func cosine(dot, norm, other float64) float64 {
	if norm == 0 || other == 0 {
		return 0
	}
	return max(-1, min(1, dot/norm/other))
}

// norms returns |x_i| of each row.
func norms(x mat.Matrix) []float64 {
	n, _ := x.Dims()
	lengths := make([]float64, n)
	sqNormsTo(lengths, x)
	for i, v := range lengths {
		lengths[i] = math.Sqrt(v)
	}
	return lengths
}

// DiagTo stores 1 in dst, or 0 for rows of zeros.
func (Cosine) DiagTo(dst []float64, x mat.Matrix) {
	prepareDiag(dst, x)
	for i, norm := range norms(x) {
		dst[i] = 1
		if norm == 0 {
			dst[i] = 0
		}
	}
}
