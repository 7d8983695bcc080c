package features_test

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/fixture"
	"mediant/moments"
)

func TestConcatAddsKernels(t *testing.T) {
	x := fixture.NormalRows(200, 3)
	linear := features.NewLinear(3)
	fourier := fixture.Must[*features.Fourier](t)(features.NewFourier(gaussian(t, 1), 3, 20, 1, "phi"))
	nystrom := fixture.Must[*features.Nystrom](t)(features.NewNystrom(gaussian(t, 2), x.Slice(0, 30, 0, 3).(*mat.Dense)))
	inner := fixture.Must[*features.Concat](t)(features.NewConcat(fourier, nystrom))
	m := fixture.Must[*features.Concat](t)(features.NewConcat(linear, inner))
	featurestest.Run(t, m, x)

	var want mat.Dense
	want.Add(products(linear, x), products(fourier, x))
	want.Add(&want, products(nystrom, x))
	// Sums of 53 products, of rows of length up to 5 or so, in another order.
	if d := fixture.Distance(products(m, x), &want); d > 1e-12 {
		t.Errorf("the kernels' sum is off by %g", d)
	}
	if got := m.Parts(); len(got) != 2 || got[0] != features.Map(linear) {
		t.Errorf("parts are %v", got)
	}
}

func TestConcatOrderIsIdentity(t *testing.T) {
	a, b := features.NewLinear(2), features.NewBias(2)
	ab := fixture.Must[*features.Concat](t)(features.NewConcat(a, b))
	ba := fixture.Must[*features.Concat](t)(features.NewConcat(b, a))
	if ab.ID() == ba.ID() {
		t.Error("the order of the parts does not enter the identity")
	}
}

// foreign is a map from elsewhere.
type foreign struct{}

func (foreign) Dims() (in, out int) { return 2, 2 }

func (foreign) MapTo(*mat.Dense, mat.Matrix) {}

func (foreign) ID() moments.ID { return moments.ID{} }

func TestConcatRefuses(t *testing.T) {
	if _, err := features.NewConcat(foreign{}); err == nil || !strings.Contains(err.Error(), "foreign") {
		t.Errorf("a foreign map: error %v", err)
	}
	var m features.Map = features.NewBias(1)
	var err error
	for depth := 1; err == nil; depth++ {
		if depth > 17 {
			t.Fatal("nested 17 deep without an error")
		}
		var c *features.Concat
		if c, err = features.NewConcat(m); err == nil {
			m = c
			header, weights := must2(features.Marshal(m))
			if _, err := features.Unmarshal(header, weights); err != nil {
				t.Fatalf("nested %d deep can be made but not read: %v", depth, err)
			}
		}
	}
	wide := make([]features.Map, 1<<20+1)
	for i := range wide {
		wide[i] = m.(*features.Concat).Parts()[0]
	}
	if _, err := features.NewConcat(wide...); err == nil {
		t.Error("more than a million features were not refused")
	}
	for _, parts := range [][]features.Map{{}, {features.NewBias(1), features.NewBias(2)}} {
		fixture.MustPanic(t, func() { features.NewConcat(parts...) })
	}
}

// must2 unwraps Marshal where it cannot fail.
func must2[A, B any](a A, b B, err error) (A, B) {
	if err != nil {
		panic(err)
	}
	return a, b
}
