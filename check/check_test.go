package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mediant/tables"
)

// numbers is a column of n values.
func numbers(name string, n int, value func(i int) float64) tables.ColumnData {
	values := make([]float64, n)
	for i := range values {
		values[i] = value(i)
	}
	return tables.Numbers(name, values)
}

func text(name string, n int, value func(i int) string) tables.ColumnData {
	cells := make([]string, n)
	for i := range cells {
		cells[i] = value(i)
	}
	return tables.Strings(name, cells)
}

func table(t *testing.T, columns ...tables.ColumnData) *tables.Table {
	t.Helper()
	src, err := tables.FromColumns(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// found lists "severity code column" of a report, without what is said of rows and the note of which columns are Y.
func found(t *testing.T, xu, uy tables.Source, opt Options) []string {
	t.Helper()
	r, err := Tables(context.Background(), xu, uy, opt)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range r.Findings {
		if f.Code == CopiedRows || f.Code == NoOverlap || f.Code == SeveralY && f.Severity == Note {
			continue
		}
		all = append(all, fmt.Sprintf("%s %s %s", f.Severity, f.Code, f.column()))
	}
	return all
}

// TestKindsOfColumns: what a column is by its content, and what it is not.
func TestKindsOfColumns(t *testing.T) {
	const n = 200
	rnd := rand.New(rand.NewPCG(1, 2))
	order := rnd.Perm(n)
	for _, c := range []struct {
		column tables.ColumnData
		want   Kind
	}{
		{numbers("x", n, func(int) float64 { return rnd.NormFloat64() }), Number},
		{numbers("n", n, func(i int) float64 { return float64(i % 5) }), Whole},
		{numbers("t", n, func(i int) float64 { return float64(i % 2) }), Truth},
		{numbers("c", n, func(int) float64 { return 4 }), Constant},
		{numbers("i", n, func(i int) float64 { return float64(i) }), Identifier},
		{numbers("shuffled", n, func(i int) float64 { return float64(1000 + order[i]) }), Identifier},
		{numbers("income", n, func(int) float64 { return float64(rnd.IntN(60000)) }), Number},
		{numbers("person id", n, func(int) float64 { return float64(rnd.IntN(900000)) }), Identifier},
		{numbers("personID", n, func(i int) float64 { return float64(rnd.IntN(50)) }), Identifier},
		{numbers("body mass index", n, func(int) float64 { return 25 + rnd.NormFloat64() }), Number},
		{text("code", n, func(i int) string { return fmt.Sprintf("P%05d", order[i]) }), Identifier},
		{text("uuid", n, func(i int) string { return fmt.Sprintf("%x-%x", rnd.Uint64(), rnd.Uint64()) }), Identifier},
		{text("d", n, func(i int) string { return fmt.Sprintf("2024-%02d-%02d", 1+i%12, 1+i%28) }), Date},
		{text("d", n, func(i int) string { return fmt.Sprintf("%02d.%02d.2019", 1+i%28, 1+i%12) }), Date},
		{text("d", n, func(i int) string { return fmt.Sprintf("3/%d/2021", 1+i%30) }), Date},
		{text("d", n, func(i int) string { return fmt.Sprintf("%d Mar 2021", 1+i%30) }), Date},
		{text("d", n, func(i int) string { return fmt.Sprintf("2024-03-01T%02d:00:00Z", i%24) }), Date},
		{text("p", n, func(i int) string { return fmt.Sprintf("%.1f %%", rnd.Float64()*30) }), Marked},
		{text("p", n, func(i int) string { return fmt.Sprintf("€%d", rnd.IntN(300)) }), Marked},
		{text("p", n, func(i int) string { return fmt.Sprintf("%d kg", rnd.IntN(90)) }), Marked},
		{text("p", n, func(i int) string { return fmt.Sprintf("%d,%03d", 1+i%9, rnd.IntN(1000)) }), Marked},
		{text("p", n, func(i int) string { return fmt.Sprintf("%d.%03d,5", 1+i%9, rnd.IntN(1000)) }), Marked},
		{text("p", n, func(i int) string { return fmt.Sprintf("USD %d.50", rnd.IntN(300)) }), Marked},
		{text("l", n, func(i int) string { return []string{"1a", "1b", "2a", "2b"}[i%4] }), Level},
		{text("l", n, func(i int) string { return []string{"18-24", "25-34", "35+"}[i%3] }), Level},
		{text("l", n, func(i int) string { return []string{"arm1", "arm2"}[i%2] }), Level},
		{text("l", n, func(i int) string { return []string{"yes", "no"}[i%2] }), Truth},
		{text("l", n, func(i int) string { return fmt.Sprintf("the %dth note of %d", i, order[i]) }), FreeText},
	} {
		look, err := look(context.Background(), table(t, c.column), 0)
		if err != nil {
			t.Fatal(err)
		}
		if p := look.profile().Columns[0]; p.Kind != c.want {
			t.Errorf("%s is %q, want %q", p.Name, p.Kind, c.want)
		}
	}
}

// TestMarkers: a repeated value far from all others is reported, and nothing in columns without one.
func TestMarkers(t *testing.T) {
	const n = 500
	rnd := rand.New(rand.NewPCG(3, 4))
	marked := func(marker float64, value func(i int) float64) func(i int) float64 {
		return func(i int) float64 {
			if i%25 == 7 {
				return marker
			}
			return value(i)
		}
	}
	age := func(int) float64 { return float64(18 + rnd.IntN(70)) }
	score := func(int) float64 { return 3 + rnd.NormFloat64() }
	for name, c := range map[string]struct {
		value func(i int) float64
		want  bool
	}{
		"age -9":       {marked(-9, age), true},
		"age -1":       {marked(-1, age), true},
		"age 999":      {marked(999, age), true},
		"score -99":    {marked(-99, score), true},
		"score 9999":   {marked(9999, score), true},
		"grade 9":      {marked(99, func(i int) float64 { return float64(1 + i%6) }), true},
		"score -12345": {marked(-12345, score), true},
		"age":          {age, false},
		"score":        {score, false},
		"zeros":        {marked(0, func(int) float64 { return 500 + 3000*rnd.Float64() }), false},
		"grades":       {func(i int) float64 { return float64(1 + i%9) }, false},
		"heavy tails":  {func(int) float64 { return rnd.NormFloat64() / rnd.NormFloat64() }, false},
		"skew":         {func(int) float64 { return float64(int(rnd.ExpFloat64() * 20)) }, false},
	} {
		*rnd = *rand.New(rand.NewPCG(3, 4)) // whatever the order of the cases
		xu := table(t, numbers("x", n, score), numbers("u", n, c.value))
		uy := table(t, numbers("u", n, c.value), numbers("y", n, score))
		got := slices.ContainsFunc(found(t, xu, uy, Options{}), func(s string) bool { return s == "warning missing-marker u" })
		if got != c.want {
			t.Errorf("%s: %v", name, found(t, xu, uy, Options{}))
		}
	}
}

// TestLeavesOutIdentifiers: by role, never one that a flag names, and never the only column of a role.
func TestLeavesOutIdentifiers(t *testing.T) {
	const n = 100
	rnd := rand.New(rand.NewPCG(5, 6))
	normal := func(int) float64 { return rnd.NormFloat64() }
	row := func(i int) float64 { return float64(i + 1) }
	day := func(i int) string { return fmt.Sprintf("2020-%02d-%02d", 1+i%12, 1+i%28) }
	xu := table(t, numbers("id", n, row), text("when", n, day), numbers("x", n, normal), numbers("u", n, normal))
	uy := table(t, numbers("id", n, row), text("when", n, day), numbers("u", n, normal), numbers("y", n, normal))
	for _, c := range []struct {
		opt  Options
		want []string
	}{
		{Options{}, []string{"note identifier id", "note date when"}},
		{Options{Roles: tables.RoleOptions{U: []string{"u", "id"}}}, []string{"note date when"}},
		{Options{Roles: tables.RoleOptions{Ignore: []string{"id", "when"}}}, nil},
		{Options{Explicit: []string{"when"}}, []string{"note identifier id"}},
		{Options{Roles: tables.RoleOptions{Ignore: []string{"u"}}}, []string{"warning identifier id", "warning date when"}},
	} {
		if got := found(t, xu, uy, c.opt); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.opt, got, c.want)
		}
	}
}

// TestAcceptAndStrict: what is accepted is a note, what is not may end a run.
func TestAcceptAndStrict(t *testing.T) {
	const n = 60
	xu := table(t, numbers("x", n, func(i int) float64 { return float64(i % 7) }), text("u", n, func(i int) string { return fmt.Sprintf("%d kg", i%9) }))
	uy := table(t, text("u", n, func(i int) string { return fmt.Sprintf("%d kg", i%9) }), numbers("y", n, func(i int) float64 { return float64(i % 5) }))
	r, err := Tables(context.Background(), xu, uy, Options{})
	if err != nil || r.Refusal() == nil {
		t.Errorf("units of U: %v, refusal %v", err, r.Refusal())
	}
	accept, err := ParseAcceptance("number-with-marks:u")
	if err != nil {
		t.Fatal(err)
	}
	if r, err = Tables(context.Background(), xu, uy, Options{Accept: []Acceptance{accept}, Strict: true}); err != nil || r.Refusal() != nil {
		t.Errorf("accepted: %v, refusal %v", err, r.Refusal())
	}
	if _, err = Tables(context.Background(), xu, uy, Options{Accept: []Acceptance{{MarkedNumbers, "v"}}}); err == nil || !strings.Contains(err.Error(), `no column "v"`) {
		t.Errorf("a column that is not there is accepted: %v", err)
	}
	if r, err = Tables(context.Background(), xu, uy, Options{Accept: []Acceptance{{MarkedNumbers, "u\u200b"}}}); err != nil || r.Refusal() != nil {
		t.Errorf("accepted by a name that looks the same: %v, refusal %v", err, r.Refusal())
	}
	if _, err := ParseAcceptance("nonsense"); err == nil {
		t.Error("nonsense is accepted")
	}
}

// TestMarkersOfCodes: a marker behind a few codes is found by its distance from them; doses and scales are not reported.
func TestMarkersOfCodes(t *testing.T) {
	const n = 300
	for _, c := range []struct {
		codes []float64
		want  bool
	}{
		{[]float64{1, 2, 3, 9}, true}, {[]float64{0, 1, 9}, true}, {[]float64{1, 2, -9}, true}, {[]float64{1, 2, 3, 4, 99}, true}, {[]float64{1, 2, 8}, false},
		{[]float64{1, 2, 3, 4, 5}, false}, {[]float64{-1, 0, 1}, false}, {[]float64{1, 3, 9}, false}, {[]float64{0, 1, 10, 99}, false}, {[]float64{5, 6, 7, 8, 9}, false},
		{[]float64{9, 99}, false}, {[]float64{0.5, 1.5, 9}, false}, {[]float64{6, 7, 9}, false},
	} {
		rnd := rand.New(rand.NewPCG(1, 2))
		normal := func(int) float64 { return rnd.NormFloat64() }
		xu := table(t, numbers("x", n, normal), numbers("u", n, normal))
		uy := table(t, numbers("u", n, normal), numbers("y", n, func(int) float64 { return c.codes[rnd.IntN(len(c.codes))] }))
		all := found(t, xu, uy, Options{})
		if got := slices.Contains(all, "warning missing-marker y"); got != c.want || len(all) > 1 {
			t.Errorf("%v: %q", c.codes, all)
		}
	}
}

// TestCauseBeforeOverlap: in a column with a marker of missing values the marker is reported, and not that its rows have no overlap.
func TestCauseBeforeOverlap(t *testing.T) {
	const n = 200
	rnd := rand.New(rand.NewPCG(9, 1))
	normal := func(int) float64 { return rnd.NormFloat64() }
	xu := table(t, numbers("x", n, normal), numbers("u", n, func(i int) float64 {
		switch {
		case i%10 == 0:
			return -99
		case i%50 == 1: // more rows without overlap than markers
			return 60
		}
		return rnd.NormFloat64()
	}))
	r, err := Tables(context.Background(), xu, table(t, numbers("u", n, normal), numbers("y", n, normal)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Code == NoOverlap }) {
		t.Errorf("no row is without overlap: %v", r.Findings)
	}
	if all := Lines(r.Findings); len(all) != 1 || !strings.Contains(all[0], "--na") {
		t.Errorf("%q", all)
	}
}
