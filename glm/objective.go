package glm

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
	"mediant/internal/rowops"
	"mediant/losses"
)

// Rows calls do for all rows, block by block, in the same order each time: features phi (n×p), targets y (n×k), and weights, nil for 1. do keeps none of them.
type Rows func(ctx context.Context, do func(phi, y *mat.Dense, weights []float64)) error

// An objective is
//
//	J(theta) = Σ w (F*(eta) - <eta, y>) / Σ w + lambda |coef|²,    eta = coef'phi + intercept,
//
// which is the mean loss d(y, mean(eta)) without the F(y), plus a penalty. theta is (p+1)×k, the intercepts being its last row.
type objective struct {
	rows    Rows
	loss    losses.Canonical
	lambda  float64
	p, k    int
	without bool // intercepts, which are 0 then

	tolerance float64

	weight float64
	// shared reports that intercepts may all move by one constant, as those of classes do, and leave the means as they are: that direction is given a curvature of 1.
	shared       bool
	eta, product mat.Dense
	curvature    []float64 // of a row
}

// A point is theta with the objective's value there, gradient and, if asked for, Hessian.
type point struct {
	theta    *mat.Dense
	value    float64
	gradient *mat.Dense
	hessian  *mat.SymDense // of theta by columns: (p+1)·k
}

// evaluate computes the point at theta, which it keeps.
func (o *objective) evaluate(ctx context.Context, theta *mat.Dense, second bool) (*point, error) {
	at := &point{theta: theta, gradient: mat.NewDense(o.p+1, o.k, nil)}
	if second {
		at.hessian = mat.NewSymDense((o.p+1)*o.k, nil)
	}
	coef, intercept := theta.Slice(0, o.p, 0, o.k).(*mat.Dense), theta.RawRowView(o.p)
	sum := 0.
	o.weight, o.shared = 0, true
	err := o.rows(ctx, func(phi, y *mat.Dense, weights []float64) {
		n, _ := phi.Dims()
		o.eta.Reset()
		fast.MulTo(&o.eta, blas.NoTrans, phi, blas.NoTrans, coef)
		var means *mat.Dense
		if second {
			means = mat.NewDense(n, o.k, nil)
		}
		for i := range n {
			w := rowops.WeightAt(weights, i)
			row, of := o.eta.RawRowView(i), y.RawRowView(i)
			floats.Add(row, intercept)
			sum += w * (o.loss.Conjugate(row) - floats.Dot(row, of))
			o.weight += w
			o.loss.MeanTo(row, row)
			if second {
				copy(means.RawRowView(i), row)
			}
			floats.Sub(row, of)
			floats.Scale(w, row)
			floats.Add(at.gradient.RawRowView(o.p), row)
		}
		o.product.Reset()
		fast.MulTo(&o.product, blas.Trans, phi, blas.NoTrans, &o.eta)
		top := at.gradient.Slice(0, o.p, 0, o.k).(*mat.Dense)
		top.Add(top, &o.product)
		if second {
			o.addCurvature(at.hessian, phi, means, weights)
		}
	})
	if err != nil {
		return nil, err
	}
	if o.weight == 0 {
		return nil, fmt.Errorf("glm: no rows of positive weight")
	}
	o.finish(at, coef, sum)
	return at, nil
}

// finish divides by the weight and adds the penalty.
func (o *objective) finish(at *point, coef *mat.Dense, sum float64) {
	norm := mat.Norm(coef, 2)
	at.value = sum/o.weight + o.lambda*norm*norm
	at.gradient.Scale(1/o.weight, at.gradient)
	for i := range o.p {
		floats.AddScaled(at.gradient.RawRowView(i), 2*o.lambda, coef.RawRowView(i))
	}
	if o.without {
		clear(at.gradient.RawRowView(o.p))
	}
	if at.hessian == nil {
		return
	}
	at.hessian.ScaleSym(1/o.weight, at.hessian)
	for j := range o.k {
		first := j * (o.p + 1)
		for i := range o.p {
			at.hessian.SetSym(first+i, first+i, at.hessian.At(first+i, first+i)+2*o.lambda)
		}
		last := first + o.p
		for l := j; o.shared && l < o.k; l++ {
			other := l*(o.p+1) + o.p
			at.hessian.SetSym(last, other, at.hessian.At(last, other)+1/float64(o.k))
		}
		if o.without {
			for i := range (o.p + 1) * o.k {
				at.hessian.SetSym(i, last, 0)
			}
			at.hessian.SetSym(last, last, 1)
		}
	}
}

// addCurvature adds Σ w C (x) (phi, 1)(phi, 1)', C being the second derivatives of F* in a row.
func (o *objective) addCurvature(to *mat.SymDense, phi, means *mat.Dense, weights []float64) {
	n, _ := phi.Dims()
	if o.curvature == nil {
		o.curvature = make([]float64, o.k*o.k)
	}
	factors := make([][]float64, o.k*o.k)
	for j := range factors {
		factors[j] = make([]float64, n)
	}
	for i := range n {
		o.loss.CurvatureTo(o.curvature, means.RawRowView(i))
		o.shared = o.shared && math.Abs(floats.Sum(o.curvature)) <= 1e-12*floats.Norm(o.curvature, 1)+1e-15 // the rounding of means
		w := rowops.WeightAt(weights, i)
		for j, c := range o.curvature {
			factors[j][i] = w * c
		}
	}
	with := mat.NewDense(n, o.p+1, nil)
	scaled := mat.NewDense(n, o.p+1, nil)
	for i := range n {
		copy(with.RawRowView(i), phi.RawRowView(i))
		with.Set(i, o.p, 1)
	}
	for j := range o.k {
		for l := j; l < o.k; l++ {
			factor := factors[j*o.k+l]
			if floats.Norm(factor, math.Inf(1)) == 0 {
				continue
			}
			for i := range n {
				floats.ScaleTo(scaled.RawRowView(i), factor[i], with.RawRowView(i))
			}
			o.product.Reset()
			fast.MulTo(&o.product, blas.Trans, with, blas.NoTrans, scaled)
			addBlock(to, &o.product, j*(o.p+1), l*(o.p+1))
		}
	}
}

// addBlock adds a square block at row i and column j of the upper triangle.
func addBlock(to *mat.SymDense, block *mat.Dense, i, j int) {
	n, _ := block.Dims()
	raw := to.RawSymmetric()
	for r := range n {
		from := 0
		if i == j {
			from = r
		}
		floats.Add(raw.Data[(i+r)*raw.Stride+j+from:(i+r)*raw.Stride+j+n], block.RawRowView(r)[from:])
	}
}
