package mlp_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/experiments"
	"mediant/internal/fixture"
	"mediant/mlp"
	"mediant/problem"
	"mediant/rr"
)

var ctx = context.Background()

// parabola has y = x² + 3 and a second output of -2x, on n points of [-1, 1].
func parabola(n int, seed uint64) (x, y *mat.Dense) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	x, y = mat.NewDense(n, 1, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		v := 2*rnd.Float64() - 1
		x.Set(i, 0, v)
		y.SetRow(i, []float64{v*v + 3, -2 * v})
	}
	return x, y
}

func fit(t testing.TB, l mlp.Learner, x, y *mat.Dense, weights []float64) *mat.Dense {
	t.Helper()
	p, err := l.Fit(ctx, x, y, weights)
	if err != nil {
		t.Fatal(err)
	}
	var out mat.Dense
	p.PredictTo(&out, x)
	return &out
}

func meanSquare(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	n, _ := d.Dims()
	return math.Pow(mat.Norm(&d, 2), 2) / float64(n)
}

func TestLearnerFitsAParabola(t *testing.T) {
	// Variances are 0.09 and 1.33. Three layers of 20 hinges get within a few hundredths of either; a loss of
	// one part in a hundred is what a fit that learns anything but lines leaves far below.
	x, y := parabola(400, 1)
	if got := meanSquare(fit(t, mlp.Learner{}, x, y, nil), y); got > .01 {
		t.Errorf("mean squared error %g", got)
	}
	if got := meanSquare(fit(t, mlp.Learner{NoStandardize: true}, x, y, nil), y); got > .03 {
		t.Errorf("mean squared error %g on y as it is", got)
	}
}

func TestWithoutHiddenLayersItIsLeastSquares(t *testing.T) {
	// y = 2x - 1 lies in the span. Adam comes within its last steps of the minimum: rate 1e-2 here.
	x := mat.NewDense(64, 1, nil)
	y := mat.NewDense(64, 1, nil)
	for i := range 64 {
		v := float64(i)/32 - 1
		x.Set(i, 0, v)
		y.Set(i, 0, 2*v-1)
	}
	got := fit(t, mlp.Learner{Hidden: []int{}, Rate: 1e-2, Epochs: 600}, x, y, nil)
	if d := meanSquare(got, y); d > 1e-3 {
		t.Errorf("mean squared error %g", d)
	}
}

func TestScalesOfTargetsDoNotMatter(t *testing.T) {
	x, y := parabola(100, 2)
	var large mat.Dense
	large.Scale(1024, y) // exact, so that all sums are the same but for their exponents
	a, b := fit(t, mlp.Learner{Epochs: 20}, x, y, nil), fit(t, mlp.Learner{Epochs: 20}, x, &large, nil)
	a.Scale(1024, a)
	if !mat.EqualApprox(a, b, 1e-12*1024) { // the variance is a sum of squares: also exact but for its root
		t.Error("targets 1024 times as large are not predicted 1024 times as large")
	}
}

func TestRowsWithoutWeightDoNotCount(t *testing.T) {
	x, y := parabola(100, 3)
	weights := make([]float64, 100)
	for i := range weights {
		weights[i] = float64(i % 2)
	}
	a := fit(t, mlp.Learner{Epochs: 5}, x, y, weights)
	for i := 0; i < 100; i += 2 {
		y.SetRow(i, []float64{1e6, -1e6})
	}
	if b := fit(t, mlp.Learner{Epochs: 5}, x, y, weights); !mat.Equal(a, b) {
		t.Error("targets of rows of weight 0 change the fit")
	}
}

func TestSameSeedSameBits(t *testing.T) {
	x, y := parabola(300, 4)
	l := mlp.Learner{Hidden: []int{200, 200}, Epochs: 2, Batch: 256, Seed: 7, Purpose: "f"}
	one := fit(t, l, x, y, nil)
	for _, threads := range []int{1, 2, 5} {
		before := runtime.GOMAXPROCS(threads)
		again := fit(t, l, x, y, nil)
		runtime.GOMAXPROCS(before)
		if !mat.Equal(one, again) {
			t.Errorf("%d threads: another fit", threads)
		}
	}
	l.Seed = 8
	if mat.Equal(one, fit(t, l, x, y, nil)) {
		t.Error("another seed gives the same fit")
	}
	l.Seed, l.Purpose = 7, "h"
	if mat.Equal(one, fit(t, l, x, y, nil)) {
		t.Error("another purpose gives the same fit")
	}
}

func TestSquareSoftmaxLearnsClasses(t *testing.T) {
	// Classes by the sign of x, half of the plane each: rows within 0.02 of the border apart, all can be separated.
	rnd := rand.New(rand.NewPCG(1, 9))
	x, y := mat.NewDense(500, 2, nil), mat.NewDense(500, 2, nil)
	for i := range 500 {
		x.SetRow(i, []float64{rnd.NormFloat64(), rnd.NormFloat64()})
		c := 0
		if x.At(i, 0) > 0 {
			c = 1
		}
		y.Set(i, c, 1)
	}
	p := fit(t, mlp.Learner{Output: mlp.SquareSoftmax}, x, y, nil)
	hits := 0
	for i := range 500 {
		if math.Abs(p.At(i, 0)+p.At(i, 1)-1) > 1e-15 || p.At(i, 0) < 0 {
			t.Fatalf("row %d: %v is no distribution", i, p.RawRowView(i))
		}
		if (p.At(i, 1) > .5) == (y.At(i, 1) == 1) {
			hits++
		}
	}
	if hits < 480 {
		t.Errorf("%d of 500 classes", hits)
	}
}

// TestSoftmaxOfTwoSteps: trained by the cross-entropy h estimates P(Y|U), and f, whose targets are the shares h(U), P(Y|X), which is flatter. The model says that it has probabilities, and has a log loss below that of a constant.
func TestSoftmaxOfTwoSteps(t *testing.T) {
	const n = 1500
	rnd := rand.New(rand.NewPCG(4, 9))
	chance := func(u float64) float64 { return 1 / (1 + math.Exp(-3*u)) }
	x, u, v, other := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	y, z := make([]string, n), make([]string, n)
	label := func(u float64) string {
		if rnd.Float64() < chance(u) {
			return "yes"
		}
		return "no"
	}
	for i := range n {
		x[i] = 2*rnd.Float64() - 1
		u[i] = x[i] + .6*rnd.NormFloat64()
		v[i] = 2*rnd.Float64() - 1 + .6*rnd.NormFloat64()
		y[i] = label(v[i])
		other[i] = 2*rnd.Float64() - 1
		z[i] = label(other[i] + .6*rnd.NormFloat64())
	}
	network := mlp.Learner{Hidden: []int{10}, Output: mlp.Softmax, Epochs: 40, Rate: 1e-2}
	m, err := rr.Fit(ctx, problem.Setup{NoStandardize: true}, rr.TwoStep{F: network, H: network}, fixture.Table(t, "x", x, "u", u), fixture.Table(t, "u", v, "y", y))
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []float64{-.8, 0, .8} {
		want := 0.
		for z := -3.95; z < 4; z += .1 {
			want += .1 * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * chance(at+.6*z)
		}
		var f mat.Dense
		if err := m.PredictTo(&f, mat.NewDense(1, 1, []float64{at})); err != nil {
			t.Fatal(err)
		}
		if got := f.At(0, 1); math.Abs(got-want) > .08 { // a bin of 150 rows has a standard error of .04
			t.Errorf("P(yes|X=%g) = %.3f, want %.3f", at, got, want)
		}
	}
	score, err := m.Evaluate(ctx, fixture.Table(t, "x", other, "y", z))
	if err != nil {
		t.Fatal(err)
	}
	if !m.Probabilities() || score.Loss == nil || score.Loss.Value > score.Loss.Constant-.05 || score.Calibration == nil || score.Calibration.Error > .1 {
		t.Errorf("score %+v, loss %+v, calibration %+v", score, score.Loss, score.Calibration)
	}
}

func TestRefusals(t *testing.T) {
	x, y := parabola(10, 1)
	for _, c := range []struct {
		l       mlp.Learner
		weights []float64
		want    string
	}{
		{mlp.Learner{Hidden: []int{3, 0}}, nil, "Learner.Hidden[1] is 0"},
		{mlp.Learner{Output: 7}, nil, "Learner.Output is Output(7), must be Identity, SquareSoftmax or Softmax"},
		{mlp.Learner{Rate: -1}, nil, "Learner.Rate is -1"},
		{mlp.Learner{Rate: math.Inf(1)}, nil, "Learner.Rate is +Inf"},
		{mlp.Learner{Epochs: -1}, nil, "Learner.Epochs is -1"},
		{mlp.Learner{Batch: -1}, nil, "Learner.Batch is -1"},
		{mlp.Learner{Hidden: []int{1 << 20, 1 << 20}}, nil, "weights, must be at most"},
		{mlp.Learner{}, make([]float64, 10), "no row has weight"},
		{mlp.Learner{Rate: 1e200}, nil, "not finite after epoch"},
		{mlp.Learner{Output: mlp.Softmax}, nil, "are no shares of 1"},
	} {
		if _, err := c.l.Fit(ctx, x, y, c.weights); err == nil || !strings.HasPrefix(err.Error(), "mlp: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.want, err)
		}
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := (mlp.Learner{}).Fit(gone, x, y, nil); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	defer func() {
		if recover() != mat.ErrShape {
			t.Error("targets of another length are taken")
		}
	}()
	(mlp.Learner{}).Fit(ctx, x, mat.NewDense(9, 1, nil), nil)
}

func ExampleLearner() {
	distribution := experiments.Synthetic{D: 2, Noise: .1}
	xu, _ := distribution.XU(500, 1)
	uy, _ := distribution.UY(500, 1)
	xy, _ := distribution.XY(2000, 1)
	net := mlp.Learner{Epochs: 50}
	for _, method := range []rr.Method{rr.TwoStep{F: net, H: net}, mlp.Joint{Learner: net}} {
		model, err := rr.Fit(ctx, problem.Setup{}, method, xu, uy)
		if err != nil {
			panic(err)
		}
		score, err := model.Evaluate(ctx, xy)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: MSE %.1f\n", model.Method, score.MSE)
	}
	// Output:
	// 2step: MSE 0.2
	// joint: MSE 0.2
}

// Of the size that the paper trains for its synthetic distribution.
func BenchmarkLearner(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 1))
	x, y := mat.NewDense(1000, 5, nil), mat.NewDense(1000, 1, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rnd.NormFloat64()
	}
	for i := range 1000 {
		y.Set(i, 0, mat.Norm(x.RowView(i), 2))
	}
	for _, batch := range []int{32, 512} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			for b.Loop() {
				if _, err := (mlp.Learner{Hidden: []int{20, 20, 20, 20}, Batch: batch}).Fit(ctx, x, y, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
