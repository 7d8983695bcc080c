package features_test

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/fixture"
	"mediant/internal/slow"
	"mediant/kernels"
)

// anyKernels are kernels with and without a spectral distribution.
func anyKernels(t testing.TB) map[string]kernels.Kernel {
	ks := map[string]kernels.Kernel{
		"linear":     kernels.Linear{},
		"polynomial": fixture.Must[kernels.Polynomial](t)(kernels.NewPolynomial(2)),
		"additive":   sumOf(t, nil, gaussian(t, 1), byName(t, "laplacian", 2), gaussian(t, 2), gaussian(t, 0.5)),
	}
	for _, name := range spectral {
		ks[name] = byName(t, name, 2)
	}
	return ks
}

func TestNystrom(t *testing.T) {
	x := fixture.NormalRows(200, 4)
	landmarks := x.Slice(20, 50, 0, 4).(*mat.Dense)
	for name, k := range anyKernels(t) {
		t.Run(name, func(t *testing.T) {
			m := fixture.Must[*features.Nystrom](t)(features.NewNystrom(k, landmarks))
			featurestest.Run(t, m, x)
			// Of 30 landmarks: the columns of x, and the monomials of 4 variables up to degree 2.
			if rank, ok := map[string]int{"linear": 4, "polynomial": 15}[name]; ok {
				if _, out := m.Dims(); out != rank {
					t.Errorf("%d features, want %d", out, rank)
				}
			}
		})
	}
}

func TestSections(t *testing.T) {
	x := fixture.NormalRows(200, 4)
	m := fixture.Must[*features.Sections](t)(features.NewSections(gaussian(t, 2), x.Slice(20, 50, 0, 4)))
	featurestest.Run(t, m, x)
	if got := m.Landmarks(); !mat.Equal(got, x.Slice(20, 50, 0, 4)) {
		t.Error("the landmarks are not those given")
	}
}

// TestNystromIsExactAtItsLandmarks: with all rows as landmarks, inner products are kernel values, up
// to residuals of 8·150·eps and rounding.
func TestNystromIsExactAtItsLandmarks(t *testing.T) {
	x := fixture.NormalRows(150, 4)
	for name, k := range anyKernels(t) {
		m := fixture.Must[*features.Nystrom](t)(features.NewNystrom(k, x))
		want := gram(k, x)
		if d := fixture.Distance(products(m, x), want); d > 1e-9 {
			t.Errorf("%s: off by %g", name, d)
		}
	}
}

// TestNystromDuplicates has the rows of scikit-learn issue 1860, where zero singular values were
// divided by: repeated rows, one of zeros, and fewer dimensions than rows.
func TestNystromDuplicates(t *testing.T) {
	x := mat.NewDense(6, 2, []float64{1, 2, 1, 2, 3, -1, 0, 0, 1, 2, -2, 5})
	want := mat.NewDense(6, 6, []float64{
		5, 5, 1, 0, 5, 8,
		5, 5, 1, 0, 5, 8,
		1, 1, 10, 0, 1, -11,
		0, 0, 0, 0, 0, 0,
		5, 5, 1, 0, 5, 8,
		8, 8, -11, 0, 8, 29,
	})
	m := fixture.Must[*features.Nystrom](t)(features.NewNystrom(kernels.Linear{}, x))
	if d := fixture.Distance(products(m, x), want); d > 1e-9 {
		t.Errorf("off by %g", d)
	}
	if _, rank := m.Dims(); rank != 2 {
		t.Errorf("rank %d, want 2", rank)
	}
	if kept := m.Landmarks().(*mat.Dense); !slices.Equal(kept.RawRowView(0), []float64{-2, 5}) {
		t.Errorf("the first landmark is %v, want the one with the largest k(z, z)", kept.RawRowView(0))
	}
}

// TestNystromProjects: the residual kernel is orthogonal to the landmarks, so a landmark's features
// have exact products with every row's.
func TestNystromProjects(t *testing.T) {
	x := fixture.NormalRows(100, 4)
	k := byName(t, "matern32", 2)
	landmarks := x.Slice(0, 20, 0, 4).(*mat.Dense)
	m := fixture.Must[*features.Nystrom](t)(features.NewNystrom(k, landmarks))
	var want, got mat.Dense
	k.GramTo(&want, x, landmarks)
	got.Mul(mapped(m, x), mapped(m, landmarks).T())
	if d := fixture.Distance(&got, &want); d > 1e-12 {
		t.Errorf("products with landmarks are off by %g", d)
	}
	approx := products(m, x)
	for i := range 100 {
		if v := approx.At(i, i); v > 1+1e-12 {
			t.Errorf("the approximation of k(x, x) = 1 is %g, above it", v)
		}
	}
}

func TestNystromRefuses(t *testing.T) {
	for what, c := range map[string]struct {
		k    kernels.Kernel
		z    []float64
		want string
	}{
		"zeros":      {kernels.Linear{}, []float64{0, 0}, "zero on all"},
		"NaN":        {gaussian(t, 1), []float64{0, math.NaN()}, "not finite"},
		"overflow":   {kernels.Linear{}, []float64{1e300, 1}, "not finite"},
		"one column": {sumOf(t, [][]int{{0, 1}}, gaussian(t, 1)), []float64{0, 1}, "needs 2"},
	} {
		if _, err := features.NewNystrom(c.k, mat.NewDense(2, 1, c.z)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", what, err, c.want)
		}
	}
	if _, err := features.NewSections(gaussian(t, 1), mat.NewDense(1, 1, []float64{math.Inf(1)})); err == nil {
		t.Error("an infinite landmark was not refused")
	}
	m := fixture.Must[*features.Nystrom](t)(features.NewNystrom(gaussian(t, 1), mat.NewDense(2, 1, []float64{0, 1})))
	fixture.MustPanic(t, func() { m.Fold(mat.NewDense(3, 1, nil)) })
	fixture.MustPanic(t, func() { features.NewNystrom(gaussian(t, 1), &mat.Dense{}) })
	fixture.MustPanic(t, func() { features.NewSections(gaussian(t, 1), &mat.Dense{}) })
}

// TestNystromMemory: beside dst, 12 MB here, a call needs no more than blocks of rows.
func TestNystromMemory(t *testing.T) {
	slow.Only(t)
	if raceDetector {
		t.Skip("the race detector lets sync.Pool forget")
	}
	z := fixture.NormalRows(60, 4)
	m := fixture.Must[*features.Nystrom](t)(features.NewNystrom(byName(t, "matern12", 2), z))
	x := fixture.NormalRows(25000, 4)
	phi := mapped(m, x)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m.MapTo(phi, x)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 4<<20 {
		t.Errorf("MapTo allocated %d bytes", got)
	}
}

func BenchmarkNystromMapTo(b *testing.B) {
	m := fixture.Must[*features.Nystrom](b)(features.NewNystrom(gaussian(b, 3), fixture.NormalRows(500, 20)))
	x, phi := fixture.NormalRows(1024, 20), new(mat.Dense)
	for b.Loop() {
		m.MapTo(phi, x)
	}
}
