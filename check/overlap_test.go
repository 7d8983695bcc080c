package check

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mediant/tables"
)

// overlapPair draws both tables of U from one distribution, d columns of n and m rows, S_X spoiltU by change.
func overlapPair(t testing.TB, seed uint64, n, m, d int, value func(r *rand.Rand) float64, change func(i, j int, v float64) float64) (xu, uy tables.Source, names []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, uint64(d)))
	for j := range d {
		names = append(names, fmt.Sprint("u", j))
	}
	draw := func(rows int, change func(i, j int, v float64) float64) tables.Source {
		var columns []tables.ColumnData
		for j, name := range names {
			values := make([]float64, rows)
			for i := range values {
				values[i] = value(r)
				if change != nil {
					values[i] = change(i, j, values[i])
				}
			}
			columns = append(columns, tables.Numbers(name, values))
		}
		src, err := tables.FromColumns(columns...)
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	return draw(n, change), draw(m, nil), names
}

var overlapValues = map[string]func(r *rand.Rand) float64{
	"normal":     (*rand.Rand).NormFloat64,
	"t of 3":     func(r *rand.Rand) float64 { return r.NormFloat64() / math.Sqrt(chiSquared3(r)/3) },
	"Cauchy":     func(r *rand.Rand) float64 { return r.NormFloat64() / r.NormFloat64() },
	"lognormal":  func(r *rand.Rand) float64 { return math.Exp(1.5 * r.NormFloat64()) },
	"counts":     func(r *rand.Rand) float64 { return math.Floor(3 * r.ExpFloat64()) },
	"truth":      func(r *rand.Rand) float64 { return float64(r.IntN(2)) },
	"rarely 1":   func(r *rand.Rand) float64 { return math.Floor(1.01 * r.Float64()) },
	"uniform":    (*rand.Rand).Float64,
	"half are 0": func(r *rand.Rand) float64 { return max(0, r.NormFloat64()) },
	"some missing": func(r *rand.Rand) float64 {
		if r.IntN(50) == 0 {
			return math.NaN()
		}
		return r.NormFloat64()
	},
}

func chiSquared3(r *rand.Rand) float64 {
	sum := 0.0
	for range 3 {
		v := r.NormFloat64()
		sum += v * v
	}
	return sum
}

// TestOverlapOfOneDistribution: where both tables are of one distribution hardly any row is without overlap: 0.2 % of the rows over
// repetitions, which a seed of its own fixes for each.
func TestOverlapOfOneDistribution(t *testing.T) {
	for name, value := range overlapValues {
		for _, c := range []struct{ n, m, d, times int }{{100, 100, 3, 20}, {1000, 1000, 1, 5}, {1000, 1000, 20, 3}, {300, 1000, 100, 1}, {2000, 300, 3, 3}} {
			without, rows := 0, 0
			for seed := range c.times {
				xu, uy, names := overlapPair(t, uint64(seed), c.n, c.m, c.d, value, nil)
				o, err := FindOverlap(context.Background(), xu, uy, names, OverlapOptions{})
				if err != nil {
					t.Fatal(err)
				}
				without += o.Without
				rows += c.n
			}
			if share := float64(without) / float64(rows); share > .002 {
				t.Errorf("%s, %+v: %.2f %% of the rows are without overlap", name, c, 100*share)
			}
		}
	}
}

// spoiltU has the rows i of S_X with i%5 == 0 changed in the first column.
func spoiltU(to func(v float64) float64) func(i, j int, v float64) float64 {
	return func(i, j int, v float64) float64 {
		if i%5 == 0 && j == 0 {
			return to(v)
		}
		return v
	}
}

// TestOverlapFinds: rows without overlap are found, nearly all of them and next to no others, with the column and the reason.
func TestOverlapFinds(t *testing.T) {
	normal := overlapValues["normal"]
	for name, c := range map[string]struct {
		d, n, m int
		value   func(r *rand.Rand) float64
		change  func(i, j int, v float64) float64
		reason  OverlapReason
	}{
		"beyond the range":        {3, 1000, 1000, normal, spoiltU(func(v float64) float64 { return v + 9 }), BeyondRange},
		"below, of ten columns":   {10, 1000, 1000, normal, spoiltU(func(v float64) float64 { return v - 10 }), BeyondRange},
		"of 100 columns":          {100, 400, 400, normal, spoiltU(func(v float64) float64 { return v + 10 }), BeyondRange},
		"few rows":                {2, 100, 80, normal, spoiltU(func(v float64) float64 { return v + 9 }), BeyondRange},
		"missing":                 {2, 1000, 1000, normal, spoiltU(func(float64) float64 { return math.NaN() }), NewMissing},
		"missing, of few rows":    {2, 100, 100, normal, spoiltU(func(float64) float64 { return math.NaN() }), NewMissing},
		"missing, of 100 columns": {100, 500, 300, normal, spoiltU(func(float64) float64 { return math.NaN() }), NewMissing},
		"another code":            {2, 1000, 1000, overlapValues["truth"], spoiltU(func(float64) float64 { return 9 }), BeyondRange},
		"a corner": {2, 1000, 1000, normal, func(i, j int, v float64) float64 {
			if i%5 == 0 {
				return 3*float64(1-2*j) + v/20
			}
			return v
		}, FarAway},
		"a hole": {1, 1000, 1000, func(r *rand.Rand) float64 { return 5*math.Copysign(1, r.Float64()-.5) + .1*r.NormFloat64() }, spoiltU(func(v float64) float64 { return math.Mod(v, .3) }), FarAway},
	} {
		xu, uy, names := overlapPair(t, 1, c.n, c.m, c.d, c.value, c.change)
		o, err := FindOverlap(context.Background(), xu, uy, names, OverlapOptions{})
		if err != nil {
			t.Fatal(err)
		}
		found, others := 0, 0
		for i := range o.Rows() {
			switch {
			case !o.Lacks(i):
				if o.Scores[i] > 1 {
					t.Errorf("%s: row %d has overlap and the score %g", name, i, o.Scores[i])
				}
			case i%5 == 0:
				found++
				if o.Scores[i] <= 1 {
					t.Errorf("%s: row %d has no overlap and the score %g", name, i, o.Scores[i])
				}
			default:
				others++
			}
		}
		want := c.n / 5
		if found < want*9/10 || others > c.n/100 || o.Without != found+others || o.ByReason[c.reason] < want*9/10 {
			t.Errorf("%s: %d of %d rows and %d others, by reason %v", name, found, want, others, o.ByReason)
			continue
		}
		if first := o.Columns[0]; first.Column != "u0" && c.reason != FarAway || first.Reason != c.reason && o.ByReason[first.Reason] < want/2 {
			t.Errorf("%s: %+v is first", name, o.Columns)
		}
	}
}

// words is a table of columns of text.
func words(t testing.TB, rows int, columns map[string]func(i int) string) tables.Source {
	t.Helper()
	var data []tables.ColumnData
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range columns {
			if !yield(name) {
				return
			}
		}
	}) {
		var cells []string
		for i := range rows {
			cells = append(cells, columns[name](i))
		}
		data = append(data, tables.Strings(name, cells))
	}
	src, err := tables.FromColumns(data...)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func TestOverlapOfLevels(t *testing.T) {
	level := func(of ...string) func(i int) string { return func(i int) string { return of[i%len(of)] } }
	r := rand.New(rand.NewPCG(3, 3))
	for name, c := range map[string]struct {
		x, y    func(i int) string
		without int
		levels  []string
	}{
		"the same levels":       {level("a", "b", "c"), level("c", "b", "a"), 0, nil},
		"spelt otherwise":       {func(i int) string { return []string{"west", "East", "South"}[i%3] }, func(i int) string { return []string{"West", "East", "South"}[i%3] }, 100, []string{"west"}},
		"none in common":        {level("a"), level("x"), 300, []string{"a"}},
		"missing":               {level("a", ""), level("a"), 150, nil},
		"once each, by chance":  {func(int) string { return fmt.Sprint("c", r.IntN(60)*r.IntN(60)/40) }, func(int) string { return fmt.Sprint("c", r.IntN(60)*r.IntN(60)/40) }, 0, nil},
		"free text":             {func(i int) string { return fmt.Sprint("words of row ", i) }, func(i int) string { return fmt.Sprint("other words, row ", i) }, 0, nil},
		"a rare one, by chance": {func(i int) string { return []string{"a", "rare"}[min(1, i/297)] }, level("a"), 0, nil},
		"many of them":          {func(i int) string { return fmt.Sprint("x", i%40) }, func(i int) string { return fmt.Sprint("y", i%40) }, 300, []string{"x0", "x1"}},
	} {
		xu, uy := words(t, 300, map[string]func(int) string{"u": c.x}), words(t, 300, map[string]func(int) string{"u": c.y, "y": func(int) string { return "1" }})
		o, err := FindOverlap(context.Background(), xu, uy, []string{"u"}, OverlapOptions{Y: []string{"y"}})
		if err != nil {
			t.Fatal(err)
		}
		if o.Without != c.without || c.without > 0 && (len(o.Columns) != 1 || o.Columns[0].Column != "u" || o.Columns[0].Rows != c.without) {
			t.Errorf("%s: %d rows are without overlap, want %d: %+v", name, o.Without, c.without, o.Columns)
			continue
		}
		if len(c.levels) > 0 && !slices.Equal(o.Columns[0].Levels[:len(c.levels)], c.levels) {
			t.Errorf("%s: levels %q, want %q", name, o.Columns[0].Levels, c.levels)
		}
	}
}

// TestOverlapOfCodes: a new combination of codes that are known one by one has overlap.
func TestOverlapOfCodes(t *testing.T) {
	codes := func(corner bool) tables.Source {
		var a, b []float64
		for i := range 900 {
			p, q := i%10, i/10%9
			if !corner && p > 6 && q > 5 {
				p, q = 0, 0
			}
			a, b = append(a, float64(p)), append(b, float64(q))
		}
		src, err := tables.FromColumns(tables.Numbers("a", a), tables.Numbers("b", b))
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	o, err := FindOverlap(context.Background(), codes(true), codes(false), []string{"a", "b"}, OverlapOptions{})
	if err != nil || o.Without != 0 {
		t.Errorf("%d rows are without overlap, %v", o.Without, err)
	}
}

// TestOverlapOfPatterns: columns that are missing together in S_X only.
func TestOverlapOfPatterns(t *testing.T) {
	missing := func(together bool) tables.Source {
		var a, b []float64
		for i := range 600 {
			v, w := math.Sin(float64(i)), math.Cos(float64(i))
			if i%4 == 0 {
				v = math.NaN()
			}
			if i%4 == 1 || together && i%8 == 0 {
				w = math.NaN()
			}
			a, b = append(a, v), append(b, w)
		}
		src, err := tables.FromColumns(tables.Numbers("a", a), tables.Numbers("b", b))
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	o, err := FindOverlap(context.Background(), missing(true), missing(false), []string{"a", "b"}, OverlapOptions{})
	if err != nil || o.Without != 75 || o.ByReason[NewPattern] != 75 {
		t.Errorf("%d rows are without overlap, %v, %v", o.Without, o.ByReason, err)
	}
}

// TestOverlapCountsRowsWithY: rows of S_Y without Y do not count.
func TestOverlapCountsRowsWithY(t *testing.T) {
	u, y := make([]float64, 400), make([]float64, 400)
	for i := range u {
		u[i], y[i] = float64(i%100)+float64(i/100)/4, 1
		if u[i] > 50 {
			y[i] = math.NaN()
		}
	}
	uy, err := tables.FromColumns(tables.Numbers("u", u), tables.Numbers("y", y))
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range [][]string{nil, {"y"}} {
		o, err := FindOverlap(context.Background(), uy, uy, []string{"u"}, OverlapOptions{Y: of})
		if err != nil {
			t.Fatal(err)
		}
		if (o.Without > 0) != (of != nil) || of != nil && (o.RowsUY != 201 || o.Without > 199 || o.Without < 100) {
			t.Errorf("Y %q: %d rows without overlap, %d with Y", of, o.Without, o.RowsUY)
		}
	}
	none := slices.Repeat([]float64{math.NaN()}, 400)
	uy, err = tables.FromColumns(tables.Numbers("u", u), tables.Numbers("y", none))
	if err != nil {
		t.Fatal(err)
	}
	if o, err := FindOverlap(context.Background(), uy, uy, []string{"u"}, OverlapOptions{Y: []string{"y"}}); err != nil || o.RowsUY != 0 {
		t.Errorf("no row has Y: %+v, %v", o, err)
	}
	if _, err := FindOverlap(context.Background(), uy, uy, []string{"v"}, OverlapOptions{}); err == nil || !strings.Contains(err.Error(), `"v"`) {
		t.Errorf("a column that is not there: %v", err)
	}
}

// TestOverlapCountsFrequencies: a row of weight k is k rows, for levels, missing values and numbers.
func TestOverlapCountsFrequencies(t *testing.T) {
	ctx := context.Background()
	levels, us, weights := []string{"a", "b", "new", "a", "b"}, []float64{1, 2, 3, math.NaN(), 40}, []float64{300, 200, 20, 30, 25}
	table := func(written bool) tables.Source {
		var l []string
		var u, w []float64
		for i, times := range weights {
			if !written {
				times = 1
			}
			for range int(times) {
				l, u, w = append(l, levels[i]), append(u, us[i]), append(w, weights[i])
			}
		}
		src, err := tables.FromColumns(tables.Strings("l", l), tables.Numbers("u", u), tables.Numbers("w", w))
		if err != nil {
			t.Fatal(err)
		}
		if !written {
			if src, err := tables.Weigh(ctx, src, "w"); err == nil {
				return src
			}
			t.Fatal(err)
		}
		return src
	}
	var l []string
	var u []float64
	for i := range 500 {
		l, u = append(l, []string{"a", "b"}[i%2]), append(u, float64(i%4)+.01*float64(i%7))
	}
	uy, err := tables.FromColumns(tables.Strings("l", l), tables.Numbers("u", u))
	if err != nil {
		t.Fatal(err)
	}
	var columns [2][]OverlapColumn
	for form, written := range []bool{false, true} {
		o, err := FindOverlap(ctx, table(written), uy, []string{"l", "u"}, OverlapOptions{})
		if err != nil {
			t.Fatal(err)
		}
		columns[form] = o.Columns
		if lacks := o.Without; written && lacks != 75 || !written && lacks != 3 {
			t.Errorf("written %v: %d rows without overlap, %+v", written, lacks, o.Columns)
		}
	}
	if fmt.Sprint(columns[0]) != fmt.Sprint(columns[1]) || len(columns[0]) < 3 {
		t.Errorf("weighed %+v, written out %+v", columns[0], columns[1])
	}
}
