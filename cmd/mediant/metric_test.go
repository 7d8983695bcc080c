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

// TestTermsAreShown by inspect and in the report: the largest monomials of polynomials whose scales are learned.
func TestTermsAreShown(t *testing.T) {
	inFolder(t)
	apart(t)
	succeed(t, words("fit --xu xu.csv --uy uy.csv -o m.mediant --phi adaptive:2 --psi adaptive:3 --method 2step --lambda 1e-4 --report m.html")...)
	out := succeed(t, "inspect", "m.mediant")
	for _, part := range []string{"terms X   a·a ", "terms U   u·u ", "polynomial of degree 3, then diagonal metric"} {
		if !strings.Contains(out, part) {
			t.Errorf("inspect does not say %q: %s", part, out)
		}
	}
	if page := read(t, "m.html"); !strings.Contains(page, "Which monomials count") {
		t.Error("the report does not list the monomials")
	}
}
