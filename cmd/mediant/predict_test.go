package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"mediant"
	"mediant/baselines"
	"mediant/internal/outfile"
	"mediant/mlp"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
	"mediant/tables/csv"
)

// TestPredictColumns: one column per output, named as in Y, in the order of the second table.
func TestPredictColumns(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", smallXU)
	write(t, "uy.csv", "b y,u,a\n2,1,20\n3,2,30\n9,4,90\n")
	fitLinear(t)
	out := succeed(t, "predict", "m.mediant", "xu.csv")
	header, rows := cells(t, out)
	if !slices.Equal(header, []string{"b y", "a"}) || len(rows) != 3 {
		t.Fatalf("predictions are %q", out)
	}
	for _, row := range rows {
		near(t, []float64{number(t, row[1])}, []float64{10 * number(t, row[0])}, 1e-12)
	}
	succeed(t, "predict", "m.mediant", "xu.csv", "-o", "out.csv")
	if read(t, "out.csv") != out {
		t.Error("-o writes something else than stdout gets")
	}
	withStdin(t, "xu.csv", func() {
		if got := succeed(t, "predict", "m.mediant", "-"); got != out {
			t.Error("predictions from standard input differ")
		}
	})
}

// labels writes tables with text in X, U and Y, among it labels that need quotes.
func labels(t *testing.T) {
	t.Helper()
	write(t, "xu.csv", table("size,colour,u", 60, func(i int) []any {
		return []any{i % 10, []string{"red", "green", "blue"}[i%3], []string{"low", "mid", "high"}[i%3]}
	}))
	write(t, "uy.csv", table("u,mood", 60, func(i int) []any {
		return []any{[]string{"low", "mid", "high"}[i%3], []string{"sad", `"so, so"`, "glad"}[i%3]}
	}))
}

// TestPredictLabels: the label is that of the largest score.
func TestPredictLabels(t *testing.T) {
	inFolder(t)
	labels(t)
	fitLinear(t)
	write(t, "new.csv", "colour,size\nblue,1\nred,2\ngreen,0\n")
	header, rows := cells(t, succeed(t, "predict", "m.mediant", "new.csv", "--label-only"))
	if got := slices.Concat(rows...); !slices.Equal(header, []string{"mood"}) || !slices.Equal(got, []string{"glad", "sad", "so, so"}) {
		t.Errorf("column %q, labels %q", header, got)
	}
	header, rows = cells(t, succeed(t, "predict", "m.mediant", "new.csv"))
	if !slices.Equal(header, []string{"mood", "mood=glad", "mood=sad", "mood=so, so"}) {
		t.Errorf("columns are %q", header)
	}
	checkScores(t, header, rows)
}

// checkScores fails unless the largest score stands under the label in the first column.
func checkScores(t *testing.T, header []string, rows [][]string) {
	t.Helper()
	for i, row := range rows {
		best := 1
		for j := range row[1:] {
			if number(t, row[j+1]) > number(t, row[best]) {
				best = j + 1
			}
		}
		if want := header[0] + "=" + row[0]; header[best] != want {
			t.Errorf("row %d: the largest score is %s, the label %s", i, header[best], row[0])
		}
	}
}

// TestPredictWarns: of what training had not prepared for, and of nothing else.
func TestPredictWarns(t *testing.T) {
	inFolder(t)
	labels(t)
	fitLinear(t)
	write(t, "new.csv", "size,colour\n,blue\nNA,red\n3,pink\n1,\n")
	got := invoke("predict", "m.mediant", "new.csv", "-o", "out.csv")
	want := "warning: column \"size\": 2 missing, none in training: the training mean 4.5 is used\n" +
		"warning: column \"colour\": 2 values that training did not have (\"pink\"): treated as none of its levels\n"
	if got.status != statusDone || got.stderr != want || got.stdout != "" {
		t.Errorf("status %d, stdout %q, stderr %q, want %q", got.status, got.stdout, got.stderr, want)
	}
	quiet := succeed(t, "predict", "m.mediant", "new.csv", "--quiet")
	if quiet != read(t, "out.csv") || strings.Count(quiet, "\n") != 5 {
		t.Errorf("--quiet changes the predictions: %q", quiet)
	}
	write(t, "mean.csv", "size,colour\n4.5,blue\n4.5,red\n")
	mean, _, _ := strings.Cut(succeed(t, "predict", "m.mediant", "mean.csv", "--scores"), "\n")
	if !strings.HasPrefix(succeed(t, "predict", "m.mediant", "new.csv", "--quiet", "--scores"), mean) {
		t.Error("a missing number is not the training mean")
	}
}

// TestPredictCountsAllBlocks: one warning counts the surprises of all blocks of rows.
func TestPredictCountsAllBlocks(t *testing.T) {
	inFolder(t)
	small(t)
	fitLinear(t)
	write(t, "new.csv", table("x,id", 3000, func(i int) []any {
		if i%1000 == 500 {
			return []any{"", i}
		}
		return []any{i, i}
	}))
	got := invoke(words("predict m.mediant new.csv -o out.csv")...)
	if got.status != statusDone || !strings.HasPrefix(got.stderr, `warning: column "x": 3 missing`) || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("%+v, want a warning of 3 missing", got)
	}
	if n := len(numbers(t, read(t, "out.csv"))); n != 3000 {
		t.Errorf("%d predictions", n)
	}
}

// TestPredictIgnoresOtherColumns: whatever is in them.
func TestPredictIgnoresOtherColumns(t *testing.T) {
	inFolder(t)
	small(t)
	fitLinear(t)
	want := succeed(t, "predict", "m.mediant", "xu.csv")
	write(t, "odd.csv", "id,x,u,inf\n1_000,1,not a number,Inf\n0x1p4,2,,1e400\n,3,7,1d3\n")
	if got := succeed(t, "predict", "m.mediant", "odd.csv"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestMissingInTraining: missing numbers in training are levels of their own, and no warning comes.
func TestMissingInTraining(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", "x,u\n1,2\n,1\n3,4\nNA,7\n")
	write(t, "uy.csv", smallUY)
	fitLinear(t)
	write(t, "new.csv", "x\n1\n\"\"\n3\n")
	if got := numbers(t, succeed(t, "predict", "m.mediant", "new.csv")); got[1] == (got[0]+got[2])/2 {
		t.Errorf("a missing x predicts as the mean does: %v", got)
	}
}

// TestEuropeanNumbers: the delimiter and the decimal mark of the tables (dotnet/machinelearning#2263,
// pandas-dev/pandas#14124). Output is always plain.
func TestEuropeanNumbers(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", "x1,x2,u\n1.5,2.25,0.5\n-0.75,10,1.25\n2,1,-1e-1\n")
	write(t, "uy.csv", "u,y\n0.5,1.5\n1,2.5\n2,-1000.5\n")
	fitLinear(t)
	want := succeed(t, "predict", "m.mediant", "xu.csv")
	model := read(t, "m.mediant")
	write(t, "xu.csv", "x1;x2;u;\n1,5;2,25;0,5;\n-0,75;10;1,25;\n2;1;-1e-1;\n")
	write(t, "uy.csv", "u;y\n0,5;1,5\n1;2,5\n2;-1000,5\n")
	for _, marks := range []string{"--delimiter ; --decimal ,", "--decimal ,"} {
		fitLinear(t, words(marks)...)
		if read(t, "m.mediant") != model {
			t.Errorf("%s: another model", marks)
		}
		if got := succeed(t, append(words("predict m.mediant xu.csv"), words(marks)...)...); got != want {
			t.Errorf("%s: predictions %q, want %q", marks, got, want)
		}
	}
	write(t, "tab.csv", "x1\tx2\n1.5\t2.25\n-0.75\t10\n2\t1\n")
	for _, name := range []string{"tab", `\t`, "\t"} {
		if got := succeed(t, "predict", "m.mediant", "tab.csv", "--delimiter", name); got != want {
			t.Errorf("%q: predictions %q, want %q", name, got, want)
		}
	}
	if got := invoke("predict", "m.mediant", "xu.csv"); got.status != statusData || !strings.Contains(got.stderr, "--decimal ,") {
		t.Errorf("without the flags: %+v", got)
	}
}

// TestTextFlag: codes that look like numbers are levels when they are read as text, and predict
// knows from the model.
func TestTextFlag(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", "code,u\n01,1\n1,2\n02,5\n01,1\n1,2\n02,5\n")
	write(t, "uy.csv", "u,y\n1,10\n2,20\n5,50\n")
	fitLinear(t, "--text", "code", "--lambda", "1e-9")
	write(t, "new.csv", "code\n02\n1\n01\n")
	near(t, numbers(t, succeed(t, "predict", "m.mediant", "new.csv")), []float64{50, 20, 10}, 1e-6)
	write(t, "new.csv", "code\n2\n")
	if got := invoke("predict", "m.mediant", "new.csv"); !strings.Contains(got.stderr, "training did not have") {
		t.Errorf("2 is taken for 02: %+v", got)
	}
	fitLinear(t, "--text", "c*,u")
	out := succeed(t, "inspect", "m.mediant")
	if !strings.Contains(out, "3 columns -> 3 features") {
		t.Errorf("u is no text: %s", out)
	}
}

// TestKeepsBigNumbersApart: identifiers beyond 2^53 are text, not rounded (pandas-dev/pandas#48170),
// and a column that turns fractional late is still numbers (tidyverse/readr#976).
func TestKeepsBigNumbersApart(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", table("id,x,u", 160, func(i int) []any {
		if i == 159 {
			return []any{1234567890123450159, 0.5, i % 3}
		}
		return []any{1234567890123450000 + i, i % 7, i % 3}
	}))
	write(t, "uy.csv", "u,y\n0,1\n1,3\n2,4\n")
	got := invoke("fit", "--xu", "xu.csv", "--uy", "uy.csv", "-o", "text.mediant", "--no-risk", "--x", "id,x")
	if got.status != statusDone || !strings.Contains(got.stdout, `column "id" is free text`) {
		t.Errorf("an identifier as X: %+v", got)
	}
	fitLinear(t, "--x", "x")
	succeed(t, "predict", "m.mediant", "xu.csv")
}

// gzipped compresses.
func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPredictErrors: --se appends standard errors named after the outputs, which a model must have
// been fitted to keep.
func TestPredictErrors(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", table("x,u", 40, func(i int) []any { return []any{i % 7, (i*i)%7 + i%3} }))
	write(t, "uy.csv", table("u,y,z", 30, func(i int) []any { return []any{(i*i)%7 + i%3, i % 5, (i * 3) % 7} }))
	fit := []string{"fit", "--xu", "xu.csv", "--uy", "uy.csv", "--phi", "linear", "--psi", "linear", "--y", "y,z", "--quiet", "-o", "m.mediant"}
	succeed(t, fit...)
	if r := invoke("predict", "m.mediant", "xu.csv", "--se"); r.status != statusData || !strings.Contains(r.stderr, "fit it with --se") {
		t.Errorf("a model without standard errors: %+v", r)
	}
	plain := succeed(t, "predict", "m.mediant", "xu.csv")
	succeed(t, append(fit, "--se")...)
	header, rows := cells(t, succeed(t, "predict", "m.mediant", "xu.csv", "--se"))
	if !slices.Equal(header, []string{"y", "z", "y se", "z se"}) {
		t.Fatalf("columns are %q", header)
	}
	_, want := cells(t, plain)
	for i, row := range rows {
		if !slices.Equal(row[:2], want[i]) || !(number(t, row[2]) > 0) || row[2] == row[3] {
			t.Fatalf("row %d is %q, predictions %q", i, row, want[i])
		}
	}
	if r := invoke(append(fit, "--se", "--method", "cme")...); r.status != statusUsage {
		t.Errorf("--se with --method cme: %+v", r)
	}
	if out := succeed(t, append(fit[:len(fit)-3:len(fit)-3], "--shift", "-o", "shift.mediant")...); !strings.Contains(out, "ratio of the densities of U") {
		t.Errorf("fit --shift says %q", out)
	}
	labels(t)
	fit[slices.Index(fit, "y,z")] = "mood"
	succeed(t, append(fit, "--se")...)
	for flag, want := range map[string][]string{
		"--quiet":  {"mood", "mood=glad se", "mood=sad se", "mood=so, so se"},
		"--scores": {"mood", "mood=glad", "mood=sad", "mood=so, so", "mood=glad se", "mood=sad se", "mood=so, so se"},
	} {
		if header, _ := cells(t, succeed(t, "predict", "m.mediant", "xu.csv", "--se", flag)); !slices.Equal(header, want) {
			t.Errorf("%s: columns are %q", flag, header)
		}
	}
}

// TestModelsOfTheLibrary: models that fit does not make, networks and integrals, are predicted with, evaluated and shown.
func TestModelsOfTheLibrary(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", table("x,u", 12, func(i int) []any { return []any{i, i * i % 7} }))
	write(t, "uy.csv", table("u,y", 12, func(i int) []any { return []any{i % 8, i * 5 % 11} }))
	ctx := context.Background()
	open := func(name string) tables.Source {
		src, err := csv.Open(context.Background(), name, csv.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { src.Close() })
		return src
	}
	net := mlp.Learner{Hidden: []int{3}, Epochs: 1}
	for shows, method := range map[string]rr.Method{
		"f         network 1-3-1\nh         network 1-3-1\n":  mlp.Joint{Learner: net},
		"f         network 1-3-1, then network 1-3-1\n":       baselines.Naive{G: net, H: net},
		"f         integral over 12 components of bandwidth ": baselines.Integral{Estimator: baselines.NadarayaWatson, H: net},
	} {
		m, err := rr.Fit(ctx, problem.Setup{}, method, open("xu.csv"), open("uy.csv"))
		if err != nil {
			t.Fatal(err)
		}
		if err := outfile.Write("m.mediant", (&mediant.Model{Model: m}).Save); err != nil {
			t.Fatal(err)
		}
		var want []float64
		for b, err := range m.Predict(ctx, open("xu.csv")) {
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, b.Values.RawMatrix().Data...)
		}
		near(t, numbers(t, succeed(t, "predict", "m.mediant", "xu.csv")), want, 0)
		write(t, "xy.csv", "x,y\n1,2\n2,1\n")
		isNumber(t, object(t, succeed(t, words("evaluate m.mediant --xy xy.csv --json")...)), 0, "mse")
		isNumber(t, object(t, invoke(words("evaluate m.mediant --xu xu.csv --uy uy.csv --json --accept learned-rows")...).stdout), math.Inf(-1), "risk", "mse")
		if out := succeed(t, "inspect", "m.mediant"); !strings.Contains(out, shows) {
			t.Errorf("inspect prints %q, want %q in it", out, shows)
		}
		if out := succeed(t, "inspect", "m.mediant", "--json"); !strings.Contains(out, `"kind": "`+strings.Fields(shows)[1]+`"`) {
			t.Errorf("the header is %s", out)
		}
	}
}
