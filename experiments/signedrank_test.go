package experiments

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestSignedRankWorkedExample(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2}, []float64{1, 2}, 1},                                                  // nothing differs
		{[]float64{2}, []float64{1}, 1},                                                        // either sign is as far
		{[]float64{1, 2, 3, 4, 5}, []float64{0, 0, 0, 0, 0}, 2. / 32},                          // all positive
		{[]float64{-1, 2, 3, 4, 5}, []float64{0, 0, 0, 0, 0}, 4. / 32},                         // sums 14, 15, and 0, 1
		{[]float64{1, 1, 1}, []float64{0, 0, 0}, 2. / 8},                                       // ties
		{[]float64{1, 1, -1}, []float64{0, 0, 0}, 1},                                           // ranks 2, 2, 2: sums 2 and 4 are all the rest
		{[]float64{8, 7, 6, 5, 4, 3, 2, 1, 9}, []float64{0, 0, 0, 0, 0, 0, 0, 0, 9}, 2. / 256}, // an equal pair left out
	} {
		if got := SignedRank(c.a, c.b); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%v and %v: p = %g, want %g", c.a, c.b, got, c.want)
		}
	}
}

// TestSignedRankIsTheCount: p against the count over all signs.
func TestSignedRankIsTheCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(rapid.IntRange(-4, 4).Filter(func(v int) bool { return v != 0 }), 1, 9).Draw(t, "d")
		n := len(d)
		rank := make([]float64, n)
		a, b := make([]float64, n), make([]float64, n)
		for i := range d {
			a[i] = float64(d[i])
			for j := range d {
				switch x, y := abs(d[i]), abs(d[j]); {
				case y < x:
					rank[i]++
				case y == x:
					rank[i] += .5
				}
			}
			rank[i] += .5
		}
		sum := func(positive func(i int) bool) (s float64) {
			for i, r := range rank {
				if positive(i) {
					s += r
				} else {
					s -= r
				}
			}
			return math.Abs(s)
		}
		own, count := sum(func(i int) bool { return d[i] > 0 }), 0
		for signs := range 1 << n {
			if sum(func(i int) bool { return signs>>i&1 == 1 }) >= own {
				count++
			}
		}
		if got, want := SignedRank(a, b), float64(count)/float64(int(1)<<n); math.Abs(got-want) > 1e-14 {
			t.Fatalf("%v: p = %g, want %g", d, got, want)
		}
	})
}

func TestSignedRankRefuses(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("lengths that differ were accepted")
		}
	}()
	SignedRank([]float64{1}, nil)
}
