package theory

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/testdata"
)

// pick returns some rows of a, with a last column of ones if bias.
func pick(a *mat.Dense, rows []int, bias bool) *mat.Dense {
	_, c := a.Dims()
	width := c
	if bias {
		width++
	}
	out := mat.NewDense(len(rows), width, nil)
	for i, r := range rows {
		for j := range width {
			out.Set(i, j, 1)
		}
		copy(out.RawRowView(i), a.RawRowView(r))
	}
	return out
}

// estimate is the sum of means and its standard error, of terms added over outputs first.
func estimate(tx, ty []float64) (value, se float64) {
	mx, vx := stat.MeanVariance(tx, nil)
	my, vy := stat.MeanVariance(ty, nil)
	return mx + my, math.Sqrt(vx/float64(len(tx)) + vy/float64(len(ty)))
}

// rowSums returns Σ over outputs of g(row, output) for each row.
func rowSums(rows *mat.Dense, g func(i, k int) float64) []float64 {
	n, outputs := rows.Dims()
	sums := make([]float64, n)
	for i := range n {
		for k := range outputs {
			sums[i] += g(i, k)
		}
	}
	return sums
}

// A goldenRisk is the fold of golden's risk: nuisances on the training rows, values on the held-out.
type goldenRisk struct {
	g                          *testdata.Golden
	phiT, psiT, psi2T          *mat.Dense // training rows, psi with bias
	phiV, psiV, psi2V, yV, yT  *mat.Dense // held-out rows, and y of the training rows
	f, h, h2, r, r2, v, v2, om *mat.Dense // predictions on held-out rows: of S_X, and with 2 of S_Y
}

func newGoldenRisk(t *testing.T) *goldenRisk {
	g := testdata.ReadGolden(t)
	in, r := g.Input, g.Risk
	w := &goldenRisk{
		g:    g,
		phiT: pick(in.Phi.Dense(), r.TrainXU, false), psiT: pick(in.Psi.Dense(), r.TrainXU, true), psi2T: pick(in.Psi2.Dense(), r.TrainUY, true),
		phiV: pick(in.Phi.Dense(), r.HeldXU, false), psiV: pick(in.Psi.Dense(), r.HeldXU, true), psi2V: pick(in.Psi2.Dense(), r.HeldUY, true),
		yT: pick(in.Y.Dense(), r.TrainUY, false), yV: pick(in.Y.Dense(), r.HeldUY, false),
	}
	f := w.fitF(w.yT)
	w.f = f(w.phiV)
	w.h, w.h2 = product(w.psiV, r.BetaH.Dense()), product(w.psi2V, r.BetaH.Dense())
	w.r, w.r2 = product(w.psiV, r.Gamma.Dense()), product(w.psi2V, r.Gamma.Dense())
	w.v, w.v2 = product(w.psiV, r.BetaV.Dense()), product(w.psi2V, r.BetaV.Dense())
	w.om = product(w.psi2V, mat.NewDense(len(r.Omega), 1, r.Omega))

	// gamma is the Riesz weight (D + mu I)⁻¹ mean_SX psi f of the formula, omega that of f = 1.
	var gap tally
	gap.equalMatrix(w.riesz(f(w.phiT)), r.Gamma.Dense(), 1)
	ones := mat.NewDense(len(r.TrainXU), 1, nil)
	ones.Apply(func(_, _ int, _ float64) float64 { return 1 }, ones)
	gap.equalMatrix(w.riesz(ones), mat.NewDense(len(r.Omega), 1, r.Omega), 1)
	gap.equalMatrix(w.ridge(w.yT), r.BetaH.Dense(), 1)
	if gap.worst > goldenTolerance {
		t.Errorf("gamma, omega or beta_h differ by %g", gap.worst)
	}
	return w
}

// fitF returns f of 2Step-RR with intercepts, fitted to the training rows and y.
func (w *goldenRisk) fitF(y *mat.Dense) func(x *mat.Dense) *mat.Dense {
	r := w.g.Risk
	alpha, _, a0, _ := fitByFormula(w.phiT, pick(w.g.Input.Psi.Dense(), r.TrainXU, false), pick(w.g.Input.Psi2.Dense(), r.TrainUY, false), y, nil, nil, 1, r.LambdaF, r.LambdaHOfF, true)
	return func(x *mat.Dense) *mat.Dense { return predict(x, alpha, a0) }
}

// riesz returns (D + mu I)⁻¹ mean_SX psi f.
func (w *goldenRisk) riesz(f *mat.Dense) *mat.Dense {
	return solve(plus(meanProduct(w.psi2T, w.psi2T), w.g.Risk.Mu, nil), meanProduct(w.psiT, f))
}

// ridge returns the ridge regression of y on psi with an unpenalised bias.
func (w *goldenRisk) ridge(y *mat.Dense) *mat.Dense {
	d := plus(meanProduct(w.psi2T, w.psi2T), w.g.Risk.LambdaH, nil)
	last, _ := d.Dims()
	d.Set(last-1, last-1, d.At(last-1, last-1)-w.g.Risk.LambdaH)
	return solve(d, meanProduct(w.psi2T, y))
}

func wantEstimate(t *testing.T, name string, value, se, wantValue, wantSE float64) {
	t.Helper()
	if math.Abs(value-wantValue) > goldenTolerance*max(1, math.Abs(wantValue)) || math.Abs(se-wantSE) > goldenTolerance*max(1, wantSE) {
		t.Errorf("%s is %.15g ± %.15g, want %.15g ± %.15g", name, value, se, wantValue, wantSE)
	}
}

func TestUncoupledRiskAgainstGolden(t *testing.T) {
	w, k := newGoldenRisk(t), rightUncoupledRisk
	golden := w.g.Risk
	value, se := estimate(
		rowSums(w.f, func(i, j int) float64 { return k.form1X(w.f.At(i, j), w.h.At(i, j)) }),
		rowSums(w.yV, func(i, j int) float64 { return k.form1Y(w.yV.At(i, j), w.h2.At(i, j), w.r2.At(i, j)) }))
	wantEstimate(t, "form 1", value, se, golden.Form1.MSE, golden.Form1.SE)
	if math.Abs(value-golden.Tight.Centre) > goldenTolerance*value {
		t.Errorf("centre of the tighter bracket is %g, want %g", value, golden.Tight.Centre)
	}
	value, se = estimate(
		rowSums(w.f, func(i, j int) float64 { return k.form2X(w.f.At(i, j), w.h.At(i, j), w.v.At(i, j)) }),
		rowSums(w.yV, func(i, j int) float64 {
			return k.form2Y(w.yV.At(i, j), w.h2.At(i, j), w.r2.At(i, j), w.v2.At(i, j), w.om.At(i, 0))
		}))
	wantEstimate(t, "form 2", value, se, golden.Form2.MSE, golden.Form2.SE)
}

func TestBracketsAgainstGolden(t *testing.T) {
	w, b := newGoldenRisk(t), rightBound
	golden := w.g.Risk
	rms := func(rows *mat.Dense, gap func(i, j int) float64) float64 {
		return math.Sqrt(stat.Mean(rowSums(rows, func(i, j int) float64 { return squared(gap(i, j)) }), nil))
	}
	a := rms(w.f, func(i, j int) float64 { return w.f.At(i, j) - w.h.At(i, j) })
	hy := rms(w.yV, func(i, j int) float64 { return w.h2.At(i, j) - w.yV.At(i, j) })
	fr := rms(w.f, func(i, j int) float64 { return w.f.At(i, j) - w.r.At(i, j) })
	wantEstimate(t, "bracket", b.lower(a, hy), b.least(a, hy), golden.Bracket.Lo, golden.Bracket.Hi)
	wantEstimate(t, "half-width", b.width(fr, hy), 0, golden.Tight.HalfWidth, 0)
}

func TestAccuracyAgainstGolden(t *testing.T) {
	w, k := newGoldenRisk(t), rightUncoupledRisk
	labels := w.g.Accuracy.Labels
	oneHot := mat.NewDense(len(labels), 2, nil)
	for i, l := range labels {
		oneHot.Set(i, l, 1)
	}
	w.yT, w.yV = pick(oneHot, w.g.Risk.TrainUY, false), pick(oneHot, w.g.Risk.HeldUY, false)
	f := w.fitF(w.yT)
	decided := func(x *mat.Dense) *mat.Dense {
		scores := f(x)
		n, c := scores.Dims()
		out := mat.NewDense(n, c, nil)
		for i := range n {
			best := 0
			for j := range c {
				if scores.At(i, j) > scores.At(i, best) {
					best = j
				}
			}
			out.Set(i, best, 1)
		}
		return out
	}
	beta, gamma, chosen := w.ridge(w.yT), w.riesz(decided(w.phiT)), decided(w.phiV)
	h, h2, r2 := product(w.psiV, beta), product(w.psi2V, beta), product(w.psi2V, gamma)
	value, se := estimate(
		rowSums(chosen, func(i, j int) float64 { return k.linearX(chosen.At(i, j), h.At(i, j)) }),
		rowSums(w.yV, func(i, j int) float64 { return k.linearY(w.yV.At(i, j), h2.At(i, j), r2.At(i, j)) }))
	wantEstimate(t, "accuracy", value, se, w.g.Accuracy.Estimate.Estimate, w.g.Accuracy.SE)
}

func TestEffectAgainstGolden(t *testing.T) {
	w, k := newGoldenRisk(t), rightUncoupledRisk
	in, effect := w.g.Input, w.g.Effect
	all := func(n int) []int {
		rows := make([]int, n)
		for i := range rows {
			rows[i] = i
		}
		return rows
	}
	w.psiT, w.psi2T = pick(in.Psi.Dense(), all(len(in.Psi)), true), pick(in.Psi2.Dense(), all(len(in.Psi2)), true)
	y := mat.NewDense(len(in.Y), 1, mat.Col(nil, effect.Output, in.Y.Dense()))
	share := stat.Mean(effect.Treatment, nil)
	kappa := mat.NewDense(len(effect.Treatment), 1, nil)
	for i, v := range effect.Treatment {
		kappa.Set(i, 0, v/share-(1-v)/(1-share))
	}
	beta, gamma := w.ridge(y), w.riesz(kappa)
	h, h2, r2 := product(w.psiT, beta), product(w.psi2T, beta), product(w.psi2T, gamma)
	value, se := estimate(
		rowSums(kappa, func(i, _ int) float64 { return k.linearX(kappa.At(i, 0), h.At(i, 0)) }),
		rowSums(y, func(i, _ int) float64 { return k.linearY(y.At(i, 0), h2.At(i, 0), r2.At(i, 0)) }))
	wantEstimate(t, "effect", value, se, effect.Tau, effect.SE)
}
