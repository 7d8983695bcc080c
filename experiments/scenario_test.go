package experiments

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"mediant/internal/draw"
)

// TestScenarioMeans compares E[Y|X] and Var(Y|U), which are formulas, with means over draws. Five standard errors: one in a million seeds fails, and
// the seed is fixed.
func TestScenarioMeans(t *testing.T) {
	const points, draws = 4, 4000
	// What has a probability of 14/draws is in no draw but for one seed in a million: a jump of at most 6, or an event.
	jumps, events := map[string]float64{"steps": 6 * 14. / draws}, map[string]float64{"rare": 14. / draws}
	agree := func(t *testing.T, what string, values []float64, want, more float64) {
		t.Helper()
		mean, sd := stat.MeanStdDev(values, nil)
		if se := sd / math.Sqrt(float64(len(values))); math.Abs(mean-want) > 5*se+more+1e-12 {
			t.Errorf("%s is %g, mean of draws %g ± %g", what, want, mean, se)
		}
	}
	for _, s := range Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			rnd, r := draw.Rand(1, "test/scenario", 0), s.newRow()
			var variances []float64
			for range points {
				s.drawX(rnd, r)
				var hs, noises []float64
				for range draws {
					s.drawU(rnd, r)
					h := s.h(r)
					e := s.noise(rnd, r, h)
					hs, noises = append(hs, h), append(noises, e)
					variances = append(variances, e*e-s.variance(r, h))
				}
				agree(t, "E[Y|X]", hs, s.mean(r), jumps[s.Name])
				agree(t, "the mean of the noise", noises, 0, events[s.Name])
			}
			if s.Name != "t3" { // whose squares have no variance
				agree(t, "the variance of the noise less its formula", variances, 0, events[s.Name])
			}
		})
	}
}

// TestScenarioVariances: the risk of the best prediction is what coupled rows show, E[(Y - E[Y|X])²], and the variance of E[Y|X] is the rest of that of Y.
func TestScenarioVariances(t *testing.T) {
	const n = 20000
	for _, name := range []string{"steps", "levels", "rare", "uneven"} {
		s, err := ScenarioNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		rnd, r := draw.Rand(2, "test/scenario", 0), s.newRow()
		squares, rest := make([]float64, n), make([]float64, n)
		for i := range squares {
			s.drawX(rnd, r)
			s.drawU(rnd, r)
			rest[i] = s.drawY(rnd, r)
			gap := rest[i] - s.mean(r)
			squares[i] = gap * gap
		}
		all := stat.Mean(rest, nil)
		for i, y := range rest {
			rest[i] = (y-all)*(y-all) - squares[i]
		}
		irreducible, explained := s.Variances(n, 1)
		// Both are means of n draws, and that of Variances has the smaller variance.
		for i, got := range []float64{irreducible, explained} {
			mean, sd := stat.MeanStdDev([][]float64{squares, rest}[i], nil)
			if math.Abs(got-mean) > 5*math.Sqrt2*sd/math.Sqrt(n) {
				t.Errorf("%s: %s is %g, of coupled rows %g", name, []string{"the irreducible risk", "the variance of E[Y|X]"}[i], got, mean)
			}
		}
	}
}

// TestScenarioTables: the columns are those of each table, a seed gives the same rows again, and tables of a seed differ.
func TestScenarioTables(t *testing.T) {
	s, err := ScenarioNamed("levels")
	if err != nil {
		t.Fatal(err)
	}
	xu, err := s.XU(5, 1)
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.XU(5, 1)
	if err != nil {
		t.Fatal(err)
	}
	truth, err := s.Truth(5, 1)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range append(xu.Columns(), truth.Columns()...) {
		names = append(names, c.Name)
	}
	if got, want := strings.Join(names, " "), "x1 x2 x3 u1 u2 u3 x_level u_level x1 x2 x3 y x_level"; got != want {
		t.Errorf("columns are %s, want %s", got, want)
	}
	a, text := rows(t, xu)
	b, _ := rows(t, again)
	c, _ := rows(t, truth)
	if a[4][2] != b[4][2] || a[4][2] == c[4][2] || !strings.HasPrefix(text[0], "level ") {
		t.Errorf("X_3 of row 5 is %g, again %g, of another table %g; levels %v", a[4][2], b[4][2], c[4][2], text)
	}
	if _, err := s.UY(0, 1); err == nil {
		t.Error("a table of no rows was drawn")
	}
	if _, err := ScenarioNamed("stairs"); err == nil || !strings.Contains(err.Error(), "friedman, steps") {
		t.Errorf("an unknown scenario: %v", err)
	}
}
