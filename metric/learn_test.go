package metric_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/fixture"
	"mediant/internal/settingstest"
	"mediant/metric"
)

// rows are standard normal, with a target of each.
func rows(n, d, outputs int, target func(x []float64, c int) float64) (x, y *mat.Dense) {
	x = fixture.NormalRows(n, d)
	y = mat.NewDense(n, outputs, nil)
	for i := range n {
		for c := range outputs {
			y.Set(i, c, target(x.RawRowView(i), c))
		}
	}
	return x, y
}

func Example() {
	x, y := rows(400, 3, 1, func(x []float64, _ int) float64 { return math.Sin(2 * x[1]) })
	m, err := metric.Learn(context.Background(), x, y, nil, metric.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for j, share := range m.Shares() {
		fmt.Printf("column %d: %.2f\n", j, share)
	}
	// Output:
	// column 0: 0.00
	// column 1: 1.00
	// column 2: 0.00
}

// TestDirection: of a function of x_0 + x_1 the full metric is that direction, to what 400 rows tell.
func TestDirection(t *testing.T) {
	x, y := rows(400, 4, 1, func(x []float64, _ int) float64 { return math.Sin(x[0] + x[1]) })
	m, err := metric.Learn(t.Context(), x, y, nil, metric.Options{Full: true})
	if err != nil {
		t.Fatal(err)
	}
	shares, directions, err := m.Directions(1)
	if err != nil {
		t.Fatal(err)
	}
	if along := math.Abs(directions.At(0, 0)+directions.At(0, 1)) / math.Sqrt2; shares[0] < .98 || along < .99 {
		t.Errorf("direction %v with a share of %g", directions.RawRowView(0), shares[0])
	}
	if got := mat.Trace(m.Matrix()); math.Abs(got-4) > 1e-4 { // of which the ridge is 1e-6 each
		t.Errorf("the trace is %g, want the number of columns", got)
	}
}

// TestScaleOfOutputs: an output counts by its scale, whatever its units. Of two outputs with as much variation along a column each, of units 1 and 1,000.
func TestScaleOfOutputs(t *testing.T) {
	x, y := rows(500, 2, 2, func(x []float64, c int) float64 { return []float64{1, 1000}[c] * math.Sin(2*x[c]) })
	for _, c := range []struct {
		scale []float64
		least float64
	}{{[]float64{1, 1e-6}, .4}, {nil, 0}} {
		m, err := metric.Learn(t.Context(), x, y, nil, metric.Options{Scale: c.scale})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Shares()[0]; got < c.least || c.least == 0 && got > .01 {
			t.Errorf("scale %v: a share of %g", c.scale, got)
		}
	}
}

// TestWeights: rows of weight 0 count for nothing. Half of the rows vary along another column.
func TestWeights(t *testing.T) {
	x, y := rows(600, 2, 1, func([]float64, int) float64 { return 0 })
	w := make([]float64, 600)
	for i := range w {
		y.Set(i, 0, math.Sin(2*x.At(i, i%2)))
		w[i] = float64(i % 2)
	}
	m, err := metric.Learn(t.Context(), x, y, w, metric.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Shares()[1]; got < .98 {
		t.Errorf("a share of %g, want that of the rows with weight", got)
	}
}

// TestThreads: the number of threads does not change a bit.
func TestThreads(t *testing.T) {
	x, y := rows(300, 5, 1, func(x []float64, _ int) float64 { return x[0] * x[1] })
	learn := func() *mat.SymDense {
		m, err := metric.Learn(t.Context(), x, y, nil, metric.Options{Full: true, Size: 64})
		if err != nil {
			t.Fatal(err)
		}
		return m.Matrix()
	}
	many := learn()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if !mat.Equal(many, learn()) {
		t.Error("it does")
	}
}

// TestNothingToLearn: a constant target, two rows, and one column.
func TestNothingToLearn(t *testing.T) {
	x, y := rows(50, 3, 1, func([]float64, int) float64 { return 7 })
	m, err := metric.Learn(t.Context(), x, y, nil, metric.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, share := range m.Shares() {
		if math.Abs(share-1./3) > 1e-12 {
			t.Errorf("shares %v of a constant", m.Shares())
		}
	}
	x, y = rows(2, 1, 1, func(x []float64, _ int) float64 { return x[0] })
	if m, err = metric.Learn(t.Context(), x, y, nil, metric.Options{Full: true}); err != nil || m.Shares()[0] != 1 {
		t.Error(m, err)
	}
}

func TestRefused(t *testing.T) {
	x, y := rows(20, 300, 1, func(x []float64, _ int) float64 { return x[0] })
	if _, err := metric.Learn(t.Context(), x, y, nil, metric.Options{Full: true}); err == nil {
		t.Error("300 columns of a full metric are no error")
	}
	one := x.Slice(0, 1, 0, 300).(*mat.Dense)
	if _, err := metric.Learn(t.Context(), one, y.Slice(0, 1, 0, 1).(*mat.Dense), nil, metric.Options{}); err == nil {
		t.Error("one row is no error")
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := metric.Learn(done, x, y, nil, metric.Options{}); err == nil {
		t.Error("a context that is done is no error")
	}
}

func TestSettingsOutOfRange(t *testing.T) {
	x, y := rows(20, 2, 1, func(x []float64, _ int) float64 { return x[0] })
	settingstest.Run(t, settingstest.Case[metric.Options]{
		Good:   metric.Options{Size: 8},
		Legal:  []string{"Seed", "Purpose"},
		Types:  map[reflect.Type][]any{reflect.TypeFor[[]float64](): {[]float64{1, 1}, []float64{-1}, []float64{math.NaN()}}},
		Fields: map[string][]any{"Size": {1 << 40, 3}, "Kernel": {"cosine"}},
		Use:    func(o metric.Options) error { _, err := metric.Learn(context.Background(), x, y, nil, o); return err },
	})
}

func BenchmarkLearn(b *testing.B) {
	x, y := rows(1000, 20, 1, func(x []float64, _ int) float64 { return x[0] * x[1] })
	for b.Loop() {
		if _, err := metric.Learn(b.Context(), x, y, nil, metric.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
