package literal

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// wantParsed compares Value with strconv.ParseFloat, bit for bit.
func wantParsed(t interface{ Errorf(string, ...any) }, s string) {
	if _, ok := Scan(s, '.'); !ok {
		return
	}
	want, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(want, 0) {
		t.Errorf("%q is a number here and none of strconv: %v", s, err)
	}
	if want == 0 {
		want = 0
	}
	for _, decimal := range []byte{'.', ','} {
		written := strings.Replace(s, ".", string(decimal), 1)
		if got := Value(written, decimal); math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%q is %x, want %x", written, got, want)
		}
	}
}

func TestValueIsThatOfStrconv(t *testing.T) {
	for _, s := range []string{
		"0", "-0", "-0.0e5", "1", ".5", "5.", "+.25", "9007199254740993", "9007199254740992.5", "0.1", "1e23", "8.5e22", "1e22", "1e-22", "123456789012345678e-64", "1e64", "1e65", "1e-65",
		"18446744073709551615", "18446744073709551616", "9999999999999999999", "99999999999999999999", "0.00000000000000000000000012345678901234567", "000000000000000000000000000001.5", "1e308", "1e309", "1e99999999999999999999", "1e-99999999999999999999", "5e-324", "2e-324",
		"9007199254740993e0", "4503599627370496.5", "4503599627370497.5", "4503599627370497.500000000000001", "1.00000000000000011102230246251565404", "1.0000000000000001110223024625156541", "72057594037927945", "1234567.8", "12345678", "123456789", "12345678.12345678",
	} {
		wantParsed(t, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.Uint64().Draw(t, "bits")
		v := math.Float64frombits(bits)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return
		}
		scaled := math.Float64frombits(bits&^(0x7ff<<52) | (1023-60+bits>>52%120)<<52) // as tables have them
		for _, v := range []float64{v, scaled, (scaled + math.Nextafter(scaled, 2*scaled)) / 2} {
			for _, form := range []string{"%v", "%g", "%.17g", "%.6g", "%.16e", "%.20e", "%f"} {
				wantParsed(t, fmt.Sprintf(form, v))
			}
		}
	})
}

// TestHalfways: numbers of which 64 bits of a power of ten do not show how they are rounded.
func TestHalfways(t *testing.T) {
	undecided := 0
	for q := -maxPower; q <= maxPower; q++ {
		for m := uint64(1) << 53; m < 1<<53+2000; m++ {
			if _, ok := product(m, q); !ok {
				undecided++
			}
			wantParsed(t, fmt.Sprintf("%de%d", m, q))
		}
	}
	if undecided == 0 || undecided > 2000 {
		t.Errorf("%d of %d numbers are left to strconv, want some", undecided, 2000*(2*maxPower+1))
	}
}

// FuzzValue compares numbers with those of strconv.ParseFloat, bit for bit.
func FuzzValue(f *testing.F) {
	for _, s := range []string{"0.1257302210933933", "-1.5e-7", "9007199254740993", "123456789012345678901234567890", ".00000001", "1e400"} {
		f.Add(s, uint64(1)<<53+1, -20)
	}
	f.Fuzz(func(t *testing.T, s string, m uint64, q int) {
		wantParsed(t, s)
		q %= 400
		wantParsed(t, fmt.Sprintf("%de%d", m, q))
		if digits := strconv.FormatUint(m, 10); q >= 0 && q < len(digits) {
			wantParsed(t, digits[:q]+"."+digits[q:])
		}
	})
}

func BenchmarkValue(b *testing.B) {
	for _, s := range []string{"0.1257302210933933", "-0.132105", "12"} {
		b.Run(s, func(b *testing.B) {
			for b.Loop() {
				Value(s, '.')
			}
		})
		b.Run("strconv/"+s, func(b *testing.B) {
			for b.Loop() {
				strconv.ParseFloat(s, 64)
			}
		})
	}
}
