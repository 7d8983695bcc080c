package features_test

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/fixture"
	"mediant/kernels"
)

// additive makes features of a Gaussian kernel for each column.
func additive(t testing.TB, in, size int) *features.Additive {
	t.Helper()
	parts := make([]kernels.Kernel, in)
	for j := range parts {
		parts[j] = gaussian(t, 1)
	}
	return fixture.Must[*features.Additive](t)(features.NewAdditive(sumOf(t, nil, parts...), in, size, 1, "phi"))
}

func sumOf(t testing.TB, groups [][]int, parts ...kernels.Kernel) kernels.Additive {
	t.Helper()
	return fixture.Must[kernels.Additive](t)(kernels.NewAdditive(groups, parts))
}

func TestAdditive(t *testing.T) {
	k := sumOf(t, [][]int{{3, 0}, {1}, {1, 2, 3}}, gaussian(t, 1), byName(t, "laplacian", 2), byName(t, "matern52", 1))
	m := fixture.Must[*features.Additive](t)(features.NewAdditive(k, 4, 40, 5, "phi"))
	featurestest.Run(t, m, fixture.NormalRows(300, 4))
}

// TestAdditiveIsItsParts: the features of a group are Fourier features of its columns.
func TestAdditiveIsItsParts(t *testing.T) {
	x := fixture.NormalRows(100, 3)
	g, l := gaussian(t, 1), byName(t, "laplacian", 2)
	m := fixture.Must[*features.Additive](t)(features.NewAdditive(sumOf(t, [][]int{{2, 0}, {1}}, g, l), 3, 14, 5, "phi"))
	first := fixture.Must[*features.Fourier](t)(features.NewFourier(g, 2, 8, 5, "phi/group 0"))
	second := fixture.Must[*features.Fourier](t)(features.NewFourier(l, 1, 6, 5, "phi/group 1"))
	columns := mat.NewDense(100, 2, nil)
	columns.SetCol(0, mat.Col(nil, 2, x))
	columns.SetCol(1, mat.Col(nil, 0, x))
	var want mat.Dense
	want.Augment(mapped(first, columns), mapped(second, x.Slice(0, 100, 1, 2)))
	if d := fixture.Distance(mapped(m, x), &want); d > 1e-14 {
		t.Errorf("the groups' features are off by %g", d)
	}
	if sizes := m.Sizes(); !slices.Equal(sizes, []int{8, 6}) {
		t.Errorf("the groups have %v features", sizes)
	}
}

func TestAdditiveRefuses(t *testing.T) {
	spectral, linear := sumOf(t, nil, gaussian(t, 1), gaussian(t, 1)), sumOf(t, nil, kernels.Linear{})
	for _, c := range []struct {
		k        kernels.Additive
		in, size int
		want     string
	}{
		{spectral, 2, 3, "even"},
		{spectral, 2, 2, "2 groups"},
		{spectral, 1, 4, "1 columns"},
		{linear, 1, 4, "Linear"},
	} {
		if _, err := features.NewAdditive(c.k, c.in, c.size, 0, "phi"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d features of %d columns: error %v, want one with %q", c.size, c.in, err, c.want)
		}
	}
	fixture.MustPanic(t, func() { features.NewAdditive(spectral, 0, 4, 0, "phi") })
}

func BenchmarkAdditiveMapTo(b *testing.B) {
	m := additive(b, 50, 500)
	x, phi := fixture.NormalRows(1024, 50), new(mat.Dense)
	for b.Loop() {
		m.MapTo(phi, x)
	}
}
