package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"mediant"
	"mediant/internal/outfile"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// header writes names as the header of a CSV file.
func header(names ...string) string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(names)
	w.Flush()
	return b.String()
}

// rolesOf writes two tables whose columns have the given names, and returns the roles of a fit by the flags.
func rolesOf(t *testing.T, xu, uy []string, flags ...string) (x, u, y string) {
	t.Helper()
	rows := func(columns int) string {
		_, text, _ := strings.Cut(table(strings.Repeat("c,", columns-1)+"c", 9, func(i int) []any {
			row := make([]any, columns)
			for j := range row {
				row[j] = (i + 1) * (i + 3*j) % 7
			}
			return row
		}), "\n")
		return text
	}
	write(t, "xu.csv", header(xu...)+rows(len(xu)))
	write(t, "uy.csv", header(uy...)+rows(len(uy)))
	succeed(t, append(words("fit --xu xu.csv --uy uy.csv -o m.mediant --no-risk --quiet --method 2step --phi linear --psi linear --lambda 0.1"), flags...)...)
	roles := at(t, object(t, succeed(t, "inspect", "m.mediant", "--json")), "roles").(map[string]any)
	return fmt.Sprint(roles["x"]), fmt.Sprint(roles["u"]), fmt.Sprint(roles["y"])
}

// TestNamesInOtherForms: names that look the same are the same column (JuliaData/DataFrames.jl PR #2904, datafold/data-diff PR
// #831), in the tables of a fit, in flags, in a later table, and for a model that has another form.
func TestNamesInOtherForms(t *testing.T) {
	inFolder(t)
	const want = "gr\u00f6\u00dfe"
	forms := []string{want, "gro\u0308\u00dfe", "gr\u00f6\u00dfe\u200b", "\u00a0gr\u00f6\u00dfe", "gro\u0308\u00ad\u00dfe"}
	for _, a := range forms {
		b := forms[1]
		if x, u, y := rolesOf(t, []string{"x", a, "v"}, []string{b, "v", "y"}); x != "[x]" || u != "["+want+" v]" || y != "[y]" {
			t.Errorf("%q and %q: X %s, U %s, Y %s", a, b, x, u, y)
		}
		if x, u, y := rolesOf(t, []string{"x", a, "v"}, []string{b, "v", "y"}, "--u", forms[2], "--x", "x", "--y", "y"); x != "[x]" || u != "["+want+"]" || y != "[y]" {
			t.Errorf("flags: %q and %q: X %s, U %s, Y %s", a, b, x, u, y)
		}
		rolesOf(t, []string{a, "u"}, []string{"u", "y"})
		for _, b := range forms {
			write(t, "new.csv", header(b)+"1\n2\n")
			succeed(t, "predict", "m.mediant", "new.csv")
		}
	}
	// A model whose names are not canonical.
	xu, err := tables.FromColumns(tables.Numbers(forms[1], []float64{1, 2, 3}), tables.Numbers("u", []float64{1, 0, 2}))
	if err != nil {
		t.Fatal(err)
	}
	uy, err := tables.FromColumns(tables.Numbers("u", []float64{1, 2, 3}), tables.Numbers("y", []float64{1, 0, 2}))
	if err != nil {
		t.Fatal(err)
	}
	model, err := rr.Fit(context.Background(), problem.Setup{}, rr.TwoStep{}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	if err := outfile.Write("old.mediant", func(w io.Writer) error { return (&mediant.Model{Model: model}).Save(w) }); err != nil {
		t.Fatal(err)
	}
	for _, a := range forms {
		write(t, "new.csv", header("other", a)+"a,1\nb,2\n")
		succeed(t, "predict", "old.mediant", "new.csv")
	}
}

// TestAnyNameInAnyFlag: names with commas, quotes, brackets and stars can be given to every flag, bare and in quotes.
func TestAnyNameInAnyFlag(t *testing.T) {
	inFolder(t)
	for _, name := range []string{"income, net", `5" pipe`, `"all"`, "[x]", "a*", "b?", `a\b`, "x=y", "km/h", `,"`} {
		quoted := `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		for _, given := range []string{name, quoted} {
			if x, _, _ := rolesOf(t, []string{name, "k", "u"}, []string{"u", "y"}, "--x", given); x != "["+name+"]" {
				t.Errorf("--x %s: %s", given, x)
			}
			if _, u, _ := rolesOf(t, []string{"x", "k", name}, []string{name, "k", "y"}, "--u", given, "--y", "y", "--x", "x"); u != "["+name+"]" {
				t.Errorf("--u %s: %s", given, u)
			}
			if _, _, y := rolesOf(t, []string{"x", "u"}, []string{"u", "k", name}, "--y", "k,"+quoted); y != "[k "+name+"]" {
				t.Errorf("--y k,%s: %s", quoted, y)
			}
			if x, u, _ := rolesOf(t, []string{"x", "u", name}, []string{"u", "y", name}, "--ignore", given); x != "[x]" || u != "[u]" {
				t.Errorf("--ignore %s: X %s, U %s", given, x, u)
			}
			rolesOf(t, []string{name, "u"}, []string{"u", "y"}, "--text", given)
			if kind := at(t, object(t, succeed(t, "inspect", "m.mediant", "--json")), "encoder_x", "columns").([]any)[0].(map[string]any)["kind"]; kind != "text" {
				t.Errorf("--text %s: the column is %v", given, kind)
			}
		}
		if x, u, _ := rolesOf(t, []string{"x", "u"}, []string{name, "y"}, "--rename", quoted+"=u"); x != "[x]" || u != "[u]" {
			t.Errorf("--rename %s=u: X %s, U %s", quoted, x, u)
		}
		if x, u, _ := rolesOf(t, []string{"x", "u", "w"}, []string{"u", "y"}, "--rename", "w="+quoted, "--weights-xu", name); x != "[x]" || u != "[u]" {
			t.Errorf("--weights-xu %s: X %s, U %s", name, x, u)
		}
	}
}

func TestRenameAndIgnore(t *testing.T) {
	inFolder(t)
	if x, u, y := rolesOf(t, []string{"id", "x", "Age"}, []string{"age", "id", "y"}, "--rename", "Age=age", "--ignore", "id"); x != "[x]" || u != "[age]" || y != "[y]" {
		t.Errorf("X %s, U %s, Y %s", x, u, y)
	}
	write(t, "new.csv", "X1\n1\n2\n")
	succeed(t, "predict", "m.mediant", "new.csv", "--rename", "X1=x")
	write(t, "xy.csv", "X1,y\n1,2\n2,3\n")
	succeed(t, "evaluate", "m.mediant", "--xy", "xy.csv", "--rename", "X1=x")
	rolesOf(t, []string{"X1", "u"}, []string{"u", "y"}, "--rename", "X1=x")
	var same []string
	for _, name := range []string{"X1", "x", "X1\u200b"} { // the model knows of the new name
		write(t, "new.csv", header(name)+"1\n2\n")
		same = append(same, succeed(t, "predict", "m.mediant", "new.csv"))
	}
	write(t, "new.csv", "X1,x\n7,1\n9,2\n")
	if same = append(same, succeed(t, "predict", "m.mediant", "new.csv")); len(slices.Compact(same)) != 1 {
		t.Errorf("predictions by either name: %q", same)
	}
	rolesOf(t, []string{"id", "x", "Age"}, []string{"age", "id", "y"}, "--rename", "Age=age", "--ignore", "id")
	write(t, "xuy.csv", "x,age,Y1\n1,2,3\n2,3,4\n3,5,1\n4,1,1\n5,2,6\n6,1,3\n")
	for _, line := range []string{"--rename Age=age", "--rename Age=age --xuy xuy.csv --rename Y1=y"} {
		got := invoke(append(words("evaluate m.mediant --xu xu.csv --uy uy.csv --accept learned-rows"), words(line)...)...)
		if got.status == statusUsage || strings.Contains(got.stderr, "rename") || strings.Contains(got.stderr, "no column") {
			t.Errorf("evaluate %s: %+v", line, got)
		}
	}
	write(t, "trial.csv", table("arm,S,k", 40, func(i int) []any { return []any{i % 2, float64(i%7) + float64(i%2), i} }))
	write(t, "cohort.csv", table("s,k,y", 40, func(i int) []any { return []any{i % 7, i, 2 * (i % 7)} }))
	if out := succeed(t, words("effect --xu trial.csv --uy cohort.csv --treatment arm --rename S=s --ignore k --features 16")...); !strings.Contains(out, "U: s\n") {
		t.Errorf("effect: %s", out)
	}
	write(t, "p.svm", "1 1:1\n2 1:2\n3 1:4\n")
	write(t, "q.svm", "1 1:1\n2 1:2\n3 1:4\n")
	write(t, "c.csv", "x\n1\n2\n5\n")
	if got := invoke(words("fit --xu p.svm,q.svm --uy q.svm -o n.mediant --no-risk --quiet --rename p=x")...); got.status == statusUsage || strings.Contains(got.stderr, "rename") {
		t.Errorf("libsvm: %+v", got)
	}
	for _, c := range []struct {
		line   string
		status int
		want   string
	}{
		{"fit --xu xu.csv --uy uy.csv -o n --rename A=B", statusData, `--rename: no column "A"`},
		{"fit --xu xu.csv --uy uy.csv -o n --rename id=x", statusData, `xu.csv:1: --rename: column "id" cannot become "x"`},
		{"fit --xu xu.csv --uy uy.csv -o n --rename id", statusUsage, "want A=B"},
		{"fit --xu xu.csv --uy uy.csv -o n --rename a=b=c", statusUsage, "want A=B"},
		{"fit --xu xu.csv --uy uy.csv -o n --rename =b", statusUsage, "want A=B"},
		{"fit --xu xu.csv --uy uy.csv -o n --rename a=b --rename a=c", statusUsage, "each A once"},
		{"fit --xu xu.csv --uy uy.csv -o n --accept names-nearly-equal --ignore nosuch", statusData, `no column "nosuch"`},
		{"fit --xu xu.csv --uy uy.csv -o n --text nosuch", statusData, `--text: no column "nosuch"`},
		{"fit --xu p.svm --uy q.svm -o n --na 1", statusUsage, "--na has no meaning"},
		{"predict m.mediant new.csv --rename A=x", statusData, `--rename: no column "A"`},
	} {
		if got := invoke(words(c.line)...); got.status != c.status || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%s: %+v, want status %d and %q", c.line, got, c.status, c.want)
		}
	}
	if _, err := os.Stat("n"); err == nil {
		t.Error("a refused fit has written a model")
	}
}
