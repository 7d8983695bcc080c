package metric_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/metric"
	"mediant/moments"
	"mediant/solvers"
)

func ExampleLearnScales() {
	x, y := rows(300, 3, 1, func(x []float64, _ int) float64 { return x[0] * x[2] })
	all, _ := features.NewPolynomial(3, 2)
	scales, err := metric.LearnScales(context.Background(), all, x, y, nil, metric.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	names := all.Names([]string{"a", "b", "c"})
	for j, v := range scales.Diagonal() {
		if v > .01 {
			fmt.Println(names[j])
		}
	}
	// Output: a·c
}

// TestScalesAreThoseOfCoefficients: at orthogonal features of variance 1, many rounds of a ridge without noise to choose from give the sizes of coefficients, to what penalties shrink.
func TestScalesAreThoseOfCoefficients(t *testing.T) {
	const n, d = 512, 4
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, float64(1-2*(i>>j&1)))
		}
	}
	y := mat.NewDense(n, 1, nil)
	want := []float64{.5, -2, 0, 1}
	y.Mul(x, mat.NewDense(d, 1, want))
	m, err := metric.LearnScales(t.Context(), features.NewLinear(d), x, y, nil, metric.Options{Rounds: 5})
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range m.Diagonal() {
		if share := math.Abs(want[j]) / 3.5; math.Abs(v-share) > 1e-6 {
			t.Errorf("column %d: %g, want %g", j, v, share)
		}
	}
}

// TestScalesOfUnits: scales follow the units of features, and outputs count by their scale.
func TestScalesOfUnits(t *testing.T) {
	x, y := rows(400, 3, 2, func(x []float64, c int) float64 { return []float64{1, 1000}[c] * x[c] })
	learn := func(x *mat.Dense, o metric.Options) []float64 {
		return fixture.Must[*features.Metric](t)(metric.LearnScales(t.Context(), features.NewLinear(3), x, y, nil, o)).Diagonal()
	}
	o := metric.Options{Scale: []float64{1, 1e-6}}
	plain := learn(x, o)
	if math.Abs(plain[0]/plain[1]-1) > .2 || plain[2] > .05*plain[0] {
		t.Errorf("scales %v, want those of two outputs alike", plain)
	}
	var larger mat.Dense
	larger.Scale(8, x)
	for j, v := range learn(&larger, o) {
		if math.Abs(64*v-plain[j]) > 1e-9*plain[0] {
			t.Errorf("column %d in an eighth of its unit: %g, want %g", j, v, plain[j]/64)
		}
	}
	if own := learn(x, metric.Options{}); own[0] > .01*own[1] {
		t.Errorf("without a scale: %v, want the output of larger variance alone", own)
	}
}

// TestScalesOfNothing: a constant target, constant features, too few rows and outputs without a scale.
func TestScalesOfNothing(t *testing.T) {
	x, y := rows(50, 3, 1, func([]float64, int) float64 { return 7 })
	m := fixture.Must[*features.Metric](t)(metric.LearnScales(t.Context(), features.NewLinear(3), x, y, nil, metric.Options{}))
	for j, v := range m.Diagonal() {
		if v <= 0 {
			t.Errorf("constant target: the scale of column %d is %g", j, v)
		}
	}
	still := mat.NewDense(50, 3, nil)
	if _, err := metric.LearnScales(t.Context(), features.NewLinear(3), still, y, nil, metric.Options{}); err != nil {
		t.Errorf("constant features: %v", err)
	}
	if _, err := metric.LearnScales(t.Context(), features.NewLinear(3), x.Slice(0, 1, 0, 3).(*mat.Dense), y.Slice(0, 1, 0, 1).(*mat.Dense), nil, metric.Options{}); err == nil {
		t.Error("one row is no error")
	}
	if _, err := metric.LearnScales(t.Context(), features.NewLinear(3), x, y, nil, metric.Options{Scale: []float64{1, 1}}); err == nil {
		t.Error("two scales of one output are no error")
	}
}

// TestScalesAndThreads: weights of 0 leave rows out, and the number of threads does not change a bit.
func TestScalesAndThreads(t *testing.T) {
	x, y := rows(600, 2, 1, func([]float64, int) float64 { return 0 })
	w := make([]float64, 600)
	for i := range w {
		y.Set(i, 0, x.At(i, i%2))
		w[i] = float64(i % 2)
	}
	learn := func() *features.Metric {
		return fixture.Must[*features.Metric](t)(metric.LearnScales(t.Context(), features.NewLinear(2), x, y, w, metric.Options{}))
	}
	many := learn()
	if got := many.Shares()[1]; got < .98 {
		t.Errorf("a share of %g, want that of the rows with weight", got)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if many.ID() != learn().ID() {
		t.Error("the number of threads changes it")
	}
}

// TestFixedPointIsTheLasso: rounds with one penalty converge to soft thresholds (docs/theory.md, formula 29.3) at uncorrelated columns of variance 1.
func TestFixedPointIsTheLasso(t *testing.T) {
	const n, d, lambda = 256, 5, .05
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, float64(1-2*(i>>j&1)))
		}
	}
	z := []float64{1, -.6, .3, .02, 0}
	var y mat.Dense
	y.Mul(x, mat.NewDense(d, 1, z))
	c := slices.Repeat([]float64{1}, d)
	for range 400 {
		sum := 0.
		for _, v := range c {
			sum += math.Abs(v)
		}
		scales := make([]float64, d)
		for j, v := range c {
			scales[j] = math.Abs(v) / sum
		}
		m := fixture.Must[*features.Metric](t)(features.NewDiagonalMetric(scales))
		var phi mat.Dense
		m.MapTo(&phi, x)
		sums := moments.NewCoMoments(m.ID(), moments.ID{})
		sums.Add(&phi, &y, nil)
		l := fixture.Must[*solvers.Linear](t)(solvers.Ridge(sums, lambda, true))
		for j := range c {
			c[j] = math.Sqrt(scales[j]) * l.Coef.At(j, 0)
		}
	}
	sum := 0.
	for _, v := range c {
		sum += math.Abs(v)
	}
	for j, v := range z {
		want := math.Copysign(max(0, math.Abs(v)-lambda*sum), v)
		if math.Abs(c[j]-want) > 1e-9 {
			t.Errorf("column %d: %g, want %g", j, c[j], want)
		}
	}
	if c[3] > 1e-9 || c[2] < .1 {
		t.Errorf("coefficients %v: nothing, or all is cut off", c)
	}
}
