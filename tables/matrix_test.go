package tables_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/tabletest"
	"mediant/tables"
)

// sparseRows is a sparse matrix that must not be read element by element.
type sparseRows struct {
	rows, cols int
	at         map[[2]int]float64
}

func (s sparseRows) Dims() (int, int) { return s.rows, s.cols }

func (s sparseRows) At(int, int) float64 { panic("element-wise access") }

func (s sparseRows) T() mat.Matrix { panic("transposed") }

func (s sparseRows) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	for j := range s.cols {
		if v, ok := s.at[[2]int{i, j}]; ok {
			fn(i, j, v)
		}
	}
}

// noAt is a dense matrix that must not be read element by element.
type noAt struct{ *mat.Dense }

func (noAt) At(int, int) float64 { panic("element-wise access") }

func TestFromMatrix(t *testing.T) {
	const n = 2*tables.BlockRows + 3
	dense := mat.NewDense(n+1, 4, nil)
	sparse := sparseRows{n, 2, map[[2]int]float64{}}
	a, b := make([]float64, n), make([]float64, n)
	for i := range n {
		switch i % 3 {
		case 0:
			a[i], sparse.at[[2]int{i, 0}] = float64(i), float64(i)
		case 1:
			b[i], sparse.at[[2]int{i, 1}] = math.NaN(), math.NaN()
		}
		dense.Set(i+1, 1, a[i])
		dense.Set(i+1, 2, b[i])
	}
	view := dense.Slice(1, n+1, 1, 3).(*mat.Dense) // its stride is not its width
	want := map[string][]float64{"a": a, "b": b}
	names := []string{"a", "b"}
	for name, x := range map[string]mat.Matrix{
		"dense": noAt{view}, "sparse": sparse, "transposed": mat.DenseCopyOf(view.T()).T(),
	} {
		t.Run(name, func(t *testing.T) {
			m, err := tables.FromMatrix(names, x)
			if err != nil {
				t.Fatal(err)
			}
			if m.Rows() != n {
				t.Errorf("%d rows, want %d", m.Rows(), n)
			}
			for range 2 {
				tabletest.WantTable(t, m, want, nil)
			}
		})
	}
	m, err := tables.FromMatrix(names, view)
	if err != nil {
		t.Fatal(err)
	}
	for b := range m.Batches(context.Background()) {
		if &b.Num.RawMatrix().Data[0] != &view.RawMatrix().Data[b.Start*4] {
			t.Errorf("the batch at %d is a copy", b.Start)
		}
	}
}

func TestFromMatrixRefuses(t *testing.T) {
	two := []string{"a", "b"}
	at := func(v float64) mat.Matrix { return mat.NewDense(2, 2, []float64{1, 2, 3, v}) }
	for _, tt := range []struct {
		names []string
		x     mat.Matrix
		want  []string
	}{
		{[]string{"a", "a"}, at(1), []string{`"a"`, "columns 1 and 2"}},
		{[]string{"a", ""}, at(1), []string{"column 2 has no name"}},
		{two, at(math.Inf(1)), []string{`column "b"`, "row 1", "+Inf"}},
		{two, at(math.Inf(-1)), []string{`column "b"`, "row 1", "-Inf"}},
		{two, at(1e200), []string{`column "b"`, "row 1", "1e+200", "square"}},
		{two, sparseRows{2, 2, map[[2]int]float64{{1, 1}: 1e200}}, []string{`column "b"`, "row 1", "square"}},
		{two, sparseRows{0, 2, nil}, []string{"no rows"}},
		{nil, &mat.Dense{}, []string{"no rows"}},
		{nil, sparseRows{2, 0, nil}, []string{"no columns"}},
	} {
		m, err := tables.FromMatrix(tt.names, tt.x)
		wantError(t, err, tt.want...)
		if m != nil {
			t.Errorf("a matrix is returned with the error %v", err)
		}
	}
	tabletest.WantPanic(t, mat.ErrShape, func() { tables.FromMatrix([]string{"a"}, at(1)) })
}

func TestInMemoryCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m, err := tables.FromMatrix([]string{"a"}, mat.NewDense(1, 1, nil))
	if err != nil {
		t.Fatal(err)
	}
	table, err := tables.FromColumns(tables.Numbers("a", []float64{1}))
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []tables.Source{m, table} {
		n := 0
		for _, err := range src.Batches(ctx) {
			if n++; err != context.Canceled {
				t.Errorf("error %v, want %v", err, context.Canceled)
			}
		}
		if n != 1 {
			t.Errorf("%d batches, want the error alone", n)
		}
		for range src.Batches(context.Background()) {
			break
		}
	}
}
