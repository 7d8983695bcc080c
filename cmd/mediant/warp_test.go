package main

import (
	"strings"
	"testing"
)

// TestWarpIsShown by inspect, with the column of most splits first.
func TestWarpIsShown(t *testing.T) {
	inFolder(t)
	apart(t)
	succeed(t, words("fit --xu xu.csv --uy uy.csv -o m.mediant --features 16 --phi warped:laplacian --psi warped:laplacian --method 2step --lambda 1e-4")...)
	out := succeed(t, "inspect", "m.mediant")
	for _, part := range []string{"splits X  a ", "splits U  u ", "warped columns, then nystrom: laplacian"} {
		if !strings.Contains(out, part) {
			t.Errorf("inspect does not say %q: %s", part, out)
		}
	}
}
