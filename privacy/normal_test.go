package privacy

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/stat/distuv"
)

func seeded(seed byte) io.Reader { return rand.NewChaCha8([32]byte{seed}) }

// TestNormalHasItsProbabilities compares frequencies with exp(-n²/(2 scale²)), normalised, by a chi-squared test. With the seed fixed it cannot fail by chance; of a hundred
// seeds one would.
func TestNormalHasItsProbabilities(t *testing.T) {
	for _, scale := range []uint64{1, 2, 3, 7} {
		s := NewSampler(seeded(byte(scale)))
		const draws = 200000
		counts := make(map[int64]int)
		for range draws {
			counts[s.Normal(scale)]++
		}
		weight := func(n int64) float64 { x := float64(n) / float64(scale); return math.Exp(-x * x / 2) }
		total := 0.
		for n := int64(-100); n <= 100; n++ {
			total += weight(n)
		}
		statistic, cells, rest, seen := 0., -1, 1., 0
		for n := int64(-100); n <= 100; n++ {
			p := weight(n) / total
			if p*draws < 20 {
				continue
			}
			d := float64(counts[n]) - p*draws
			statistic += d * d / (p * draws)
			cells++
			rest -= p
			seen += counts[n]
		}
		d := float64(draws-seen) - rest*draws
		if rest*draws >= 5 {
			statistic += d * d / (rest * draws)
			cells++
		}
		if p := 1 - (distuv.ChiSquared{K: float64(cells)}).CDF(statistic); p < .01 {
			t.Errorf("scale %d: chi-squared %g of %d degrees of freedom, p = %g", scale, statistic, cells, p)
		}
	}
}

// TestNormalOfLargeScales has the moments of the normal distribution, and uniform lowest bits: no gaps. Standard errors are written beside them.
func TestNormalOfLargeScales(t *testing.T) {
	for _, scale := range []uint64{1<<40 + 12345, MaxScale} {
		s := NewSampler(seeded(5))
		const draws = 100000
		var powers [5]float64
		var low [4]float64
		for range draws {
			n := s.Normal(scale)
			low[n&3]++
			x := float64(n) / float64(scale)
			for k := range powers {
				powers[k] += math.Pow(x, float64(k)) / draws
			}
		}
		for k, want := range []float64{1, 0, 1, 0, 3} {
			// The variance of x^k is at most that of x^4, 96.
			se := math.Sqrt([]float64{1, 1, 2, 15, 96}[k] / draws)
			if math.Abs(powers[k]-want) > 4*se {
				t.Errorf("scale %d: mean of x^%d is %g, want %g ± %g", scale, k, powers[k], want, se)
			}
		}
		for bits, n := range low {
			if math.Abs(n-draws/4) > 4*math.Sqrt(draws*3/16.) {
				t.Errorf("scale %d: lowest bits %02b in %g of %d samples", scale, bits, n, draws)
			}
		}
	}
}

// TestRatioDrawsMoreBits where the first 64 leave it open: 1/3 is 0.010101... in bits, and numbers that begin so differ in what follows.
func TestRatioDrawsMoreBits(t *testing.T) {
	const third = "\x55\x55\x55\x55\x55\x55\x55\x55"
	for more, want := range map[string]bool{third + "\x54\x55\x55\x55\x55\x55\x55\x55": true, third + "\x56\x55\x55\x55\x55\x55\x55\x55": false, third + third + "\xff\xff\xff\xff\xff\xff\xff\xff": false} {
		s := NewSampler(strings.NewReader(more + strings.Repeat("\x00", 1<<12)))
		if _, below := s.ratio(1, 3); below != want || s.Err() != nil {
			t.Errorf("%x: %v (%v)", more, below, s.Err())
		}
	}
}

func TestSamplerErrors(t *testing.T) {
	s := NewSampler(iotest.ErrReader(errors.New("no bits")))
	if n := s.Normal(9); n != 0 || s.Err() == nil {
		t.Errorf("%d, %v", n, s.Err())
	}
	for _, scale := range []uint64{0, MaxScale + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("scale %d does not panic", scale)
				}
			}()
			NewSampler(nil).Normal(scale)
		}()
	}
	s = NewSampler(nil)
	if first := s.Normal(MaxScale); first == s.Normal(MaxScale) || s.Err() != nil {
		t.Errorf("crypto/rand: %v", s.Err())
	}
}

func BenchmarkNormal(b *testing.B) {
	s := NewSampler(nil)
	for b.Loop() {
		s.Normal(1<<40 + 12345)
	}
}
