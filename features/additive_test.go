package features_test

import (
	"math"
	"reflect"
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

// TestPairs: the features of pairs are those of a sum of products of two kernels, of the columns that are asked for, each with its own bandwidth.
func TestPairs(t *testing.T) {
	x := fixture.NormalRows(300, 4)
	for i := range 300 {
		x.Set(i, 2, 10*x.At(i, 2))
	}
	spec := features.Spec{Kind: features.AdditiveFeatures, Kernel: "matern52", Pairs: true, Size: 60}
	for _, c := range []struct {
		among  *[]int
		groups [][]int
	}{
		{nil, [][]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}},
		{&[]int{0, 2, 3}, [][]int{{0, 2}, {0, 3}, {2, 3}}},
		{&[]int{2}, [][]int{{2}}},
	} {
		spec.Among = c.among
		m := fitted(t, spec, x)
		featurestest.Run(t, m, x)
		sum := m.(*features.Additive).Kernel().(kernels.Additive)
		if !reflect.DeepEqual(sum.Groups(), c.groups) {
			t.Errorf("groups %v, want %v", sum.Groups(), c.groups)
		}
		spec.Pairs = false
		single := fitted(t, spec, x).(*features.Additive).Kernel().(kernels.Additive)
		spec.Pairs = true
		a, b := mat.NewDense(1, 4, []float64{.3, -1, 4, .5}), mat.NewDense(1, 4, []float64{-.2, 2, -7, 1})
		var own mat.Dense
		each := map[int]float64{}
		for i, columns := range single.Groups() {
			var k mat.Dense
			at := mat.NewDense(2, 1, []float64{a.At(0, columns[0]), b.At(0, columns[0])})
			single.Parts()[i].GramTo(&k, at, at)
			each[columns[0]] = k.At(0, 1)
		}
		want := 0.
		for _, g := range c.groups {
			product := 1.
			for _, column := range g {
				product *= each[column]
			}
			want += product
		}
		if sum.GramTo(&own, a, b); math.Abs(own.At(0, 0)-want) > 1e-14*float64(len(c.groups)) {
			t.Errorf("among %v: k is %g, want %g", c.among, own.At(0, 0), want)
		}
	}
	for _, among := range [][]int{{}, {4}, {-1, 2}} {
		spec.Among = &among
		if _, _, err := spec.Fit(x, 1, "phi"); err == nil || !strings.Contains(err.Error(), "want some of 4") {
			t.Errorf("among %v: %v", among, err)
		}
	}
	if err := (features.Spec{Pairs: true}).Validate(); err == nil {
		t.Error("pairs of Fourier features of all columns")
	}
	for columns, want := range map[int]int{1: 2, 2: 2, 5: 20} {
		if got := (features.Spec{Kind: features.AdditiveFeatures, Pairs: true}).AdditiveSize(columns); got != want {
			t.Errorf("%d columns need %d features, want %d", columns, got, want)
		}
	}
}

func fitted(t *testing.T, spec features.Spec, x mat.Matrix) features.Map {
	t.Helper()
	m, _, err := spec.Fit(x, 1, "phi")
	if err != nil {
		t.Fatal(err)
	}
	return m
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
