package rr_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/baselines"
	"mediant/encode"
	"mediant/features"
	"mediant/internal/fittest"
	"mediant/problem"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// landmarksOf are those of a predictor that has its features folded.
func landmarksOf(t *testing.T, p rr.Predictor) mat.Matrix {
	t.Helper()
	s, ok := p.(*rr.Linear).Map.(*features.Sections)
	if !ok {
		t.Fatalf("a map of type %T", p.(*rr.Linear).Map)
	}
	return s.Landmarks()
}

// sameRows reports whether a has the rows of b, in any order, to rounding.
func sameRows(a, b mat.Matrix) bool {
	n, _ := a.Dims()
	if m, _ := b.Dims(); m != n {
		return false
	}
	for i := range n {
		found := false
		for j := range n {
			var d mat.VecDense
			d.SubVec(mat.NewVecDense(len(mat.Row(nil, i, a)), mat.Row(nil, i, a)), mat.NewVecDense(len(mat.Row(nil, j, b)), mat.Row(nil, j, b)))
			found = found || mat.Norm(&d, 2) < 1e-12
		}
		if !found {
			return false
		}
	}
	return true
}

// TestGivenLandmarks: the landmarks of a model are the rows given, encoded as all others, whatever the method and
// whether something is left to choose.
func TestGivenLandmarks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 1))
	column := func(name string, n int) tables.ColumnData {
		v := make([]float64, n)
		for i := range v {
			v[i] = 10 + 4*rnd.NormFloat64()
		}
		return tables.Numbers(name, v)
	}
	xu := source(t, column("x1", 80), column("x2", 80), column("u", 80))
	uy := source(t, column("u", 60), column("y", 60))
	ofX := source(t, tables.Numbers("x2", []float64{10, 4, 7}), tables.Numbers("x1", []float64{8, 12, math.NaN()}), tables.Numbers("z", []float64{1, 1, 1}))
	ofU := source(t, tables.Numbers("u", []float64{3, 10, 17, 12}))
	setup := problem.Setup{Phi: features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Size: 40}, Psi: features.Spec{Kind: features.NystromFeatures, Kernel: "matern52"}, LandmarksX: ofX, LandmarksU: ofU}
	fixed := setup
	fixed.Phi.Bandwidth, fixed.Psi.Bandwidth = 1, 1
	for _, method := range []fittest.Fitter{fittest.With(setup, rr.TwoStep{}), fittest.With(fixed, rr.Joint{}), searching{search.Search{Setup: setup}}, searching{search.Search{Setup: fixed}}, fittest.With(setup, baselines.MeanEmbedding{})} {
		name := fmt.Sprintf("%T", method)
		m := fit(t, method, xu, uy)
		for _, side := range []struct {
			e  *encode.Encoder
			of tables.Source
			p  rr.Predictor
		}{{m.X, ofX, m.F}, {m.U, ofU, m.H}} {
			want, _, err := side.e.EncodeAll(context.Background(), side.of, 10)
			if err != nil {
				t.Fatal(err)
			}
			if got := landmarksOf(t, side.p); !sameRows(got, want) {
				t.Errorf("%s: landmarks %v, want %v", name, mat.Formatted(got), mat.Formatted(want))
			}
		}
		if notes := strings.Join(m.Notes, "\n"); !strings.Contains(notes, `landmarks of X: column "x1": 1 missing`) {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
}

func TestGivenLandmarksRefuse(t *testing.T) {
	xu := source(t, tables.Numbers("x", []float64{1, 2, 3}), tables.Numbers("u", []float64{2, 1, 4}))
	uy := source(t, tables.Numbers("u", []float64{1, 2, 5}), tables.Numbers("y", []float64{0, 1, 3}))
	nystrom := features.Spec{Kind: features.NystromFeatures}
	many := make([]float64, 20001)
	for want, s := range map[string]problem.Setup{
		"problem: landmarks of X: ":       {Phi: nystrom, LandmarksX: source(t, tables.Numbers("u", many[:2]))},
		"problem: landmarks of U: ":       {Psi: nystrom, LandmarksU: source(t, tables.Strings("u", []string{"a"}))},
		"more than 20000 rows":            {Psi: nystrom, LandmarksU: source(t, tables.Numbers("u", many))},
		"given landmarks with auto, want": {LandmarksX: source(t, tables.Numbers("x", many[:2]))},
		"given landmarks with laplacian":  {Psi: features.Spec{Kernel: "laplacian"}, LandmarksU: source(t, tables.Numbers("u", many[:2]))},
	} {
		for _, method := range []fittest.Fitter{fittest.With(s, rr.Joint{}), searching{search.Search{Setup: s}}} {
			if _, err := method.Fit(context.Background(), xu, uy); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%T: error %v, want %q", method, err, want)
			}
		}
	}
}

// TestTextOptionsReachTheEncoders, of X and of U.
func TestTextOptionsReachTheEncoders(t *testing.T) {
	title, text, _ := articles(120, 1)
	_, others, _ := articles(120, 2)
	y := make([]float64, 120)
	for i := range y {
		y[i] = float64(i % 7)
	}
	few := features.Spec{Size: 16}
	s := problem.Setup{Phi: few, Psi: few, Text: encode.TextOptions{Words: 2, CharMin: -1, CharMax: -1, Buckets: 256}}
	xu, uy := source(t, tables.Strings("title", title), tables.Strings("text", text)), source(t, tables.Strings("text", others), tables.Numbers("y", y))
	m := fit(t, fittest.With(s, rr.TwoStep{}), xu, uy)
	for _, e := range []*encode.Encoder{m.X, m.U} {
		if e.Width() != 256 || !strings.Contains(string(e.Canonical()), `"words":2,"char_min":-1,"char_max":-1`) {
			t.Errorf("an encoder of %d columns: %.200s", e.Width(), e.Canonical())
		}
	}
	s.Text.Buckets = 100
	if _, err := rr.Fit(context.Background(), s, rr.TwoStep{}, xu, uy); err == nil || !strings.Contains(err.Error(), "100 buckets") {
		t.Errorf("100 buckets: %v", err)
	}
}
