package features_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/fixture"
	"mediant/kernels"
)

func chiSquared(t testing.TB, in, steps int) *features.ChiSquared {
	t.Helper()
	return fixture.Must[*features.ChiSquared](t)(features.NewChiSquared(in, steps))
}

func TestChiSquared(t *testing.T) {
	for _, steps := range []int{1, 3, 12} {
		t.Run(fmt.Sprint(steps), func(t *testing.T) {
			m := chiSquared(t, 4, steps)
			featurestest.Run(t, m, countRows(200, 4))
			if in, out := m.Dims(); in != 4 || out != 4*(2*steps+1) || m.Steps() != steps {
				t.Errorf("%d columns, %d features of %d steps", in, out, m.Steps())
			}
			if m.Kernel() != kernels.Kernel(kernels.ChiSquared{}) {
				t.Errorf("the kernel is %v", m.Kernel())
			}
		})
	}
}

// ratios are those of two entries, to far beyond the first period of 20 steps, exp(2 pi sqrt(21)).
func ratios() []float64 {
	var list []float64
	for log := -45.0; log <= 45; log += 0.01 {
		list = append(list, math.Exp(log))
	}
	return list
}

// TestChiSquaredError: never above the bound, which is not ten times what is seen either. Rounding adds 3n
// units of the angles' size, 45 n eps at most.
func TestChiSquaredError(t *testing.T) {
	for _, steps := range []int{1, 2, 3, 5, 10, 20, 60} {
		m := chiSquared(t, 1, steps)
		list := ratios()
		x, one := mat.NewDense(len(list), 1, list), mat.NewDense(1, 1, []float64{1})
		var got, want mat.Dense
		got.Mul(mapped(m, x), mapped(m, one).T())
		kernels.ChiSquared{}.GramTo(&want, x, one)
		worst := 0.0
		for i, v := range list {
			worst = max(worst, math.Abs(got.At(i, 0)-want.At(i, 0))/max(v, 1))
		}
		rounding := 1e-14 * float64(steps)
		if worst > m.Error()+rounding {
			t.Errorf("%d steps: off by %g, bound %g", steps, worst, m.Error())
		}
		if m.Error() > 1e3*rounding && worst < m.Error()/10 {
			t.Errorf("%d steps: off by %g only, bound %g", steps, worst, m.Error())
		}
	}
}

// TestChiSquaredIsHomogeneous: features of c x are those of x turned, so that products with a common scale
// are c times as large.
func TestChiSquaredIsHomogeneous(t *testing.T) {
	x := countRows(50, 3)
	m := chiSquared(t, 3, 3)
	want := products(m, x)
	for _, c := range []float64{1e-200, 0.1, 1e200} {
		var scaled mat.Dense
		scaled.Scale(c, x)
		got := products(m, &scaled)
		got.Scale(1/c, got)
		// Angles are up to 500 and off by as many units; k is at most 3 times an entry of about 4.
		if d := fixture.Distance(got, want); d > 1e-12 {
			t.Errorf("scale %g: off by %g", c, d)
		}
	}
}

func TestChiSquaredErrorByHand(t *testing.T) {
	// One step: L = sqrt(1/2), 2.8284 exp(-4.4429)/(1 - exp(-2.2214)) + 4/(exp(4.4429) - 1). Three: L = 1/2, 2 exp(-2 pi)/(1 - exp(-pi/2)) + 4/(exp(2 pi) - 1).
	for steps, want := range map[int]float64{1: 0.08492, 3: 0.01220} {
		if got := chiSquared(t, 1, steps).Error(); math.Abs(got-want) > 1e-5 {
			t.Errorf("%d steps: bound %g, want %g", steps, got, want)
		}
	}
}

func TestChiSquaredRefuses(t *testing.T) {
	for _, c := range []struct {
		in, steps int
		want      string
	}{{1, 0, "0 steps"}, {1, 1001, "1001 steps"}, {1 << 20, 1, "more than 1048576"}} {
		if _, err := features.NewChiSquared(c.in, c.steps); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d columns, %d steps: error %v, want one with %q", c.in, c.steps, err, c.want)
		}
	}
	fixture.MustPanic(t, func() { features.NewChiSquared(0, 1) })
	fixture.MustPanic(t, func() { mapped(chiSquared(t, 1, 1), mat.NewDense(1, 1, []float64{-1})) })
}

func ExampleNewChiSquared() {
	m, err := features.NewChiSquared(2, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	histograms := mat.NewDense(2, 2, []float64{
		0.5, 0.5,
		0.25, 0.75,
	})
	var phi, products, gram mat.Dense
	m.MapTo(&phi, histograms)
	products.Mul(&phi, phi.T())
	m.Kernel().GramTo(&gram, histograms, histograms)
	fmt.Printf("kernel %.4f, features %.4f, off by at most %.4f times 1.25\n", gram.At(0, 1), products.At(0, 1), m.Error())
	// Output:
	// kernel 0.9333, features 0.9388, off by at most 0.0122 times 1.25
}

func BenchmarkChiSquaredMapTo(b *testing.B) {
	m := chiSquared(b, 20, 3)
	x, phi := countRows(1024, 20), new(mat.Dense)
	for b.Loop() {
		m.MapTo(phi, x)
	}
}
