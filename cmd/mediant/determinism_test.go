package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"mediant/internal/slow"
	"mediant/tables"
)

// determinismRows is more than two blocks of rows, the last of them not full; chosenRows, of tables whose fits choose everything, more than one.
const determinismRows, chosenRows = 2100, 1400

// determinismTables writes tables of numbers and text, missing cells among them, whose Y is numbers
// or labels, each plain and compressed.
func determinismTables(t *testing.T, labels bool, rows int) {
	t.Helper()
	colours := []string{"red", "green", "blue", ""}
	wave := func(i, k int) float64 { return math.Sin(float64(i*(k+2)) * .37) }
	xu := table("x1,x2,x3,c,u1,u2", rows, func(i int) []any {
		x3 := fmt.Sprint(wave(i, 5))
		if i%17 == 3 {
			x3 = "NA"
		}
		return []any{wave(i, 0), wave(i, 1), x3, colours[i%4], wave(i, 0) + wave(i, 3), wave(i, 1) * wave(i, 4)}
	})
	uy := table("u2,u1,y", rows-300, func(i int) []any {
		u1, u2 := wave(i, 6)+wave(i, 7), wave(i, 8)
		if labels {
			return []any{u2, u1, []string{"a", "b", "c"}[int(1.5+math.Sin(u1+u2))]}
		}
		return []any{u2, u1, u1*u2 + wave(i, 9)}
	})
	write(t, "xu.csv", xu)
	write(t, "uy.csv", uy)
	write(t, "xu.csv.gz", gzipped(t, xu))
	write(t, "uy.csv.gz", gzipped(t, uy))
}

// determinismMaps and determinismMethods are those whose models do not depend on the number of threads.
var (
	determinismMaps = []string{
		"--phi gaussian --psi gaussian --bandwidth-x 1 --bandwidth-u 1",
		"--phi laplacian --psi laplacian --bandwidth-x 2 --bandwidth-u 1",
		"--phi additive:gaussian --psi additive:matern32",
		"--phi nystrom:gaussian --psi nystrom:laplacian --bandwidth-x 1 --bandwidth-u 1",
	}
	determinismMethods = []string{"2step", "joint", "naive", "cme"}
)

// TestDeterminism: the same bytes, whatever the number of threads, for each map and each method once with numbers as Y and once with labels.
func TestDeterminism(t *testing.T) {
	inFolder(t)
	withProcessors(t, 8)
	for shift, labels := range []bool{false, true} {
		determinismTables(t, labels, determinismRows)
		for i, m := range determinismMaps {
			sameBytes(t, scoresOf(labels), m+" --features 20 --method "+determinismMethods[(i+shift)%4], "--threads 1", "--threads 8")
		}
	}
	determinismTables(t, true, chosenRows)
	// Bandwidths by the median rule, and landmarks picked among all rows.
	sameBytes(t, "--scores", "--features 30", "--threads 1", "--threads 8")
	sameBytes(t, "--scores", "--features 30 --phi laplacian --psi nystrom:gaussian", "--threads 1", "--threads 8")
	// Systems larger than the blocks of the matrix kernels.
	sameBytes(t, "--scores", "--features 300 --phi gaussian --psi gaussian --bandwidth-x 1 --bandwidth-u 1 --method 2step --lambda 1e-3", "--threads 1", "--threads 8")
}

// TestDeterminismOfAll is TestDeterminism for each method with each map.
func TestDeterminismOfAll(t *testing.T) {
	slow.Only(t)
	inFolder(t)
	withProcessors(t, 8)
	for _, labels := range []bool{false, true} {
		determinismTables(t, labels, determinismRows)
		for _, m := range determinismMaps {
			for _, method := range determinismMethods {
				sameBytes(t, scoresOf(labels), m+" --features 20 --method "+method, "--threads 1", "--threads 2", "--threads 8")
			}
		}
	}
	sameBytes(t, "--scores", "--features 300 --bandwidth-x 1 --bandwidth-u 1", "--threads 1", "--threads 2", "--threads 8")
}

// scoresOf is the flag of predict for scores, which only labels have.
func scoresOf(labels bool) string {
	if labels {
		return "--scores"
	}
	return ""
}

// TestTextDeterminism: the same bytes of free text for any number of threads.
func TestTextDeterminism(t *testing.T) {
	inFolder(t)
	withProcessors(t, 8)
	text := func(i int) string {
		var b strings.Builder
		for k := range 4 + i%5 {
			fmt.Fprintf(&b, "word%d ", (i*(k+3)+k*k)%97)
		}
		return b.String() + fmt.Sprint("no", i)
	}
	const rows = 1100 // more than one block
	write(t, "xu.csv", table("a,b,t", rows, func(i int) []any { return []any{text(i), i % 7, text(i + 5)} }))
	write(t, "uy.csv", table("t,y", rows, func(i int) []any { return []any{text(2 * i), []string{"p", "q", "r"}[i%97%3]} }))
	sameBytes(t, "--scores", "--features 20 --no-risk --method joint --phi nystrom:gaussian --psi nystrom:linear --w 0.5 --lambda 1e-4", "--threads 1", "--threads 2", "--threads 8")
}

// sameBytes fits with the flags and each of the variants and compares models and predictions, those
// with the flag for scores, if any.
func sameBytes(t *testing.T, scores, flags string, variants ...string) {
	t.Helper()
	var first [2]string
	for i, variant := range variants {
		more := words(variant)
		succeed(t, slices.Concat(words("fit --xu xu.csv --uy uy.csv -o m.mediant --quiet"), words(flags), more)...)
		got := [2]string{read(t, "m.mediant"), succeed(t, append(words("predict m.mediant xu.csv "+scores), more...)...)}
		if i == 0 {
			first = got
		}
		if got[0] != first[0] {
			t.Errorf("%s: %q gives another model than %q", flags, variant, variants[0])
		}
		if got[1] != first[1] {
			t.Errorf("%s: %q gives other predictions than %q", flags, variant, variants[0])
		}
	}
}

// withProcessors makes --threads believe in so many processors.
func withProcessors(t *testing.T, n int) {
	old := processors
	t.Cleanup(func() { processors = old })
	processors = func() int { return n }
}

// TestThreads: --threads is obeyed up to the number of processors, beyond which Go would make threads until none is left
// (scikit-learn/scikit-learn#26905, joblib/joblib#1486).
func TestThreads(t *testing.T) {
	old := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(old)
	most := max(4, old)
	withProcessors(t, most)
	for _, c := range []struct {
		flag string
		want int
	}{{"0", old}, {"3", 3}, {"1", 1}, {fmt.Sprint(most), most}, {fmt.Sprint(most + 1), most}, {"40000", most}, {"100000", most}, {"9223372036854775807", most}} {
		runtime.GOMAXPROCS(old)
		if run(context.Background(), words("version --threads "+c.flag), io.Discard, io.Discard) != statusDone || runtime.GOMAXPROCS(0) != c.want {
			t.Errorf("--threads %s gives %d", c.flag, runtime.GOMAXPROCS(0))
		}
	}
}

// TestSameFromEverySource: plain, compressed, standard input and compressed standard input,
// and a table too large to be kept in memory.
func TestSameFromEverySource(t *testing.T) {
	inFolder(t)
	determinismTables(t, true, determinismRows)
	fit := func(xu, uy string) string {
		t.Helper()
		succeed(t, words("fit -o m.mediant --quiet --phi gaussian --psi nystrom:gaussian --features 20 --method 2step --lambda 1e-3 --no-risk --xu "+xu+" --uy "+uy)...)
		return read(t, "m.mediant")
	}
	want := fit("xu.csv", "uy.csv")
	predicted := succeed(t, words("predict m.mediant xu.csv")...)
	for _, c := range []struct{ xu, uy, stdin string }{
		{"xu.csv.gz", "uy.csv.gz", ""}, {"-", "uy.csv", "xu.csv"}, {"xu.csv", "-", "uy.csv"}, {"xu.csv.gz", "-", "uy.csv.gz"},
	} {
		run := func() {
			if fit(c.xu, c.uy) != want {
				t.Errorf("%+v: another model", c)
			}
		}
		if c.stdin == "" {
			run()
		} else {
			withStdin(t, c.stdin, run)
		}
	}
	defer func(old int64) { loadLimit = old }(loadLimit)
	loadLimit = 1
	if fit("xu.csv", "uy.csv.gz") != want {
		t.Error("another model from tables that are copied to temporary files")
	}
	withTemp := os.Getenv("TMPDIR")
	t.Setenv("TMPDIR", "nosuch")
	if fit("xu.csv", "uy.csv.gz") != want {
		t.Error("another model from tables that are parsed anew in each pass")
	}
	t.Setenv("TMPDIR", withTemp)
	if got := succeed(t, words("predict m.mediant xu.csv.gz")...); got != predicted {
		t.Error("other predictions for the compressed table")
	}
	withStdin(t, "xu.csv.gz", func() {
		if got := succeed(t, words("predict m.mediant -")...); got != predicted {
			t.Error("other predictions for standard input")
		}
	})
}

// TestLargeTablesAreCopied: passes do not read the file again.
func TestLargeTablesAreCopied(t *testing.T) {
	inFolder(t)
	defer func(old int64) { loadLimit = old }(loadLimit)
	loadLimit = 1
	write(t, "a.csv", "x,l\n1,a\n2,b\n")
	var r readFlags
	r.register(pflag.NewFlagSet("", pflag.ContinueOnError))
	src, closeSource, err := r.open(t.Context(), "a.csv", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer closeSource()
	write(t, "a.csv", "nothing\n")
	for b, err := range src.Batches(t.Context()) {
		if err != nil || b.Rows != 2 || b.Num.At(1, 0) != 2 || b.Text[0][1] != "b" {
			t.Errorf("batch %+v, error %v", b, err)
		}
	}
	if got := tables.FactsOf(src).Where(1); got != "a.csv:3" {
		t.Errorf("the second row is at %s", got)
	}
}

// TestLabelsDoNotDependOnRowOrder: classes come in natural order, whichever row has them first.
func TestLabelsDoNotDependOnRowOrder(t *testing.T) {
	inFolder(t)
	small(t)
	uy := []string{"1,10", "2,2", "4,1", "3,2", "1.5,10"}
	classes := func() string {
		write(t, "uy.csv", "u,y\n"+strings.Join(uy, "\n")+"\n")
		fitLinear(t, "--task", "classify")
		header, _ := cells(t, succeed(t, words("predict m.mediant xu.csv --scores")...))
		return strings.Join(header, " ")
	}
	want := classes()
	slices.Reverse(uy)
	if got := classes(); got != want || want != "y y=1 y=2 y=10" {
		t.Errorf("columns are %q and, of reversed rows, %q", want, got)
	}
}
