package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestRowsDepend: a jump of what U leaves, moving averages and means of neighbours are warnings; drifts, sites and dependence in time are notes at most, and of rows in no order
// nothing is said: six standard errors over all places have odds below 1 in a million.
func TestRowsDepend(t *testing.T) {
	after := func(values []float64, first int, of func(v float64) float64) {
		for i := first; i < len(values); i++ {
			values[i] = of(values[i])
		}
	}
	average := func(values []float64, over int) {
		old := slices.Clone(values)
		for i := range values {
			part := old[max(0, i-over+1) : i+1]
			values[i] = 0
			for _, v := range part {
				values[i] += v / float64(len(part))
			}
		}
	}
	carry := func(values []float64, share float64) {
		for i := 1; i < len(values); i++ {
			values[i] += share * values[i-1]
		}
	}
	for name, c := range map[string]struct {
		spoil func(t *orderTable, rnd *rand.Rand)
		want  string // severity and words; "" for nothing; "note" for a note or nothing
	}{
		"a shift":  {func(t *orderTable, _ *rand.Rand) { after(t.y, 250, func(v float64) float64 { return v + 3 }) }, "warning: is higher from row "},
		"down":     {func(t *orderTable, _ *rand.Rand) { after(t.y, 320, func(v float64) float64 { return v - 3 }) }, "warning: is lower from row "},
		"a factor": {func(t *orderTable, _ *rand.Rand) { after(t.y, 200, func(v float64) float64 { return 1.6 * (v + 10) }) }, "warning: is "},
		"a slope":  {func(t *orderTable, _ *rand.Rand) { after(t.y, 200, func(v float64) float64 { return 4 * v }) }, "warning: changes with what U says of it "},
		"a spread": {func(t *orderTable, rnd *rand.Rand) {
			for i := 200; i < len(t.y); i++ {
				t.y[i] += 5 * rnd.NormFloat64()
			}
		}, "warning: varies "},
		"a small shift":   {func(t *orderTable, _ *rand.Rand) { after(t.y, 200, func(v float64) float64 { return v + 1.2 }) }, "note: is higher from row "},
		"an average of 4": {func(t *orderTable, _ *rand.Rand) { average(t.y, 4) }, "warning: goes with U of the row above as with its own"},
		"an average of 3": {func(t *orderTable, _ *rand.Rand) { average(t.y, 3) }, "warning: goes with U of the row above as with its own"},
		"filled in between": {func(t *orderTable, _ *rand.Rand) {
			for i := 1; i+1 < len(t.y); i += 4 {
				t.y[i] = (t.y[i-1] + t.y[i+1]) / 2
			}
		}, "warning: is the mean of the row above and the row below in "},
		"filled in between, rounded": {func(t *orderTable, _ *rand.Rand) {
			round(t.y, .001)
			for i := 1; i+1 < len(t.y); i += 10 {
				t.y[i] = math.Round(500*(t.y[i-1]+t.y[i+1])) / 1000
			}
			for i, v := range t.y {
				t.y[i] = math.Round(1000*v) / 1000
			}
		}, "warning: is the mean of the row above and the row below in "},
		"a drift": {func(t *orderTable, _ *rand.Rand) {
			for i := range t.y {
				t.y[i] += 4 * float64(i) / float64(len(t.y))
			}
		}, "note: gets higher from row to row"},
		"errors in time": {func(t *orderTable, rnd *rand.Rand) {
			e := drawOrder(len(t.y), rnd).y
			carry(e, .6)
			for i := range t.y {
				t.y[i] += e[i]
			}
		}, "note"},
		"Y carried on": {func(t *orderTable, _ *rand.Rand) { carry(t.y, .8) }, "note"},
		"Y a walk": {func(t *orderTable, rnd *rand.Rand) {
			t.y = t.y[:200]
			walk(t.y, rnd)
			for j := range t.u {
				t.u[j] = t.u[j][:200]
			}
		}, "note"},
		"Y summed up": {func(t *orderTable, _ *rand.Rand) { carry(t.y, 1) }, "note"},
		"all of it in time": {func(t *orderTable, _ *rand.Rand) {
			for _, v := range append(t.u, t.y) {
				carry(v, .9)
			}
		}, "note"},
		"U jumps, and Y too": {func(t *orderTable, _ *rand.Rand) {
			for _, v := range append(t.u, t.y) {
				after(v, 200, func(v float64) float64 { return v + 3 })
			}
		}, "note"},
		"sites": {func(t *orderTable, rnd *rand.Rand) {
			site := 0.
			for i := range t.y {
				if i%40 == 0 {
					site = 2 * rnd.NormFloat64()
				}
				t.y[i] += site
			}
		}, "note"},
		"sorted by Y": {func(t *orderTable, _ *rand.Rand) { t.sortBy(func(i int) float64 { return t.y[i] }) }, ""},
		"sorted by U": {func(t *orderTable, _ *rand.Rand) { t.sortBy(func(i int) float64 { return t.u[0][i] }) }, ""},
		"bent": {func(t *orderTable, rnd *rand.Rand) {
			for i := range t.y {
				t.y[i] = math.Exp(2*t.u[0][i]) + math.Abs(t.u[1][i]) + .1*rnd.NormFloat64()
			}
		}, ""},
		"counts":           {func(t *orderTable, rnd *rand.Rand) { geometric(t.y, 3, rnd) }, ""},
		"larger counts":    {func(t *orderTable, rnd *rand.Rand) { geometric(t.y, 12, rnd) }, ""},
		"tens":             {func(t *orderTable, _ *rand.Rand) { round(t.y, .1) }, ""},
		"in time, of tens": {func(t *orderTable, rnd *rand.Rand) { walk(t.y, rnd); round(t.y, .1) }, "note"},
		"half zero": {func(t *orderTable, rnd *rand.Rand) {
			for i, v := range t.y {
				t.y[i] = math.Round(10 * max(0, v))
			}
		}, ""},
		"ages of a panel": {func(t *orderTable, _ *rand.Rand) {
			age := 0.
			for i := range t.y {
				if age++; i%8 == 0 {
					age = 30 + math.Round(5*t.y[i])
				}
				t.y[i] = age
			}
		}, "note"},
		"few of Y": {func(t *orderTable, _ *rand.Rand) {
			for i := range t.y {
				if i%3 > 0 {
					t.y[i] = math.NaN()
				}
			}
		}, ""},
		"nothing": {func(*orderTable, *rand.Rand) {}, ""},
	} {
		for seed := range uint64(20) {
			rnd := rand.New(rand.NewPCG(seed, 29))
			table := drawOrder(400, rnd)
			c.spoil(table, rnd)
			got := ""
			for _, f := range table.order("Y").dependent(nil) {
				got += f.Severity.String() + ": " + strings.TrimPrefix(f.What, `"y" of the second table `)
			}
			ok := got == ""
			switch c.want {
			case "":
			case "note":
				ok = !strings.Contains(got, "warning")
			default:
				ok = strings.HasPrefix(got, c.want)
			}
			if !ok {
				t.Errorf("%s, seed %d: %q, want %q", name, seed, got, c.want)
			}
		}
	}
}

// geometric makes counts of that mean, which fall as a geometric distribution.
func geometric(values []float64, mean float64, rnd *rand.Rand) {
	for i := range values {
		values[i] = math.Floor(rnd.ExpFloat64() * mean)
	}
}

// TestSplitOf: the place and the size of a jump.
func TestSplitOf(t *testing.T) {
	var values []float64
	for i := range 100 {
		v := float64(i%2*2 - 1)
		if i >= 60 {
			v += 10
		}
		values = append(values, v)
	}
	if s := splitOf(values); s.at != 60 || math.Abs(s.shift-10) > 1e-9 || s.z < 9 {
		t.Errorf("%+v, want a jump of 10 at 60", s)
	}
	if s := splitOf(make([]float64, 100)); s != (split{}) {
		t.Errorf("of equal values %+v", s)
	}
}

// TestDependenceWithinClusters: clusters explain rows that are alike within them, and nothing of those that depend on rows of other clusters.
func TestDependenceWithinClusters(t *testing.T) {
	eights := func(t *orderTable, _ *rand.Rand) {
		for i := range t.y {
			t.y[i] = t.y[i/8*8]
		}
	}
	for name, c := range map[string]struct {
		spoil func(t *orderTable, rnd *rand.Rand)
		rows  int // of a cluster
		want  bool
	}{
		"alike in eights":                  {eights, 8, false},
		"alike in eights, clusters of two": {eights, 2, true},
		"in time":                          {func(t *orderTable, rnd *rand.Rand) { walk(t.y, rnd) }, 2, true},
	} {
		for seed := range uint64(20) {
			rnd := rand.New(rand.NewPCG(seed, 31))
			table := drawOrder(400, rnd)
			c.spoil(table, rnd)
			o := table.order("Y")
			o.cluster = &uColumn{}
			for i := range o.n() {
				o.cluster.numbers[0] = append(o.cluster.numbers[0], float64(i/c.rows))
			}
			e := o.leftover(o.columns[0], o.basis())
			if f, ok := o.carried(o.columns[0], e.rest); ok != c.want {
				t.Errorf("%s, seed %d: %v", name, seed, f)
			}
		}
	}
}
