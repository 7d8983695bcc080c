package check

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// fillDown puts the value of the row above into a share of the rows, in all of the columns.
func fillDown(share float64, rnd *rand.Rand, columns ...[]float64) {
	for i := 1; i < len(columns[0]); i++ {
		if rnd.Float64() < share {
			for _, values := range columns {
				values[i] = values[i-1]
			}
		}
	}
}

// TestFilledDown: columns that repeat the row above are reported where these are of other rows, or Y is that of several; what is alike in rows that
// follow each other for other reasons gets no warning. Each table has a false alarm with a probability of 1e-6 or so.
func TestFilledDown(t *testing.T) {
	means := func(values []float64, of int) {
		for i := 0; i < len(values); i += of {
			mean := 0.
			for _, v := range values[i : i+of] {
				mean += v / float64(of)
			}
			for j := range of {
				values[i+j] = mean
			}
		}
	}
	for name, c := range map[string]struct {
		spoil func(t *orderTable, rnd *rand.Rand)
		role  string
		want  string // severity and column; "" for nothing, "note" for a note at most
	}{
		"a fifth of Y":                {func(t *orderTable, rnd *rand.Rand) { fillDown(.2, rnd, t.y) }, "Y", `warning "y"`},
		"half of Y":                   {func(t *orderTable, rnd *rand.Rand) { fillDown(.5, rnd, t.y) }, "Y", `warning "y"`},
		"a tenth of Y":                {func(t *orderTable, rnd *rand.Rand) { fillDown(.1, rnd, t.y) }, "Y", `warning "y"`},
		"means of Y":                  {func(t *orderTable, _ *rand.Rand) { means(t.y, 4) }, "Y", `warning "y"`},
		"X":                           {func(t *orderTable, rnd *rand.Rand) { fillDown(.3, rnd, t.y) }, "X", `warning "y"`},
		"two of U":                    {func(t *orderTable, rnd *rand.Rand) { fillDown(.3, rnd, t.u[0], t.u[2]) }, "Y", `warning "u1" (and "u3")`},
		"a U that Y has no part of":   {func(t *orderTable, rnd *rand.Rand) { t.u[0] = drawOrder(len(t.y), rnd).u[0]; fillDown(.3, rnd, t.u[0]) }, "Y", `note "u1"`},
		"nothing":                     {func(*orderTable, *rand.Rand) {}, "Y", ""},
		"whole rows":                  {func(t *orderTable, rnd *rand.Rand) { fillDown(.3, rnd, append(t.u, t.y)...) }, "Y", ""},
		"few values":                  {func(t *orderTable, _ *rand.Rand) { round(t.y, 1) }, "Y", ""},
		"a common value":              {func(t *orderTable, _ *rand.Rand) { zeros(t.y, 0, len(t.y)/2) }, "Y", ""},
		"sorted by Y, rounded":        {func(t *orderTable, _ *rand.Rand) { round(t.y, .05); t.sortBy(func(i int) float64 { return t.y[i] }) }, "Y", ""},
		"in time, rounded":            {func(t *orderTable, rnd *rand.Rand) { walk(t.y, rnd); round(t.y, .5) }, "Y", ""},
		"of households, as all of U":  {func(t *orderTable, rnd *rand.Rand) { household(t, rnd, true) }, "X", ""},
		"of households, beside own U": {func(t *orderTable, rnd *rand.Rand) { household(t, rnd, false) }, "X", "note"},
	} {
		for seed := range uint64(5) {
			rnd := rand.New(rand.NewPCG(seed, 23))
			table := drawOrder(400, rnd)
			c.spoil(table, rnd)
			var got []string
			for _, f := range table.order(c.role).filledDown(false) {
				got = append(got, f.Severity.String()+" "+f.What)
			}
			all := strings.Join(got, "; ")
			switch {
			case c.want == "note" && !strings.Contains(all, "warning"):
			case c.want == "" && all == "":
			case c.want != "" && c.want != "note" && strings.HasPrefix(all, c.want) && len(got) == 1:
			default:
				t.Errorf("%s, seed %d: %q, want %q", name, seed, all, c.want)
			}
		}
	}
}

func round(values []float64, step float64) {
	for i, v := range values {
		values[i] = math.Round(v/step) * step
	}
}

func zeros(values []float64, first, last int) { clear(values[first:last]) }

// walk makes a random walk.
func walk(values []float64, rnd *rand.Rand) {
	for i := range values {
		values[i] = rnd.NormFloat64()
		if i > 0 {
			values[i] += values[i-1]
		}
	}
}

// household gives rows in pairs one value, to which U of each row is related; U is that of the pair too, if wanted.
func household(t *orderTable, rnd *rand.Rand, wholly bool) {
	for i := range t.y {
		if i%2 == 1 {
			t.y[i] = t.y[i-1]
		}
		for _, u := range t.u {
			switch {
			case wholly && i%2 == 1:
				u[i] = u[i-1]
			case !wholly:
				u[i] = t.y[i]/2 + rnd.NormFloat64()
			}
		}
	}
}

// TestFilledDownBeside: of X and U in rows that are known to be of groups nothing is reported but repeats of other rows.
func TestFilledDownBeside(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 24))
	table := drawOrder(400, rnd)
	household(table, rnd, false)
	if got := table.order("X").filledDown(false); len(got) != 1 || got[0].Severity != Note || got[0].Rows < 190 {
		t.Errorf("%v, want a note of half of the rows", got)
	}
	if got := table.order("X").filledDown(true); len(got) != 0 {
		t.Errorf("rows of groups: %v", got)
	}
	table = drawOrder(400, rnd)
	fillDown(.3, rnd, table.u[0])
	if got := table.order("X").filledDown(true); len(got) != 1 || got[0].Severity != Warning || got[0].Columns[0] != "u1" {
		t.Errorf("rows of groups, a column filled down: %v", got)
	}
}
