package features

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
	"mediant/internal/rowops"
)

// AddGradients adds to dst, d×d, the products of gradients
//
//	Σ_i w_i Σ_c ∇f_c(x_i) ∇f_c(x_i)',   f = coef'phi
//
// over the rows of x, with weights w (nil: 1), and the columns of coef (D×k). The gradient of a pair of features of
// frequency ω is -ω sin(ω'x) and ω cos(ω'x), divided by sqrt(D/2), for each kernel alike. It costs n k d (D + 2d) flops. The error says that dst or coef has another shape.
func (m *Fourier) AddGradients(dst *mat.SymDense, coef, x *mat.Dense, w []float64) error {
	in, count := m.w.dims()
	p, outputs := coef.Dims()
	if p != 2*count || dst.SymmetricDim() != in {
		return fmt.Errorf("features: gradients: coefficients of %d features and %d columns, want %d and %d", p, dst.SymmetricDim(), 2*count, in)
	}
	frequencies := m.frequencies()
	n, _ := x.Dims()
	sum := rowops.New(in, in)
	var phi mat.Dense
	for lo := 0; lo < n; lo += gradientRows {
		hi := min(n, lo+gradientRows)
		phi.Reset()
		m.MapTo(&phi, x.Slice(lo, hi, 0, in))
		along, gradients := rowops.New(hi-lo, count), rowops.New(hi-lo, in)
		for c := range outputs {
			for i := range hi - lo {
				derivatives(rowops.Row(along, i), phi.RawRowView(i), coef, c)
				if w != nil {
					blas64.Scal(math.Sqrt(w[lo+i]), blas64.Vector{N: count, Inc: 1, Data: rowops.Row(along, i)})
				}
			}
			fast.Gemm(blas.NoTrans, blas.Trans, 1, along, frequencies, 0, gradients)
			fast.Gemm(blas.Trans, blas.NoTrans, 1, gradients, gradients, 1, sum)
		}
	}
	for i := range in {
		for j := i; j < in; j++ {
			dst.SetSym(i, j, dst.At(i, j)+sum.Data[i*in+j])
		}
	}
	return nil
}

// gradientRows are those whose gradients are held at a time.
const gradientRows = 1024

// derivatives stores in dst those of coef'phi along each frequency, for features phi of a row.
func derivatives(dst, phi []float64, coef *mat.Dense, c int) {
	count := len(dst)
	for j := range dst {
		dst[j] = coef.At(count+j, c)*phi[j] - coef.At(j, c)*phi[count+j]
	}
}

// frequencies are the columns of an in × D/2 matrix, however they are stored.
func (m *Fourier) frequencies() blas64.General {
	in, count := m.w.dims()
	one := mat.NewDense(in, in, nil)
	for i := range in {
		one.Set(i, i, 1)
	}
	w := rowops.New(in, count)
	m.w.phasesTo(w, one, 0)
	return w
}
