package kernels_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"mediant/kernels"
)

func TestByName(t *testing.T) {
	for name, want := range map[string]kernels.Kernel{
		"gaussian": gaussian(t, 2), "laplacian": laplacian(t, 2), "linear": kernels.Linear{},
		"matern12": matern(t, 0.5, 2), "matern32": matern(t, 1.5, 2), "matern52": matern(t, 2.5, 2),
		"matern:0.7": matern(t, 0.7, 2), "matern:12": matern(t, 12, 2), "matern:0.5": matern(t, 0.5, 2),
		"rq:1": rationalQuadratic(t, 1, 2), "rq:1e+06": rationalQuadratic(t, 1e6, 2), "periodic:7": periodic(t, 7, 2),
		"polynomial:3": must(kernels.NewPolynomial(3)), "cosine": kernels.Cosine{}, "chi2": kernels.ChiSquared{}, "expchi2": must(kernels.NewExpChiSquared(2)),
	} {
		if got, err := kernels.ByName(name, 2); err != nil || got != want {
			t.Errorf("%s: got %v and error %v, want %v", name, got, err, want)
		}
	}
}

func TestByNameRefuses(t *testing.T) {
	for _, name := range []string{"", "rbf", "matern", "matern:", "matern:1.50", "matern:+2", "rq:x", "gaussian:2", "polynomial", "polynomial:02", "sum", ":", "matern:2:3"} {
		_, err := kernels.ByName(name, 2)
		list := kernels.Names(nil)
		isError(t, err, fmt.Sprintf("kernels: no kernel is called %q; there are %s and %s", name, strings.Join(list[:len(list)-1], ", "), list[len(list)-1]))
	}
	for name, want := range map[string]string{
		"matern:0.01": "matern: order is 0.01", "rq:-1": "rq: alpha is -1", "periodic:0": "periodic: period is 0",
		"rq:NaN": "rq: alpha is NaN", "matern:+Inf": "matern: order is +Inf", "gaussian": "gaussian: bandwidth is NaN",
		"periodic:1": "periodic: length is NaN", "polynomial:2.5": "degree is 2.5", "polynomial:65": "degree is 65", "polynomial:NaN": "degree is NaN",
	} {
		if _, err := kernels.ByName(name, math.NaN()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
}
