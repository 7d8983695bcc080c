package privacy

import (
	"crypto/rand"
	"encoding/binary"
	"io"
	"math/bits"
)

// MaxScale bounds the scale of a sample, so that all products fit 64 bits.
const MaxScale = 1 << 56

// A Sampler, made by NewSampler, draws integers from the discrete normal distribution,
//
//	P(n) ∝ exp(-n²/(2 scale²))
//
// by Karney's Algorithm D, in integers throughout: every integer has its probability, and there are no gaps and no floating-point rounding in the samples by which
// a sum could be distinguished from its neighbour [Mironov, On significance of the least significant bits for differential privacy, CCS 2012]. How long a sample takes depends on it. A
// Sampler is not safe for concurrent use.
type Sampler struct {
	random io.Reader
	buffer [1 << 12]byte
	unused []byte // of buffer
	err    error
}

// NewSampler returns a Sampler whose bits come from random; nil is crypto/rand, and anything else is for tests.
func NewSampler(random io.Reader) *Sampler {
	if random == nil {
		random = rand.Reader
	}
	return &Sampler{random: random}
}

// Err returns the first error of the source. Samples after it must not be used.
func (s *Sampler) Err() error { return s.err }

// Normal returns a sample. It panics if scale is 0 or above MaxScale.
func (s *Sampler) Normal(scale uint64) int64 {
	if scale == 0 || scale > MaxScale {
		panic("privacy: scale of a sample is out of range")
	}
	for s.err == nil {
		// k + j/scale has the density of |n|/scale: exp(-k/2) exp(-k(k-1)/2) exp(-x(2k+x)/2), x = j/scale.
		k := uint64(0)
		for s.half() {
			k++
		}
		if k > 20 || !s.all(k*(k-1)) { // the probability of more than 20 is below 1e-90
			continue
		}
		negative := s.bits()&1 == 1
		j := s.below(scale)
		if k == 0 && j == 0 && negative || !s.tail(k, j, scale) {
			continue
		}
		n := int64(k*scale + j)
		if negative {
			n = -n
		}
		return n
	}
	return 0
}

// half is true with probability exp(-1/2): the longest run 1/2 > u1 > u2 > ... has an even length (von Neumann).
func (s *Sampler) half() bool {
	even, last := true, uint64(1)<<63
	for s.err == nil {
		u := s.bits()
		if !s.less(u, last) {
			break
		}
		even, last = !even, u
	}
	return even
}

// less compares two uniform numbers by their first 64 bits; where these agree, the next one decides.
func (s *Sampler) less(u, v uint64) bool { return u < v || u == v && s.bits()&1 == 1 }

// all reports whether half is true n times.
func (s *Sampler) all(n uint64) bool {
	for range n {
		if !s.half() {
			return false
		}
	}
	return true
}

// tail is true with probability exp(-x(2k+x)/2), x = j/scale: Karney's Algorithm B, k+1 times.
func (s *Sampler) tail(k, j, scale uint64) bool {
	for range k + 1 {
		even, last, first := true, uint64(0), true
		for s.err == nil {
			u, less := uint64(0), false
			if first {
				u, less = s.ratio(j, scale)
			} else {
				u = s.bits()
				less = s.less(u, last)
			}
			if !less {
				break
			}
			if _, kept := s.ratio(2*k*scale+j, (2*k+2)*scale); !kept {
				break
			}
			even, last, first = !even, u, false
		}
		if !even {
			return false
		}
	}
	return true
}

// ratio reports whether a uniform number, of which it returns the first 64 bits, is below t/d. The answer is exact: further bits are drawn where the first ones leave it open.
func (s *Sampler) ratio(t, d uint64) (first uint64, below bool) {
	first = s.bits()
	for u := first; s.err == nil; u = s.bits() {
		hi, lo := bits.Mul64(u, d)
		if hi >= t {
			return first, false
		}
		if hi < t-1 || lo == 0 {
			return first, true
		}
		// u d is less than t by rest/2^64, and the bits that follow u add less than d/2^64.
		rest := -lo
		if rest >= d {
			return first, true
		}
		t = rest
	}
	return first, false
}

// below is uniform in 0 ... n-1 [Lemire, Fast random integer generation in an interval, ACM TOMACS 29, 2019].
func (s *Sampler) below(n uint64) uint64 {
	for s.err == nil {
		hi, lo := bits.Mul64(s.bits(), n)
		if lo >= n || lo >= -n%n {
			return hi
		}
	}
	return 0
}

// bits are 64 of them.
func (s *Sampler) bits() uint64 {
	if len(s.unused) < 8 {
		if s.err == nil {
			_, s.err = io.ReadFull(s.random, s.buffer[:])
		}
		s.unused = s.buffer[:]
	}
	u := binary.LittleEndian.Uint64(s.unused)
	s.unused = s.unused[8:]
	return u
}
