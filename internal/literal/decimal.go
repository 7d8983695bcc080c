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

// A Numeral is a number as written. The zero value is none; Read sets it.
type Numeral struct {
	mantissa  uint64 // its digits, if they are no more than mostDigits
	power     int32  // of ten, by which they are multiplied
	digits    int32  // in the mantissa, at most
	intDigits int32  // before the decimal mark
	negative  bool
	integer   bool // neither decimal mark nor exponent
	Exponent  bool
}

// Read sets n to the number that s begins with, and returns its length. It returns 0 if there is none, and n is of no use then.
func (n *Numeral) Read(s string, decimal byte) (end int) {
	start := signEnd(s, 0)
	i := start
	var m uint64
	for ; i < len(s) && IsDigit(s[i]); i++ { // few digits in most tables
		m = m*10 + uint64(s[i]-'0')
	}
	digits, power := i-start, 0
	n.intDigits, n.integer, n.Exponent = int32(digits), true, false
	if i < len(s) && s[i] == decimal {
		fraction := i + 1
		m, i = addDigits(m, s, fraction)
		n.integer, power = false, fraction-i
		digits -= power
	}
	if digits == 0 {
		return 0
	}
	if digits > mostDigits {
		digits = max(1, digits-leadingZeros(s[start:], decimal))
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		scale, length := exponent(s[i+1:])
		if length == 0 {
			return 0
		}
		n.integer, n.Exponent = false, true
		power += scale
		i += 1 + length
	}
	n.mantissa, n.power, n.digits, n.negative = m, int32(power), int32(digits), s[0] == '-'
	return i
}

// Value is the value of the number that was read from all of s; it is infinite if float64 cannot hold it. It is what strconv.ParseFloat returns, but for -0, which
// is 0.
func (n *Numeral) Value(s string, decimal byte) float64 {
	v, ok := product(n.mantissa, int(n.power))
	if n.digits > mostDigits || !ok {
		return slowValue(s, decimal)
	}
	if n.negative && v != 0 {
		return -v
	}
	return v
}

// Value parses what Scan accepted.
func Value(s string, decimal byte) float64 {
	var n Numeral
	n.Read(s, decimal)
	return n.Value(s, decimal)
}

// addDigits writes the digits of s from i on behind those of m, and returns where they end. What does not fit in 64 bits is lost.
func addDigits(m uint64, s string, i int) (uint64, int) {
	for len(s)-i >= 8 {
		// Eight bytes at a time: digits become 0 to 9, and what is above 9 then is none.
		const each = 0x0101010101010101
		t := s[i : i+8]
		word := uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 | uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
		word ^= '0' * each
		n := bits.TrailingZeros64((word+(0x80-10)*each|word)&(0x80*each)) / 8
		word <<= 64 - 8*n // zeros come in front
		// Digits are added in pairs, pairs in fours, and fours in eights.
		word = word*10 + word>>8
		m = m*tens[n] + (word&0x000000ff000000ff*(100+1000000<<32)+word>>16&0x000000ff000000ff*(1+10000<<32))>>32
		if i += n; n < 8 {
			return m, i
		}
	}
	for ; i < len(s) && IsDigit(s[i]); i++ {
		m = m*10 + uint64(s[i]-'0')
	}
	return m, i
}

// tens are powers of ten.
var tens = [9]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

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

// exponent reads what follows the letter, 0 bytes if that is no exponent. One of many digits is beyond maxPower.
func exponent(s string) (value, length int) {
	start := signEnd(s, 0)
	for length = start; length < len(s) && IsDigit(s[length]); length++ {
		value = min(10*value+int(s[length]-'0'), 1e6)
	}
	if length == start {
		return 0, 0
	}
	if s[0] == '-' {
		value = -value
	}
	return value, length
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
