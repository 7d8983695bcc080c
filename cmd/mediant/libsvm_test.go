package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestFitsLibSVM: X and U come in two files side by side, Y as the label of U, regressed or classified; predict
// and evaluate find the columns by the names of files.
func TestFitsLibSVM(t *testing.T) {
	inFolder(t)
	var x, u, y, xy strings.Builder
	for i := range 240 {
		a, b := i%7, i%5
		fmt.Fprintf(&x, "0 %d:1 %d:0.5\n", a+1, 10+b)
		fmt.Fprintf(&u, "0 %d:1\n", a+1)
		fmt.Fprintf(&y, "%d %d:1\n", a%2, a+1)
		fmt.Fprintf(&xy, "%d %d:1 %d:0.5\n", a%2, a+1, 10+b)
	}
	for _, folder := range []string{"y", "xy", "s"} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "x.svm", x.String())
	write(t, "u.svm", u.String())
	write(t, "y/u.svm", y.String())
	write(t, "xy/x.svm", xy.String())
	write(t, "s/u.svm", "0 1:1\n0 2:1\n")
	succeed(t, words("fit --xu x.svm,u.svm --uy y/u.svm -o m.mediant --quiet --method 2step")...)
	out := succeed(t, words("inspect m.mediant")...)
	for _, want := range []string{"x", "u", "u label", "nystrom"} {
		if !strings.Contains(out, want) {
			t.Errorf("inspect does not say %q: %s", want, out)
		}
	}
	if out := succeed(t, words("predict m.mediant x.svm")...); strings.Count(out, "\n") != 241 || !strings.HasPrefix(out, "u label\n") {
		t.Errorf("%d lines are predicted", strings.Count(out, "\n"))
	}
	fit := words("fit --xu x.svm,u.svm --uy y/u.svm -o c.mediant --quiet --task classify --method 2step --no-risk")
	succeed(t, fit...)
	if out := succeed(t, words("inspect c.mediant")...); !strings.Contains(out, "classes") {
		t.Errorf("labels were not classified: %s", out)
	}
	for line, says := range map[string]string{
		"fit --xu x.svm,none.svm --uy y/u.svm -o n.mediant": "none.svm",
		"fit --xu x.svm,x.svm --uy y/u.svm -o n.mediant":    `"x"`,
		"fit --xu x.svm,s/u.svm --uy y/u.svm -o n.mediant":  "same number of rows",
	} {
		if got := invoke(words(line)...); got.status != statusData || !strings.Contains(got.stderr, says) {
			t.Errorf("%s: %+v, want %q", line, got, says)
		}
	}
}

// TestFitsText: free text goes through the command with nothing but file names.
func TestFitsText(t *testing.T) {
	inFolder(t)
	text := func(i int) string { return fmt.Sprintf("no %d about %s and things", i, []string{"tea", "coffee"}[i%2]) }
	write(t, "xu.csv", table("title,text", 150, func(i int) []any { return []any{text(i), "long " + text(i)} }))
	write(t, "uy.csv", table("text,topic", 150, func(i int) []any { return []any{"long " + text(i+150), []string{"t", "c"}[i%2]} }))
	write(t, "xy.csv", table("title,topic", 50, func(i int) []any { return []any{text(i + 300), []string{"t", "c"}[i%2]} }))
	out := succeed(t, words("fit --xu xu.csv --uy uy.csv -o m.mediant")...)
	if !strings.Contains(out, `column "title" is free text`) {
		t.Errorf("fit says %s", out)
	}
	if out := succeed(t, words("evaluate m.mediant --xy xy.csv --json")...); !strings.Contains(out, `"accuracy": 1`) {
		t.Errorf("evaluate says %s", out)
	}
}

// TestIndicesBeyondTraining are noted once, with their number, however many rows and blocks have them, and change nothing else.
func TestIndicesBeyondTraining(t *testing.T) {
	inFolder(t)
	lines := func(rows int, line func(i int) string) string {
		var b strings.Builder
		for i := range rows {
			b.WriteString(line(i) + "\n")
		}
		return b.String()
	}
	for _, folder := range []string{"y", "new", "new/y", "all"} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "x.svm", lines(60, func(i int) string { return fmt.Sprintf("0 %d:1 7:0.5", i%5+1) }))
	write(t, "u.svm", lines(60, func(i int) string { return fmt.Sprintf("0 %d:1", i%5+1) }))
	write(t, "y/u.svm", lines(60, func(i int) string { return fmt.Sprintf("%d %d:1", i%5, i%5+1) }))
	succeed(t, words("fit --xu x.svm,u.svm --uy y/u.svm -o m.mediant --quiet --method 2step")...)
	within := succeed(t, words("predict m.mediant x.svm")...)
	write(t, "new/x.svm", lines(60, func(i int) string { return fmt.Sprintf("0 %d:1 7:0.5 8:3 99999:1", i%5+1) }))
	const all = `column "x": 120 values have indices beyond those of training (1 to 7): they are ignored`
	if got := invoke(words("predict m.mediant new/x.svm")...); got.stdout != within || got.stderr != "warning: "+all+"\n" {
		t.Errorf("%+v, want %q, and other than that %q", got, all, within)
	}
	write(t, "all/x.svm", lines(3000, func(i int) string { return fmt.Sprintf("%d %d:1 8:1", i%2, i%5+1) }))
	if got := invoke(words("predict m.mediant all/x.svm")...); got.stderr != "warning: "+strings.Replace(all, "120", "3000", 1)+"\n" {
		t.Errorf("%+v", got)
	}
	write(t, "new/u.svm", lines(60, func(i int) string { return fmt.Sprintf("0 %d:1 %d:1", i%5+1, 6+i%2) }))
	write(t, "new/y/u.svm", lines(60, func(i int) string { return fmt.Sprintf("%d %d:1 9:2", i%5, i%5+1) }))
	got := invoke(words("evaluate m.mediant --xu new/x.svm,new/u.svm --uy new/y/u.svm")...)
	for _, want := range []string{ // a line a column
		"warning: new/x.svm,new/u.svm: " + all, `warning: new/x.svm,new/u.svm: column "u": 60 values have indices beyond those of training (1 to 5): they are ignored`,
	} {
		if got.status != statusDone || strings.Count(got.stderr, want+"\n") == 0 || strings.Count(got.stderr, "beyond") != 2 {
			t.Errorf("%+v, want %q", got, want)
		}
	}
	write(t, "xy.svm", "")
	if got := invoke(words("fit --xu x.svm,u.svm --uy new/y/u.svm -o n.mediant --quiet --method 2step --no-risk")...); got.status != statusDone || got.stderr != "" {
		t.Errorf("indices of U in one table of training only: %+v", got)
	}
}

// TestLibSVMKeepsRenames: columns that a fit renamed have these names in later files too, as in other formats.
func TestLibSVMKeepsRenames(t *testing.T) {
	inFolder(t)
	var x, uy strings.Builder
	uy.WriteString("u,y\n")
	for i := range 30 {
		fmt.Fprintf(&x, "%d 1:0.%d 2:1\n", i%5, i%9)
		fmt.Fprintf(&uy, "%d,%d\n", i%5, i%7)
	}
	write(t, "x.svm", x.String())
	write(t, "uy.csv", uy.String())
	succeed(t, append(words("fit --xu x.svm --uy uy.csv --method 2step --phi linear --psi linear --lambda .1 --no-risk --quiet -o m.mediant --rename"), "x label=u")...)
	if out := succeed(t, words("label m.mediant x.svm")...); strings.Count(out, "\n") != 31 {
		t.Errorf("%d lines of labels", strings.Count(out, "\n"))
	}
}
