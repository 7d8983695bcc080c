package baselines

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/asm"
	fast "mediant/internal/blas"
	"mediant/internal/parallel"
	"mediant/rr"
)

// A Density is an estimate of the conditional density of U given x: a mixture whose weights depend on x and whose components
// do not,
//
//	q(u|x) = Σ_l w_l(x) N(u; c_l, s² I),  w_l(x) ∝ alpha_l exp(-|x - x_l|²/2b²),  Σ_l w_l(x) = 1.
//
// With s = 0 components are points. Integral makes it.
type Density struct {
	// X and U are the centres, one a row, in encoded columns.
	X, U *mat.Dense
	// Alpha has a positive number for each centre.
	Alpha []float64
	// BandwidthX is b, BandwidthU is s.
	BandwidthX, BandwidthU float64
}

// WeightsTo stores in dst the weights of the components for each row of encoded x. An empty dst is resized. It costs a
// kernel value a centre. Far from all centres the nearest one has all the weight.
func (d *Density) WeightsTo(dst *mat.Dense, x mat.Matrix) {
	squaredDistances(dst, x, d.X)
	n, _ := dst.Dims()
	for i := range n {
		weigh(dst.RawRowView(i), d.Alpha, d.BandwidthX)
	}
}

// weigh turns squared distances into weights that sum to 1. The least distance is subtracted from all, which does not change
// the weights, so that not all kernels underflow.
func weigh(w, alpha []float64, bandwidth float64) {
	floats.AddConst(-floats.Min(w), w)
	asm.Exp(w, -1/(2*bandwidth*bandwidth))
	floats.Mul(w, alpha)
	floats.Scale(1/floats.Sum(w), w)
}

// ProbTo stores in dst q(u_j|x_i) for each row i of encoded x and j of encoded u. A Density with s = 0, which has no
// density, panics.
func (d *Density) ProbTo(dst *mat.Dense, x, u mat.Matrix) {
	if d.BandwidthU == 0 {
		panic("baselines: a mixture of points has no density")
	}
	var weights, components mat.Dense
	d.WeightsTo(&weights, x)
	squaredDistances(&components, d.U, u)
	_, k := d.U.Dims()
	s2 := d.BandwidthU * d.BandwidthU
	raw := components.RawMatrix().Data
	asm.Exp(raw, -1/(2*s2))
	floats.Scale(math.Pow(2*math.Pi*s2, -float64(k)/2), raw)
	fast.MulTo(dst, blas.NoTrans, &weights, blas.NoTrans, &components)
}

// An expectation is E[h(U)|x] under a Density: Σ_l w_l(x) H_l, where H_l is the integral of h over
// component l, made once.
type expectation struct {
	density *Density
	values  *mat.Dense // components × outputs
}

var _ rr.Predictor = (*expectation)(nil)

// expectRows is the number of rows predicted at a time, so that memory does not grow with them.
const expectRows = 256

// PredictTo implements rr.Predictor.
func (e *expectation) PredictTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	_, k := e.values.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, k)
	}
	if r, c := dst.Dims(); r != n || c != k {
		panic(mat.ErrShape)
	}
	parallel.Blocks(n, expectRows, func(lo, hi int) {
		var w mat.Dense
		e.density.WeightsTo(&w, span(x, lo, hi))
		fast.MulTo(dst.Slice(lo, hi, 0, k).(*mat.Dense), blas.NoTrans, &w, blas.NoTrans, e.values)
	})
}
