package crossfit

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
	"mediant/moments"
)

// An Affine is a function Coef'features + Intercept of k outputs: Coef is p×k, Intercept has k elements.
type Affine struct {
	Coef      *mat.Dense
	Intercept []float64
}

// MinusConstant returns f less a constant for each output; f may have the outputs of many models.
func (f Affine) MinusConstant(constant []float64) Affine {
	out := Affine{f.Coef, slices.Clone(f.Intercept)}
	for lo := 0; lo < len(out.Intercept); lo += len(constant) {
		floats.Sub(out.Intercept[lo:lo+len(constant)], constant)
	}
	return out
}

// Residual returns the form h(u) - y of co-moments of (psi(u), y), for f = h.
func (f Affine) Residual(outputs int) moments.Form {
	return moments.Form{A: f.Coef, B: Identity(outputs), Offset: f.Intercept}
}

// Identity returns the k×k identity matrix.
func Identity(k int) *mat.Dense {
	d := mat.NewDense(k, k, nil)
	for i := range k {
		d.Set(i, i, 1)
	}
	return d
}

// Minus returns f - g, for g with as many outputs or several such functions side by side.
func (f Affine) Minus(g Affine) Affine {
	d := ZeroLike(g)
	for i, n := 0, f.Coef.RawMatrix().Rows; i < n; i++ {
		AddRepeated(d.Coef.RawRowView(i), f.Coef.RawRowView(i))
	}
	AddRepeated(d.Intercept, f.Intercept)
	d.Coef.Sub(d.Coef, g.Coef)
	floats.Sub(d.Intercept, g.Intercept)
	return d
}

// Form returns the form f(left features).
func (f Affine) Form() moments.Form { return moments.Form{A: f.Coef, Offset: f.Intercept} }

// Gap returns the form f(left features) - h(right features); f may have the outputs of many models.
func Gap(f, h Affine) moments.Form {
	offset := slices.Clone(f.Intercept)
	for lo, k := 0, len(h.Intercept); lo < len(offset); lo += k {
		floats.Sub(offset[lo:lo+k], h.Intercept)
	}
	return moments.Form{A: f.Coef, B: h.Coef, Offset: offset}
}

// SideBySide returns the function with the outputs of all of fs, which have the same features.
func SideBySide(fs []Affine) Affine {
	p, k := fs[0].Coef.Dims()
	all := Affine{mat.NewDense(p, k*len(fs), nil), nil}
	for i, f := range fs {
		all.Coef.Slice(0, p, i*k, (i+1)*k).(*mat.Dense).Copy(f.Coef)
		all.Intercept = append(all.Intercept, f.Intercept...)
	}
	return all
}

// ApplyTo stores f of each row of features in dst, which is resized.
func (f Affine) ApplyTo(dst, features *mat.Dense) {
	dst.Reset()
	fast.MulTo(dst, blas.NoTrans, features, blas.NoTrans, f.Coef)
	n, _ := dst.Dims()
	for i := range n {
		floats.Add(dst.RawRowView(i), f.Intercept)
	}
}

// SplitBias splits coefficients of (psi, 1) into those of psi and the intercept.
func SplitBias(g *mat.Dense) Affine {
	q, k := g.Dims()
	return Affine{mat.DenseCopyOf(g.Slice(0, q-1, 0, k)), mat.Row(nil, q-1, g)}
}

// ZeroLike returns the zero function of f's features and outputs.
func ZeroLike(f Affine) Affine {
	p, k := f.Coef.Dims()
	return Affine{mat.NewDense(p, k, nil), make([]float64, k)}
}

// SetOutput sets output j to that of g.
func (f Affine) SetOutput(j int, g Affine) {
	to, from := f.Coef.RawMatrix(), g.Coef.RawMatrix()
	for i := range to.Rows {
		to.Data[i*to.Stride+j] = from.Data[i*from.Stride+j]
	}
	f.Intercept[j] = g.Intercept[j]
}

// Outputs returns the outputs from lo up to hi.
func (f Affine) Outputs(lo, hi int) Affine {
	p, _ := f.Coef.Dims()
	return Affine{mat.DenseCopyOf(f.Coef.Slice(0, p, lo, hi)), f.Intercept[lo:hi]}
}

// WithBias returns the coefficients of f with the intercept as last row.
func WithBias(f Affine) *mat.Dense {
	q, k := f.Coef.Dims()
	out := mat.NewDense(q+1, k, nil)
	out.Slice(0, q, 0, k).(*mat.Dense).Copy(f.Coef)
	out.SetRow(q, f.Intercept)
	return out
}
