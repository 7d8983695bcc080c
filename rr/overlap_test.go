package rr_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/effect"
	"mediant/features"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// spoiltPair are tables of which every so many rows of the first have a U that the second lacks, and coupled rows of the others and of these. Y is
// 5 less where U is spoilt, or the other class.
type spoiltPair struct {
	xu, uy       tables.Source
	others, lost tables.Source // of X and Y
}

func drawSpoilt(t testing.TB, seed uint64, n, every int, classes bool) spoiltPair {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 9))
	draw := func(n int, spoilt func(i int) bool) (x, u, w []float64, level []string, y tables.ColumnData) {
		var numbers []float64
		var labels []string
		for i := range n {
			a := 2 * rnd.NormFloat64()
			b := a + rnd.NormFloat64()
			l, v := []string{"a", "b"}[rnd.IntN(2)], b+.5*rnd.NormFloat64()
			if spoilt(i) {
				l, v = "lost", v-5
			}
			x, u, w, level = append(x, a), append(u, b), append(w, .5+rnd.Float64()), append(level, l)
			numbers, labels = append(numbers, v), append(labels, []string{"no", "yes"}[min(1, int(math.Max(0, v+1)))])
		}
		if classes {
			return x, u, w, level, tables.Strings("y", labels)
		}
		return x, u, w, level, tables.Numbers("y", numbers)
	}
	never, always := func(int) bool { return false }, func(int) bool { return true }
	var s spoiltPair
	x, u, w, level, _ := draw(n, func(i int) bool { return every > 0 && i%every == 0 })
	s.xu = source(t, tables.Numbers("x", x), tables.Numbers("u", u), tables.Strings("level", level), tables.Numbers("w", w))
	_, u, _, level, y := draw(n, never)
	s.uy = source(t, tables.Numbers("u", u), tables.Strings("level", level), y)
	x, _, _, _, y = draw(4000, never)
	s.others = source(t, tables.Numbers("x", x), y)
	x, _, _, _, y = draw(4000, always)
	s.lost = source(t, tables.Numbers("x", x), y)
	return s
}

func (s spoiltPair) setup(weights bool) problem.Setup {
	setup := problem.Setup{Phi: features.Spec{Size: 32}, Psi: features.Spec{Kind: features.AdditiveFeatures, Size: 32}, Folds: 5, Roles: tables.RoleOptions{X: []string{"x"}, U: []string{"u", "level"}, Y: []string{"y"}}}
	if weights {
		setup.Roles.WeightsXU = "w"
	}
	return setup
}

// score is the mean squared error and the accuracy of a model on coupled rows.
func (s spoiltPair) score(t testing.TB, m *mediant.Model, on tables.Source) (mse, accuracy float64) {
	t.Helper()
	got, err := m.Evaluate(context.Background(), on)
	if err != nil {
		t.Fatal(err)
	}
	if got.Accuracy != nil {
		accuracy = *got.Accuracy
	}
	return got.MSE, accuracy
}

// TestRiskOfRowsWithOverlap: the risk is that of the rows whose U the second table has, which the notes and the counts say, and brackets, with sampling
// error, contain the error over all rows, whose others are nothing like what was learned; in both forms, for numbers and classes, with sampling weights and
// without, and for a model that is judged on new tables.
func TestRiskOfRowsWithOverlap(t *testing.T) {
	ctx := context.Background()
	for _, classes := range []bool{false, true} {
		for _, weights := range []bool{false, true} {
			for _, form := range []risk.Form{risk.SameDistribution, risk.CovariateShift} {
				name := fmt.Sprintf("classes %v, weights %v, form %d", classes, weights, form)
				s := drawSpoilt(t, 4, 500, 5, classes)
				c, err := search.ChoiceOfTables(ctx, s.setup(weights), rr.TwoStep{LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-3)}, risk.AssessOptions{Form: form}, s.xu, s.uy)
				if err != nil {
					t.Fatal(err)
				}
				m, err := c.Fit(ctx)
				if err != nil {
					t.Fatal(err)
				}
				a, err := c.Assessment(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if m.Rows.NoOverlap != 100 || m.Rows.XU != 400 || !strings.Contains(strings.Join(m.Notes, "\n"), `100 of the 500 rows of the table of X and U are left out of fit and risk, because the table of U and Y lacks their U: "level" is "lost"`) {
					t.Errorf("%s: rows %+v, notes %q", name, m.Rows, m.Notes)
				}
				again := a
				if !classes {
					if again, err = risk.AssessModel(ctx, m, s.xu, s.uy, s.setup(weights).Roles, risk.AssessOptions{Form: form}); err != nil {
						t.Fatal(err)
					}
				}
				truth, hits := s.score(t, &mediant.Model{Model: m}, s.others)
				lost, lostHits := s.score(t, &mediant.Model{Model: m}, s.lost)
				all, allHits := .8*truth+.2*lost, .8*hits+.2*lostHits
				for _, a := range []*risk.Assessment{a, again} {
					o := a.Overlap
					if o == nil || o.Rows != 400 || o.Of != 500 || math.Abs(o.Share-.2) > .03 || !weights && o.Share != .2 {
						t.Fatalf("%s: %+v", name, o)
					}
					if math.Abs(a.Risk.MSE-truth) > 3*a.Risk.SE { // by chance in 1 of 370 such cases, here 12
						t.Errorf("%s: risk %+v, truth %g", name, a.Risk.Estimate, truth)
					}
					if !(o.Least <= lost && lost <= o.Most && o.All.Lower <= all && all <= o.All.Upper) {
						t.Errorf("%s: %+v, truths %g and %g", name, o, lost, all)
					}
					if (a.Bracket != nil) != (form == risk.SameDistribution) {
						t.Errorf("%s: bracket %+v", name, a.Bracket)
					}
					for _, b := range []*risk.Bracket{a.Bracket, a.Tight} {
						if b != nil && !(b.Lower <= b.Lo && b.Lower <= all && b.Lo <= b.Hi && all <= b.Upper && b.Hi <= b.Upper) {
							t.Errorf("%s: bracket %+v, truth %g", name, b, all)
						}
					}
					if classes != (o.Accuracy != nil) || classes && !(o.Accuracy.Lower <= allHits && allHits <= o.Accuracy.Upper && o.Accuracy.Hi-o.Accuracy.Lo > .15) {
						t.Errorf("%s: accuracy %+v, truth %g", name, o.Accuracy, allHits)
					}
				}
			}
		}
	}
}

// TestRowsWithOverlapAlone: what is left out has no part in the model: it is to the byte that of the other rows.
func TestRowsWithOverlapAlone(t *testing.T) {
	ctx := context.Background()
	s := drawSpoilt(t, 2, 300, 3, false)
	rest, err := tables.Keep(ctx, s.xu, 200, func(i int) bool { return i%3 != 0 })
	if err != nil {
		t.Fatal(err)
	}
	var files [2]string
	for i, xu := range []tables.Source{s.xu, rest} {
		m, err := recorded(rr.Fit(ctx, s.setup(false), rr.Joint{}, xu, s.uy))
		if err != nil {
			t.Fatal(err)
		}
		if (m.Rows.NoOverlap > 0) != (i == 0) {
			t.Errorf("table %d: %+v", i, m.Rows)
		}
		m.Notes, m.Rows.NoOverlap = nil, 0
		var file bytes.Buffer
		if err := m.Save(&file); err != nil {
			t.Fatal(err)
		}
		files[i] = file.String()
	}
	if files[0] != files[1] {
		t.Error("rows without overlap have a part in the model")
	}
	setup := s.setup(false)
	setup.AllRows = true
	m, err := rr.Fit(ctx, setup, rr.Joint{}, s.xu, s.uy)
	if err != nil || m.Rows.XU != 300 || m.Rows.NoOverlap != 0 {
		t.Errorf("all rows: %+v, %v", m.Rows, err)
	}
	for _, all := range []bool{false, true} {
		a, err := risk.AssessModel(ctx, m, s.xu, s.uy, setup.Roles, risk.AssessOptions{AllRows: all})
		if err != nil || (a.Overlap == nil) != all {
			t.Errorf("all rows %v: %+v, %v", all, a.Overlap, err)
		}
	}
}

// TestNoRiskWithoutOverlap: where most rows have none there is no risk, which says why, and a model all the same: of the others, or of all where these are
// too few.
func TestNoRiskWithoutOverlap(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct{ rows, left int }{{300, 120}, {20, 20}} {
		s := drawSpoilt(t, 3, 300, 0, false)
		var x, u []float64
		var level []string
		for i := range c.rows {
			l := "lost"
			if i%5 < 2 {
				l = "a"
			}
			x, u, level = append(x, float64(i%13)), append(u, float64(i%13-6)), append(level, l)
		}
		xu := source(t, tables.Numbers("x", x), tables.Numbers("u", u), tables.Strings("level", level))
		choice, err := search.ChoiceOfTables(ctx, s.setup(false), rr.TwoStep{}, risk.AssessOptions{}, xu, s.uy)
		if err != nil {
			t.Fatal(err)
		}
		m, err := choice.Fit(ctx)
		if err != nil || m.Rows.XU != c.left || m.Rows.NoOverlap != c.rows*3/5 {
			t.Errorf("%+v: %+v, %v", c, m.Rows, err)
		}
		for i := range 2 {
			if i == 0 {
				_, err = choice.Assessment(ctx)
			} else {
				_, err = risk.AssessModel(ctx, m, xu, s.uy, tables.RoleOptions{}, risk.AssessOptions{})
			}
			if !errors.Is(err, risk.ErrNoRisk) || !strings.Contains(err.Error(), `"level" is "lost"`) {
				t.Errorf("%+v: %v", c, err)
			}
		}
		found, err := fitSearch(ctx, search.Search{Setup: s.setup(false), PhiCandidates: []features.Spec{{Size: 16}}, PsiCandidates: []features.Spec{{Size: 16}}}, xu, s.uy)
		if err != nil || found.Assessment != nil || len(found.Warnings) != 1 {
			t.Errorf("%+v: a search: %v, %q", c, err, found.Warnings)
		}
	}
}

// TestOverlapInJSON: an assessment without rows that lack overlap has no word of it.
func TestOverlapInJSON(t *testing.T) {
	ctx := context.Background()
	for _, every := range []int{0, 5} {
		s := drawSpoilt(t, 3, 200, every, false)
		p, err := problem.Prepare(ctx, s.setup(false), s.xu, s.uy)
		if err != nil {
			t.Fatal(err)
		}
		a, err := risk.Assess(ctx, p, risk.Fitted(rr.TwoStep{}), risk.AssessOptions{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(a)
		if err != nil || strings.Contains(string(text), "overlap") != (every > 0) {
			t.Errorf("one in %d spoilt: %s, %v", every, text, err)
		}
	}
}

// TestEffectBoundsByHand: with h that meets every Y, where 2 of the 12 treated rows and 1 of the 8 others have a U far away, the bounds are the difference
// of the arms' means with the least and the greatest Y, 0 and 30, in the place of theirs.
func TestEffectBoundsByHand(t *testing.T) {
	var rows, uy []float64
	sum := [2]float64{}
	for i := range 240 {
		arm, u := 0., float64(i%7)
		if i%5 < 3 {
			arm = 1
		}
		if i%12 == 0 {
			u = 500
		} else {
			sum[int(arm)] += 3 * u
		}
		rows = append(rows, arm, u)
	}
	for i := range 331 {
		u := float64(i%31) / 3
		uy = append(uy, u, 3*u)
	}
	setup := problem.Setup{Psi: features.Spec{Kind: features.LinearFeatures}, NoStandardize: true, Folds: 2}
	e := effect.Estimator{Setup: setup, Treatment: "t", LambdaH: rr.Value(0), Mu: rr.Value(0)}
	xu := table(t, "t u", mat.NewDense(240, 2, rows))
	got := effectOf(t, e, xu, table(t, "u y", mat.NewDense(331, 2, uy)))
	lost := [2]float64{}
	counts := [2]float64{}
	for i := range 240 {
		arm := int(rows[2*i])
		counts[arm]++
		if i%12 == 0 {
			lost[arm]++
		}
	}
	if got.NoOverlap == nil || float64(got.NoOverlap.Control) != lost[0] || float64(got.NoOverlap.Treated) != lost[1] || got.Treated != int(counts[1]) {
		t.Fatalf("%+v, want %v of %v", got.NoOverlap, lost, counts)
	}
	want := func(treated, control float64) float64 {
		return (sum[1]+lost[1]*treated)/counts[1] - (sum[0]+lost[0]*control)/counts[0]
	}
	b := got.Effects[0].Bounds
	if math.Abs(b.Lo-want(0, 30)) > 1e-8 || math.Abs(b.Hi-want(30, 0)) > 1e-8 || !(b.Lower < b.Lo && b.Hi < b.Upper) {
		t.Errorf("bounds %+v, want %g to %g", b, want(0, 30), want(30, 0))
	}
	// Sampling weights that are all equal, but not 1, change nothing.
	weighed := make([]float64, 240)
	data := mat.NewDense(240, 3, nil)
	for i := range weighed {
		data.SetRow(i, []float64{rows[2*i], rows[2*i+1], .7})
	}
	e.Roles.WeightsXU, e.Roles.U = "w", []string{"u"}
	if again := effectOf(t, e, table(t, "t u w", data), table(t, "u y", mat.NewDense(331, 2, uy))).Effects[0]; math.Abs(again.Bounds.Lo-b.Lo) > 1e-8 || math.Abs(again.Bounds.Upper-b.Upper) > 1e-8 {
		t.Errorf("with weights %+v, without %+v", again.Bounds, b)
	}
}

// TestEffectRefusesAnArmWithoutOverlap names the arm and the column.
func TestEffectRefusesAnArmWithoutOverlap(t *testing.T) {
	for arm, name := range []string{"untreated", "treated"} {
		xu := mat.NewDense(200, 2, nil)
		xu.Apply(func(i, j int, _ float64) float64 {
			switch {
			case j == 0:
				return float64(i % 2)
			case i%2 == arm && i%10 < 7:
				return 90
			}
			return float64(i % 9)
		}, xu)
		uy := mat.NewDense(200, 2, nil)
		uy.Apply(func(i, j int, _ float64) float64 { return float64(i % 9) }, uy)
		_, err := effect.Estimator{Treatment: "t", Setup: problem.Setup{Psi: features.Spec{Kind: features.LinearFeatures}}}.Estimate(context.Background(), table(t, "t u", xu), table(t, "u y", uy))
		if err == nil || !strings.Contains(err.Error(), " "+name+" rows") || !strings.Contains(err.Error(), `"u" is beyond its range`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
