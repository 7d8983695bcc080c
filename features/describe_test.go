package features_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/kernels"
)

func TestDescribe(t *testing.T) {
	additive := func(bandwidths ...float64) kernels.Kernel {
		var parts []kernels.Kernel
		for _, b := range bandwidths {
			parts = append(parts, gaussian(t, b))
		}
		return fixture.Must[kernels.Additive](t)(kernels.NewAdditive(nil, parts))
	}
	z := mat.NewDense(3, 2, []float64{0, 0, 1, 2, 3, 4})
	sections := func(k kernels.Kernel) features.Map {
		return fixture.Must[*features.Sections](t)(features.NewSections(k, z))
	}
	nystrom := fixture.Must[*features.Nystrom](t)(features.NewNystrom(gaussian(t, 3.4251), z))
	folded, _ := nystrom.Fold(mat.NewDense(3, 1, nil))
	polynomial := fixture.Must[kernels.Polynomial](t)(kernels.NewPolynomial(2))
	fourier := fixture.Must[*features.Fourier](t)(features.NewFourier(gaussian(t, 2), 2, 4, 1, "phi"))
	fast := fixture.Must[*features.Fourier](t)(features.NewStructured(gaussian(t, 2), 2, 4, 1, "phi"))
	for want, m := range map[string]features.Map{
		"fourier: gaussian (bandwidth 2), structured frequencies":                    fast,
		"nystrom: gaussian (bandwidth 3.425)":                                        nystrom,
		"nystrom: gaussian (bandwidth 3.425), 3 landmarks":                           folded,
		"nystrom: polynomial (degree 2), 3 landmarks":                                sections(polynomial),
		"nystrom: linear, 3 landmarks":                                               sections(kernels.Linear{}),
		"nystrom: sum over 2 columns of gaussian (bandwidths 0.5 to 3), 3 landmarks": sections(additive(3, .5)),
		"nystrom: sum over 2 columns of gaussian (bandwidth 2), 3 landmarks":         sections(additive(2, 2)),
		"fourier: gaussian (bandwidth 2)":                                            fourier,
		"polynomial of degree 3":                                                     fixture.Must[*features.Polynomial](t)(features.NewPolynomial(2, 3)),
		"sketch of the polynomial kernel of degree 3":                                tensorSketch(t, 2, 3, 8, 1),
		"sketch of the columns":                                                      countSketch(t, 2, 8, 1),
		"linear of 1 columns":                                                        fixture.Must[*features.Columns](t)(features.NewColumns(2, []int{1}, features.NewLinear(1))),
		"fourier: gaussian (bandwidth 2), quasi frequencies":                         quasi(t, gaussian(t, 2), 2, 4, 1),
		"linear": features.NewLinear(2),
		"nystrom: matern of order 0.7 (bandwidth 2), 3 landmarks":  sections(byName(t, "matern:0.7", 2)),
		"nystrom: rq of alpha 1.5 (bandwidth 2), 3 landmarks":      sections(byName(t, "rq:1.5", 2)),
		"nystrom: periodic of period 24 (length 0.5), 3 landmarks": sections(byName(t, "periodic:24", 0.5)),
		"nystrom: cosine, 3 landmarks":                             sections(kernels.Cosine{}),
		"chi2 (3 steps)":                                           chiSquared(t, 2, 3),
	} {
		if got := features.Describe(m); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
