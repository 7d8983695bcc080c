package main

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mediant/check"
	"mediant/internal/draw"
)

// learnedTables are rows of (x1, x2, u) and (u, y), as cells.
type learnedTables struct{ xu, uy [][]string }

// drawLearned draws n rows for each table, whose values are written by cell.
func drawLearned(n int, purpose string, cell func(v float64) string) learnedTables {
	rnd := draw.Rand(5, purpose, 0)
	var l learnedTables
	for range n {
		x1, x2 := rnd.NormFloat64(), rnd.NormFloat64()
		l.xu = append(l.xu, []string{cell(x1), cell(x2), cell(x1 + .5*rnd.NormFloat64())})
		u := rnd.NormFloat64()
		l.uy = append(l.uy, []string{cell(u), cell(u*u + .1*rnd.NormFloat64())})
	}
	return l
}

// ordered writes CSV of rows, of which the columns are taken in the given order.
func ordered(head []string, rows [][]string, order ...int) string {
	var b strings.Builder
	line := func(cells []string) {
		for i, j := range order {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(cells[j])
		}
		b.WriteByte('\n')
	}
	line(head)
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

func (l learnedTables) write(t *testing.T, xu, uy string) {
	t.Helper()
	write(t, xu, ordered([]string{"x1", "x2", "u"}, l.xu, 0, 1, 2))
	write(t, uy, ordered([]string{"u", "y"}, l.uy, 0, 1))
}

// TestEvaluateOnLearnedRows: a risk of the rows that a model learned from, which is too small, is refused however these are
// written, and that of new rows is not, though all of their values occurred in training.
func TestEvaluateOnLearnedRows(t *testing.T) {
	inFolder(t)
	plain := func(v float64) string { return fmt.Sprint(v) }
	tenths := func(v float64) string { return fmt.Sprintf("%.1f", v) }
	for name, cell := range map[string]func(float64) string{"continuous": plain, "tenths": tenths} {
		was := drawLearned(200, name, cell)
		was.write(t, "xu.csv", "uy.csv")
		fitLinear(t)
		other := drawLearned(200, name+" anew", cell)
		for variant, change := range map[string]func(){
			"same": func() {},
			"permuted": func() {
				slices.SortFunc(was.xu, func(a, b []string) int { return strings.Compare(a[1], b[1]) })
				slices.SortFunc(was.uy, func(a, b []string) int { return strings.Compare(a[1], b[1]) })
				was.write(t, "xu.csv", "uy.csv")
			},
			"pasted ten times": func() {
				learnedTables{slices.Repeat(was.xu, 10), slices.Repeat(was.uy, 10)}.write(t, "xu.csv", "uy.csv")
			},
			"half of the rows": func() {
				learnedTables{was.xu[:100], was.uy[100:]}.write(t, "xu.csv", "uy.csv")
			},
			"half of one table, the rest new": func() {
				learnedTables{slices.Concat(was.xu[:100], other.xu[:100]), other.uy}.write(t, "xu.csv", "uy.csv")
			},
			"other order of columns": func() {
				write(t, "xu.csv", ordered([]string{"x1", "x2", "u"}, was.xu, 2, 1, 0))
				write(t, "uy.csv", ordered([]string{"u", "y"}, was.uy, 1, 0))
			},
			"other spelling": func() {
				respelt := func(rows [][]string) (out [][]string) {
					for _, row := range rows {
						var cells []string
						for _, cell := range row {
							if v := number(t, cell); v == math.Trunc(v) {
								cell = fmt.Sprintf("%.3f", v)
							} else {
								cell = fmt.Sprintf("%.15e", v)
							}
							cells = append(cells, cell)
						}
						out = append(out, cells)
					}
					return out
				}
				learnedTables{respelt(was.xu), respelt(was.uy)}.write(t, "xu.csv", "uy.csv")
			},
		} {
			was.write(t, "xu.csv", "uy.csv")
			change()
			got := invoke(words("evaluate m.mediant --xu xu.csv --uy uy.csv")...)
			if got.status != statusData || got.stdout != "" || !strings.Contains(got.stderr, "learned from") || strings.Count(got.stderr, "mediant: ") != 1 {
				t.Errorf("%s, %s: %+v", name, variant, got)
			}
		}
		other.write(t, "xu.csv", "uy.csv")
		if got := invoke(words("evaluate m.mediant --xu xu.csv --uy uy.csv")...); got.status != statusDone || strings.Contains(got.stderr, "learned") {
			t.Errorf("%s, new rows: %+v", name, got)
		}
	}
}

// TestAcceptLearnedRows: what is refused can be had, with a warning, and JSON has it.
func TestAcceptLearnedRows(t *testing.T) {
	inFolder(t)
	drawLearned(60, "accepted", func(v float64) string { return fmt.Sprint(v) }).write(t, "xu.csv", "uy.csv")
	fitLinear(t)
	for _, strict := range []string{"", " --strict"} {
		got := invoke(words("evaluate m.mediant --xu xu.csv --uy uy.csv --json --accept learned-rows" + strict)...)
		if got.status != statusDone || strings.Count(got.stderr, "warning: ") != 2 || strings.Count(got.stderr, "learned from") != 2 {
			t.Fatalf("%+v", got)
		}
		var out struct {
			Risk     struct{ SE float64 }
			Findings []check.Finding
		}
		if err := json.Unmarshal([]byte(got.stdout), &out); err != nil || out.Risk.SE <= 0 {
			t.Fatalf("%v: %s", err, got.stdout)
		}
		for i, table := range []check.Table{check.XU, check.UY} {
			if f := out.Findings[i]; f.Code != check.LearnedRows || f.Severity != check.Warning || f.Table != table || f.Rows != 60 || f.Of != 60 {
				t.Errorf("finding %d is %+v", i, f)
			}
		}
	}
}

// TestLaterRows: predict and evaluate compare tables with what the model learned from before they write anything.
func TestLaterRows(t *testing.T) {
	inFolder(t)
	drawLearned(300, "later", func(v float64) string { return fmt.Sprint(v) }).write(t, "xu.csv", "uy.csv")
	fitLinear(t)
	rnd := draw.Rand(6, "later", 0)
	rows := func(n int, c float64) string {
		return table("x1,x2,y", n, func(int) []any {
			return []any{c * rnd.NormFloat64(), rnd.NormFloat64(), math.Pow(rnd.NormFloat64(), 2)}
		})
	}
	write(t, "like.csv", rows(100, 1))
	write(t, "hundredth.csv", rows(100, .01))
	write(t, "far.csv", rows(100, 1)+"1,-500,0\n")
	write(t, "old.csv", "old")
	succeed(t, words("predict m.mediant like.csv -o p.csv")...)
	succeed(t, words("evaluate m.mediant --xy like.csv")...)
	for _, line := range []string{"predict m.mediant hundredth.csv -o old.csv", "predict m.mediant hundredth.csv", "evaluate m.mediant --xy hundredth.csv"} {
		got := invoke(words(line)...)
		if got.status != statusData || got.stdout != "" || !strings.Contains(got.stderr, `hundredth.csv: column "x1"`) || !strings.Contains(got.stderr, "(later-unit)") || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", line, got)
		}
	}
	if read(t, "old.csv") != "old" {
		t.Error("a table was written")
	}
	got := invoke(words("predict m.mediant hundredth.csv -o p.csv --accept later-unit:x1")...)
	if got.status != statusDone || !strings.HasPrefix(got.stderr, "note: ") {
		t.Errorf("accepted: %+v", got)
	}
	withStdin(t, "hundredth.csv", func() {
		if got := invoke(words("predict m.mediant -")...); got.status != statusData || got.stdout != "" {
			t.Errorf("from standard input: %+v", got)
		}
	})
	const far = `column "x2": 2 of 101 values are out of the training range, `
	for _, line := range []string{"predict m.mediant far.csv -o p.csv", "evaluate m.mediant --xy far.csv"} {
		if got := invoke(words(line)...); got.status != statusDone || !strings.HasPrefix(got.stderr, "warning: "+far) || !strings.Contains(got.stderr, "the farthest -500: ") {
			t.Errorf("%s: %+v", line, got)
		}
		if got := invoke(append(words(line), "--strict")...); got.status != statusData || !strings.Contains(got.stderr, far) {
			t.Errorf("%s --strict: %+v", line, got)
		}
		if got := invoke(append(words(line), "--accept", "nonsense")...); got.status != statusUsage {
			t.Errorf("%s --accept nonsense: %+v", line, got)
		}
	}
	if got := invoke(words("predict m.mediant far.csv -o p.csv --quiet")...); got.status != statusDone || got.stderr != "" {
		t.Errorf("--quiet: %+v", got)
	}
	findings := at(t, object(t, invoke(words("evaluate m.mediant --xy far.csv --json")...).stdout), "findings").([]any)
	if len(findings) != 1 || findings[0].(map[string]any)["code"] != "later-range" || findings[0].(map[string]any)["table"] != "later" {
		t.Errorf("findings are %v", findings)
	}
}

// TestEvaluateChecksTables: new tables are looked at as a fit looks at its own, with the roles that the model has.
func TestEvaluateChecksTables(t *testing.T) {
	inFolder(t)
	plain := func(v float64) string { return fmt.Sprint(v) }
	drawLearned(200, "checked", plain).write(t, "xu.csv", "uy.csv")
	fitLinear(t)
	anew := drawLearned(200, "checked anew", plain)
	for i := range 8 {
		anew.uy[i*20][0] = "-99"
	}
	anew.write(t, "xu.csv", "uy.csv")
	got := invoke(words("evaluate m.mediant --xu xu.csv --uy uy.csv --json")...)
	codes := map[string]bool{}
	for _, f := range at(t, object(t, got.stdout), "findings").([]any) {
		codes[fmt.Sprint(f.(map[string]any)["code"])] = true
	}
	if got.status != statusDone || !codes["missing-marker"] || !codes["later-range"] || strings.Count(got.stderr, `"u"`) != 1 {
		t.Errorf("%+v", got)
	}
}

// TestInspectLearned: the columns that a model learned from, and that it knows its rows again.
func TestInspectLearned(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", table("size,colour,u", 60, func(i int) []any {
		return []any{[]string{fmt.Sprint(i % 10), ""}[i/57], []string{"red", "green", "blue"}[i%3], float64(i%10) / 4}
	}))
	write(t, "uy.csv", table("u,y", 60, func(i int) []any { return []any{float64(i%10) / 2, i % 2} }))
	fitLinear(t)
	out := succeed(t, "inspect", "m.mediant")
	for _, want := range [][]string{{"learned", "column", "role", "kind", "missing", "values"}, {"size", "X", "whole", "number", "5", "%", "0", "to", "9"}, {"colour", "X", "level", "none", "3", "levels"},
		{"u", "U", "number", "none", "0", "to", "4.5"}, {"y", "Y", "truth", "value", "none", "0", "to", "1"}} {
		if !slices.ContainsFunc(strings.Split(out, "\n"), func(line string) bool { return slices.Equal(strings.Fields(line), want) }) {
			t.Errorf("no line %q in\n%s", want, out)
		}
	}
	if !strings.Contains(out, "fingerprints of 33 rows of X and U (100 % of the distinct ones)") || !strings.Contains(out, "fingerprints of 10 rows of U and Y") {
		t.Errorf("inspect prints\n%s", out)
	}
	header := object(t, succeed(t, "inspect", "m.mediant", "--json"))
	if n := at(t, header, "learned", "xu", "rows"); n != 60. {
		t.Errorf("%v rows", n)
	}
	if n := at(t, header, "learned", "uy", "fingerprints", "ties"); n != 1. {
		t.Errorf("ties %v, want 1", n)
	}
}

// TestRemediesOfEvaluate: what evaluate finds names flags that it has, or says that they are those of a fit.
func TestRemediesOfEvaluate(t *testing.T) {
	inFolder(t)
	drawLearned(200, "remedies", func(v float64) string { return fmt.Sprint(v) }).write(t, "xu.csv", "uy.csv")
	fitLinear(t)
	anew := drawLearned(200, "remedies anew", func(v float64) string { return fmt.Sprint(v) })
	for _, row := range anew.xu {
		row[2] = fmt.Sprint(number(t, row[2])/2 + 1)
	}
	anew.write(t, "xu.csv", "uy.csv")
	var out struct{ Findings []check.Finding }
	got := invoke(words("evaluate m.mediant --xu xu.csv --uy uy.csv --json")...)
	if err := json.Unmarshal([]byte(got.stdout), &out); err != nil {
		t.Fatalf("%v: %+v", err, got)
	}
	own, ofFit := newEvaluate().Flags(), 0
	for _, f := range out.Findings {
		if strings.HasPrefix(f.Remedy, "in a fit: ") {
			ofFit++
			continue
		}
		for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(f.Remedy, -1) {
			if own.Lookup(flag[2:]) == nil {
				t.Errorf("%s: evaluate has no %s: %s", f.Code, flag, f.Remedy)
			}
		}
	}
	if ofFit == 0 {
		t.Errorf("no finding has a remedy of a fit: %+v", out.Findings)
	}
}

// TestEvaluateCoupledRows: of coupled rows those that the model learned from are reported, copies count once, and rows without Y whose predictions are
// others than those of the rest are no silent choice of rows; a clean table has none of it.
func TestEvaluateCoupledRows(t *testing.T) {
	inFolder(t)
	was := drawLearned(200, "learned", func(v float64) string { return fmt.Sprintf("%.4f", v) })
	was.write(t, "xu.csv", "uy.csv")
	fitLinear(t)
	rnd := draw.Rand(6, "coupled", 0)
	var fresh [][]string
	for range 120 {
		x1, x2 := rnd.NormFloat64(), rnd.NormFloat64()
		u := x1 + .5*rnd.NormFloat64()
		cell := func(v float64) string { return fmt.Sprintf("%.4f", v) }
		fresh = append(fresh, []string{cell(x1), cell(x2), cell(u), cell(u*u + .1*rnd.NormFloat64())})
	}
	known := slices.Clone(fresh)
	for i := range 60 {
		known[i] = append(slices.Clone(was.xu[i]), fresh[i][3])
	}
	without := func(lost func(row []string) bool) (rows [][]string) {
		for _, row := range fresh {
			row = slices.Clone(row)
			if lost(row) {
				row[3] = ""
			}
			rows = append(rows, row)
		}
		return rows
	}
	// The model is linear in x1 and x2, so that its prediction is high at one end of them.
	score := func(args ...string) (result, map[string]any) {
		r := invoke(append(words("evaluate m.mediant --xy xy.csv --json"), args...)...)
		if r.status != statusDone {
			t.Fatalf("%+v", r)
		}
		return r, object(t, r.stdout)
	}
	write(t, "xy.csv", ordered([]string{"x1", "x2", "u", "y"}, fresh, 0, 1, 2, 3))
	r, clean := score()
	if r.stderr != "" {
		t.Errorf("clean rows: %q", r.stderr)
	}
	predictions := succeed(t, words("predict m.mediant xy.csv")...)
	_, predicted := cells(t, predictions)
	values := make([]float64, len(predicted))
	for i := range values {
		values[i] = number(t, predicted[i][0])
	}
	median := slices.Sorted(slices.Values(values))[60]
	at := -1
	for name, c := range map[string]struct {
		rows [][]string
		says string
	}{
		"learned":             {known, "warning: "},
		"pasted":              {slices.Repeat(fresh, 5), "note: 480 of the 600 rows of the table are copies"},
		"missing where high":  {without(func([]string) bool { at++; return values[at%120] > median }), "warning: Y is missing in "},
		"missing by chance":   {without(func([]string) bool { return rnd.IntN(2) == 0 }), ""},
		"a mean for what was": {without(func(row []string) bool { row[0] = "0.01"; return false }), `warning: column "x1": 0.01 in `},
	} {
		write(t, "xy.csv", ordered([]string{"x1", "x2", "u", "y"}, c.rows, 0, 1, 2, 3))
		r, got := score()
		if !strings.HasPrefix(r.stderr, c.says) || c.says == "" && r.stderr != "" || strings.Count(r.stderr, "\n") > 1 {
			t.Errorf("%s: %q, want %q", name, r.stderr, c.says)
		}
		if name == "learned" && !strings.Contains(r.stderr, "rows that the model learned from, more than ties explain, by X and U") {
			t.Errorf("learned rows: %q", r.stderr)
		}
		if name == "pasted" {
			for _, key := range []string{"mse", "se", "rows"} {
				if v, want := got[key].(float64), clean[key].(float64); math.Abs(v-want) > 1e-12*want {
					t.Errorf("%s of a table that was pasted five times is %g, of it once %g", key, v, want)
				}
			}
			if _, kept := score("--accept", "copies"); !(kept["se"].(float64) < .5*clean["se"].(float64)) || kept["rows"] != 600. {
				t.Errorf("rows of their own: %v, copies %v", kept["se"], clean["se"])
			}
		}
	}
}
