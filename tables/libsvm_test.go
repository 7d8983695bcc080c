package tables

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// dense returns the rows of the first sparse column and the labels.
func dense(t testing.TB, src Source, width int) (x *mat.Dense, labels []string) {
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

func TestReadLibSVM(t *testing.T) {
	want := mat.NewDense(3, 3, []float64{.5, 0, -2, 0, 0, 0, 0, 100, 0})
	for text, labels := range map[bool][]string{false: {"1", "-1", "1"}, true: {"+1", "-1", "1"}} {
		s, err := ReadLibSVM("small", strings.NewReader(small), LibSVMOptions{Features: "u", Label: "y", Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if got, l := dense(t, s, 3); !mat.Equal(got, want) || !slices.Equal(l, labels) {
			t.Errorf("got %v, labels %q, want %q", mat.Formatted(got), l, labels)
		}
		if s.Rows() != 3 || s.cells.Width != 3 || len(s.cells.Values) != 3 {
			t.Errorf("%d rows of width %d with %d elements, want 3, 3 and 3", s.Rows(), s.cells.Width, len(s.cells.Values))
		}
	}
	for what, c := range map[string]struct {
		text string
		opt  LibSVMOptions
	}{"labels left out": {small, LibSVMOptions{Features: "u"}}, "labels that do not differ": {"0 1:1\n0 2:1\n", LibSVMOptions{Features: "u", Label: "y"}}} {
		s, err := ReadLibSVM("x", strings.NewReader(c.text), c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Columns()) != 1 || s.Columns()[0] != (Column{"u", Vector}) {
			t.Errorf("%s: columns %v", what, s.Columns())
		}
	}
}

func TestReadLibSVMRefuses(t *testing.T) {
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
		if _, err := ReadLibSVM("x", strings.NewReader(text), LibSVMOptions{Features: "u", Label: "y"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
	if _, err := ReadLibSVM("x", strings.NewReader(small), LibSVMOptions{Features: "u", Label: "u"}); err == nil {
		t.Error("two columns of one name")
	}
	if _, err := OpenLibSVM(context.Background(), filepath.Join(t.TempDir(), "none"), LibSVMOptions{Features: "u"}); err == nil {
		t.Error("no error for a file that is not there")
	}
}

func TestOpenLibSVM(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(strings.Repeat(small, 500)))
	z.Close()
	path := filepath.Join(t.TempDir(), "u.svm.gz")
	for what, bytes := range map[string][]byte{"": packed.Bytes(), "cut or damaged": packed.Bytes()[:packed.Len()/2]} {
		if err := os.WriteFile(path, bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := OpenLibSVM(context.Background(), path, LibSVMOptions{Features: "u", Label: "y"})
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

// unordered gives the elements of its rows in any order.
type unordered struct{ mat.Matrix }

func (u unordered) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	_, c := u.Dims()
	for j := c - 1; j >= 0; j-- {
		if v := u.At(i, j); v != 0 {
			fn(i, j, v)
		}
	}
}

func TestFromSparse(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{1, 0, 2, 0, 0, 3})
	s, err := FromSparse("u", unordered{x})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := dense(t, s, 3); !mat.Equal(got, x) {
		t.Errorf("got %v", mat.Formatted(got))
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), 1e200} {
		if _, err := FromSparse("u", unordered{mat.NewDense(1, 2, []float64{0, bad})}); err == nil || !strings.Contains(err.Error(), "row 0 (from 0): column 1") {
			t.Errorf("%g: error %v", bad, err)
		}
	}
	loaded, err := Load(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := dense(t, loaded, 3); !mat.Equal(got, x) {
		t.Errorf("loaded %v", mat.Formatted(got))
	}
}

func TestBeside(t *testing.T) {
	a, err := FromColumns(Numbers("a", []float64{1, 2, 3}), Strings("s", []string{"x", "y", "z"}))
	if err != nil {
		t.Fatal(err)
	}
	b, err := FromColumns(Numbers("b", []float64{4, 5, 6}))
	if err != nil {
		t.Fatal(err)
	}
	u, err := ReadLibSVM("u", strings.NewReader(small), LibSVMOptions{Features: "u"})
	if err != nil {
		t.Fatal(err)
	}
	both, err := Beside(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if both, err = Beside(both, u); err != nil {
		t.Fatal(err)
	}
	for batch, err := range both.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if batch.Rows != 3 || batch.Num.At(2, 0) != 3 || batch.Num.At(2, 1) != 6 || batch.Text[0][1] != "y" || len(batch.Sparse) != 1 {
			t.Errorf("got %+v", batch)
		}
	}
	if _, err := Beside(a, a); err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("a name twice: error %v", err)
	}
	long, err := FromColumns(Numbers("long", make([]float64, BlockRows+1)))
	if err != nil {
		t.Fatal(err)
	}
	full, err := FromColumns(Numbers("full", make([]float64, BlockRows)))
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]Source{{a, long}, {long, a}, {full, long}, {long, full}} {
		src, err := Beside(pair[0], pair[1])
		if err != nil {
			t.Fatal(err)
		}
		var last error
		for _, err := range src.Batches(context.Background()) {
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), "rows") {
			t.Errorf("unequal tables: error %v", last)
		}
	}
}

func FuzzReadLibSVM(f *testing.F) {
	f.Add(small)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ReadLibSVM("x", strings.NewReader(text), LibSVMOptions{Features: "u", Label: "y"})
		if err != nil {
			return
		}
		for i := range s.Rows() {
			columns, _ := s.cells.Row(i)
			if !slices.IsSorted(columns) || len(columns) > 0 && columns[len(columns)-1] >= s.cells.Width {
				t.Fatalf("row %d has places %v of %d", i, columns, s.cells.Width)
			}
		}
	})
}

func ExampleReadLibSVM() {
	s, err := ReadLibSVM("u.svm", strings.NewReader("1 3:0.5\n-1 1:2 7:1\n"), LibSVMOptions{Features: "u", Label: "y"})
	if err != nil {
		panic(err)
	}
	fmt.Println(s.Rows(), s.Columns())
	// Output: 2 [{u vector} {y numeric}]
}
