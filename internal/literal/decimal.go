package literal

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// mostDigits is the number of decimal digits that a uint64 always holds.
const mostDigits = 19

// maxPower bounds the powers of ten that are multiplied by here; strconv has the others. Few tables have numbers beyond.
const maxPower = 64

// powers has the first 64 bits of 10^q from q = -maxPower on, the highest one set, the rest cut off.
var powers = func() (table [2*maxPower + 1]uint64) {
	const scale = 64 + 4*maxPower // bits behind the point, so that 64 are left of the smallest power
	for i := range table {
		ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(i-maxPower, maxPower-i))), nil)
		p := new(big.Int).Lsh(big.NewInt(1), scale)
		if i < maxPower {
			p.Quo(p, ten)
		} else {
			p.Mul(p, ten)
		}
		table[i] = p.Rsh(p, uint(p.BitLen()-64)).Uint64()
	}
	return table
}()

// product returns the float64 nearest to m 10^q, or false where 64 bits of the power do not decide which that is, as in one of some thousand cases. The
// bounds are those of D. Lemire, Number parsing at a gigabyte per second, 2021.
func product(m uint64, q int) (v float64, ok bool) {
	if m == 0 {
		return 0, true
	}
	if q < -maxPower || q > maxPower {
		return 0, false
	}
	shift := bits.LeadingZeros64(m)
	m <<= shift
	// The power is in [p, p+1), and so the product in [hi:lo, hi:lo + m).
	hi, lo := bits.Mul64(m, powers[q+maxPower])
	_, carry := bits.Add64(lo, m, 0)
	// 53 bits of hi are kept, and those behind them are compared with a half.
	top := hi >> 63
	behind := 10 + uint(top)
	rest, half := hi&(1<<behind-1), uint64(1)<<(behind-1)
	if rest == half && lo == 0 || rest == half-1 && carry != 0 {
		return 0, false
	}
	kept := hi >> behind
	if rest >= half {
		kept++ // to 2^53 perhaps, which float64 has too
	}
	// 10^q has its highest bit at floor(q log2(10)); 217706/2^16 is log2(10) as exactly as these q need.
	e := (217706*q)>>16 + 1 - shift + int(behind)
	return math.Float64frombits(uint64(e+1023)<<52) * float64(kept), true
}

// Value parses what Scan accepted; it is infinite if float64 cannot hold it. It is what strconv.ParseFloat returns, but for -0, which is 0.
func Value(s string, decimal byte) float64 {
	start := signEnd(s, 0)
	m, i := addDigits(0, s, start)
	digits, q := i-start, 0
	if i < len(s) && s[i] == decimal {
		fraction := i + 1
		m, i = addDigits(m, s, fraction)
		q = fraction - i
		digits -= q
	}
	if digits > mostDigits {
		digits -= leadingZeros(s[start:], decimal)
	}
	if i < len(s) {
		q += exponent(s[i+1:])
	}
	v, ok := product(m, q)
	if digits > mostDigits || !ok {
		return slowValue(s, decimal)
	}
	if s[0] == '-' && v != 0 {
		return -v
	}
	return v
}

// addDigits writes the digits of s from i on behind those of m, and returns where they end. What does not fit in 64 bits is lost.
func addDigits(m uint64, s string, i int) (uint64, int) {
	for ; len(s)-i >= 8; i += 8 {
		word := eight(s[i:])
		if !allDigits(word) {
			break
		}
		// Digits are added in pairs, pairs in fours, and fours in eights.
		word -= '0' * 0x0101010101010101
		word = word*10 + word>>8
		word = (word&0x000000ff000000ff*(100+1000000<<32) + word>>16&0x000000ff000000ff*(1+10000<<32)) >> 32
		m = m*1e8 + word
	}
	for ; i < len(s) && IsDigit(s[i]); i++ {
		m = m*10 + uint64(s[i]-'0')
	}
	return m, i
}

// eight returns the first 8 bytes of s, the first one lowest.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// allDigits reports whether all 8 bytes are digits: their upper half is 3, also after 6 is added to the lower one.
func allDigits(word uint64) bool {
	const upper, three, six = 0xf0f0f0f0f0f0f0f0, 0x3030303030303030, 0x0606060606060606
	return word&upper == three && (word+six)&upper == three
}

// leadingZeros counts the zeros before the first other digit.
func leadingZeros(s string, decimal byte) int {
	n := 0
	for i := range len(s) {
		if s[i] == '0' {
			n++
		} else if s[i] != decimal {
			break
		}
	}
	return n
}

// exponent reads what follows the letter; one of many digits is beyond maxPower.
func exponent(s string) int {
	n := 0
	for i := signEnd(s, 0); i < len(s) && n < 1e6; i++ {
		n = 10*n + int(s[i]-'0')
	}
	if s[0] == '-' {
		return -n
	}
	return n
}

func slowValue(s string, decimal byte) float64 {
	if decimal != '.' {
		s = strings.Replace(s, string(decimal), ".", 1)
	}
	v, _ := strconv.ParseFloat(s, 64)
	if v == 0 {
		return 0 // not -0
	}
	return v
}
