package features_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/fixture"
	"mediant/kernels"
)

func columnsOf(t testing.TB, in int, columns []int, part features.Map) *features.Columns {
	t.Helper()
	return fixture.Must[*features.Columns](t)(features.NewColumns(in, columns, part))
}

// TestColumns on sparse and dense rows; of a part that folds, and of one in which the order of columns matters.
func TestColumns(t *testing.T) {
	x := fixture.NormalRows(300, 5)
	picked := []int{3, 0}
	z := mat.NewDense(6, 2, nil)
	for i := range 6 {
		z.SetRow(i, []float64{x.At(i, 3), x.At(i, 0)})
	}
	nystrom := fixture.Must[*features.Nystrom](t)(features.NewNystrom(gaussian(t, 1), z))
	fourier := fixture.Must[*features.Fourier](t)(features.NewFourier(gaussian(t, 1), 2, 6, 1, "phi"))
	for _, part := range []features.Map{nystrom, fourier} {
		t.Run(fmt.Sprintf("%T", part), func(t *testing.T) { featurestest.Run(t, columnsOf(t, 5, picked, part), x) })
	}
}

// TestColumnsIsThePartOfThem, in more rows than are copied at a time.
func TestColumnsIsThePartOfThem(t *testing.T) {
	const n = 5000
	x := fixture.NormalRows(n, 4)
	fourier := fixture.Must[*features.Fourier](t)(features.NewFourier(gaussian(t, 1), 2, 6, 1, "phi"))
	own := mat.NewDense(n, 2, nil)
	for i := range n {
		own.SetRow(i, []float64{x.At(i, 2), x.At(i, 1)})
	}
	m := columnsOf(t, 4, []int{2, 1}, fourier)
	want := mapped(fourier, own)
	if d := fixture.Distance(mapped(m, x), want); d != 0 {
		t.Errorf("dense rows: off by %g", d)
	}
	if d := fixture.Distance(mapped(m, encode.CSROf(x)), want); d != 0 {
		t.Errorf("sparse rows: off by %g", d)
	}
	if c := m.Columns(); len(c) != 2 || c[0] != 2 || c[1] != 1 || m.Part() != features.Map(fourier) {
		t.Errorf("columns %v", c)
	}
}

// ExampleNewColumns gives columns 0 and 1 a Gaussian kernel and column 2 a linear one.
func ExampleNewColumns() {
	x := mat.NewDense(2, 3, []float64{0.5, 1, 3, 0.5, 1, 2})
	gaussian, _, err := features.Spec{Kernel: "gaussian", Bandwidth: 1, Size: 64}.Fit(mat.NewDense(1, 2, nil), 1, "phi")
	if err != nil {
		panic(err)
	}
	first, err := features.NewColumns(3, []int{0, 1}, gaussian)
	if err != nil {
		panic(err)
	}
	second, err := features.NewColumns(3, []int{2}, features.NewLinear(1))
	if err != nil {
		panic(err)
	}
	both, err := features.NewConcat(first, second)
	if err != nil {
		panic(err)
	}
	var phi mat.Dense
	both.MapTo(&phi, x)
	fmt.Printf("%s: %.0f\n", features.Describe(both), mat.Dot(phi.RowView(0), phi.RowView(1)))
	// Output: fourier: gaussian (bandwidth 1), quasi frequencies of 2 columns + linear of 1 columns: 7
}

func TestColumnsRefuses(t *testing.T) {
	linear := features.NewLinear(2)
	if _, err := features.NewColumns(3, []int{1, 1}, linear); err == nil || !strings.Contains(err.Error(), "column 1 is named twice") {
		t.Errorf("a column twice: error %v", err)
	}
	if _, err := features.NewColumns(2, []int{0, 1}, foreign{}); err == nil || !strings.Contains(err.Error(), "foreign") {
		t.Errorf("a foreign part: error %v", err)
	}
	fixture.MustPanic(t, func() { features.NewColumns(3, []int{0}, linear) })
	fixture.MustPanic(t, func() { features.NewColumns(3, []int{0, 3}, linear) })
	fixture.MustPanic(t, func() { features.NewColumns(3, []int{-1, 0}, linear) })
	var deep features.Map = features.NewLinear(1)
	for depth := 1; ; depth++ {
		m, err := features.NewColumns(1, []int{0}, deep)
		if err != nil {
			if depth != 17 || !strings.Contains(err.Error(), "nested 17 deep") {
				t.Errorf("at depth %d: error %v", depth, err)
			}
			break
		}
		deep = m
	}
	if _, err := features.Unmarshal(must2(features.Marshal(deep))); err != nil {
		t.Errorf("as deep as may be: %v", err)
	}
}

func TestColumnsReadRefuses(t *testing.T) {
	part := `{"kind":"linear","in":2,"out":2}`
	header := func(part string) string {
		return `{"kind":"columns","in":3,"out":2,"parts":[` + part + `],"arrays":[{"name":"columns","rows":1,"cols":2}]}`
	}
	for _, c := range []struct {
		header, want string
		columns      []float64
	}{
		{header(part), "column 3", []float64{0, 3}},
		{header(part), "column -1", []float64{0, -1}},
		{header(part), "column 0.5", []float64{0, .5}},
		{header(part), "named twice", []float64{2, 2}},
		{header(`{"kind":"linear","in":1,"out":1}`), "a map of 1 columns for 2", []float64{0, 1}},
		{header(`{"kind":"wave","in":2,"out":2}`), "unknown kind", []float64{0, 1}},
		{header(part + "," + part), "2 maps", []float64{0, 1}},
		{`{"kind":"columns","in":3,"out":2,"parts":[` + part + `]}`, "0 arrays", nil},
	} {
		if _, err := features.Unmarshal(json.RawMessage(c.header), c.columns); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %v: error %v, want one with %q", c.header, c.columns, err, c.want)
		}
	}
}

func BenchmarkColumns(b *testing.B) {
	fourier := fixture.Must[*features.Fourier](b)(features.NewFourier(gaussian(b, 1), 2, 128, 1, "phi"))
	m, x, phi := columnsOf(b, 20, []int{3, 17}, fourier), fixture.NormalRows(1024, 20), new(mat.Dense)
	for b.Loop() {
		m.MapTo(phi, x)
	}
}

// A row that the part cannot take is named by the column of the whole.
func TestColumnsChecksRows(t *testing.T) {
	part, err := features.NewChiSquared(1, 3)
	if err != nil {
		t.Fatal(err)
	}
	m, err := features.NewColumns(3, []int{2}, part)
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(2, 3, []float64{-1, -1, 1, 0, 0, -2})
	var entry *kernels.RowError
	if err := features.CheckRows(m, x); !errors.As(err, &entry) || entry.Row != 1 || entry.Column != 2 {
		t.Errorf("error %v, want one for row 1, column 2", err)
	}
	x.Set(1, 2, 2)
	if err := features.CheckRows(m, x); err != nil {
		t.Error(err)
	}
}
