package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"mediant/check"
	"mediant/internal/draw"
)

// checked runs check --json and returns the findings as "severity code column".
func checked(t *testing.T, status int, more ...string) []string {
	t.Helper()
	got := invoke(append(words("check --xu xu.csv --uy uy.csv --json"), more...)...)
	if got.status != status {
		t.Fatalf("status %d, want %d: %+v", got.status, status, got)
	}
	var report check.Report
	if err := json.Unmarshal([]byte(got.stdout), &report); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range report.Findings {
		all = append(all, fmt.Sprintf("%s %s %s", f.Severity, f.Code, strings.Join(f.Columns, ",")))
	}
	return all
}

// A trial has a treatment that moves U by 1, and Y = 2U: the effect is 2. The trial is sorted by arm, the history by Y, and more
// columns can be added to both tables.
type trial struct {
	names      string // of the columns that are added, with a comma behind each
	xu, uy     func(i int) []any
	treated    []float64
	u, history []float64
}

func newTrial() *trial {
	rnd := draw.Rand(1, "trial", 0)
	tr := &trial{}
	for i := range 300 {
		arm := float64(i / 150)
		tr.treated = append(tr.treated, arm)
		tr.u = append(tr.u, math.Round(1e4*(arm+rnd.NormFloat64()))/1e4)
		tr.history = append(tr.history, math.Round(1e4*rnd.NormFloat64())/1e4)
	}
	slices.Sort(tr.history)
	return tr
}

func (tr *trial) write(t *testing.T) {
	t.Helper()
	with := func(of func(int) []any, i int, cells ...any) []any {
		if of != nil {
			cells = append(of(i), cells...)
		}
		return cells
	}
	write(t, "xu.csv", table(tr.names+"t,u", len(tr.u), func(i int) []any { return with(tr.xu, i, tr.treated[i], tr.u[i]) }))
	write(t, "uy.csv", table(tr.names+"u,y", len(tr.history), func(i int) []any { return with(tr.uy, i, tr.history[i], 2*tr.history[i]+float64(i%7)/10) })) // not Y itself
}

// TestIdentifiersAreNotU: what names rows changes no effect, however it is written, and is reported by name. Tables that are sorted,
// one by arm and one by outcome, made it seem to explain Y.
func TestIdentifiersAreNotU(t *testing.T) {
	inFolder(t)
	tr := newTrial()
	tr.write(t)
	effect := words("effect --xu xu.csv --uy uy.csv --treatment t --psi linear --json")
	want := succeed(t, effect...)
	if f := checked(t, statusDone, "--treatment", "t"); len(f) != 0 {
		t.Errorf("findings of clean tables: %q", f)
	}
	order := draw.Rand(1, "order", 0).Perm(300)
	for _, c := range []struct {
		name   string
		xu, uy func(i int) any
	}{
		{"person id", func(i int) any { return i + 1 }, func(i int) any { return i + 1 }},
		{"person id", func(i int) any { return i + 1 }, func(i int) any { return 5001 + i }},
		{"", func(i int) any { return i }, func(i int) any { return i }},
		{"n", func(i int) any { return 10 + i }, func(i int) any { return order[i] }},
		{"ID", func(i int) any { return 100 * order[i] }, func(i int) any { return 7 * i }},
		{"code", func(i int) any { return fmt.Sprintf("P%05d", i) }, func(i int) any { return fmt.Sprintf("H%05d", i) }},
		{"uuid", func(i int) any { return fmt.Sprintf("a%08x-%04x", i*2654435761%4294967296, order[i]) }, func(i int) any { return fmt.Sprintf("b%08x-%04x", i*40503, i) }},
		{"big", func(i int) any { return 1234567890123450000 + i }, func(i int) any { return 1234567890123460000 + i }},
	} {
		tr.names = c.name + ","
		tr.xu, tr.uy = func(i int) []any { return []any{c.xu(i)} }, func(i int) []any { return []any{c.uy(i)} }
		tr.write(t)
		got := invoke(effect...)
		name := c.name
		if name == "" {
			name = "Unnamed: 0"
		}
		if got.status != statusDone || !strings.Contains(got.stderr, fmt.Sprintf("note: %q is a running number or an identifier", name)) {
			t.Errorf("%q: %+v", c.name, got)
		}
		if a, b := effects(t, got.stdout), effects(t, want); a != b {
			t.Errorf("%q: effect %v, without the column %v", c.name, a, b)
		}
		if got := invoke(append(effect, "--u", "u", "--u", name)...); strings.Contains(got.stderr, "running number") {
			t.Errorf("%q is named: %+v", name, got)
		}
	}
}

// effects is the effect on Y of effect --json.
func effects(t *testing.T, text string) float64 {
	t.Helper()
	var r struct{ Effects []struct{ Estimate float64 } }
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	return r.Effects[0].Estimate
}

// TestDatesAreNotLevels: a column of dates is one note, whatever their form, and no level of the model.
func TestDatesAreNotLevels(t *testing.T) {
	inFolder(t)
	tr := newTrial()
	tr.write(t)
	want := effects(t, succeed(t, words("effect --xu xu.csv --uy uy.csv --treatment t --psi linear --json")...))
	for _, form := range []func(y, m, d int) string{
		func(y, m, d int) string { return fmt.Sprintf("%d-%02d-%02d", y, m, d) },
		func(y, m, d int) string { return fmt.Sprintf("%02d.%02d.%d", d, m, y) },
		func(y, m, d int) string { return fmt.Sprintf("%d/%d/%d", m, d, y) },
		func(y, m, d int) string { return fmt.Sprintf("%d-%02d-%02d %02d:00:00", y, m, d, d%24) },
		func(y, m, d int) string { return fmt.Sprintf("%d-%02d-%02dT%02d:30:00Z", y, m, d, d%24) },
		func(y, m, d int) string {
			return fmt.Sprintf("%02d-%s-%d", d, []string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}[m-1], y)
		},
	} {
		tr.names = "enrolled,"
		tr.xu = func(i int) []any { return []any{form(2019, 1+i%12, 1+i%28)} }
		tr.uy = func(i int) []any { return []any{form(2005+i%3, 1+i%12, 1+i%28)} }
		tr.write(t)
		got := invoke(words("effect --xu xu.csv --uy uy.csv --treatment t --psi linear --json")...)
		if got.status != statusDone || strings.Count(got.stderr, "enrolled") > 3 || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, "holds dates") {
			t.Errorf("%s: %+v", form(2019, 2, 3), got)
		}
		if e := effects(t, got.stdout); e != want {
			t.Errorf("%s: effect %v, without the column %v", form(2019, 2, 3), e, want)
		}
	}
}

// TestNumbersWithMarksAreNoClasses: numbers with units, currencies, per cent or marks between thousands are refused in one line that
// names column and mark, as X, U or Y, and as text if that is said (pola-rs/polars#18797).
func TestNumbersWithMarksAreNoClasses(t *testing.T) {
	inFolder(t)
	plain := func(i int) any { return fmt.Sprint((i*37)%101, ".", i%10) }
	for _, c := range []struct {
		cell  func(i int) any
		mark  string
		flags string
	}{
		{func(i int) any { return fmt.Sprintf("%d.%d %%", i*37%101, i%10) }, "%", ""},
		{func(i int) any { return fmt.Sprintf("€%d", i*37%101) }, "€", ""},
		{func(i int) any { return fmt.Sprintf("$ %d.50", i*37%101) }, "$", ""},
		{func(i int) any { return fmt.Sprintf("%d kg", i*37%101) }, "kg", ""},
		{func(i int) any { return fmt.Sprintf("USD %d", i*37%101) }, "USD", ""},
		{func(i int) any { return fmt.Sprintf("\"%d,%03d\"", 1+i%9, i*37%1000) }, "thousands", ""},
		{func(i int) any { return fmt.Sprintf("%d.%03d,0", 1+i%9, i*37%1000) }, "thousands", "--delimiter ; --decimal ,"},
		{func(i int) any { return fmt.Sprintf("%d'%03d", 1+i%9, i*37%1000) }, "thousands", ""},
		{func(i int) any { return fmt.Sprintf("'%d.5", i*37%101) }, "another spelling", ""},
		{func(i int) any { return fmt.Sprintf("−%d.5", i*37%101) }, "another spelling", ""},
		{func(i int) any { return fmt.Sprintf("%d.5D+02", i*37%101) }, "another spelling", ""},
	} {
		for _, role := range []string{"x", "u", "y"} {
			cell := func(name string, i int) any {
				if name == role {
					return c.cell(i)
				}
				if c.flags != "" {
					return strings.Replace(fmt.Sprint(plain(i)), ".", ",", 1)
				}
				return plain(i)
			}
			separate := func(text string) string {
				if c.flags != "" { // cells have commas
					text = strings.NewReplacer("\t", ";").Replace(text)
				}
				return strings.NewReplacer("\t", ",").Replace(text)
			}
			var xu, uy strings.Builder
			xu.WriteString("x\tu\n")
			uy.WriteString("u\ty\n")
			for i := range 100 {
				fmt.Fprintf(&xu, "%v\t%v\n", cell("x", i), cell("u", i))
				fmt.Fprintf(&uy, "%v\t%v\n", cell("u", i+3), cell("y", i+3))
			}
			write(t, "xu.csv", separate(xu.String()))
			write(t, "uy.csv", separate(uy.String()))
			fit := words("fit --xu xu.csv --uy uy.csv -o m.mediant --phi linear --psi linear --method 2step --lambda 1e-3 " + c.flags)
			got := invoke(fit...)
			if got.status != statusData || !strings.Contains(got.stderr, fmt.Sprintf("%q", role)) || !strings.Contains(got.stderr, c.mark) || strings.Count(got.stderr, "mediant: ") != 1 {
				t.Errorf("%v as %s: %+v", c.cell(5), role, got)
			}
			if role != "y" {
				if got := invoke(append(fit, "--text", role)...); strings.Contains(got.stderr, "number-with-marks") {
					t.Errorf("%v as text %s: %+v", c.cell(5), role, got)
				}
			}
		}
	}
}

// TestMarkersAreReported: a value that marks missing ones is used, and reported by column.
func TestMarkersAreReported(t *testing.T) {
	inFolder(t)
	rnd := draw.Rand(2, "markers", 0)
	for _, marker := range []float64{-99, -9, 999, 9999, -999} {
		column := func(i int) any {
			if i%20 == 3 {
				return marker
			}
			return math.Round(100*(3+rnd.NormFloat64())) / 100
		}
		write(t, "xu.csv", table("x,u", 300, func(i int) []any { return []any{rnd.NormFloat64(), column(i)} }))
		write(t, "uy.csv", table("u,y", 300, func(i int) []any { return []any{column(i), column(i)} }))
		got := checked(t, statusDone)
		for _, want := range []string{"warning missing-marker u", "warning missing-marker y"} {
			if !slices.Contains(got, want) {
				t.Errorf("%g: %q, want %q", marker, got, want)
			}
		}
		if got := invoke(words("check --xu xu.csv --uy uy.csv --strict")...); got.status != statusData {
			t.Errorf("strict: %+v", got)
		}
		checked(t, statusDone, "--strict", "--accept", "missing-marker")
		checked(t, statusDone, "--strict", "--accept", "identifier,missing-marker")
	}
}

// TestMixedCellsAreTold: check names all columns that a fit would refuse, each at its first cell, with the flag that settles it.
func TestMixedCellsAreTold(t *testing.T) {
	inFolder(t)
	cells := map[string]any{"x": ".", "u": "unknown", "k": "3 kg", "y": "abc"}
	row := func(i int, names ...string) []any {
		var all []any
		for j, name := range names {
			var cell any = float64((i+1)*(j+3)%17) / 4
			if bad, ok := cells[name]; ok && i%20 == 5 {
				cell = bad
			}
			all = append(all, cell)
		}
		return all
	}
	write(t, "xu.csv", table("x,u,k", 60, func(i int) []any { return row(i, "x", "u", "k") }))
	write(t, "uy.csv", table("u,y", 60, func(i int) []any { return row(i+9, "z", "y") }))
	got := checked(t, statusData)
	for _, want := range []string{"error mixed-cells x", "error mixed-cells u", "error mixed-cells k", "error mixed-cells y"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if len(got) != 4 {
		t.Errorf("%q, want nothing else", got)
	}
	out := invoke(words("check --xu xu.csv --uy uy.csv")...).stdout
	for _, want := range []string{`3 of 60 cells of "x" in the first table`, `the first is on line 7: "." is not a number`, `--na "."`, `--na "unknown"`, `the unit "kg": write 3`, `--text "y"`} {
		if !strings.Contains(out, want) {
			t.Errorf("check prints %q, want %q", out, want)
		}
	}
	f := slices.DeleteFunc(checked(t, statusData, "--na", ".,unknown"), func(f string) bool { return !strings.HasPrefix(f, "error") })
	if !slices.Equal(f, []string{"error mixed-cells k", "error mixed-cells y"}) {
		t.Errorf("with --na: %q", f)
	}
}

// TestDatesThatAreRead: --dates is advised where it reads the dates, and only there.
func TestDatesThatAreRead(t *testing.T) {
	inFolder(t)
	for _, c := range []struct {
		form func(y, m, d int) string
		read bool
	}{
		{func(y, m, d int) string { return fmt.Sprintf("%d-%02d-%02d", y, m, d) }, true},
		{func(y, m, d int) string { return fmt.Sprintf("%02d-%s-%d", d, []string{"Jan", "Feb", "Mar"}[m%3], y) }, true},
		{func(y, m, d int) string { return fmt.Sprintf("%d/%d/%d", m, d, y) }, true},
		{func(y, m, d int) string { return fmt.Sprintf("%02d.%02d.%02d", d, m, y%100) }, false},
		{func(y, m, _ int) string { return fmt.Sprintf("%d-%02d", y, m) }, false},
	} {
		row := func(i int) any { return c.form(2019, 1+i*7%12, 1+i*11%28) }
		write(t, "xu.csv", table("d,x,u", 60, func(i int) []any { return []any{row(i), i * 5 % 17, i * 7 % 13} }))
		write(t, "uy.csv", table("d,u,y", 60, func(i int) []any { return []any{row(i + 7), i * 7 % 13, i * 3 % 11} }))
		out := invoke(words("check --xu xu.csv --uy uy.csv --all")...).stdout
		if !strings.Contains(out, `"d" holds dates`) || strings.Contains(out, `--dates "d" takes`) != c.read {
			t.Errorf("%v: %s", row(3), out)
		}
		if got := invoke(words("check --xu xu.csv --uy uy.csv --dates d")...); strings.Contains(got.stderr+got.stdout, "is not a date") == c.read {
			t.Errorf("%v: %+v", row(3), got)
		}
	}
}

// TestDecimalCommasAreReported: numbers with decimal commas that are read as text are reported with the flag that reads them, as X, U and Y.
func TestDecimalCommasAreReported(t *testing.T) {
	inFolder(t)
	comma := func(v int) string { return strings.Replace(fmt.Sprintf("%.2f", float64(v*37%101)/8), ".", ",", 1) }
	point := func(v int) string { return fmt.Sprintf("%.2f", float64(v*37%101)/8) }
	for _, c := range []struct {
		xu, uy func(v int) string
		want   string
	}{
		{comma, point, "--decimal-xu \",\" reads decimal commas"},
		{point, comma, "--decimal-uy \",\" reads decimal commas"},
		{comma, comma, "--decimal-xu \",\" reads decimal commas"},
	} {
		var xu, uy strings.Builder
		for i := range 60 {
			fmt.Fprintf(&xu, "%s;%s\n", c.xu(i), c.xu(i+9))
			fmt.Fprintf(&uy, "%s;%s\n", c.uy(i+5), c.uy(i+2))
		}
		write(t, "xu.csv", "x;u\n"+xu.String())
		write(t, "uy.csv", "u;y\n"+uy.String())
		got := invoke(words("fit --xu xu.csv --uy uy.csv --delimiter ; -o m.mediant")...)
		if got.status != statusData || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%s and %s: %+v, want %q", c.xu(1), c.uy(1), got, c.want)
		}
	}
}
