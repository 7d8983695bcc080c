package features

import (
	"math/bits"
	"math/rand/v2"

	"mediant/internal/draw"
)

// sobolBits is the number of binary digits of a coordinate, one less than float64 has: the middle of
// each interval of that width is a float64.
const sobolBits = 52

// sobolIndexBits bounds the number of points, 2^32.
const sobolIndexBits = 32

// A sobol holds the columns of the generator matrices of scrambled Sobol' points, one a digit of the index,
// and the shift of each coordinate. Point i is the exclusive or of the shift and of those columns whose
// digit of i is 1.
type sobol struct {
	columns [][sobolIndexBits]uint64
	shift   []uint64
}

// newSobol returns points of dim coordinates, at most maxSobol, scrambled by the streams "purpose/scrambling"
// of the seed, one a coordinate: a random lower triangular matrix of 0 and 1 with ones on its diagonal multiplies
// the digits, and a random shift is added modulo 2 [Matoušek, On the L2-discrepancy for anchored boxes, J.
// Complexity 14, 1998]. Each point is then uniform on the unit cube, any two have the joint distribution that Owen's
// nested scrambling gives them, and the first 2^k points are as evenly spread as before.
func newSobol(dim int, seed uint64, purpose string) *sobol {
	s := &sobol{make([][sobolIndexBits]uint64, dim), make([]uint64, dim)}
	for j := range dim {
		rnd := draw.Rand(seed, purpose+"/scrambling", j)
		plain := sobolColumns(j)
		lower := lowerTriangle(rnd)
		for k, v := range plain {
			s.columns[j][k] = multiplyDigits(lower, v)
		}
		s.shift[j] = rnd.Uint64() >> (64 - sobolBits)
	}
	return s
}

// at returns coordinate j of point i: the middle of an interval of width 2^-52, so that it is never 0 or 1.
func (s *sobol) at(i uint32, j int) float64 {
	digits := s.shift[j]
	for ; i != 0; i &= i - 1 {
		digits ^= s.columns[j][bits.TrailingZeros32(i)]
	}
	return (float64(digits) + .5) / (1 << sobolBits)
}

// sobolColumns are the columns of coordinate j without scrambling, the first digit after the point being the
// highest of sobolBits: m_k/2^k, where beyond the initial numbers, s of them,
//
//	m_k = 2 a_1 m_(k-1) ⊕ 4 a_2 m_(k-2) ⊕ … ⊕ 2^s m_(k-s) ⊕ m_(k-s)
//
// [Bratley and Fox, Algorithm 659, ACM TOMS 14, 1988].
func sobolColumns(j int) (columns [sobolIndexBits]uint64) {
	if j == 0 { // van der Corput's sequence: all m_k are 1
		for k := range columns {
			columns[k] = 1 << (sobolBits - 1 - k)
		}
		return columns
	}
	d := joeKuo[j-1]
	degree := len(d.initial)
	m := make([]uint64, sobolIndexBits)
	copy(m, d.initial)
	for k := degree; k < len(m); k++ {
		m[k] = m[k-degree] ^ m[k-degree]<<degree
		for i := 1; i < degree; i++ {
			if d.polynomial>>(degree-1-i)&1 == 1 {
				m[k] ^= m[k-i] << i
			}
		}
	}
	for k := range columns {
		columns[k] = m[k] << (sobolBits - 1 - k)
	}
	return columns
}

// lowerTriangle draws the columns of a matrix of digits, the highest first: 1 on the diagonal, random below.
func lowerTriangle(rnd *rand.Rand) (columns [sobolBits]uint64) {
	for c := range columns {
		diagonal := uint64(1) << (sobolBits - 1 - c)
		columns[c] = diagonal | rnd.Uint64()&(diagonal-1)
	}
	return columns
}

// multiplyDigits is the matrix of the columns times the digits of v, modulo 2.
func multiplyDigits(columns [sobolBits]uint64, v uint64) (product uint64) {
	for ; v != 0; v &= v - 1 {
		product ^= columns[sobolBits-1-bits.TrailingZeros64(v)]
	}
	return product
}

// maxSobol is the number of coordinates whose direction numbers are here.
const maxSobol = len(joeKuo) + 1

// joeKuo are the primitive polynomials and initial direction numbers of coordinates from the second on:
// the first 64 of the file new-joe-kuo-6.21201 of [Joe and Kuo, Constructing Sobol sequences with better
// two-dimensional projections, SIAM J. Sci. Comput. 30, 2008]. polynomial has the inner coefficients a_1 to
// a_(s-1), a_1 the highest digit.
var joeKuo = [64]struct {
	polynomial uint64
	initial    []uint64
}{
	{0, []uint64{1}},
	{1, []uint64{1, 3}},
	{1, []uint64{1, 3, 1}},
	{2, []uint64{1, 1, 1}},
	{1, []uint64{1, 1, 3, 3}},
	{4, []uint64{1, 3, 5, 13}},
	{2, []uint64{1, 1, 5, 5, 17}},
	{4, []uint64{1, 1, 5, 5, 5}},
	{7, []uint64{1, 1, 7, 11, 19}},
	{11, []uint64{1, 1, 5, 1, 1}},
	{13, []uint64{1, 1, 1, 3, 11}},
	{14, []uint64{1, 3, 5, 5, 31}},
	{1, []uint64{1, 3, 3, 9, 7, 49}},
	{13, []uint64{1, 1, 1, 15, 21, 21}},
	{16, []uint64{1, 3, 1, 13, 27, 49}},
	{19, []uint64{1, 1, 1, 15, 7, 5}},
	{22, []uint64{1, 3, 1, 15, 13, 25}},
	{25, []uint64{1, 1, 5, 5, 19, 61}},
	{1, []uint64{1, 3, 7, 11, 23, 15, 103}},
	{4, []uint64{1, 3, 7, 13, 13, 15, 69}},
	{7, []uint64{1, 1, 3, 13, 7, 35, 63}},
	{8, []uint64{1, 3, 5, 9, 1, 25, 53}},
	{14, []uint64{1, 3, 1, 13, 9, 35, 107}},
	{19, []uint64{1, 3, 1, 5, 27, 61, 31}},
	{21, []uint64{1, 1, 5, 11, 19, 41, 61}},
	{28, []uint64{1, 3, 5, 3, 3, 13, 69}},
	{31, []uint64{1, 1, 7, 13, 1, 19, 1}},
	{32, []uint64{1, 3, 7, 5, 13, 19, 59}},
	{37, []uint64{1, 1, 3, 9, 25, 29, 41}},
	{41, []uint64{1, 3, 5, 13, 23, 1, 55}},
	{42, []uint64{1, 3, 7, 3, 13, 59, 17}},
	{50, []uint64{1, 3, 1, 3, 5, 53, 69}},
	{55, []uint64{1, 1, 5, 5, 23, 33, 13}},
	{56, []uint64{1, 1, 7, 7, 1, 61, 123}},
	{59, []uint64{1, 1, 7, 9, 13, 61, 49}},
	{62, []uint64{1, 3, 3, 5, 3, 55, 33}},
	{14, []uint64{1, 3, 1, 15, 31, 13, 49, 245}},
	{21, []uint64{1, 3, 5, 15, 31, 59, 63, 97}},
	{22, []uint64{1, 3, 1, 11, 11, 11, 77, 249}},
	{38, []uint64{1, 3, 1, 11, 27, 43, 71, 9}},
	{47, []uint64{1, 1, 7, 15, 21, 11, 81, 45}},
	{49, []uint64{1, 3, 7, 3, 25, 31, 65, 79}},
	{50, []uint64{1, 3, 1, 1, 19, 11, 3, 205}},
	{52, []uint64{1, 1, 5, 9, 19, 21, 29, 157}},
	{56, []uint64{1, 3, 7, 11, 1, 33, 89, 185}},
	{67, []uint64{1, 3, 3, 3, 15, 9, 79, 71}},
	{70, []uint64{1, 3, 7, 11, 15, 39, 119, 27}},
	{84, []uint64{1, 1, 3, 1, 11, 31, 97, 225}},
	{97, []uint64{1, 1, 1, 3, 23, 43, 57, 177}},
	{103, []uint64{1, 3, 7, 7, 17, 17, 37, 71}},
	{115, []uint64{1, 3, 1, 5, 27, 63, 123, 213}},
	{122, []uint64{1, 1, 3, 5, 11, 43, 53, 133}},
	{8, []uint64{1, 3, 5, 5, 29, 17, 47, 173, 479}},
	{13, []uint64{1, 3, 3, 11, 3, 1, 109, 9, 69}},
	{16, []uint64{1, 1, 1, 5, 17, 39, 23, 5, 343}},
	{22, []uint64{1, 3, 1, 5, 25, 15, 31, 103, 499}},
	{25, []uint64{1, 1, 1, 11, 11, 17, 63, 105, 183}},
	{44, []uint64{1, 1, 5, 11, 9, 29, 97, 231, 363}},
	{47, []uint64{1, 1, 5, 15, 19, 45, 41, 7, 383}},
	{52, []uint64{1, 3, 7, 7, 31, 19, 83, 137, 221}},
	{55, []uint64{1, 1, 1, 3, 23, 15, 111, 223, 83}},
	{59, []uint64{1, 1, 5, 13, 31, 15, 55, 25, 161}},
	{62, []uint64{1, 1, 3, 13, 25, 47, 39, 87, 257}},
	{67, []uint64{1, 1, 1, 11, 21, 53, 125, 249, 293}},
}
