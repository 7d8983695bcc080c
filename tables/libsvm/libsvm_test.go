package libsvm

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/tabletest"
	"mediant/tables"
)

// dense returns the rows of the first sparse column and the labels.
func dense(t testing.TB, src tables.Source, width int) (x *mat.Dense, labels []string) {
	t.Helper()
	var data []float64
	for b, err := range src.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Rows {
			row := make([]float64, width)
			columns, values := b.Sparse[0].Row(i)
			for s, j := range columns {
				row[j] = values[s]
			}
			data = append(data, row...)
			switch {
			case b.Num != nil:
				labels = append(labels, fmt.Sprint(b.Num.At(i, 0)))
			case b.Text != nil:
				labels = append(labels, b.Text[0][i])
			}
		}
	}
	return mat.NewDense(len(data)/width, width, data), labels
}

const small = "+1 1:0.5 3:-2 # a comment\n\n-1\n1 2:1e2 3:0\r\n"

func TestRead(t *testing.T) {
	want := mat.NewDense(3, 3, []float64{.5, 0, -2, 0, 0, 0, 0, 100, 0})
	for text, labels := range map[bool][]string{false: {"1", "-1", "1"}, true: {"+1", "-1", "1"}} {
		s, err := Read("small", strings.NewReader(small), Options{Features: "u", Label: "y", Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if got, l := dense(t, s, 3); !mat.Equal(got, want) || !slices.Equal(l, labels) {
			t.Errorf("got %v, labels %q, want %q", mat.Formatted(got), l, labels)
		}
		for b := range s.Batches(t.Context()) {
			if rows := b.Sparse[0]; b.Rows != 3 || rows.Width != 3 || len(rows.Values) != 3 {
				t.Errorf("%d rows of width %d with %d elements, want 3, 3 and 3", b.Rows, rows.Width, len(rows.Values))
			}
		}
	}
	for what, c := range map[string]struct {
		text string
		opt  Options
	}{"labels left out": {small, Options{Features: "u"}}, "labels that do not differ": {"0 1:1\n0 2:1\n", Options{Features: "u", Label: "y"}}} {
		s, err := Read("x", strings.NewReader(c.text), c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Columns()) != 1 || s.Columns()[0] != (tables.Column{Name: "u", Kind: tables.Vector}) {
			t.Errorf("%s: columns %v", what, s.Columns())
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":               "no rows",
		"# nothing\n":    "no rows",
		"1 1:1\n1 0:3\n": `x:2: "0:3" is no element`,
		"1 1:1\n1 a:3\n": `"a:3" is no element`,
		"1 3":            `"3" is no element`,
		"1 16777217:1":   "index:value",
		"1 2:1 2:1":      "index 2 after index 2",
		"1 2:1 1:1":      "index 1 after index 2",
		"1 2:x":          `the value of index 2 is "x"`,
		"1 2:":           "the value of index 2",
		"1 2:1e200":      "index 2",
		"1 2:nan":        "index 2",
		"one 2:1":        `the label "one" is not a number`,
		"2:1 3:1":        "begins with",
		"1 qid:7 1:1":    `"qid:7" is no element`,
	} {
		if _, err := Read("x", strings.NewReader(text), Options{Features: "u", Label: "y"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
	if _, err := Read("x", strings.NewReader(small), Options{Features: "u", Label: "u"}); err == nil {
		t.Error("two columns of one name")
	}
	if _, err := Open(context.Background(), filepath.Join(t.TempDir(), "none"), Options{Features: "u"}); err == nil {
		t.Error("no error for a file that is not there")
	}
}

func TestOpen(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(strings.Repeat(small, 500)))
	z.Close()
	path := filepath.Join(t.TempDir(), "u.svm.gz")
	for what, bytes := range map[string][]byte{"": packed.Bytes(), "cut or damaged": packed.Bytes()[:packed.Len()/2]} {
		if err := os.WriteFile(path, bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(context.Background(), path, Options{Features: "u", Label: "y"})
		if what != "" {
			if err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("error %v, want one with %q", err, what)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if x, labels := dense(t, s, 3); x.RawMatrix().Rows != 1500 || len(labels) != 1500 || x.At(1499, 1) != 100 {
			t.Errorf("%d rows, %d labels", x.RawMatrix().Rows, len(labels))
		}
	}
}

// TestCompressed: lines and tables that a compressed file of few bytes stands for are refused, and others are read.
func TestCompressed(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1 1:1\n2 " + strings.Repeat(" ", 5<<20) + "2:1\n", "f.svm.gz:2: has a line of more than 4"},
		{strings.Repeat("1\n2\n", 1<<18), "the table takes more memory at a time than its"},
		{strings.Repeat("1\n2\n", 1<<16), ""},
		{"1 1:1\n2 " + strings.Repeat(" ", 3<<20) + "2:1\n", ""},
	} {
		_, err := Open(t.Context(), tabletest.WriteFile(t, "f.svm.gz", tabletest.Gzipped(t, c.text)), Options{Features: "x", Label: "y"})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.9q…: the error is %v, want %q", c.text, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(small)
	f.Fuzz(func(t *testing.T, text string) {
		tabletest.Bounded(t, len(text), func() {
			s, err := Read("x", strings.NewReader(text), Options{Features: "u", Label: "y"})
			if err != nil {
				return
			}
			for _, err := range tables.NewGuard("", s).Batches(t.Context()) { // which looks at the places
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	})
}

func ExampleRead() {
	s, err := Read("u.svm", strings.NewReader("1 3:0.5\n-1 1:2 7:1\n"), Options{Features: "u", Label: "y"})
	if err != nil {
		panic(err)
	}
	fmt.Println(s.Rows(), s.Columns())
	// Output: 2 [{u vector} {y numeric}]
}
