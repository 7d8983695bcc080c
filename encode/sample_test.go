package encode_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/internal/fixture"
	"mediant/problem"
	"mediant/tables"
)

// counting is a source whose rows are 0, 1, 2, ... from a number on.
func counting(t testing.TB, from, n int) tables.Source {
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(from + i)
	}
	return fixture.Table(t, "a", values)
}

func plain(t testing.TB, sources ...tables.Source) *encode.Encoder {
	t.Helper()
	return fixture.Must[*encode.Encoder](t)(encode.FitEncoder(context.Background(), sources[0].Columns(), encode.EncoderOptions{NoStandardize: true}, sources...))
}

func TestSample(t *testing.T) {
	one, first, second := counting(t, 0, 3000), counting(t, 0, 1100), counting(t, 1100, 1900)
	got := fixture.Must[mat.Matrix](t)(sampleOf(plain(t, one), 700, 1, "phi", one)).(*mat.Dense)
	if n, _ := got.Dims(); n != 700 {
		t.Fatalf("%d rows, want 700", n)
	}
	for i := 1; i < 700; i++ {
		if got.At(i, 0) <= got.At(i-1, 0) {
			t.Fatalf("rows %g and %g: not in their order or not distinct", got.At(i-1, 0), got.At(i, 0))
		}
	}
	parts := fixture.Must[mat.Matrix](t)(sampleOf(plain(t, first, second), 700, 1, "phi", first, second)).(*mat.Dense)
	if !mat.Equal(got, parts) {
		t.Error("the sample depends on how the rows are split into tables")
	}
	for _, other := range []*mat.Dense{
		fixture.Must[mat.Matrix](t)(sampleOf(plain(t, one), 700, 2, "phi", one)).(*mat.Dense),
		fixture.Must[mat.Matrix](t)(sampleOf(plain(t, one), 700, 1, "psi", one)).(*mat.Dense),
	} {
		if mat.Equal(got, other) {
			t.Error("another seed or purpose gives the same sample")
		}
	}
	all := fixture.Must[mat.Matrix](t)(sampleOf(plain(t, one), 5000, 1, "phi", one)).(*mat.Dense)
	if n, _ := all.Dims(); n != 3000 || all.At(2999, 0) != 2999 {
		t.Errorf("%d rows of 3000 when asked for 5000", n)
	}
}

// TestSampleIsUniform: over 4,000 seeds each of 10 rows is among 3 drawn with probability 3/10;
// counts have a standard deviation of 29, and 5 of them are exceeded by chance 6e-7 times a row.
func TestSampleIsUniform(t *testing.T) {
	const seeds = 4000
	x := mat.NewDense(10, 1, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	counts := make([]float64, 10)
	for seed := range uint64(seeds) {
		s := problem.SampleRows(x, nil, 3, seed, "phi")
		for i := range 3 {
			counts[int(s.At(i, 0))]++
		}
	}
	for i, c := range counts {
		if math.Abs(c-0.3*seeds) > 5*math.Sqrt(0.21*seeds) {
			t.Errorf("row %d was drawn %g times of %d, want %g", i, c, seeds, 0.3*seeds)
		}
	}
	if problem.SampleRows(x, nil, 10, 1, "phi") != x {
		t.Error("all rows are not the matrix itself")
	}
}

func TestEncodeAll(t *testing.T) {
	ctx := context.Background()
	fitted := fixture.Table(t, "a", fixture.Ramp(50), "l", slices.Repeat([]string{"p", "q"}, 25))
	e := fixture.Must[*encode.Encoder](t)(encode.FitEncoder(ctx, fitted.Columns(), encode.EncoderOptions{NoStandardize: true}, fitted))
	n := tables.BlockRows + 3 // more than a block, and than the encoder was fitted on
	labels := slices.Repeat([]string{"q"}, n)
	labels[n-1] = "r"
	src := fixture.Table(t, "l", labels, "z", fixture.Ramp(n), "a", fixture.Ramp(n))
	got, counts, err := e.EncodeAll(ctx, src, n)
	if err != nil {
		t.Fatal(err)
	}
	want := mat.NewDense(n, 3, nil)
	for i := range n {
		want.SetRow(i, []float64{float64(i), 0, 1})
	}
	want.Set(n-1, 2, 0)
	if dense, ok := got.(*mat.Dense); !ok || !mat.Equal(dense, want) {
		t.Errorf("a %T, not the rows", got)
	}
	if len(counts.Unseen) != 2 || counts.Unseen[1] != 1 {
		t.Errorf("counts %+v", counts)
	}
	texts := fixture.Table(t, "t", fixture.Headlines(120, 3))
	sparse := fitText(t, encode.TextOptions{Buckets: 1 << 10}, fixture.Headlines(130, 1))
	rows, _, err := sparse.EncodeAll(ctx, texts, 120)
	if csr, ok := rows.(*encode.CSR); err != nil || !ok || !mat.Equal(csr, sparseRowsOf(t, sparse, texts)) {
		t.Errorf("a %T, not the sparse rows, or error %v", rows, err)
	}
	for want, src := range map[string]tables.Source{
		"more than 1026 rows": src, `"a"`: fixture.Table(t, "l", labels), "no rows": nothing{src},
	} {
		if _, _, err := e.EncodeAll(ctx, src, n-1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error of %q, got %v", want, err)
		}
	}
}

// nothing has the columns of a table and no rows.
type nothing struct{ tables.Source }

func (nothing) Batches(context.Context) iter.Seq2[tables.Batch, error] {
	return func(func(tables.Batch, error) bool) {}
}

func TestSampleRefuses(t *testing.T) {
	src := counting(t, 0, 100)
	e := plain(t, src)
	for what, c := range map[string]struct {
		sources []tables.Source
		want    string
	}{
		"too few rows":   {[]tables.Source{counting(t, 0, 99)}, "100 rows"},
		"too many rows":  {[]tables.Source{counting(t, 0, 101)}, "100 rows"},
		"another table":  {[]tables.Source{fixture.Table(t, "b", []float64{1})}, `"a"`},
		"two tables":     {[]tables.Source{src, src}, "2 tables"},
		"failing source": {[]tables.Source{broken{columns: numeric("a"), err: errors.New("disk on fire")}}, "on fire"},
	} {
		if _, err := sampleOf(e, 5, 1, "phi", c.sources...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", what, err, c.want)
		}
	}
	fixture.MustPanic(t, func() { sampleOf(e, 0, 1, "phi", src) })
}

// sampleOf is Sample of the tables that an encoder was fitted on.
func sampleOf(e *encode.Encoder, n int, seed uint64, purpose string, sources ...tables.Source) (mat.Matrix, error) {
	return encode.Sample(context.Background(), e, e.SourceRows(), n, seed, purpose, sources...)
}
