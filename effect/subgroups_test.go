package effect

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"mediant/rr"
	"mediant/tables"
)

// aged are 2,000 rows in which the effect on u is 1 up to the age of 40 and 0 above it, and Y = 3 + 2 u + noise elsewhere.
func aged(t testing.TB, n int, seed uint64) (xu, uy tables.Source, age, arm, u []float64) {
	rnd := rand.New(rand.NewPCG(seed, 26))
	for range n {
		age, arm = append(age, float64(20+rnd.IntN(41))), append(arm, float64(rnd.IntN(2)))
		moved := 0.
		if age[len(age)-1] <= 40 {
			moved = arm[len(arm)-1]
		}
		u = append(u, moved+rnd.NormFloat64())
	}
	xu = sourceOf(t, tables.Numbers("age", age), tables.Numbers("t", arm), tables.Numbers("u", u))
	return xu, drawExperiments(t, 1, 20, 0, 0, seed).uy, age, arm, u
}

// TestSubgroupsOfNumbers: ages of 41 values are cut into quarters, and effects and the test of their equality are those of the means in each, h meeting every Y.
func TestSubgroupsOfNumbers(t *testing.T) {
	xu, _, age, arm, u := aged(t, 2000, 1)
	e := Estimator{Setup: straight(1), Treatment: "t", LambdaH: rr.Value(0), Mu: rr.Value(0)}
	uy := sourceOf(t, tables.Numbers("u", []float64{-6, -1, 0, 2, 5}), tables.Numbers("y", []float64{-9, 1, 3, 7, 13}))
	s, err := e.Subgroups(t.Context(), xu, uy, "age")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Cuts) != 3 || len(s.Effects) != 4 || !strings.HasPrefix(s.Effects[0].Group, "up to 3") || !strings.HasPrefix(s.Effects[3].Group, "above ") {
		t.Fatalf("%+v", s)
	}
	weights, values := 0., []float64(nil)
	var variances []float64
	for g, got := range s.Effects {
		lo, hi := math.Inf(-1), math.Inf(1)
		if g > 0 {
			lo = s.Cuts[g-1]
		}
		if g < 3 {
			hi = s.Cuts[g]
		}
		var arms [2][]float64
		for i := range age {
			if age[i] > lo && age[i] <= hi {
				arms[int(arm[i])] = append(arms[int(arm[i])], 2*u[i])
			}
		}
		m1, v1 := stat.MeanVariance(arms[1], nil)
		m0, v0 := stat.MeanVariance(arms[0], nil)
		variance := v1/float64(len(arms[1])) + v0/float64(len(arms[0]))
		if n := len(arms[0]) + len(arms[1]); n < 400 || n > 600 || got.Treated != len(arms[1]) {
			t.Errorf("%s has %d rows", got.Group, n)
		}
		if !near(got.Value, m1-m0) || !near(got.SE, math.Sqrt(variance)) || got.Joint == nil || got.Joint.Lo >= got.Lo {
			t.Errorf("%+v, want %g (%g)", got, m1-m0, math.Sqrt(variance))
		}
		weights += 1 / variance
		values, variances = append(values, m1-m0), append(variances, variance)
	}
	mean, q := 0., 0.
	for i, v := range values {
		mean += v / variances[i] / weights
	}
	for i, v := range values {
		q += (v - mean) * (v - mean) / variances[i]
	}
	if test := s.Tests[0]; len(s.Tests) != 1 || test.Freedom != 3 || !near(test.ChiSquared, q) || !near(test.P, distuv.ChiSquared{K: 3}.Survival(q)) || test.P > 1e-6 {
		t.Errorf("%+v, want %g", s.Tests, q)
	}
}

// TestEqualSubgroups: where effects are equal, p is below .1 in a tenth of samples; of 60 in 1 to 13, but for 1 in 700.
func TestEqualSubgroups(t *testing.T) {
	low := 0
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 27))
		var site []string
		var arm, u []float64
		for range 300 {
			site, arm = append(site, string(rune('a'+rnd.IntN(3)))), append(arm, float64(rnd.IntN(2)))
			u = append(u, arm[len(arm)-1]+rnd.NormFloat64())
		}
		xu := sourceOf(t, tables.Strings("site", site), tables.Numbers("t", arm), tables.Numbers("u", u))
		s, err := Estimator{Setup: straight(2), Treatment: "t"}.Subgroups(t.Context(), xu, drawExperiments(t, 1, 20, 0, 0, seed).uy, "site")
		if err != nil {
			t.Fatal(err)
		}
		if s.Tests[0].P < .1 {
			low++
		}
	}
	if low < 1 || low > 13 {
		t.Errorf("p is below .1 in %d of 60 samples", low)
	}
}

// TestSubgroupsBySurrogate: a column that both tables have divides the rows and stays in U.
func TestSubgroupsBySurrogate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 26))
	draw := func(n int) (sex []string, u, y []float64) {
		for range n {
			s := rnd.IntN(2)
			sex, u = append(sex, []string{"f", "m"}[s]), append(u, rnd.NormFloat64())
			y = append(y, float64(1+s)*u[len(u)-1]) // the slope of Y differs
		}
		return sex, u, y
	}
	sex, u, _ := draw(1600)
	arm := make([]float64, len(u))
	for i := range arm {
		arm[i] = float64(i % 2)
		u[i] += arm[i]
	}
	ownSex, ownU, y := draw(3000)
	e := Estimator{Setup: straight(2), Treatment: "t"}
	e.Psi.Kind = "" // features that bend
	s, err := e.Subgroups(t.Context(), sourceOf(t, tables.Strings("sex", sex), tables.Numbers("t", arm), tables.Numbers("u", u)), sourceOf(t, tables.Strings("sex", ownSex), tables.Numbers("u", ownU), tables.Numbers("y", y)), "sex")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1, 2} {
		if got := s.Effects[i]; math.Abs(got.Value-want) > 3.5*got.SE || got.SE > .25 {
			t.Errorf("%+v, want %g", got, want)
		}
	}
}

func TestSubgroupsRefuse(t *testing.T) {
	xu, uy, _, arm, u := aged(t, 200, 2)
	e := Estimator{Setup: straight(2), Treatment: "t"}
	many, skewed := make([]string, 200), make([]float64, 200)
	for i := range many {
		many[i] = string(rune('a'+i%26)) + string(rune('a'+i/26))
		skewed[i] = -float64(max(0, 10-i))
	}
	for want, c := range map[string]struct {
		xu tables.Source
		by string
	}{
		`no column "site"`:                      {xu, "site"},
		"one column":                            {xu, "t"},
		"has no value with two arms to compare": {sourceOf(t, tables.Strings("who", many), tables.Numbers("t", arm), tables.Numbers("u", u)), "who"},
		"one value in three quarters":           {sourceOf(t, tables.Numbers("debt", skewed), tables.Numbers("t", arm), tables.Numbers("u", u)), "debt"},
		"has 60 levels":                         {levels(t, 60, 1300), "site"},
	} {
		if _, err := e.Subgroups(t.Context(), c.xu, uy, c.by); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// levels are rows of so many subgroups.
func levels(t *testing.T, n, rows int) tables.Source {
	site, arm, u := make([]string, rows), make([]float64, rows), make([]float64, rows)
	for i := range site {
		site[i], arm[i], u[i] = string(rune('A'+i/2%n)), float64(i%2), float64(i%7)
	}
	return sourceOf(t, tables.Strings("site", site), tables.Numbers("t", arm), tables.Numbers("u", u))
}
