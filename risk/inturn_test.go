package risk

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/crossfit"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
)

// TestAssessInTurn: the sums of 2Step-RR alone give the model, the models of the folds and the risk of the sums of phi and psi.
func TestAssessInTurn(t *testing.T) {
	method := rr.TwoStep{LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-2)}
	for _, kind := range []features.Kind{features.FourierFeatures, features.NystromFeatures} {
		for _, classes := range []bool{false, true} {
			for _, form := range []Form{SameDistribution, CovariateShift} {
				name := fmt.Sprintf("%q classes %v form %d", kind, classes, form)
				xu, uy := fixture.Surrogates(t, 210, 130, classes)
				setup := problemtest.Setup(kind)
				full := problemtest.Prepared(t, setup, xu, uy)
				turn, _, err := method.Prepare(t.Context(), setup, xu, uy)
				if err != nil {
					t.Fatal(name, err)
				}
				if turn.FirstStep() == nil {
					t.Fatalf("%s: no first step", name)
				}
				want := fixture.Must[*Assessment](t)(Assess(t.Context(), full, Fitted(method), AssessOptions{Form: form}))
				got := fixture.Must[*Assessment](t)(Assess(t.Context(), turn, Fitted(method), AssessOptions{Form: form}))
				close(t, name, got, want, assessTol)
			}
		}
	}
}

// TestInTurnIsForOneMethod: sums of 2Step-RR alone are not taken for those of other methods, and are made whole where that is asked for.
func TestInTurnIsForOneMethod(t *testing.T) {
	method := rr.TwoStep{LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-2)}
	xu, uy := fixture.Surrogates(t, 210, 130, false)
	p, _, err := method.Prepare(t.Context(), problemtest.Setup(features.FourierFeatures), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	other := method
	other.LambdaH = rr.Value(1e-1)
	components := method
	components.Components = true
	joint := rr.Joint{LambdaF: method.LambdaF, LambdaH: method.LambdaH}
	for _, m := range []rr.Method{other, components, joint} {
		if _, err := rr.FitWith(t.Context(), m, p); err == nil || !strings.Contains(err.Error(), "lambda_h = 0.01 alone") {
			t.Errorf("%+v: error %v", m, err)
		}
	}
	rest, err := p.Without(1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rest.Without(0); err == nil {
		t.Error("no error without two folds, for which there is no h")
	}
	full, err := p.Full(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rr.FitWith(t.Context(), joint, full); err != nil {
		t.Error(err)
	}
	if again, _ := full.Full(t.Context()); again != full {
		t.Error("a full problem is summed again")
	}
}

// probedCase has tables in which S_Y has few rows where S_X has many, with 600 features of U.
func probedCase(t *testing.T, seed uint64) (evidence, *fittedNuisances) {
	t.Helper()
	xu, uy := fixture.Surrogates(t, 210, 130, false)
	setup := problem.Setup{Phi: features.Spec{Size: 20}, Psi: features.Spec{Size: 600, Bandwidth: .5}, Folds: 3, Seed: seed}
	p := problemtest.Prepared(t, setup, xu, uy)
	m, err := fitFolds(t.Context(), p, Fitted(rr.TwoStep{}))
	if err != nil {
		t.Fatal(err)
	}
	n, err := fitNuisances(t.Context(), evidenceOf(p), m, AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return evidenceOf(p), n
}

// TestProbes: traces from random vectors are those from whole matrices, but for an error that is small beside the standard error that they have anyway; and they are the same from sums and from rows.
func TestProbes(t *testing.T) {
	e, n := probedCase(t, 1)
	priors, noise, err := n.priors(n.uy, func(k int) crossfit.Affine { return n.of[k].h })
	if err != nil {
		t.Fatal(err)
	}
	want := fixture.Must[*posterior](t)(exactPosterior(t.Context(), n.uy, e.foldsXU, priors, noise))
	var gaps, shares []float64
	for seed := range uint64(30) {
		u, _, err := newPosterior(n.uy, priors, noise)
		if err != nil {
			t.Fatal(err)
		}
		o, err := newProbing(t.Context(), n, u, true, 1000, seed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.excess(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		gaps, shares = append(gaps, u.excess[0]-want.excess[0]), append(shares, u.variance[0]/want.variance[0])
	}
	sd := math.Sqrt(want.variance[0])
	if mean, se := stat.Mean(gaps, nil), stat.StdDev(gaps, nil)/math.Sqrt(30); math.Abs(mean) > 3*se || se*math.Sqrt(30) > .25*sd || se == 0 {
		t.Errorf("probes move the excess %g by %g ± %g; its standard error is %g", want.excess[0], mean, se, sd)
	}
	if mean, se := stat.MeanStdDev(shares, nil); math.Abs(mean-1) > .1 || se > .3 {
		t.Errorf("variances from probes are %g ± %g of the exact one", mean, se)
	}
}

// TestProbesOfRows: a pass over rows gives the products of the sums.
func TestProbesOfRows(t *testing.T) {
	e, n := probedCase(t, 2)
	biasesOf := func(e evidence) []overlapBias {
		o := fixture.Must[*probing](t)(n.probing(t.Context(), e))
		if o == nil {
			t.Fatal("nothing is probed")
		}
		err := e.WalkXU(t.Context(), e.Constant(), e.SidePsi(), func(k int, _, psi *mat.Dense, w moments.Weights) { o.add(k, psi, w) })
		if err != nil {
			t.Fatal(err)
		}
		biases, _, err := overlapBiases(t.Context(), e, n, o)
		if err != nil {
			t.Fatal(err)
		}
		return biases
	}
	biases := biasesOf(e)
	rows := e
	rows.foldsXU = nil
	again := biasesOf(rows)
	for j := range biases {
		if d := math.Abs(biases[j].bias - again[j].bias); !(d < 1e-10*math.Abs(biases[j].bias)) {
			t.Errorf("bias of output %d: %g from sums, %g from rows", j, biases[j].bias, again[j].bias)
		}
		if d := math.Abs(biases[j].variance - again[j].variance); !(d < 1e-8*biases[j].variance) {
			t.Errorf("variance of output %d: %g from sums, %g from rows", j, biases[j].variance, again[j].variance)
		}
	}
}
