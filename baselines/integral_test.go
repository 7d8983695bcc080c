package baselines

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// each is the predictor of a function of a row.
type each func(u []float64) float64

func (f each) PredictTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, 1)
	}
	for i := range n {
		dst.Set(i, 0, f(mat.Row(nil, i, x)))
	}
}

func TestQuadratureIsExactForPolynomials(t *testing.T) {
	// E u1^a u2^b of independent N(c, s²) from the moments of a normal distribution; 3 nodes are exact up to degree 5.
	moment := func(c, s float64, k int) float64 {
		return []float64{1, c, c*c + s*s, c*c*c + 3*c*s*s, c*c*c*c + 6*c*c*s*s + 3*s*s*s*s, math.Pow(c, 5) + 10*c*c*c*s*s + 15*c*math.Pow(s, 4)}[k]
	}
	q := &Density{U: mat.NewDense(2, 2, []float64{.5, -1, 2, 0}), BandwidthU: .7}
	for a := range 6 {
		for b := range 6 {
			h := each(func(u []float64) float64 { return math.Pow(u[0], float64(a)) * math.Pow(u[1], float64(b)) })
			values, used, _ := Integral{Nodes: 3}.components(t.Context(), q, h, 1)
			for l := range 2 {
				want := moment(q.U.At(l, 0), .7, a) * moment(q.U.At(l, 1), .7, b)
				if got := values.At(l, 0); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) || used != 9 {
					t.Errorf("degrees %d, %d: %g by %d values, want %g", a, b, got, used, want)
				}
			}
		}
	}
}

func TestSamplesAreMirrored(t *testing.T) {
	q := &Density{U: mat.NewDense(2, 3, []float64{1, 2, 3, 0, 0, 0}), BandwidthU: .5}
	linear, _, _ := Integral{Samples: 10}.components(t.Context(), q, each(func(u []float64) float64 { return u[0] + 2*u[2] }), 1)
	if math.Abs(linear.At(0, 0)-7) > 1e-13 || math.Abs(linear.At(1, 0)) > 1e-13 {
		t.Errorf("a linear h integrates to %g and %g, want 7 and 0", linear.At(0, 0), linear.At(1, 0))
	}
	// E|u|² = |c|² + 3 s². Half of 4,096 draws are independent, and |u-c|² has variance 6 s⁴: a standard deviation of
	// 0.0135, and five of them, exceeded once in a million.
	square, used, _ := Integral{Samples: 4096}.components(t.Context(), q, each(func(u []float64) float64 { return u[0]*u[0] + u[1]*u[1] + u[2]*u[2] }), 1)
	if d := square.At(0, 0) - 14.75; math.Abs(d) > 5*.0135 || used != 4096 {
		t.Errorf("|u|² off by %g after %d samples", d, used)
	}
}

func TestFarFromAllCentresTheNearestCounts(t *testing.T) {
	d := &Density{X: mat.NewDense(2, 1, []float64{0, 1}), U: mat.NewDense(2, 1, nil), Alpha: []float64{5, 1}, BandwidthX: .1}
	var w mat.Dense
	d.WeightsTo(&w, mat.NewDense(3, 1, []float64{1e6, .5, -1e6}))
	want := []float64{0, 1, 5. / 6, 1. / 6, 1, 0}
	for i, v := range w.RawMatrix().Data {
		if math.Abs(v-want[i]) > 1e-15 {
			t.Errorf("weights %v, want %v", w.RawMatrix().Data, want)
			break
		}
	}
}

// square draws tables of X uniform on [-1, 1]^d, U = X + 0.3 N(0, I), Y = |U|²: E[Y|X] = |X|² + 0.09 d.
func square(t testing.TB, n, d int, seed uint64) (xu, uy tables.Source) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 3))
	var columns [2][]tables.ColumnData
	for table := range 2 {
		y := make([]float64, n)
		for j := range d {
			x, u := make([]float64, n), make([]float64, n)
			for i := range n {
				x[i] = 2*rnd.Float64() - 1
				u[i] = x[i] + .3*rnd.NormFloat64()
				y[i] += u[i] * u[i]
			}
			if table == 0 {
				columns[0] = append(columns[0], tables.Numbers(fmt.Sprintf("x%d", j), x))
			}
			columns[table] = append(columns[table], tables.Numbers(fmt.Sprintf("u%d", j), u))
		}
		if table == 1 {
			columns[1] = append(columns[1], tables.Numbers("y", y))
		}
	}
	xu, err := tables.FromColumns(columns[0]...)
	if err != nil {
		t.Fatal(err)
	}
	if uy, err = tables.FromColumns(columns[1]...); err != nil {
		t.Fatal(err)
	}
	return xu, uy
}

func TestIntegralIsNearTheRegression(t *testing.T) {
	// E[Y|X] has variance 0.089 d. The constant leaves all of it, a chain of regressions is off by 0.09 d, which
	// leaves (0.09 d)²/(0.089 d), 0.09 d of it. Densities of (x, u) are poor in 4 and 6 dimensions; most is a
	// share that says which way the estimate goes. In three dimensions of u h is integrated by samples.
	for _, c := range []struct {
		d    int
		most float64
	}{{1, .05}, {2, .25}, {3, .5}} {
		xu, uy := square(t, 1000, c.d, 1)
		for _, e := range []Estimator{LeastSquares, NadarayaWatson} {
			m, err := rr.Fit(context.Background(), problem.Setup{}, Integral{Estimator: e, LambdaH: rr.Value(1e-6)}, xu, uy)
			if err != nil {
				t.Fatal(err)
			}
			rnd := rand.New(rand.NewPCG(9, 9))
			x := mat.NewDense(500, c.d, nil)
			for i := range x.RawMatrix().Data {
				x.RawMatrix().Data[i] = 2*rnd.Float64() - 1
			}
			var f mat.Dense
			if err := m.PredictTo(&f, x); err != nil {
				t.Fatal(err)
			}
			gap := 0.0
			for i := range 500 {
				norm := mat.Norm(x.RowView(i), 2)
				v := f.At(i, 0) - norm*norm - .09*float64(c.d)
				gap += v * v / 500
			}
			if gap > c.most*.089*float64(c.d) {
				t.Errorf("d = %d, estimator %d: excess %g", c.d, e, gap)
			}
			if note := m.Notes[len(m.Notes)-1]; !strings.Contains(note, "kernel values a prediction") || m.Method != "integral" {
				t.Errorf("method %q, note %q", m.Method, note)
			}
		}
	}
}

func TestIntegralDoesNotDependOnThreads(t *testing.T) {
	xu, uy := square(t, 300, 3, 2)
	x := mat.NewDense(1, 3, []float64{.1, -.2, .3})
	for _, e := range []Estimator{LeastSquares, NadarayaWatson} {
		var first float64
		for i, threads := range []int{1, 3} {
			before := runtime.GOMAXPROCS(threads)
			m, err := rr.Fit(context.Background(), problem.Setup{}, Integral{Estimator: e}, xu, uy)
			runtime.GOMAXPROCS(before)
			if err != nil {
				t.Fatal(err)
			}
			var f mat.Dense
			if err := m.PredictTo(&f, x); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = f.At(0, 0)
			} else if f.At(0, 0) != first {
				t.Errorf("estimator %d: %g on three threads, %g on one", e, f.At(0, 0), first)
			}
		}
	}
}

func TestIntegralTakesALearner(t *testing.T) {
	// The same ridge regression as a learner and from moments: equal to rounding, once the features are.
	xu, uy := square(t, 200, 1, 3)
	a, err := rr.Fit(context.Background(), problem.Setup{}, Integral{H: rr.Ridge{}}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Prepare(context.Background(), problem.Setup{}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Integral{H: rr.Ridge{}}.Fit(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(3, 1, []float64{-1, 0, .5})
	var fa, fb mat.Dense
	a.F.PredictTo(&fa, x)
	b.F.PredictTo(&fb, x)
	if !mat.Equal(&fa, &fb) {
		t.Error("Fit and Solve differ")
	}
}

type broken struct{}

func (broken) Fit(context.Context, *mat.Dense, *mat.Dense, []float64) (rr.Predictor, error) {
	return nil, fmt.Errorf("broken")
}

func TestIntegralsShareADensity(t *testing.T) {
	xu, uy := square(t, 120, 2, 4)
	p, err := problem.Prepare(context.Background(), problem.Setup{Seed: 2}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	q, err := Integral{Centres: 30}.Estimate(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(3, 2, []float64{0, 0, .5, -.5, 2, 2})
	var got, want mat.Dense
	for dst, n := range map[*mat.Dense]Integral{&got: {Density: q}, &want: {Centres: 30}} {
		m, err := n.Fit(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		m.F.PredictTo(dst, x)
	}
	if !mat.Equal(&got, &want) {
		t.Errorf("by a shared density %v, by its own %v", got.RawMatrix().Data, want.RawMatrix().Data)
	}
	for n, says := range map[*Integral]string{
		{Estimator: NadarayaWatson}: "sees h", {Centres: -1}: "Integral.Centres is -1",
	} {
		if _, err := n.Estimate(context.Background(), p); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	other := &Density{X: mat.NewDense(1, 3, nil), U: mat.NewDense(1, 2, nil), Alpha: []float64{1}, BandwidthX: 1, BandwidthU: 1}
	if _, err := (Integral{Density: other}).Fit(context.Background(), p); err == nil || !strings.Contains(err.Error(), "3 columns of X") {
		t.Errorf("a density of other columns: %v", err)
	}
}

func TestIntegralRefusals(t *testing.T) {
	xu, uy := square(t, 30, 1, 4)
	if _, err := rr.Fit(context.Background(), problem.Setup{Shift: true}, Integral{}, xu, uy); err == nil || !strings.Contains(err.Error(), "ratio of the densities") {
		t.Errorf("weights by shift: %v", err)
	}
	for _, c := range []struct {
		n    Integral
		want string
	}{
		{Integral{LambdaH: rr.Value(-1)}, "Integral.LambdaH is -1"},
		{Integral{Centres: -1}, "Integral.Centres is -1"},
		{Integral{Nodes: -2}, "Integral.Nodes is -2"},
		{Integral{Samples: -3}, "Integral.Samples is -3"},
		{Integral{Estimator: 9}, "Integral.Estimator is 9"},
		{Integral{H: broken{}}, "h on S_Y: broken"},
	} {
		if _, err := rr.Fit(context.Background(), problem.Setup{}, c.n, xu, uy); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.want, err)
		}
	}
}

func ExampleIntegral() {
	xu, uy := square(new(testing.T), 500, 1, 1)
	m, err := rr.Fit(context.Background(), problem.Setup{}, Integral{}, xu, uy)
	if err != nil {
		panic(err)
	}
	var f mat.Dense
	if err := m.PredictTo(&f, mat.NewDense(2, 1, []float64{0, .5})); err != nil {
		panic(err)
	}
	fmt.Printf("within 0.1 of 0.09 at 0: %v, of 0.34 at 0.5: %v\n", math.Abs(f.At(0, 0)-.09) < .1, math.Abs(f.At(1, 0)-.34) < .1)
	// Output:
	// within 0.1 of 0.09 at 0: true, of 0.34 at 0.5: true
}

func BenchmarkIntegral(b *testing.B) {
	xu, uy := square(b, 1000, 2, 1)
	b.Run("fit", func(b *testing.B) {
		for b.Loop() {
			if _, err := rr.Fit(context.Background(), problem.Setup{}, Integral{}, xu, uy); err != nil {
				b.Fatal(err)
			}
		}
	})
	m, err := rr.Fit(context.Background(), problem.Setup{}, Integral{}, xu, uy)
	if err != nil {
		b.Fatal(err)
	}
	x := mat.NewDense(1000, 2, nil)
	var f mat.Dense
	b.Run("predict 1000 rows", func(b *testing.B) {
		for b.Loop() {
			m.F.PredictTo(&f, x)
		}
	})
}
