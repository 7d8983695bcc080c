package check

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mediant/tables"
)

var learnedRoles = tables.Roles{X: []string{"x", "c"}, U: []string{"u"}, Y: []string{"y"}}

// rowsOf are rows of (x, c, u, y): continuous, or of few values.
type rowsOf struct {
	x, u, y []float64
	c       []string
}

func drawRows(rnd *rand.Rand, n int, discrete bool) rowsOf {
	var r rowsOf
	for range n {
		x, u, y := rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()
		if discrete {
			x, u, y = math.Round(4*x), math.Round(2*u), math.Round(y)
		}
		r.x, r.u, r.y = append(r.x, x), append(r.u, u), append(r.y, y)
		r.c = append(r.c, []string{"a", "1", "TRUE"}[rnd.IntN(3)])
	}
	return r
}

// pick are some of the rows.
func (r rowsOf) pick(rows ...int) rowsOf {
	var p rowsOf
	for _, i := range rows {
		p.x, p.u, p.y, p.c = append(p.x, r.x[i]), append(p.u, r.u[i]), append(p.y, r.y[i]), append(p.c, r.c[i])
	}
	return p
}

func (r rowsOf) and(o rowsOf) rowsOf {
	return rowsOf{slices.Concat(r.x, o.x), slices.Concat(r.u, o.u), slices.Concat(r.y, o.y), slices.Concat(r.c, o.c)}
}

// change is every x, u and y changed.
func (r rowsOf) change(f func(float64) float64) rowsOf {
	to := func(v []float64) []float64 {
		out := make([]float64, len(v))
		for i := range v {
			out[i] = f(v[i])
		}
		return out
	}
	return rowsOf{to(r.x), to(r.u), to(r.y), r.c}
}

// respelt has other spellings of the same levels.
func (r rowsOf) respelt() rowsOf {
	c := slices.Clone(r.c)
	for i := range c {
		c[i] = map[string]string{"a": "a", "1": "1.0", "TRUE": "true"}[c[i]]
	}
	return rowsOf{r.x, r.u, r.y, c}
}

func (r rowsOf) xu(t testing.TB) tables.Source {
	return source(t, tables.Numbers("x", r.x), tables.Strings("c", r.c), tables.Numbers("u", r.u))
}

func (r rowsOf) uy(t testing.TB) tables.Source {
	return source(t, tables.Numbers("u", r.u), tables.Numbers("y", r.y))
}

func source(t testing.TB, columns ...tables.ColumnData) tables.Source {
	t.Helper()
	src, err := tables.FromColumns(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func (r rowsOf) learned(t testing.TB) *Learned {
	t.Helper()
	l, err := Learn(context.Background(), r.xu(t), r.uy(t), learnedRoles, 1)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// shares reports whether both tables of later rows, or one, are found to share rows with those learned from.
func shares(t testing.TB, l *Learned, r rowsOf) (xu, uy bool) {
	t.Helper()
	of := func(src tables.Source, roles tables.Roles, table Table) bool {
		found, err := l.Later(context.Background(), src, roles, LaterOptions{Table: table})
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(found, func(f Finding) bool { return f.Code == LearnedRows })
	}
	return of(r.xu(t), tables.Roles{X: learnedRoles.X, U: learnedRoles.U}, XU), of(r.uy(t), tables.Roles{U: learnedRoles.U, Y: learnedRoles.Y}, UY)
}

// ordered goes through a map by its keys, so that random draws are the same in every run.
func ordered[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

// written is v as another program may write it, with some decimal digits.
func written(digits int) func(float64) float64 {
	return func(v float64) float64 {
		w, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
		return w
	}
}

// TestLearnedRows: rows that were learned from are known again in any order, in part, among others, and written otherwise; new
// rows are not, whatever their distribution is and however many values they share.
func TestLearnedRows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 1))
	for _, discrete := range []bool{false, true} {
		const n = 800
		was := drawRows(rnd, n, discrete)
		l := was.learned(t)
		fresh := func(n int) rowsOf { return drawRows(rnd, n, discrete) }
		half := rnd.Perm(n)[:n/2]
		for name, c := range ordered(map[string]struct {
			rows  rowsOf
			again bool
		}{
			"same":             {was, true},
			"permuted":         {was.pick(rnd.Perm(n)...), true},
			"half of them":     {was.pick(half...), true},
			"half, half new":   {was.pick(half...).and(fresh(n / 2)), true},
			"15 digits":        {was.change(written(15)), true},
			"levels respelt":   {was.respelt(), true},
			"new":              {fresh(n), false},
			"many new":         {fresh(5 * n), false},
			"few new":          {fresh(50), false},
			"ten of them":      {was.pick(half[:10]...).and(fresh(n - 10)), false},
			"new, elsewhere":   {fresh(n).change(func(v float64) float64 { return v + 3 }), false},
			"new, more narrow": {fresh(n).change(func(v float64) float64 { return math.Trunc(v / 2) }), false},
		}) {
			xu, uy := shares(t, l, c.rows)
			if xu != c.again || uy != c.again && !(discrete && c.again) { // U and Y have some 60 discrete values, nearly all of them ties
				t.Errorf("discrete %v, %s: %v and %v, want %v", discrete, name, xu, uy, c.again)
			}
		}
	}
}

// TestFewLearnedRows: less than one row in a hundred is a warning.
func TestFewLearnedRows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 2))
	was := drawRows(rnd, 100, false)
	l := was.learned(t)
	for i, want := range []Severity{Error, Warning} {
		n := 1000 * (i + 1)
		rows := was.pick(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14).and(drawRows(rnd, n-15, false))
		found, err := l.Later(context.Background(), rows.xu(t), tables.Roles{X: learnedRoles.X, U: learnedRoles.U}, LaterOptions{Table: XU})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(found, func(f Finding) bool { return f.Code == LearnedRows })
		if at < 0 || found[at].Severity != want || found[at].Rows != 15 || found[at].Of != n {
			t.Errorf("15 of %d: %+v", n, found)
		}
	}
}

// TestSharedAtOneLevel: of a later table with more rows than are counted one by one only those are compared that both have kept.
func TestSharedAtOneLevel(t *testing.T) {
	was, later := &Fingerprints{}, &distinct{level: 1}
	for h := uint64(0); h < 80; h += 2 {
		was.counts.of.add(h, 1)
		later.of.add(h, 1)
	}
	for h := uint64(1); h < 401; h += 2 { // not kept of the later table, and so not to be taken as in one table alone
		was.counts.of.add(h, 2)
	}
	if hits, of, many := was.shared(later); hits != 40 || of != 40 || !many {
		t.Errorf("%d of %d, %v", hits, of, many)
	}
}

// TestLearnedRowsByChance: independent tables of discrete values are hardly ever said to share rows, where the bound holds with
// equality: both distributions are the same, and so are the numbers of rows. Of 2 x 1,000 tables 2 are expected at most, and 9
// with a probability below 1e-3.
func TestLearnedRowsByChance(t *testing.T) {
	rnd := rand.New(rand.NewPCG(12, 1))
	wrong := 0
	for range 1000 {
		n := 50 + rnd.IntN(400)
		xu, uy := shares(t, drawRows(rnd, n, true).learned(t), drawRows(rnd, n, true))
		for _, is := range []bool{xu, uy} {
			if is {
				wrong++
			}
		}
	}
	t.Logf("%d of 2000", wrong)
	if wrong > 8 {
		t.Errorf("%d of 2000 independent tables are said to share rows", wrong)
	}
}

// TestLearnedSample: of many rows some are kept, the same in any order, and known again.
func TestLearnedSample(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 1))
	const n = 20_000
	was := drawRows(rnd, n, false)
	l := was.learned(t)
	if kept, share := l.XU.Fingerprints.Kept(), l.XU.Fingerprints.Share(); kept > fingerprintRows || kept < 1500 || math.Abs(float64(kept)/n/share-1) > .2 {
		t.Errorf("%d kept, a share of %g", kept, share)
	}
	kept := was.u
	a, _ := json.Marshal(l.XU.Fingerprints)
	b, _ := json.Marshal(was.pick(rnd.Perm(n)...).learned(t).XU.Fingerprints)
	if string(a) != string(b) {
		t.Error("another order of the rows gives other fingerprints")
	}
	// A column with one value, which is hardly among the rows that are sampled, can be written.
	was.u = slices.Repeat([]float64{math.NaN()}, n)
	was.u[n/2] = 7
	text, err := json.Marshal(was.learned(t))
	if err == nil {
		err = json.Unmarshal(text, &Learned{})
	}
	if err != nil {
		t.Error(err)
	}
	was.u = kept
	if xu, uy := shares(t, l, was.pick(rnd.Perm(n)[:2000]...)); !xu || !uy {
		t.Error("a tenth of the rows is not known again")
	}
	if xu, uy := shares(t, l, drawRows(rnd, n, false)); xu || uy {
		t.Error("new rows are known")
	}
}

// TestLearnedJSON: what is read is what was written, and what is damaged is refused.
func TestLearnedJSON(t *testing.T) {
	was := drawRows(rand.New(rand.NewPCG(14, 1)), 30, true)
	text, err := json.Marshal(was.learned(t))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "TRUE") {
		t.Errorf("cells of text are kept: %s", text)
	}
	var again Learned
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if second, _ := json.Marshal(&again); string(second) != string(text) {
		t.Errorf("%s is written again as %s", text, second)
	}
	for _, damaged := range []string{
		`{"xu":{"rows":1,"columns":[null],"fingerprints":{}}}`,
		`{"xu":{"rows":1}}`,
		`{"xu":{"rows":1,"columns":[{"rows":1,"missing":2}],"fingerprints":{}}}`,
		`{"xu":{"rows":1,"columns":[{"rows":1,"numbers":{"min":1,"max":0,"quantiles":[1,1,1,1,1,1,1]}}],"fingerprints":{}}}`,
		`{"xu":{"rows":1,"columns":[{"rows":1,"numbers":{"quantiles":[0]}}],"fingerprints":{}}}`,
		`{"xu":{"rows":1,"columns":[{"rows":1,"numbers":{"quantiles":[0,0,0,0,0,0,0],"mode_share":-1}}],"fingerprints":{}}}`,
		`{"xu":{"rows":1,"fingerprints":{"hashes":"!"}}}`,
		`{"xu":{"rows":1,"fingerprints":{"hashes":"AAAA"}}}`,
		`{"xu":{"rows":1,"fingerprints":{"hashes":"AAAAAAAAAAA=","level":64}}}`,
		`{"xu":{"rows":1,"fingerprints":{"hashes":"AAAAAAAAAAA=","counts":"AAAAAA=="}}}`,
		`{"xu":{"rows":1,"fingerprints":{"hashes":"AAAAAAAAAAA=","counts":"AAAA"}}}`,
		`{"xu":{"rows":1,"fingerprints":{"hashes":"AQAAAAAAAAA=","level":1}}}`,
		`{"xu":{"rows":1,"fingerprints":{"hashes":"AAAAAAAAAAAAAAAAAAAAAA=="}}}`,
	} {
		if err := json.Unmarshal([]byte(damaged), &Learned{}); err == nil {
			t.Errorf("%s is read", damaged)
		}
	}
}

// BenchmarkLearn reads 10,000 rows of two numbers and a level, and as many of two numbers; BenchmarkLater the first table.
func BenchmarkLearn(b *testing.B) {
	rows := drawRows(rand.New(rand.NewPCG(17, 1)), 10_000, false)
	xu, uy := rows.xu(b), rows.uy(b)
	for b.Loop() {
		if _, err := Learn(context.Background(), xu, uy, learnedRoles, 1); err != nil {
			b.Fatal(err)
		}
	}
}
