package losses_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"mediant/losses"
)

// A domain has a loss, with predictions and outcomes of it.
type domain struct {
	loss     losses.Canonical
	f, y     *rapid.Generator[[]float64]
	textbook func(y, f []float64) float64 // the loss as textbooks write it
}

const outputs = 3

func numbers(lo, hi float64) *rapid.Generator[[]float64] {
	return rapid.SliceOfN(rapid.Float64Range(lo, hi), outputs, outputs)
}

// shares are probabilities of classes.
var shares = rapid.Map(numbers(.01, 1), func(v []float64) []float64 {
	floats.Scale(1/floats.Sum(v), v)
	return v
})

// indicators are of one class.
var indicators = rapid.Map(rapid.IntRange(0, outputs-1), func(k int) []float64 {
	y := make([]float64, outputs)
	y[k] = 1
	return y
})

var domains = []domain{
	{losses.Squared{}, numbers(-3, 3), numbers(-3, 3), func(y, f []float64) float64 {
		d := floats.Distance(y, f, 2)
		return d * d
	}},
	{losses.Log{}, shares, rapid.OneOf(indicators, shares), func(y, f []float64) float64 {
		sum := 0.0
		for j := range y {
			if y[j] > 0 {
				sum += y[j] * math.Log(y[j]/f[j])
			}
		}
		return sum
	}},
	{losses.Poisson{}, numbers(.1, 5), rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 9), func(n int) float64 { return float64(n) }), outputs, outputs), func(y, f []float64) float64 {
		sum := 0.0
		for j := range y {
			if y[j] > 0 {
				sum += y[j] * math.Log(y[j]/f[j])
			}
			sum += f[j] - y[j]
		}
		return sum
	}},
}

// TestDivergence: each loss is what its name says, at least 0, and 0 at y = f.
func TestDivergence(t *testing.T) {
	for _, of := range domains {
		rapid.Check(t, func(t *rapid.T) {
			y, f := of.y.Draw(t, "y"), of.f.Draw(t, "f")
			got, want := losses.Divergence(of.loss, y, f), of.textbook(y, f)
			if math.Abs(got-want) > 1e-12*(1+math.Abs(want)) || got < -1e-13 {
				t.Fatalf("%s: d(%v, %v) = %g, want %g", of.loss.Name(), y, f, got, want)
			}
			if d := losses.Divergence(of.loss, f, f); d != 0 {
				t.Fatalf("%s: d(f, f) = %g", of.loss.Name(), d)
			}
		})
	}
}

// TestDerivatives: the gradient is that of the potential, the mean is where the gradient is eta and the conjugate has its maximum, and the curvature is the derivative of the mean. Central
// differences with a step of 1e-5 err by 1e-10 of third derivatives, of which those at 1/100 are 1e4, and by eps/1e-5.
func TestDerivatives(t *testing.T) {
	const step = 1e-5
	for _, of := range domains {
		rapid.Check(t, func(t *rapid.T) {
			f := of.f.Draw(t, "f")
			eta, back := make([]float64, outputs), make([]float64, outputs)
			of.loss.GradientTo(eta, f)
			moved := func(v []float64, j int, by float64) []float64 {
				v = append([]float64(nil), v...)
				v[j] += by
				return v
			}
			for j := range f {
				slope := (of.loss.Potential(moved(f, j, step)) - of.loss.Potential(moved(f, j, -step))) / (2 * step)
				if math.Abs(slope-eta[j]) > 1e-5 {
					t.Fatalf("%s: gradient %g at %v, want %g", of.loss.Name(), eta[j], f, slope)
				}
			}
			of.loss.MeanTo(back, eta)
			if !floats.EqualApprox(back, f, 1e-12) {
				t.Fatalf("%s: the mean of the gradient of %v is %v", of.loss.Name(), f, back)
			}
			conjugate := floats.Dot(eta, f) - of.loss.Potential(f)
			if got := of.loss.Conjugate(eta); math.Abs(got-conjugate) > 1e-12*(1+math.Abs(conjugate)) {
				t.Fatalf("%s: conjugate %g, want %g", of.loss.Name(), got, conjugate)
			}
			curvature := make([]float64, outputs*outputs)
			of.loss.CurvatureTo(curvature, f)
			up, down := make([]float64, outputs), make([]float64, outputs)
			for j := range f {
				of.loss.MeanTo(up, moved(eta, j, step))
				of.loss.MeanTo(down, moved(eta, j, -step))
				for i := range f {
					if slope := (up[i] - down[i]) / (2 * step); math.Abs(slope-curvature[i*outputs+j]) > 1e-8 {
						t.Fatalf("%s: curvature %g at %v, want %g", of.loss.Name(), curvature[i*outputs+j], f, slope)
					}
				}
			}
		})
	}
}

// TestOutside: what is no outcome has no finite loss.
func TestOutside(t *testing.T) {
	for _, of := range []struct {
		loss losses.Loss
		y, f []float64
	}{
		{losses.Log{}, []float64{-.1, 1.1}, []float64{.5, .5}},
		{losses.Log{}, []float64{1, 0}, []float64{0, 1}},
		{losses.Poisson{}, []float64{-1}, []float64{1}},
		{losses.Poisson{}, []float64{1}, []float64{0}},
	} {
		if d := losses.Divergence(of.loss, of.y, of.f); !math.IsNaN(d) && !math.IsInf(d, 1) {
			t.Errorf("%s of %v and %v is %g", of.loss.Name(), of.y, of.f, d)
		}
	}
}
