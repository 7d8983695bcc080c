package mlp

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/sparsetest"
	"mediant/losses"
)

func normal(rnd *rand.Rand, r, c int) *mat.Dense {
	m := mat.NewDense(r, c, nil)
	for i := range m.RawMatrix().Data {
		m.RawMatrix().Data[i] = rnd.NormFloat64()
	}
	return m
}

// loss is that of pull, written out for one row at a time and without any of its code.
func loss(n *network, x, y *mat.Dense, shares []float64) float64 {
	sum := 0.0
	for i, share := range shares {
		for j, f := range byHand(n, x.RawRowView(i)) {
			if n.output == Softmax {
				sum -= share * y.At(i, j) * math.Log(f)
				continue
			}
			sum += share * (f - y.At(i, j)) * (f - y.At(i, j))
		}
	}
	return sum
}

// byHand is the network at one point, by loops.
func byHand(n *network, a []float64) []float64 {
	at := 0
	for l := 1; l < len(n.widths); l++ {
		in, out := n.widths[l-1], n.widths[l]
		next := make([]float64, out)
		for j := range next {
			next[j] = n.theta[at+in*out+j]
			for i := range in {
				next[j] += n.theta[at+i*out+j] * a[i]
			}
			if l < len(n.widths)-1 {
				next[j] = math.Max(next[j], 0)
			}
		}
		at += (in + 1) * out
		a = next
	}
	if n.output != Identity {
		sum := 0.0
		for j, v := range a {
			a[j] = v * v
			if n.output == Softmax {
				a[j] = math.Exp(v)
			}
			sum += a[j]
		}
		for j := range a {
			a[j] /= sum
		}
	}
	return a
}

// central is the derivative of f by *at. With steps of 1e-5 the difference errs by rounding, some
// 1e-16/1e-5, and by third derivatives times 1e-10/6: far below the 1e-6 that is asked for, unless a rectifier turns
// within the step, which at most 1e-4 of some 100 units' values do.
func central(at *float64, f func() float64) float64 {
	const step = 1e-5
	v := *at
	*at = v + step
	up := f()
	*at = v - step
	down := f()
	*at = v
	return (up - down) / (2 * step)
}

func TestGradientIsThatOfTheLoss(t *testing.T) {
	for _, output := range []Output{Identity, SquareSoftmax, Softmax} {
		rnd := rand.New(rand.NewPCG(3, 4))
		n := newNetwork([]int{3, 6, 5, 4}, output, rnd)
		x, y, shares := normal(rnd, 7, 3), normal(rnd, 7, 4), []float64{.1, .2, 0, .3, .1, .2, .1}
		if output == Softmax { // whose targets are shares
			for i := range 7 {
				losses.Log{}.MeanTo(y.RawRowView(i), y.RawRowView(i))
			}
		}
		tr := newTraining(n, 9, 1)
		tr.outputs(x)
		tr.addGradient(y.RawMatrix(), shares, 1)
		for i, got := range tr.grad {
			want := central(&n.theta[i], func() float64 { return loss(n, x, y, shares) })
			if d := math.Abs(got - want); d > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%v: derivative by parameter %d is %g, want %g", output, i, got, want)
			}
		}
	}
}

func TestJointGradientIsThatOfTheBound(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	x, ux, uy, y := normal(rnd, 6, 2), normal(rnd, 6, 3), normal(rnd, 4, 3), normal(rnd, 4, 2)
	const w = .3
	f, h := newNetwork([]int{2, 5, 2}, Identity, rnd), newNetwork([]int{3, 5, 2}, Identity, rnd)
	p := pair{
		f: newTraining(f, 8, 1), h: newTraining(h, 8, 1), w: w,
		xu: newTable(x, ux, nil, 8, 1, "xu"), uy: newTable(uy, y, []float64{1, 2, 0, 1}, 8, 1, "uy"),
	}
	bound := func() float64 {
		sum := 0.0
		for i := range 6 {
			a, b := byHand(f, x.RawRowView(i)), byHand(h, ux.RawRowView(i))
			for j := range a {
				sum += (a[j] - b[j]) * (a[j] - b[j]) / 6 / w
			}
		}
		return sum + loss(h, uy, y, []float64{.25 / (1 - w), .5 / (1 - w), 0, .25 / (1 - w)})
	}
	p.gradients()
	for _, tr := range []*training{p.f, p.h} {
		for i, got := range tr.grad {
			want := central(&tr.theta[i], bound)
			if d := math.Abs(got - want); d > 1e-6*(1+math.Abs(want)) {
				t.Errorf("derivative by parameter %d is %g, want %g", i, got, want)
			}
		}
	}
}

func TestPredictionsAreThoseWorkedExample(t *testing.T) {
	for _, output := range []Output{Identity, SquareSoftmax, Softmax} {
		rnd := rand.New(rand.NewPCG(1, 2))
		n := newNetwork([]int{4, 20, 20, 3}, output, rnd)
		x := normal(rnd, 600, 4) // three blocks, the last shorter
		for i := range 600 {
			x.Set(i, i%4, 0)
		}
		for _, rows := range []mat.Matrix{x, sparsetest.Of(x)} {
			var got mat.Dense
			n.PredictTo(&got, rows)
			for i := range 600 {
				for j, want := range byHand(n, x.RawRowView(i)) {
					// Sums of 20 terms of size 1 in three layers: 1e-13 is a thousand units in the last place.
					if math.Abs(got.At(i, j)-want) > 1e-13 {
						t.Fatalf("%v: row %d of a %T: %g, want %g", output, i, rows, got.At(i, j), want)
					}
				}
			}
		}
	}
}

func TestSquareSoftmaxOfZerosIsEqualShares(t *testing.T) {
	n := newNetwork([]int{2, 4}, SquareSoftmax, rand.New(rand.NewPCG(1, 1)))
	clear(n.theta)
	tr := newTraining(n, 1, 1)
	out := tr.outputs(mat.NewDense(1, 2, []float64{1, 2}))
	tr.addGradient(mat.NewDense(1, 4, []float64{1, 0, 0, 0}).RawMatrix(), []float64{1}, 1)
	for j, p := range out.Data {
		if p != .25 {
			t.Errorf("share %d is %g, want 1/4", j, p)
		}
	}
	for _, g := range tr.grad {
		if g != 0 {
			t.Errorf("gradient %v, want zeros", tr.grad)
			break
		}
	}
}

func TestStopAtZeroKeepsOrClearsEveryBit(t *testing.T) {
	tiny := math.SmallestNonzeroFloat64
	odd := math.Float64frombits(0x3ff0000000000001)
	for _, c := range []struct{ value, delta, want float64 }{
		{0, 3, 0}, {0, math.Inf(-1), 0}, {0, -odd, 0}, {tiny, odd, odd}, {1, -odd, -odd}, {2, odd, odd}, {4, -tiny, -tiny},
		{math.MaxFloat64, odd, odd}, {math.Inf(1), odd, odd}, {1, math.Inf(1), math.Inf(1)}, {math.NaN(), odd, odd}, {-math.NaN(), odd, odd},
	} {
		delta := []float64{c.delta}
		if stopAtZero(delta, []float64{c.value}); delta[0] != c.want {
			t.Errorf("value %g turns %g into %g, want %g", c.value, c.delta, delta[0], c.want)
		}
	}
}

func TestAdamWorkedExample(t *testing.T) {
	// Gradients 2 and -1: m = 0.2, v = 0.004; corrected 2 and 4: a step of 0.1·2/2. Then m = 0.08, v =
	// 0.004996; corrected 0.08/0.19 and 0.004996/0.001999.
	a, theta := newAdam(1, .1), []float64{1}
	a.step(theta, []float64{2})
	if math.Abs(theta[0]-.9) > 1e-8 { // epsilon moves it by 1e-8/2 of 0.1
		t.Errorf("after one step %.12f, want 0.9", theta[0])
	}
	a.step(theta, []float64{-1})
	want := .9 - .1*(.08/.19)/math.Sqrt(.004996/.001999)
	if math.Abs(theta[0]-want) > 1e-8 {
		t.Errorf("after two steps %.12f, want %.12f", theta[0], want)
	}
}
