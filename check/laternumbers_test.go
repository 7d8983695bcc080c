package check

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mediant/tables"
)

// later lists "severity code column" of findings about x of later rows, where training had was.
func later(t *testing.T, was, now []float64) []string {
	t.Helper()
	n, m := len(was), len(now)
	xu := source(t, tables.Numbers("x", was), numbers("u", n, func(i int) float64 { return float64(i) }))
	uy := source(t, numbers("u", n, func(i int) float64 { return float64(i) }), tables.Numbers("y", was))
	roles := tables.Roles{X: []string{"x"}, U: []string{"u"}, Y: []string{"y"}}
	l, err := Learn(context.Background(), xu, uy, roles, 1)
	if err != nil {
		t.Fatal(err)
	}
	src := source(t, numbers("more", m, func(i int) float64 { return 1e9 }), tables.Numbers("x", now))
	found, err := l.Later(context.Background(), src, tables.Roles{X: roles.X}, LaterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// The same column as Y has the same findings, but for missing values.
	src = source(t, tables.Numbers("y", now))
	ofY, err := l.Later(context.Background(), src, tables.Roles{Y: roles.Y}, LaterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var all, codes, codesY []string
	for _, f := range found {
		all = append(all, fmt.Sprintf("%s %s", f.Severity, f.Code))
		if f.Code != LaterMissing {
			codes = append(codes, string(f.Code))
		}
	}
	for _, f := range ofY {
		codesY = append(codesY, string(f.Code))
	}
	if !slices.Equal(codes, codesY) {
		t.Errorf("x has %q, y %q", codes, codesY)
	}
	return all
}

// TestLaterNumbers: units, ranges and missing values of later rows, and rows like those of training.
func TestLaterNumbers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 1))
	draws := func(n int, f func() float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = f()
		}
		return v
	}
	times := func(c, shift float64, f func() float64) func() float64 {
		return func() float64 { return c*f() + shift }
	}
	uniform := rnd.Float64
	normal := rnd.NormFloat64
	age := func() float64 { return float64(18 + rnd.IntN(48)) }
	weight := func() float64 { return 75 + 12*normal() }
	celsius := func() float64 { return 12 + 8*normal() }
	skew := func() float64 { return math.Exp(1.5 * normal()) }
	grade := func() float64 { return float64(1 + rnd.IntN(5)) }
	some := func(share float64, f func() float64) func() float64 {
		return func() float64 {
			if rnd.Float64() < share {
				return math.NaN()
			}
			return f()
		}
	}
	for name, c := range ordered(map[string]struct {
		was, now func() float64
		want     []string
	}{
		"share for per cent":        {times(100, 0, uniform), uniform, []string{"error later-unit"}},
		"per cent for share":        {uniform, times(100, 0, uniform), []string{"error later-unit"}},
		"thousands":                 {skew, times(1000, 0, skew), []string{"error later-unit"}},
		"normal, a hundredth":       {normal, times(.01, 0, normal), []string{"error later-unit"}},
		"grams":                     {weight, times(1000, 0, weight), []string{"error later-unit"}},
		"pounds":                    {weight, times(1/.45359237, 0, weight), []string{"error later-unit"}},
		"twice the spread":          {normal, times(1/.45359237, 0, normal), []string{"warning later-range"}},
		"inches":                    {times(10, 170, normal), times(10/2.54, 170/2.54, normal), []string{"error later-unit"}},
		"Fahrenheit":                {celsius, times(1.8, 32, celsius), []string{"error later-unit"}},
		"Celsius":                   {times(1.8, 32, celsius), celsius, []string{"warning later-unit"}},
		"whole numbers in hundreds": {grade, times(100, 0, grade), []string{"error later-unit"}},
		"beyond":                    {age, times(1, 30, age), []string{"warning later-range"}},
		"below":                     {uniform, times(1.2, -.2, uniform), []string{"warning later-range"}},
		"missing":                   {some(.05, normal), some(.5, normal), []string{"warning later-missing"}},
		"missing wholly":            {some(.05, normal), some(2, normal), []string{"warning later-missing"}},
		"some more missing":         {some(.05, normal), some(.125, normal), nil},
		"a part of the range":       {age, func() float64 { return float64(20 + rnd.IntN(10)) }, nil},
		"constant":                  {weight, times(0, 75, normal), []string{"warning later-spike"}},
		"a mean for missing values": {weight, func() float64 { return []float64{75, weight()}[rnd.IntN(2)] }, []string{"warning later-spike"}},
		"capped":                    {weight, func() float64 { return min(80, weight()) }, []string{"warning later-spike"}},
		"constant of few":           {grade, times(0, 3, normal), nil},
		"constant of two":           {func() float64 { return float64(rnd.IntN(2)) }, times(0, 1, normal), nil},
		"many zeros as before":      {func() float64 { return max(0, normal()) }, func() float64 { return max(0, normal()-1) }, nil},
		"like training":             {weight, weight, nil},
		"whole like training":       {age, age, nil},
	}) {
		*rnd = *rand.New(rand.NewPCG(31, 32)) // whatever the order of the cases
		if got := later(t, draws(1000, c.was), draws(400, c.now)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	// One value far out, and too few rows for a unit.
	for name, c := range ordered(map[string]struct {
		was  func() float64
		now  []float64
		want []string
	}{
		"one far":              {weight, append(draws(100, weight), 7500), []string{"warning later-range"}},
		"one a little beyond":  {weight, append(draws(100, weight), 130), nil},
		"one below many zeros": {func() float64 { return max(0, normal()) }, append(draws(100, func() float64 { return max(0, normal()) }), -.01), nil},
		"one beyond of a skew": {skew, append(draws(100, skew), 300), nil},
		"few":                  {uniform, draws(20, times(100, 0, uniform)), []string{"warning later-range"}},
		"constant":             {func() float64 { return 1 }, draws(100, normal), nil},
	}) {
		if got := later(t, draws(1000, c.was), c.now); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestLaterByChance: rows like those of training get hardly a finding, whatever their distribution. Over twelve other seeds 19 of
// 18,000 columns did, 16 of them with tails like those of Cauchy's distribution; more than 7 of 1,500 have odds below 1e-3 then.
func TestLaterByChance(t *testing.T) {
	rnd := rand.New(rand.NewPCG(16, 1))
	wrong := 0
	shapes := map[string]func() float64{
		"normal": rnd.NormFloat64,
		"skew":   func() float64 { return math.Exp(2 * rnd.NormFloat64()) },
		"heavy":  func() float64 { return rnd.NormFloat64() / rnd.NormFloat64() },
		"counts": func() float64 { return math.Floor(rnd.ExpFloat64() * 2) },
		"zeros":  func() float64 { return max(0, rnd.NormFloat64()-1) },
		"grades": func() float64 { return float64(rnd.IntN(4)) },
	}
	for range 250 {
		for name, f := range ordered(shapes) {
			n, m := []int{30, 100, 1000}[rnd.IntN(3)], []int{5, 100, 1000}[rnd.IntN(3)]
			was, now := make([]float64, n), make([]float64, m)
			for i := range was {
				was[i] = f()
			}
			for i := range now {
				now[i] = f()
			}
			if got := later(t, was, now); got != nil {
				t.Logf("%s, %d and %d: %q", name, n, m, got)
				wrong++
			}
		}
	}
	if wrong > 7 {
		t.Errorf("%d of 1500 columns like those of training have a finding", wrong)
	}
}

// TestLaterLines: one line a column, and no word of a command that does not list them.
func TestLaterLines(t *testing.T) {
	var found []Finding
	for i := range 12 {
		found = append(found, Finding{Code: LaterRange, Severity: Warning, Columns: []string{fmt.Sprint(i % 11)}, What: "out"})
	}
	got := LaterLines(found)
	if len(got) != 11 || got[10] != "note: 1 more finding" {
		t.Errorf("%q", got)
	}
}

func BenchmarkLater(b *testing.B) {
	rows := drawRows(rand.New(rand.NewPCG(18, 1)), 10_000, false)
	l, xu := rows.learned(b), rows.xu(b)
	for b.Loop() {
		if _, err := l.Later(context.Background(), xu, tables.Roles{X: learnedRoles.X, U: learnedRoles.U}, LaterOptions{Table: XU}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestLaterOutcomesOfOtherRows: that Y of later rows is smaller by a small factor is a note where their X are others too.
func TestLaterOutcomesOfOtherRows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 1))
	const n = 500
	normal := func(middle float64) func(int) float64 {
		return func(int) float64 { return middle + .2*middle*rnd.NormFloat64() }
	}
	roles := tables.Roles{X: []string{"x"}, U: []string{"u"}, Y: []string{"y"}}
	l, err := Learn(t.Context(), source(t, numbers("x", n, normal(40)), numbers("u", n, normal(1))), source(t, numbers("u", n, normal(1)), numbers("y", n, normal(100))), roles, 1)
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range map[float64]Severity{40: Warning, 33: Note} {
		src := source(t, numbers("x", n, normal(x)), numbers("y", n, normal(100/1.609344)))
		found, err := l.Later(t.Context(), src, tables.Roles{X: roles.X, Y: roles.Y}, LaterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Code == LaterUnit })
		if i < 0 || found[i].column() != "y" || found[i].Severity != want {
			t.Errorf("x about %g: %v, want a %v of later-unit", x, found, want)
		}
	}
}
