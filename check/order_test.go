package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mediant/tables"
)

// An orderTable is a table of U and one column of Y in some order of its rows.
type orderTable struct {
	u [][]float64 // columns
	y []float64
}

// drawOrder draws rows: three columns of U, of which Y is a sum with noise.
func drawOrder(n int, rnd *rand.Rand) *orderTable {
	t := &orderTable{u: make([][]float64, 3)}
	for range n {
		y := rnd.NormFloat64()
		for j := range t.u {
			v := rnd.NormFloat64()
			t.u[j] = append(t.u[j], v)
			y += v
		}
		t.y = append(t.y, y)
	}
	return t
}

// sortBy sorts whole rows.
func (t *orderTable) sortBy(key func(i int) float64) {
	order, keys := make([]int, len(t.y)), make([]float64, len(t.y))
	for i := range order {
		order[i], keys[i] = i, key(i)
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if keys[i] < keys[j] {
			return -1
		}
		return 1
	})
	for _, values := range append(t.u, t.y) {
		old := slices.Clone(values)
		for k, i := range order {
			values[k] = old[i]
		}
	}
}

// moveDown puts the values of rows from first to last into the row by further down.
func moveDown(values []float64, first, last, by int) {
	part := slices.Clone(values[first:last])
	for i, v := range part {
		values[first+(i+by)%len(part)] = v
	}
}

// order is the table as it is looked at, its y being X or Y.
func (t *orderTable) order(role string) *rowOrder {
	o := &rowOrder{role: role, table: UY, rows: make([]sampledRow, len(t.y))}
	for i := range o.rows {
		o.rows[i].number = i
	}
	var u []*uColumn
	for j, values := range t.u {
		u = append(u, &uColumn{name: fmt.Sprint("u", j+1), numbers: [2][]float64{values}})
	}
	o.addColumns([]*uColumn{{name: "y", numbers: [2][]float64{t.y}}}, u)
	return o
}

// misalignedRows lists what is found, with its severity.
func (t *orderTable) misalignedRows(role string) []string {
	var all []string
	for _, f := range t.order(role).find(nil) {
		all = append(all, f.Severity.String()+" "+f.What)
	}
	return all
}

// TestMisalignedRows: a column of Y that was moved, sorted by itself or joined wrongly in a block is reported, with the place.
func TestMisalignedRows(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *orderTable, rnd *rand.Rand)
		want  []string
	}{
		"one row down":             {func(t *orderTable, _ *rand.Rand) { moveDown(t.y, 0, len(t.y), 1) }, []string{"of the row above"}},
		"one row up":               {func(t *orderTable, _ *rand.Rand) { moveDown(t.y, 0, len(t.y), len(t.y)-1) }, []string{"of the row below"}},
		"three rows down":          {func(t *orderTable, _ *rand.Rand) { moveDown(t.y, 0, len(t.y), 3) }, []string{"3 rows above"}},
		"fifty rows up":            {func(t *orderTable, _ *rand.Rand) { moveDown(t.y, 0, len(t.y), len(t.y)-50) }, []string{"50 rows below"}},
		"a hundred rows down":      {func(t *orderTable, _ *rand.Rand) { moveDown(t.y, 0, len(t.y), 100) }, []string{"100 rows above"}},
		"half of the rows down":    {func(t *orderTable, _ *rand.Rand) { moveDown(t.y, 0, len(t.y), len(t.y)/2) }, []string{"200 rows below"}},
		"a part 80 rows up":        {func(t *orderTable, _ *rand.Rand) { moveDown(t.y, 0, 240, 160) }, []string{"80 rows below"}},
		"reversed":                 {func(t *orderTable, _ *rand.Rand) { slices.Reverse(t.y) }, []string{"in the reversed order of rows,"}},
		"reversed but for the end": {func(t *orderTable, _ *rand.Rand) { slices.Reverse(t.y[:370]) }, []string{"in the reversed order of rows from row 370 on"}},
		"half reversed":            {func(t *orderTable, _ *rand.Rand) { slices.Reverse(t.y[200:]) }, []string{"in the reversed order of rows from row 200 on"}},
		"numbers as text":          {func(t *orderTable, _ *rand.Rand) { t.y = textOrders(400)[2].of(t.y) }, []string{"whose numbers from 1 are sorted as text"}},
		"U by numbers as text": {func(t *orderTable, _ *rand.Rand) {
			for j := range t.u {
				t.u[j] = textOrders(400)[0].of(t.u[j])
			}
		}, []string{"whose numbers from 0 are sorted as text"}},
		"by columns":               {func(t *orderTable, _ *rand.Rand) { t.y = transpositions(400)[2].of(t.y) }, []string{"every 80th comes first"}},
		"the second half":          {func(t *orderTable, _ *rand.Rand) { moveDown(t.y, len(t.y)/2, len(t.y), 1) }, []string{" to 400 or so", "of the row above"}},
		"a column of U":            {func(t *orderTable, _ *rand.Rand) { moveDown(t.u[1], 0, len(t.y), 1) }, []string{"of the row below", "u2"}},
		"sorted by itself":         {func(t *orderTable, _ *rand.Rand) { slices.Sort(t.y) }, []string{"in ascending order throughout"}},
		"falling by itself":        {func(t *orderTable, _ *rand.Rand) { slices.Sort(t.y); slices.Reverse(t.y) }, []string{"in descending order throughout"}},
		"a third sorted by itself": {func(t *orderTable, _ *rand.Rand) { slices.Sort(t.y[100:240]) }, []string{"in ascending order in rows "}},
		"a third of other rows": {func(t *orderTable, rnd *rand.Rand) {
			rnd.Shuffle(140, func(i, j int) { t.y[260+i], t.y[260+j] = t.y[260+j], t.y[260+i] })
		}, []string{"correlation of", " to 400 or so"}},
		"one row down, sorted by a site": {func(t *orderTable, _ *rand.Rand) {
			t.sortBy(func(i int) float64 { return math.Round(t.u[0][i]) })
			moveDown(t.y, 0, len(t.y), 1)
		}, []string{"of the row above"}},
		"classes": {func(t *orderTable, _ *rand.Rand) {
			for i, v := range t.y {
				t.y[i] = math.Round(min(1, max(-1, v/2)))
			}
			moveDown(t.y, 0, len(t.y), 1)
		}, []string{"of the row above"}},
	} {
		for seed := range uint64(3) {
			rnd := rand.New(rand.NewPCG(seed, 17))
			table := drawOrder(400, rnd)
			c.spoil(table, rnd)
			got := table.misalignedRows("Y")
			if len(got) != 1 || !strings.HasPrefix(got[0], "warning") || slices.ContainsFunc(c.want, func(w string) bool { return !strings.Contains(got[0], w) }) {
				t.Errorf("%s: %q, want a warning with %q", name, got, c.want)
			}
		}
	}
}

// TestRowsInSomeOrder: tables in an order that means something get no warning, and no note that a column was moved. Each of the tests has a level of
// 1e-4 at most, so that 440 tables have a false alarm with a probability of 12 % at most; the seeds are fixed.
func TestRowsInSomeOrder(t *testing.T) {
	series := func(n int, carry float64, rnd *rand.Rand) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rnd.NormFloat64()
			if i > 0 {
				v[i] += carry * v[i-1]
			}
		}
		return v
	}
	sum := func(t *orderTable, noise []float64) {
		for i := range t.y {
			t.y[i] = noise[i]
			for _, u := range t.u {
				t.y[i] += u[i]
			}
		}
	}
	for name, change := range map[string]func(t *orderTable, rnd *rand.Rand){
		"none":             func(*orderTable, *rand.Rand) {},
		"by Y":             func(t *orderTable, _ *rand.Rand) { t.sortBy(func(i int) float64 { return t.y[i] }) },
		"by a column of U": func(t *orderTable, _ *rand.Rand) { t.sortBy(func(i int) float64 { return -t.u[1][i] }) },
		"by a site":        func(t *orderTable, _ *rand.Rand) { t.sortBy(func(i int) float64 { return math.Round(t.u[0][i]) }) },
		"by a square": func(t *orderTable, rnd *rand.Rand) {
			for i := range t.y {
				t.y[i] = t.u[0][i]*t.u[0][i] + .1*rnd.NormFloat64()
			}
			t.sortBy(func(i int) float64 { return t.y[i] })
		},
		"by a product": func(t *orderTable, rnd *rand.Rand) {
			for i := range t.y {
				t.y[i] = t.u[0][i]*t.u[1][i] + .1*rnd.NormFloat64()
			}
			t.sortBy(func(i int) float64 { return t.y[i] })
		},
		"in time": func(t *orderTable, rnd *rand.Rand) {
			carry := []float64{.2, .5, .9, .99}[rnd.IntN(4)]
			for j := range t.u {
				t.u[j] = series(len(t.y), carry, rnd)
			}
			sum(t, series(len(t.y), carry, rnd))
		},
		"in time, U before Y": func(t *orderTable, rnd *rand.Rand) {
			for j := range t.u {
				t.u[j] = series(len(t.y), .8, rnd)
			}
			sum(t, series(len(t.y), .8, rnd))
			moveDown(t.y, 0, len(t.y), 1)
		},
		"with a trend": func(t *orderTable, rnd *rand.Rand) {
			for i := range t.y {
				t.u[0][i] += 5 * float64(i) / float64(len(t.y))
			}
			sum(t, series(len(t.y), 0, rnd))
		},
		"with seasons": func(t *orderTable, rnd *rand.Rand) {
			for i := range t.y {
				t.u[0][i] += 2 * math.Sin(float64(i)*math.Pi/6)
			}
			sum(t, series(len(t.y), 0, rnd))
		},
		"a design": func(t *orderTable, rnd *rand.Rand) {
			for j, u := range t.u {
				for i := range u {
					u[i] = float64(i >> j & 1)
				}
			}
			sum(t, series(len(t.y), 0, rnd))
		},
		"two of a household": func(t *orderTable, rnd *rand.Rand) {
			for i := range t.y {
				for _, u := range t.u {
					u[i] = u[i/2*2] + .5*rnd.NormFloat64()
				}
			}
			sum(t, series(len(t.y), 0, rnd))
		},
		"pasted": func(t *orderTable, rnd *rand.Rand) {
			times := 2 + rnd.IntN(3)
			for _, v := range append(t.u, t.y) {
				for i := range v {
					v[i] = v[i%(len(v)/times)]
				}
			}
		},
		"months of one year in a row": func(t *orderTable, rnd *rand.Rand) {
			months := series(6*len(t.y)+6, .9, rnd)
			for i := range t.y {
				t.y[i] = months[6*i]
				for j := range t.u {
					t.u[j][i] = months[6*i+2*j+1]
				}
			}
		},
		"visits of persons": func(t *orderTable, rnd *rand.Rand) {
			for _, v := range append(t.u, t.y) {
				for i := range v {
					v[i] = v[i%(len(v)/4)] + .3*rnd.NormFloat64()
				}
			}
		},
		"panel": func(t *orderTable, rnd *rand.Rand) {
			for i := range t.y {
				t.y[i] = float64(i % 20)
			}
		},
		"years": func(t *orderTable, rnd *rand.Rand) {
			for i := range t.y {
				t.y[i] = float64(1950 + i/4)
			}
		},
		"slopes by site": func(t *orderTable, rnd *rand.Rand) {
			for i := range t.y {
				site := i * 4 / len(t.y)
				t.y[i] = float64(site) + float64(site)*t.u[0][i] + rnd.NormFloat64()
			}
		},
		"U missing in the second half": func(t *orderTable, _ *rand.Rand) {
			for _, u := range t.u {
				for i := range u[len(u)/2:] {
					u[len(u)/2+i] = math.NaN()
				}
			}
		},
		"no dependence": func(t *orderTable, rnd *rand.Rand) {
			copy(t.y, series(len(t.y), 0, rnd))
		},
	} {
		for seed := range uint64(20) {
			rnd := rand.New(rand.NewPCG(seed, 18))
			table := drawOrder(400, rnd)
			change(table, rnd)
			for _, f := range table.misalignedRows("Y") {
				if !strings.HasPrefix(f, "note") || strings.Contains(f, "goes ") {
					t.Errorf("%s, seed %d: %s", name, seed, f)
				}
			}
		}
	}
}

// TestMisalignedColumns: the columns are named, X that is in order by itself is a note.
func TestMisalignedColumns(t *testing.T) {
	const n = 300
	for name, c := range map[string]struct {
		spoil func(x, y *orderTable)
		want  []string
	}{
		"none":     {func(x, y *orderTable) {}, nil},
		"Y moved":  {func(x, y *orderTable) { moveDown(y.y, 0, n, 1) }, []string{"warning misaligned-rows y"}},
		"X moved":  {func(x, y *orderTable) { moveDown(x.y, 0, n, 1) }, []string{"warning misaligned-rows x"}},
		"X sorted": {func(x, y *orderTable) { slices.Sort(x.y) }, []string{"note misaligned-rows x"}},
	} {
		rnd := rand.New(rand.NewPCG(3, 19))
		x, y := drawOrder(n, rnd), drawOrder(n, rnd)
		c.spoil(x, y)
		if got := misaligned(t, x, y); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// misaligned lists what is found of misaligned rows in two tables, the Y of the first one being X.
func misaligned(t *testing.T, x, y *orderTable) []string {
	t.Helper()
	columns := func(name string, t *orderTable) []tables.ColumnData {
		return []tables.ColumnData{tables.Numbers(name, t.y), tables.Numbers("u1", t.u[0]), tables.Numbers("u2", t.u[1]), tables.Numbers("u3", t.u[2])}
	}
	got := found(t, table(t, columns("x", x)...), table(t, columns("y", y)...), Options{})
	return slices.DeleteFunc(got, func(f string) bool { return !strings.Contains(f, string(MisalignedRows)) })
}

// TestLongestRun: the chance of a run in order counts ties.
func TestLongestRun(t *testing.T) {
	for _, c := range []struct {
		keys []float64
		want sortedRun
	}{
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, sortedRun{0, 10, false, 2*math.Log(10) - math.Log(3628800)}},
		{[]float64{3, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 4}, sortedRun{1, 11, true, 2*math.Log(12) - math.Log(3628800)}},
		{[]float64{1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2}, sortedRun{0, 12, false, 2*math.Log(12) - math.Log(495)}},
		{[]float64{5, 5, 5, 5, 5, 5}, sortedRun{}},
	} {
		if got := longestRun(c.keys); got.first != c.want.first || got.last != c.want.last || got.descending != c.want.descending || math.Abs(got.chance-c.want.chance) > 1e-9 {
			t.Errorf("%v: %v, want %v", c.keys, got, c.want)
		}
	}
}
