package effect

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"mediant/rr"
	"mediant/tables"
)

// TestWeighU: x moves u, and decides in the treated arm alone whether v is missing, which x moves too. So complete rows alone are far off, and are not with their weights. An estimate off by 3
// standard errors has probability 0.003 for another seed.
func TestWeighU(t *testing.T) {
	d := drawStudy(2000, 1500, 0, 11)
	rnd := rand.New(rand.NewPCG(12, 12))
	missing := 0
	for i, x := range d.x {
		d.v[i] += x
		if d.t[i] == 1 && rnd.Float64() < 1/(1+math.Exp(-1.5*x)) {
			d.v[i] = math.NaN()
			missing++
		}
	}
	for i := range d.ownV {
		if rnd.Float64() < .2 {
			d.ownV[i] = math.NaN()
		}
	}
	e := Estimator{Treatment: "t", Setup: straight(5), CompleteU: true}
	if alone := estimated(t, e, d.xu(t), d.uy(t)); off(alone) < 5 || alone.Missing.Weights != nil {
		t.Errorf("complete rows alone: %+v", alone.Effects[0])
	}
	e.WeighU = true
	for _, x := range [][]string{nil, {"x"}} { // u, which is never missing, stands for x in part
		e.X = x
		got := estimated(t, e, d.xu(t), d.uy(t))
		w := got.Missing.Weights
		if x != nil && off(got) > 3 || !got.Missing.LeftOut || w == nil || !reflect.DeepEqual(w.By, append(append([]string{}, x...), "u")) {
			t.Fatalf("by %v: off by %.1f: %+v, %+v", x, off(got), got.Effects[0], got.Missing)
		}
		if w.Rows != 2000-missing || got.Treated+got.Control != w.Rows || !(w.Largest > 2) || !(w.Effective > 500 && w.Effective < float64(w.Rows)) || got.Missing.XU.Rows != missing {
			t.Errorf("%+v, %+v", w, got.Missing)
		}
	}
	e.Propensity, d.t[0], d.t[7] = EstimatePropensity, math.NaN(), math.NaN()
	if got := estimated(t, e, d.xu(t), d.uy(t)); off(got) > 3 || got.DroppedXU != 2 || got.Propensity.Of != 1998 {
		t.Errorf("with a propensity: %+v, %+v", got.Effects[0], got.Propensity)
	}
}

// TestWeighUWithoutColumns: if every column of U is missing somewhere, and there are no covariates, complete rows stand for their arm alike, which is the estimate of complete rows.
func TestWeighUWithoutColumns(t *testing.T) {
	d := drawStudy(300, 300, 0, 13)
	for i := range d.u {
		if i%3 == 0 {
			d.u[i], d.v[i] = math.NaN(), math.NaN()
		}
	}
	e := Estimator{Treatment: "t", Setup: straight(1), CompleteU: true, LambdaH: rr.Value(0), Mu: rr.Value(1e-8)}
	want := estimated(t, e, d.xu(t), d.uy(t))
	e.WeighU = true
	got := estimated(t, e, d.xu(t), d.uy(t))
	if math.Abs(got.Effects[0].Value-want.Effects[0].Value) > 1e-6 || math.Abs(got.Effects[0].SE/want.Effects[0].SE-1) > .02 || len(got.Missing.Weights.By) > 0 {
		t.Errorf("%+v, want %+v", got.Effects[0], want.Effects[0])
	}
	if w := got.Missing.Weights; w.Rows != 200 || math.Abs(w.Effective-200) > 2 {
		t.Errorf("%+v", w)
	}
}

// TestWeighUOfCompleteRows: where no U of the first table is missing there is nothing to weigh.
func TestWeighUOfCompleteRows(t *testing.T) {
	d := drawStudy(200, 300, 0, 14)
	d.ownV[3] = math.NaN()
	e := Estimator{Treatment: "t", Setup: straight(3), CompleteU: true}
	want := estimated(t, e, d.xu(t), d.uy(t))
	e.WeighU = true
	if got := estimated(t, e, d.xu(t), d.uy(t)); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestWeighUOfArms: three arms, with rows without overlap, whose bounds are there.
func TestWeighUOfArms(t *testing.T) {
	d := drawArms(900, 900, 15)
	rnd := rand.New(rand.NewPCG(15, 15))
	x := make([]float64, len(d.u))
	for i := range x {
		x[i] = rnd.NormFloat64()
		d.v[i] += x[i]
		if rnd.Float64() < 1/(1+math.Exp(2-x[i])) {
			d.v[i] = math.NaN()
		}
	}
	for i := range 40 { // of all arms, so that the effects stay
		d.u[i] = 30 + float64(i)/40
		if math.IsNaN(d.v[i]) {
			d.v[i] = 0
		}
	}
	e := Estimator{Treatment: "arm", Control: "a", Setup: straight(3), X: []string{"x"}, CompleteU: true, WeighU: true}
	e.AllRows = false
	xu := sourceOf(t, d.words("a", "b", "c"), tables.Numbers("x", x), tables.Numbers("u", d.u), tables.Numbers("v", d.v))
	got := estimated(t, e, xu, d.uy(t))
	for _, of := range got.Effects {
		if of.Bounds == nil || !(of.Bounds.Lower <= of.Bounds.Lo && of.Bounds.Lo <= of.Bounds.Hi && of.Bounds.Hi <= of.Bounds.Upper) || of.Joint == nil {
			t.Errorf("%+v", of)
		}
	}
	if got.NoOverlap == nil || got.NoOverlap.Treated+got.NoOverlap.Control < 30 {
		t.Errorf("%+v", got.NoOverlap)
	}
}

func TestWeighURefused(t *testing.T) {
	d := drawStudy(60, 60, 0, 16)
	for i := range d.u {
		if d.t[i] == 1 {
			d.u[i] = math.NaN()
		}
	}
	for says, e := range map[string]Estimator{
		"without Estimator.CompleteU": {Treatment: "t", Setup: straight(2), WeighU: true},
		"Estimator.WeighU":            {Treatment: "t", Setup: straight(2), CompleteU: true, WeighU: true, Probability: rr.Value(.5)},
		"U is complete in no treated": {Treatment: "t", Setup: straight(2), CompleteU: true, WeighU: true},
	} {
		if _, err := e.Estimate(context.Background(), d.xu(t), d.uy(t)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}
