// Package slow marks tests that take long, time something or measure memory. They run with the build tag slow alone, in a step of their own of
// .ci/run, so that `go test ./...` stays short and a loaded machine does not make it fail.
package slow

import "testing"

// Only skips t without the build tag slow.
func Only(t testing.TB) {
	t.Helper()
	if !tagged {
		t.Skip("with -tags slow")
	}
}

// Tagged reports whether the build tag is set, for a test of which only a bound of time needs it.
func Tagged() bool { return tagged }
