package permutation

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPicks: every deal gives nx rows 1/nx and the others -1/ny, the first one those that stand first, the others any.
func TestPicks(t *testing.T) {
	const nx, ny, deals = 3, 5, 2000
	p := Picks(deals, nx, ny, true, rand.New(rand.NewPCG(1, 2)))
	var dealt [nx + ny]int
	for b := range deals {
		n := 0
		for i, v := range p.RawRowView(b) {
			switch {
			case v == 1./nx:
				n++
				if b > 0 {
					dealt[i]++
				}
			case v != -1./ny:
				t.Fatalf("deal %d: %v", b, p.RawRowView(b))
			}
			if b == 0 && (v > 0) != (i < nx) {
				t.Fatalf("the samples as they are: %v", p.RawRowView(0))
			}
		}
		if n != nx {
			t.Fatalf("deal %d: %d rows, want %d", b, n, nx)
		}
	}
	for i, n := range dealt { // six standard deviations
		if want := deals * nx / float64(nx+ny); math.Abs(float64(n)-want) > 6*math.Sqrt(want*5/8) {
			t.Errorf("row %d is dealt %d times, want %g", i, n, want)
		}
	}
	if q := Picks(1, nx, ny, false, rand.New(rand.NewPCG(1, 3))); q.At(0, 0) > 0 && q.At(0, 1) > 0 && q.At(0, 2) > 0 {
		t.Error("the first deal is the samples as they are")
	}
}

func TestAtLeast(t *testing.T) {
	for _, c := range []struct {
		score float64
		want  int
	}{{2, 2}, {2 * (1 + 1e-10), 2}, {2.1, 1}, {-1, 4}, {-1 * (1 - 1e-10), 4}, {4, 0}} {
		if got := AtLeast([]float64{3, 2, -1, 0}, c.score); got != c.want {
			t.Errorf("%g: %d, want %d", c.score, got, c.want)
		}
	}
}
