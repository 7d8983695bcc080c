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
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"mediant/encode"
	"mediant/internal/fixture"
	"mediant/tables"
)

// TestPooledMoments: mean and deviation are those of all sources, also far from 0.
func TestPooledMoments(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		offset := rapid.SampledFrom([]float64{0, 1, -1e6, 1e10}).Draw(rt, "offset")
		// Numbers with few bits, so that value + offset is exact.
		value := rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(-1000, 1000).Draw(t, "v")) / 8 })
		values := rapid.SliceOfN(value, 2, 50).Draw(rt, "values")
		repeats := rapid.SampledFrom([]int{1, 50}).Draw(rt, "repeats") // several batches
		values = slices.Repeat(values, repeats)
		cut := rapid.IntRange(1, len(values)-1).Draw(rt, "cut")
		if slices.Min(values) == slices.Max(values) {
			rt.Skip("a constant column is dropped, whatever its value")
		}
		shifted := make([]float64, len(values))
		for i, v := range values {
			shifted[i] = v + offset
		}
		pooled := fit(t, fixture.Table(t, "a", shifted[:cut]), fixture.Table(t, "a", shifted[cut:]))
		if !slices.Equal(pooled.SourceRows(), []int{cut, len(values) - cut}) {
			rt.Errorf("rows %v", pooled.SourceRows())
		}
		mean, deviation := stat.PopMeanStdDev(values, nil)
		// A mean near offset cannot be nearer than its spacing there.
		tolerance := 1e-12 + math.Abs(offset)*0x1p-51/deviation
		got, _ := encoded(t, pooled, fixture.Table(t, "a", shifted))
		for i, v := range values {
			if d := math.Abs(got.At(i, 0) - (v-mean)/deviation); d > tolerance*(1+math.Abs(v-mean)/deviation) {
				rt.Errorf("row %d: off by %g, tolerance %g", i, d, tolerance)
				return
			}
		}
	})
}

// TestConstantsAreKept: where that is asked for, raw or not, and missing values are the constant.
func TestConstantsAreKept(t *testing.T) {
	src := fixture.Table(t, "a", []float64{7, 7, math.NaN()})
	for _, opt := range []encode.EncoderOptions{{KeepConstant: true}, {KeepConstant: true, NoStandardize: true}} {
		e, err := encode.FitEncoder(t.Context(), src.Columns(), opt, src)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := encoded(t, e, fixture.Table(t, "a", []float64{7, 9, math.NaN()}))
		want := mat.NewDense(3, 2, []float64{0, 0, 2, 0, 0, 1})
		if opt.NoStandardize {
			want = mat.NewDense(3, 2, []float64{7, 0, 9, 0, 7, 1})
		}
		if !mat.Equal(got, want) {
			t.Errorf("%+v: encoded\n%v", opt, mat.Formatted(got))
		}
	}
}

func TestEncoderRefuses(t *testing.T) {
	for what, c := range map[string]struct {
		src  tables.Source
		want string
	}{
		"no rows":          {broken{columns: numeric("a")}, "0 rows"},
		"nothing varies":   {fixture.Table(t, "a", []float64{1, 1}, "b", []string{"", ""}), `no column varies: "a", "b"`},
		"large numbers":    {broken{columns: numeric("a"), num: []float64{1e200, 1}}, `"a" has values from 1 to 1e+200`},
		"infinite":         {broken{columns: numeric("a"), num: []float64{0, math.Inf(-1)}}, `"a": row 2 is -Inf`},
		"tiny differences": {fixture.Table(t, "a", []float64{0, 1e-200}), `"a" varies so little`},
		"not UTF-8":        {broken{columns: []tables.Column{{Name: "a", Kind: tables.Text}}, text: []string{"\xff"}}, "not UTF-8"},
		"a failing source": {broken{columns: numeric("a"), err: errors.New("disk on fire")}, "disk on fire"},
		"a column twice":   {broken{columns: append(numeric("a"), numeric("a")...)}, "twice"},
	} {
		_, err := encode.FitEncoder(context.Background(), c.src.Columns(), encode.EncoderOptions{}, c.src)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", what, err, c.want)
		}
	}
	e := fit(t, fixture.Table(t, "a", []float64{1, 2}, "b", []string{"x", "y"}))
	for want, src := range map[string]tables.Source{
		`"a"`:            fixture.Table(t, "b", []string{"x"}, "aa", []float64{1}),
		`"b" is numeric`: fixture.Table(t, "b", []float64{1}, "a", []float64{1}),
	} {
		if _, err := e.Bind(src.Columns()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
		if _, err := encode.FitEncoder(context.Background(), e.Columns(), encode.EncoderOptions{}, src); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
		for _, err := range e.Encode(context.Background(), src) {
			if err == nil {
				t.Errorf("%s: rows without an error", want)
			}
		}
	}
}

func numeric(name string) []tables.Column { return []tables.Column{{Name: name, Kind: tables.Numeric}} }

// broken is a source of one column that package tables would not make.
type broken struct {
	columns []tables.Column
	num     []float64
	text    []string
	err     error
}

func (b broken) Columns() []tables.Column { return b.columns }

func (b broken) Batches(context.Context) iter.Seq2[tables.Batch, error] {
	return func(yield func(tables.Batch, error) bool) {
		batch := tables.Batch{Rows: len(b.num) + len(b.text), Text: [][]string{b.text}}
		if b.num != nil {
			batch.Num = mat.NewDense(len(b.num), 1, b.num)
		}
		if yield(batch, b.err) && b.err != nil {
			panic("went on after an error")
		}
	}
}
