package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"mediant/internal/outfile"
	"mediant/tables"
	"mediant/tables/csv"
	"mediant/tables/formats"
)

// convert writes a CSV file of the current folder in the format of another name.
func convert(t *testing.T, from, to string) {
	t.Helper()
	if strings.HasSuffix(to, ".zst") {
		err := outfile.Write(to, func(w io.Writer) error {
			z, err := zstd.NewWriter(w)
			if err != nil {
				return err
			}
			if _, err := io.WriteString(z, read(t, from)); err != nil {
				return err
			}
			return z.Close()
		})
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	src, err := csv.Open(context.Background(), from, csv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	err = outfile.Write(to, func(w io.Writer) error {
		out, err := formats.NewWriter(to, w, src.Columns())
		if err != nil {
			return err
		}
		return tables.Copy(context.Background(), out, src)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFormatsGiveOneModel: the same cells give the same model and the same predictions to the byte, in whatever format they are, with
// missing cells, levels, dates, markers and identifiers that float64 does not hold.
func TestFormatsGiveOneModel(t *testing.T) {
	inFolder(t)
	var xu, uy strings.Builder
	xu.WriteString("id,x,group,day,u\n")
	uy.WriteString("u,group,y\n")
	for i := range 300 {
		u := math.Sin(float64(i)) * 3
		x, day := fmt.Sprint(math.Round(1e4*(u+math.Cos(float64(7*i))))/1e4), fmt.Sprintf("2024-%02d-%02d", i%12+1, i%28+1)
		if i%17 == 3 {
			x = ""
		}
		if i%19 == 5 {
			x = "-99"
		}
		fmt.Fprintf(&xu, "%d,%s,%s,%s,%g\n", 1234567890123450000+i, x, []string{"a", "b", "c ü"}[i%3], day, u)
		fmt.Fprintf(&uy, "%g,%s,%g\n", u+0.01, []string{"a", "b", "c ü"}[i*i%3], 2*u+float64(i%5)/10)
	}
	write(t, "xu.csv", xu.String())
	write(t, "uy.csv", uy.String())
	fit := "--x x,day --u u,group --y y --na -99 --dates day --method 2step --phi gaussian --psi gaussian --features 64 --quiet"
	if got := invoke(append(words("fit --xu xu.csv --uy uy.csv -o csv.mediant"), words(fit)...)...); got.status != statusDone {
		t.Fatal(got.stderr)
	}
	want, predictions := read(t, "csv.mediant"), ""
	for _, ending := range []string{"csv", "csv.zst", "parquet", "arrow", "jsonl"} {
		for _, name := range []string{"xu", "uy"} {
			if ending != "csv" {
				convert(t, name+".csv", name+"."+ending)
			}
		}
		model := strings.ReplaceAll(ending, ".", "_") + ".mediant"
		got := invoke(append(words(fmt.Sprintf("fit --xu xu.%s --uy uy.%[1]s -o %s", ending, model)), words(fit)...)...)
		if got.status != statusDone {
			t.Fatalf("%s: %s", ending, got.stderr)
		}
		if read(t, model) != want {
			t.Errorf("%s gives another model than CSV", ending)
		}
		out := invoke("predict", model, "xu."+ending, "--quiet").stdout
		if ending == "csv" {
			predictions = out
		}
		if out != predictions || strings.Count(out, "\n") != 301 {
			t.Errorf("%s gives other predictions than CSV", ending)
		}
	}
	withStdin(t, "xu.parquet", func() {
		if out := invoke("predict", "csv.mediant", "-", "--quiet"); out.stdout != predictions {
			t.Errorf("standard input in Parquet: %s", out.stderr)
		}
	})
	for _, ending := range []string{"parquet", "arrow", "jsonl", "npy"} {
		succeed(t, "predict", "csv.mediant", "xu.csv", "--quiet", "-o", "p."+ending)
		file, err := formats.Open(t.Context(), "p."+ending, formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if facts := tables.FactsOf(file.Source); facts.Rows != 300 || len(file.Source.Columns()) != 1 {
			t.Errorf("%s has %d rows of predictions", ending, facts.Rows)
		}
		file.Close()
	}
	if _, err := os.Stat("p.npy"); err != nil {
		t.Error(err)
	}
}

// TestIgnoredNestedColumns: a column that no table could hold is left out by its name, by a list and by a glob, and the model is that without it; a name that no
// file has is still an error.
func TestIgnoredNestedColumns(t *testing.T) {
	inFolder(t)
	var plain, nested, uy strings.Builder
	for i := range 60 {
		row := fmt.Sprintf(`{"x":%g,"u":%g`, math.Sin(float64(i)), math.Cos(float64(i)))
		plain.WriteString(row + "}\n")
		nested.WriteString(row + `,"tags":["a"],"id":7}` + "\n")
		fmt.Fprintf(&uy, "{\"u\":%g,\"y\":%g}\n", math.Cos(float64(i)+.1), math.Sin(float64(2*i)))
	}
	write(t, "plain.jsonl", plain.String())
	write(t, "xu.jsonl", nested.String())
	write(t, "uy.jsonl", uy.String())
	fit := words("fit --uy uy.jsonl --method 2step --phi linear --psi linear --lambda .1 --no-risk --quiet")
	succeed(t, append(fit, "--xu", "plain.jsonl", "-o", "plain.mediant")...)
	for _, list := range []string{"tags,id", "t*,id"} {
		got := invoke(append(fit, "--xu", "xu.jsonl", "--ignore", list, "-o", "m.mediant")...)
		if got.status != statusDone {
			t.Fatalf("--ignore %s: %s", list, got.stderr)
		}
		if read(t, "m.mediant") != read(t, "plain.mediant") {
			t.Errorf("--ignore %s gives another model than a table without these columns", list)
		}
	}
	if got := invoke(append(fit, "--xu", "xu.jsonl", "--ignore", "tags,id,tog", "-o", "m.mediant")...); got.status != statusData || !strings.Contains(got.stderr, `no column "tog"`) {
		t.Errorf("a name that no file has: status %d, %s", got.status, got.stderr)
	}
}

// TestAppendedText: a column that the model knows as text keeps its leading zeros in formats with types, and so the model predicts the same from the output.
func TestAppendedText(t *testing.T) {
	inFolder(t)
	var xu, uy strings.Builder
	xu.WriteString("zip,u\n")
	uy.WriteString("u,y\n")
	for i := range 60 {
		u := math.Sin(float64(i))
		fmt.Fprintf(&xu, "%03d,%g\n", i%3+7, u+float64(i%3))
		fmt.Fprintf(&uy, "%g,%g\n", u+float64(i%3)+.01, u)
	}
	write(t, "xu.csv", xu.String())
	write(t, "uy.csv", uy.String())
	succeed(t, words("fit --xu xu.csv --uy uy.csv --text zip --method 2step --phi linear --psi linear --lambda .1 --no-risk --quiet -o m.mediant")...)
	want := succeed(t, words("predict m.mediant xu.csv --quiet")...)
	for _, ending := range []string{"csv", "parquet", "arrow", "jsonl"} {
		succeed(t, words("predict m.mediant xu.csv --append --quiet -o p."+ending)...)
		if got := succeed(t, words("predict m.mediant --quiet p."+ending)...); got != want {
			t.Errorf("%s: other predictions of the rows that were written with them", ending)
		}
	}
	if got := invoke(words("predict m.mediant xu.csv -o p.npz")...); got.status != statusUsage || !strings.Contains(got.stderr, "-o p.npz: no table is written as .npz") {
		t.Errorf("status %d: %s", got.status, got.stderr)
	}
}

// TestAppendedNameWithEquals: the remedy for a column with the name of a class is a flag that is understood.
func TestAppendedNameWithEquals(t *testing.T) {
	_, err := appended([]tables.Column{{Name: "y=a"}}, []tables.Column{{Name: "y=a"}})
	if err == nil || !strings.Contains(err.Error(), `--rename '"y=a"="OTHER"'`) {
		t.Errorf("the error is %v", err)
	}
}
