package main

import (
	"strings"
	"testing"
)

// TestMetricIsShown by inspect: u has nearly all of the metric of U, a of that of X.
func TestMetricIsShown(t *testing.T) {
	inFolder(t)
	apart(t)
	succeed(t, words("fit --xu xu.csv --uy uy.csv -o m.mediant --features 16 --phi metric:gaussian --psi fullmetric:gaussian --method 2step --lambda 1e-4")...)
	out := succeed(t, "inspect", "m.mediant")
	for _, part := range []string{"metric X  a ", "metric U  u ", "direction 1, ", "diagonal metric, then fourier: gaussian"} {
		if !strings.Contains(out, part) {
			t.Errorf("inspect does not say %q: %s", part, out)
		}
	}
}
