package literal

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseCell(t *testing.T) {
	for _, tt := range []struct {
		cell  string
		want  float64
		class Class
	}{
		{"0", 0, Number}, {"-0", 0, Number}, {"-0.0e9", 0, Number}, {"1", 1, Number},
		{"+2", 2, Number}, {"-2", -2, Number}, {"1.", 1, Number}, {".5", 0.5, Number},
		{"-.5e-1", -0.05, Number}, {"1E3", 1000, Number}, {"1e+3", 1000, Number},
		{"\t1 ", 1, Number}, {"\u00a01\u00a0", 1, Number}, {"007", 7, Number},
		{"1e-400", 0, Number}, {"-1e-400", 0, Number}, {"1e154", 1e154, Number},
		{"5e-324", 5e-324, Number}, {strings.Repeat("0", 400) + "1", 1, Number},
		{"1.35e154", 1.35e154, Huge}, {"-1e308", -1e308, Huge}, {"1e400", math.Inf(1), Huge},
		{"-1e400", math.Inf(-1), Huge}, {strings.Repeat("9", 400), math.Inf(1), Huge},
		{"", math.NaN(), Missing}, {" ", math.NaN(), Missing}, {"NA", math.NaN(), Missing}, {"N/A", math.NaN(), Missing},
		{"NaN", math.NaN(), Missing}, {"nan", math.NaN(), Missing}, {"null", math.NaN(), Missing}, {"NULL", math.NaN(), Missing},
		{" NA ", math.NaN(), Missing},
		{"NAN", math.NaN(), Almost}, {"Nan", math.NaN(), Almost}, {"Inf", math.NaN(), Almost}, {"inf", math.NaN(), Almost},
		{"Infinity", math.NaN(), Almost}, {"-inf", math.NaN(), Almost}, {"+NaN", math.NaN(), Almost},
		{".", math.NaN(), Almost}, {"-", math.NaN(), Almost}, {"+", math.NaN(), Almost}, {"e3", math.NaN(), Word},
		{".e3", math.NaN(), Almost}, {"1e", math.NaN(), Almost}, {"1e+", math.NaN(), Almost}, {"1e1.5", math.NaN(), Almost},
		{"--1", math.NaN(), Almost}, {"1-", math.NaN(), Almost}, {"1 2", math.NaN(), Almost}, {"1,5", math.NaN(), Almost},
		{"1_000", math.NaN(), Almost}, {"1'000", math.NaN(), Almost}, {"0x1p4", math.NaN(), Almost}, {"1d3", math.NaN(), Almost},
		{"1f", math.NaN(), Almost}, {"1.5.2", math.NaN(), Almost}, {"2024-01-01", math.NaN(), Almost}, {"1%", math.NaN(), Almost},
		{"−1", math.NaN(), Almost}, {"$1", math.NaN(), Almost}, {">5", math.NaN(), Almost}, {"(1)", math.NaN(), Almost}, {"$", math.NaN(), Word}, {"<a", math.NaN(), Word}, {"na", math.NaN(), Word}, {"None", math.NaN(), Word}, {"?", math.NaN(), Word},
	} {
		v, class := Parse(tt.cell, '.')
		if class != tt.class || v != tt.want && !(math.IsNaN(v) && math.IsNaN(tt.want)) || v == 0 && math.Signbit(v) {
			t.Errorf("%q is %v of class %d, want %v of class %d", tt.cell, v, class, tt.want, tt.class)
		}
		if got, _, _ := Classify(tt.cell, '.'); got != tt.class {
			t.Errorf("%q is classified %d, want %d", tt.cell, got, tt.class)
		}
	}
}

// The grammar of the package documentation as a regular expression, and strconv on what it passes.
func TestParseCellAgainstRegexp(t *testing.T) {
	for _, mark := range []string{".", ","} {
		m := regexp.QuoteMeta(mark)
		grammar := regexp.MustCompile(`^[+-]?([0-9]+` + m + `?[0-9]*|` + m + `[0-9]+)([eE][+-]?[0-9]+)?$`)
		rapid.Check(t, func(t *rapid.T) {
			s := rapid.StringMatching(`[-+0-9.,eE_x]{0,8}|[-+]?[0-9]{0,4}[.,]?[0-9]{0,3}(e[-+]?[0-9]{1,3})?`).Draw(t, "cell")
			want := math.NaN()
			if grammar.MatchString(s) {
				v, err := strconv.ParseFloat(strings.Replace(s, mark, ".", 1), 64)
				if err == nil && !math.IsInf(v*v, 0) {
					want = v
				}
			}
			got, class := Parse(s, mark[0])
			if class != Number {
				got = math.NaN()
			}
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%q is %v, want %v", s, got, want)
			}
			if c, _, _ := Classify(s, mark[0]); c != class {
				t.Errorf("%q is of class %d, but classified %d", s, class, c)
			}
		})
	}
}

func TestDigitsLost(t *testing.T) {
	for s, want := range map[string]bool{
		"0": false, "-0": false, "000000000000000000": false, "9007199254740992": false, "9007199254740993": true,
		"-9007199254740993": true, "+9007199254740993": true, "00009007199254740992": false,
		"1234567890123450000": false, "1234567890123450001": true, "100000000000000000000000": false,
	} {
		if _, _, lost := Classify(s, '.'); lost != want {
			t.Errorf("digits of %s lost: %v, want %v", s, lost, want)
		}
	}
}
