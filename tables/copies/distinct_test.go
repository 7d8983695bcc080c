package copies

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediant/tables"
)

// richTables have rows that are hardly equal by chance.
var richTables = map[string]drawnTable{
	"numbers": drawTable(400, "x,u", func(_ int, r *rand.Rand) []any { return []any{r.NormFloat64(), r.NormFloat64()} }),
	"four decimals": drawTable(100, "u,v,y", func(_ int, r *rand.Rand) []any {
		return []any{decimals(r.NormFloat64(), 4), decimals(r.NormFloat64(), 4), decimals(r.NormFloat64(), 4)}
	}),
	"skew amounts, half of them 0": drawTable(600, "paid,sex,score", func(_ int, r *rand.Rand) []any {
		return []any{math.Round(max(0, 1000*math.Exp(r.NormFloat64())-1000)), r.IntN(2), decimals(10*r.NormFloat64(), 3)}
	}),
	"text": drawTable(300, "text,stars", func(i int, r *rand.Rand) []any {
		return []any{fmt.Sprintf("some words, a number %d, and more words", i), r.IntN(5)}
	}),
	"36 integers": drawTable(800, "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,A,B,C,D,E,F,G,H,I,J", func(_ int, r *rand.Rand) []any {
		row, mean := make([]any, 36), 80+20*r.NormFloat64()
		for j := range row {
			row[j] = int(mean + 8*r.NormFloat64())
		}
		return row
	}),
	"scores": drawTable(900, "read,math,later", func(_ int, r *rand.Rand) []any {
		able := r.NormFloat64()
		return []any{int(500 + 40*able + 30*r.NormFloat64()), int(510 + 40*able + 30*r.NormFloat64()), int(1100 + 80*able + 60*r.NormFloat64())}
	}),
	"levels and one number": drawTable(500, "sex,region,age,x", func(_ int, r *rand.Rand) []any {
		return []any{[]string{"f", "m"}[r.IntN(2)], []string{"n", "s", "w"}[r.IntN(3)], 20 + r.IntN(50), r.ExpFloat64()}
	}),
}

// tiedTables have equal rows by chance.
var tiedTables = map[string]drawnTable{
	"few levels": drawTable(500, "a,b,c", func(_ int, r *rand.Rand) []any { return []any{r.IntN(3), r.IntN(2), r.IntN(4)} }),
	"two truth values and counts": drawTable(700, "p,q,n,m", func(_ int, r *rand.Rand) []any {
		return []any{r.IntN(2), r.IntN(2), int(r.ExpFloat64() * 4), int(r.ExpFloat64() * 2)}
	}),
	"a function of another": drawTable(300, "u,y", func(_ int, r *rand.Rand) []any { v := r.IntN(40); return []any{v, 3 * v * v} }),
	"a sum of two": drawTable(1000, "a,b,sum", func(_ int, r *rand.Rand) []any {
		a, b := r.IntN(100), r.IntN(100)
		return []any{a, b, a + b}
	}),
	"one column":          drawTable(400, "a", func(_ int, r *rand.Rand) []any { return []any{r.IntN(60)} }),
	"one column of words": drawTable(400, "a", func(_ int, r *rand.Rand) []any { return []any{fmt.Sprint("word", r.IntN(900))} }),
	"one decimal": drawTable(1000, "x,u", func(_ int, r *rand.Rand) []any {
		return []any{decimals(r.NormFloat64(), 1), decimals(r.NormFloat64(), 1)}
	}),
	"one decimal, one column": drawTable(1000, "x", func(_ int, r *rand.Rand) []any { return []any{decimals(5*r.NormFloat64(), 1)} }),
	"rain, twice": drawTable(600, "mm,inch", func(_ int, r *rand.Rand) []any {
		mm := max(0, r.NormFloat64())
		return []any{mm, mm / 25.4}
	}),
	"rain and region": drawTable(600, "mm,region", func(_ int, r *rand.Rand) []any {
		return []any{max(0, r.NormFloat64()), []string{"n", "s", "w"}[r.IntN(3)]}
	}),
	"symptoms": drawTable(1500, "a,b,c,d,e,f,g,h", func(_ int, r *rand.Rand) []any {
		row, ill := make([]any, 8), .03
		if r.IntN(4) == 0 {
			ill = .5
		}
		for j := range row {
			row[j] = 0
			if r.Float64() < ill {
				row[j] = 1
			}
		}
		return row
	}),
	"scores, rounded to tens": drawTable(900, "read,math", func(_ int, r *rand.Rand) []any {
		able := r.NormFloat64()
		return []any{10 * int(50+4*able+3*r.NormFloat64()), 10 * int(51+4*able+3*r.NormFloat64())}
	}),
	"ten equal rows": drawTable(10, "a,b", func(int, *rand.Rand) []any { return []any{1, 2} }),
}

func TestDistinctFindsCopies(t *testing.T) {
	for name, d := range richTables {
		for kind, c := range map[string]struct {
			of          drawnTable
			rows, times int
		}{
			"pasted twice":      {d.pasted(2), len(d.rows), 2},
			"pasted five times": {d.pasted(5), 4 * len(d.rows), 5},
			"5 % doubled":       {d.doubled(20), (len(d.rows) + 19) / 20, 0},
			"half pasted":       {d.doubled(2), (len(d.rows) + 1) / 2, 0},
		} {
			src, found := c.of.distinct(t)
			if found.Rows < c.rows || found.Rows > c.rows+len(d.rows)/50 || found.Times != c.times || found.Distinct != len(c.of.rows)-found.Rows || found.Share != 1 {
				t.Errorf("%s, %s: %+v, want %d copies, all %d times", name, kind, found, c.rows, c.times)
			}
			if rows := src.(*tables.Table).Rows(); rows != found.Distinct {
				t.Errorf("%s, %s: %d rows are left of %+v", name, kind, rows, found)
			}
		}
		if src, found := d.distinct(t); found.Found() || tables.FactsOf(src).Weighted {
			t.Errorf("%s: %+v, want none", name, found)
		}
	}
}

func TestDistinctLeavesTies(t *testing.T) {
	for name, d := range tiedTables {
		for _, rows := range []int{len(d.rows), len(d.rows) / 2, len(d.rows) / 5} {
			own := drawnTable{d.names, d.rows[:rows]}
			table := own.table(t)
			src, found, err := Distinct(context.Background(), table, d.names)
			if err != nil || found.Found() || src != tables.Source(table) {
				t.Errorf("%s, %d rows: %+v, %v, want the table as it is", name, rows, found, err)
			}
		}
	}
}

// TestDistinctUndoesPasting: a table that was pasted several times, in any order of its parts' rows, is the table again, with
// no weights, ties and all; weights of its own stay.
func TestDistinctUndoesPasting(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		all := map[string]drawnTable{}
		for name, d := range richTables {
			all[name] = d
		}
		for _, name := range []string{"two truth values and counts", "one decimal", "a sum of two", "symptoms"} {
			all[name] = tiedTables[name]
		}
		names := make([]string, 0, len(all))
		for name := range all {
			names = append(names, name)
		}
		slices.Sort(names)
		d := all[rapid.SampledFrom(names).Draw(r, "table")]
		times := rapid.IntRange(2, 6).Draw(r, "times")
		pasted := d.pasted(times).table(t)
		var from tables.Source = pasted
		if rapid.Bool().Draw(r, "stream") {
			from = stream{pasted}
		}
		src, found, err := Distinct(context.Background(), from, d.names)
		if err != nil || found.Times != times {
			r.Fatalf("%+v, %v, want all %d times", found, err, times)
		}
		got, err := tables.Load(context.Background(), src)
		if err != nil {
			r.Fatal(err)
		}
		want, start := d.table(t), 0
		var wants []tables.Batch
		for b := range want.Batches(context.Background()) {
			wants = append(wants, b)
		}
		for b, err := range got.Batches(context.Background()) {
			if err != nil {
				r.Fatal(err)
			}
			if b.Weights() != nil || b.Count() != b.Rows {
				r.Fatal("rows that are all there equally often have weights")
			}
			for i := range b.Rows {
				if b.Number(i) != start+i {
					r.Fatalf("row %d is number %d of the table", start+i, b.Number(i))
				}
				for j := range d.names {
					if a, b := cellOf(b, want.Columns(), j, i), cellOf(wants[start/tables.BlockRows], want.Columns(), j, i); a != b {
						r.Fatalf("row %d, column %d is %v, want %v", start+i, j, a, b)
					}
				}
			}
			start += b.Rows
		}
		if start != want.Rows() {
			r.Fatalf("%d rows, want %d", start, want.Rows())
		}
	})
}

// stream is a source that is no Table.
type stream struct{ tables.Source }

func cellOf(b tables.Batch, columns []tables.Column, j, i int) any {
	places, err := tables.Select(columns, columns)
	if err != nil {
		panic(err)
	}
	kind, index := places.Place(j)
	if kind == tables.Text {
		return b.Text[index][i]
	}
	return b.Num.At(i, index)
}

// TestDistinctAndWeights: copies multiply a sampling weight and are the factor of a frequency, whichever of Weigh and Distinct
// comes first; sums are those of the table with its copies, up to a common factor, and rows with other weights are no copies.
func TestDistinctAndWeights(t *testing.T) {
	d := drawTable(2100, "x,w,v", func(i int, r *rand.Rand) []any { return []any{r.NormFloat64(), 1 + i%3, .5 + r.Float64()} }).doubled(10)
	for _, weight := range []string{"w", "v"} {
		ctx := context.Background()
		weighed, err := tables.Weigh(ctx, stream{d.table(t)}, weight)
		if err != nil {
			t.Fatal(err)
		}
		first, found, err := Distinct(ctx, weighed, d.names)
		if err != nil || found.Rows != 210 {
			t.Fatalf("%+v, %v", found, err)
		}
		again, _, err := Distinct(ctx, stream{d.table(t)}, d.names)
		if err != nil {
			t.Fatal(err)
		}
		second, err := tables.Weigh(ctx, again, weight)
		if err != nil {
			t.Fatal(err)
		}
		for order, src := range map[string]tables.Source{"weigh first": first, "distinct first": second} {
			total, observations, factors, copies, rows := 0.0, 0.0, 0.0, 0, 0
			for b, err := range src.Batches(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				for i := range b.Rows {
					number := b.Number(i)
					frequency := 1.0
					if f := b.Frequencies(); f != nil {
						frequency = f[i]
					}
					if weight == "w" && frequency != float64(1+number%3) || weight == "v" && b.Frequencies() != nil {
						t.Fatalf("%s, %s: row %d has frequency %g", weight, order, number, frequency)
					}
					times := 1.0
					if number%10 == 0 {
						times = 2
					}
					total += b.Weights()[i] / (times * weightOfRow(d, weight, number))
					observations += frequency
					factors += frequency * b.Factors()[i]
					copies += b.Copies(i)
					rows++
				}
			}
			if rows != 2100 || math.Abs(factors-observations) > 1e-9*observations || copies != int(math.Round(observations)) {
				t.Errorf("%s, %s: %d rows, factors of %g in all for %g observations, %d copies", weight, order, rows, factors, observations, copies)
			}
			for b, err := range src.Batches(ctx) { // one common factor
				if err != nil {
					t.Fatal(err)
				}
				for i, w := range b.Weights() {
					times := 1.0
					if b.Number(i)%10 == 0 {
						times = 2
					}
					if got, want := w/(times*weightOfRow(d, weight, b.Number(i))), total/2100; math.Abs(got-want) > 1e-12*want {
						t.Fatalf("%s, %s: row %d has %g times its weight and copies, others %g", weight, order, b.Number(i), got, want)
					}
				}
			}
		}
	}
}

func weightOfRow(d drawnTable, column string, row int) float64 {
	switch v := d.rows[row][slices.Index(d.names, column)].(type) {
	case int:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

// TestDistinctByColumns: a column that is not named does not make rows different.
func TestDistinctByColumns(t *testing.T) {
	d := drawTable(100, "id,x,y", func(i int, r *rand.Rand) []any { return []any{i, r.NormFloat64(), r.NormFloat64()} }).pasted(2)
	for i := range d.rows {
		d.rows[i] = append([]any{i}, d.rows[i][1:]...)
	}
	if _, found := d.distinct(t); found.Found() {
		t.Errorf("with its number no row is a copy: %+v", found)
	}
	src, found, err := Distinct(context.Background(), d.table(t), []string{"x", "y"})
	if err != nil || found.Rows != 100 || found.Times != 2 || src.(*tables.Table).Rows() != 100 {
		t.Errorf("%+v, %v, want 100 copies", found, err)
	}
	if _, _, err := Distinct(context.Background(), d.table(t), []string{"x", "z"}); err == nil || !strings.Contains(err.Error(), `"z"`) {
		t.Errorf("a column that is not there: %v", err)
	}
}

// TestDistinctMissing: missing numbers are equal, and so are 0 and -0.
func TestDistinctMissing(t *testing.T) {
	d := drawTable(60, "x,y", func(i int, r *rand.Rand) []any {
		if i%2 == 0 {
			return []any{math.NaN(), r.NormFloat64()}
		}
		return []any{0., r.NormFloat64()}
	})
	other := drawnTable{d.names, nil}
	for _, row := range d.rows {
		v := row[0].(float64)
		other.rows = append(other.rows, []any{-v, row[1]})
	}
	both := drawnTable{d.names, slices.Concat(d.rows, other.rows)}
	if _, found := both.distinct(t); found.Rows != 60 || found.Times != 2 {
		t.Errorf("%+v, want 60 copies", found)
	}
}
