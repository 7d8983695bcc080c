package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestReversedBlocks: rows in which a column goes with the rest the other way are reported, with the column and the place; rows in some order, of other
// kinds, or without a relation are not. The test has a level of 1e-4.
func TestReversedBlocks(t *testing.T) {
	from := func(sum float64, values []float64) {
		for i, v := range values {
			values[i] = sum - v
		}
	}
	ends := func(v []float64) float64 { return slices.Min(v) + slices.Max(v) }
	for name, c := range map[string]struct {
		spoil func(t *orderTable, rnd *rand.Rand)
		want  string // severity and column, "" for nothing
	}{
		"the second half": {func(t *orderTable, _ *rand.Rand) { from(ends(t.y), t.y[200:]) }, `warning "y"`},
		"the first third": {func(t *orderTable, _ *rand.Rand) { from(ends(t.y), t.y[:130]) }, `warning "y"`},
		"in the middle":   {func(t *orderTable, _ *rand.Rand) { from(1, t.y[150:260]) }, `warning "y"`},
		"the sign":        {func(t *orderTable, _ *rand.Rand) { from(0, t.y[240:]) }, `warning "y"`},
		"a column of U":   {func(t *orderTable, _ *rand.Rand) { from(ends(t.u[1]), t.u[1][180:]) }, `warning "u2"`},
		"of a scale":      {func(t *orderTable, _ *rand.Rand) { likert(t.y, 3); from(8, t.y[220:]) }, `warning "y"`},
		"nothing":         {func(*orderTable, *rand.Rand) {}, ""},
		"unrelated": {func(t *orderTable, rnd *rand.Rand) {
			rnd.Shuffle(400, func(i, j int) { t.y[i], t.y[j] = t.y[j], t.y[i] })
		}, ""},
		"unrelated in a half": {func(t *orderTable, rnd *rand.Rand) {
			rnd.Shuffle(200, func(i, j int) { t.y[i], t.y[j] = t.y[j], t.y[i] })
		}, ""},
		"a walk":      {func(t *orderTable, rnd *rand.Rand) { walk(t.y, rnd) }, ""},
		"sorted by Y": {func(t *orderTable, _ *rand.Rand) { t.sortBy(func(i int) float64 { return t.y[i] }) }, ""},
		"a flat half": {func(t *orderTable, _ *rand.Rand) { from(0, t.u[0][200:]); copy(t.y[200:], t.u[2][200:]) }, ""},
		"by U, curved": {func(t *orderTable, rnd *rand.Rand) {
			for i := range t.y {
				t.y[i] = t.u[0][i]*t.u[0][i] + .1*rnd.NormFloat64()
			}
			t.sortBy(func(i int) float64 { return t.u[0][i] })
		}, ""},
		"by U, straight": {func(t *orderTable, rnd *rand.Rand) {
			*t = *drawOrder(1000, rnd)
			for i := range t.y { // the temperature of a day of the year and an hour
				t.u[0][i] = 10 - 9*math.Cos(2*math.Pi*rnd.Float64()) - 4*math.Cos(2*math.Pi*rnd.Float64()) + 3*rnd.NormFloat64()
				t.y[i] = t.u[0][i] + 1.5*rnd.NormFloat64()
			}
			t.sortBy(func(i int) float64 { return t.u[0][i] })
		}, ""},
	} {
		for seed := range uint64(5) {
			rnd := rand.New(rand.NewPCG(seed, 29))
			table := drawOrder(400, rnd)
			c.spoil(table, rnd)
			var got []string
			for _, f := range table.order("Y").reversedBlocks(nil) {
				got = append(got, f.Severity.String()+" "+f.What)
			}
			all := strings.Join(got, "; ")
			if len(got) > 1 || (all == "") != (c.want == "") || !strings.HasPrefix(all, c.want) {
				t.Errorf("%s, seed %d: %q, want %q", name, seed, all, c.want)
			}
		}
	}
}

// likert makes whole numbers of so many on both sides of 4.
func likert(values []float64, most float64) {
	for i, v := range values {
		values[i] = 4 + math.Round(max(-most, min(most, v)))
	}
}
