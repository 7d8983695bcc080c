package report

import (
	"math"
	"strconv"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestFormatNumber(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "0"}, {1, "1"}, {-3, "-3"}, {0.5, "0.5"}, {1.51834, "1.518"},
		{0.0251, "0.0251"}, {0.001, "0.001"}, {0.00099951, "9.995e-4"}, {1.2e-5, "1.2e-5"}, {1e-15, "1e-15"},
		{-2.5e-300, "-2.5e-300"}, {999.96, "1000"}, {0.99999, "1"}, {12345.678, "12346"}, {1234567.8, "1.235e6"},
		{100000, "100000"}, {1 << 40, "1099511627776"}, {1e15, "1e15"}, {6.02e23, "6.02e23"},
		{math.MaxFloat64, "1.798e308"}, {5e-324, "4.941e-324"},
		{math.NaN(), "NaN"}, {math.Inf(1), "Inf"}, {math.Inf(-1), "-Inf"},
	} {
		if got := FormatNumber(c.v); got != c.want {
			t.Errorf("FormatNumber(%g) = %q, want %q", c.v, got, c.want)
		}
	}
}

func TestFormatsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(-math.MaxFloat64/2, math.MaxFloat64/2).Draw(t, "v")
		// Half a unit of the fourth digit, of which the first is at least 1: 5e-4.
		short, err := strconv.ParseFloat(FormatNumber(v), 64)
		if err != nil || math.Abs(short-v) > 5e-4*math.Abs(v)*(1+1e-12)+5e-324 {
			t.Errorf("FormatNumber(%g) reads back as %g, %v", v, short, err)
		}
		full, err := strconv.ParseFloat(fullNumber(v), 64)
		if err != nil || full != v {
			t.Errorf("fullNumber(%g) = %s", v, fullNumber(v))
		}
	})
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain λ ≤ ½":          "plain λ ≤ ½",
		"a\x00b\tc\nd\x1b[31m": "a b c d [31m",
		"a\u2028b\u202ec":      "a bc",
		"bad \xff utf":         "bad \ufffd utf",
		"non\uffffcharacter":   "non\ufffdcharacter",
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "s"))
		if got := clean(s); !utf8.ValidString(got) || clean(got) != got {
			t.Errorf("clean(%q) = %q", s, got)
		}
	})
}

func TestVerdictsAreMarked(t *testing.T) {
	if c := Verdict(true, "holds"); c != (Cell{Text: "holds", Mark: Good}) {
		t.Errorf("got %+v", c)
	}
	if c := Verdict(false, "fails"); c != (Cell{Text: "fails", Mark: Bad}) {
		t.Errorf("got %+v", c)
	}
}
