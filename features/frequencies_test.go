package features

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/rowops"
	"mediant/kernels"
)

// TestOrthogonalBlocks: directions are orthogonal within a block of in frequencies, and blocks are
// independent of each other.
func TestOrthogonalBlocks(t *testing.T) {
	const in, count = 5, 12
	k, err := kernels.NewMatern(1.5, 2)
	if err != nil {
		t.Fatal(err)
	}
	w := rowops.View(drawOrthogonal(k.Mixture(), in, count, 1, "phi"))
	for a := range count {
		for b := range a {
			u, v := w.ColView(a), w.ColView(b)
			cosine := mat.Dot(u, v) / mat.Norm(u, 2) / mat.Norm(v, 2)
			if same := a/in == b/in; same != (math.Abs(cosine) < 1e-14) {
				t.Errorf("frequencies %d and %d are at a cosine of %g", b, a, cosine)
			}
			if math.Abs(math.Abs(cosine)-1) < 1e-8 {
				t.Errorf("frequencies %d and %d have one direction", b, a)
			}
			if d := mat.Norm(u, 2) - mat.Norm(v, 2); math.Abs(d) < 1e-12 {
				t.Errorf("frequencies %d and %d have one length", b, a)
			}
		}
	}
}
