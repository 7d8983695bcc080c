package tables

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
		class cellClass
	}{
		{"0", 0, cellNumber}, {"-0", 0, cellNumber}, {"-0.0e9", 0, cellNumber}, {"1", 1, cellNumber},
		{"+2", 2, cellNumber}, {"-2", -2, cellNumber}, {"1.", 1, cellNumber}, {".5", 0.5, cellNumber},
		{"-.5e-1", -0.05, cellNumber}, {"1E3", 1000, cellNumber}, {"1e+3", 1000, cellNumber},
		{"\t1 ", 1, cellNumber}, {"\u00a01\u00a0", 1, cellNumber}, {"007", 7, cellNumber},
		{"1e-400", 0, cellNumber}, {"-1e-400", 0, cellNumber}, {"1e154", 1e154, cellNumber},
		{"5e-324", 5e-324, cellNumber}, {strings.Repeat("0", 400) + "1", 1, cellNumber},
		{"1.35e154", 1.35e154, cellHuge}, {"-1e308", -1e308, cellHuge}, {"1e400", math.Inf(1), cellHuge},
		{"-1e400", math.Inf(-1), cellHuge}, {strings.Repeat("9", 400), math.Inf(1), cellHuge},
		{"", nan, cellMissing}, {" ", nan, cellMissing}, {"NA", nan, cellMissing}, {"N/A", nan, cellMissing},
		{"NaN", nan, cellMissing}, {"nan", nan, cellMissing}, {"null", nan, cellMissing}, {"NULL", nan, cellMissing},
		{" NA ", nan, cellMissing},
		{"NAN", nan, cellAlmost}, {"Nan", nan, cellAlmost}, {"Inf", nan, cellAlmost}, {"inf", nan, cellAlmost},
		{"Infinity", nan, cellAlmost}, {"-inf", nan, cellAlmost}, {"+NaN", nan, cellAlmost},
		{".", nan, cellAlmost}, {"-", nan, cellAlmost}, {"+", nan, cellAlmost}, {"e3", nan, cellWord},
		{".e3", nan, cellAlmost}, {"1e", nan, cellAlmost}, {"1e+", nan, cellAlmost}, {"1e1.5", nan, cellAlmost},
		{"--1", nan, cellAlmost}, {"1-", nan, cellAlmost}, {"1 2", nan, cellAlmost}, {"1,5", nan, cellAlmost},
		{"1_000", nan, cellAlmost}, {"1'000", nan, cellAlmost}, {"0x1p4", nan, cellAlmost}, {"1d3", nan, cellAlmost},
		{"1f", nan, cellAlmost}, {"1.5.2", nan, cellAlmost}, {"2024-01-01", nan, cellAlmost}, {"1%", nan, cellAlmost},
		{"−1", nan, cellAlmost}, {"$1", nan, cellAlmost}, {">5", nan, cellAlmost}, {"(1)", nan, cellAlmost}, {"$", nan, cellWord}, {"<a", nan, cellWord}, {"na", nan, cellWord}, {"None", nan, cellWord}, {"?", nan, cellWord},
	} {
		v, class := parseCell(tt.cell, '.')
		if class != tt.class || v != tt.want && !(math.IsNaN(v) && math.IsNaN(tt.want)) || v == 0 && math.Signbit(v) {
			t.Errorf("%q is %v of class %d, want %v of class %d", tt.cell, v, class, tt.want, tt.class)
		}
		if got, _, _ := classifyCell(tt.cell, '.'); got != tt.class {
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
			want := nan
			if grammar.MatchString(s) {
				v, err := strconv.ParseFloat(strings.Replace(s, mark, ".", 1), 64)
				if err == nil && !math.IsInf(v*v, 0) {
					want = v
				}
			}
			got, class := parseCell(s, mark[0])
			if class != cellNumber {
				got = nan
			}
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%q is %v, want %v", s, got, want)
			}
			if c, _, _ := classifyCell(s, mark[0]); c != class {
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
		if _, _, lost := classifyCell(s, '.'); lost != want {
			t.Errorf("digits of %s lost: %v, want %v", s, lost, want)
		}
	}
}

func TestKindOfBigIntegers(t *testing.T) {
	for _, tt := range []struct {
		cells string
		want  Kind
	}{
		{"1\n9007199254740993\n", Text},
		{"NA\n9007199254740993\n", Text},
		{"1.5\n9007199254740993\n", Numeric},
		{"1e3\n9007199254740993\n", Numeric},
		{"1\n9007199254740992\n", Numeric},
	} {
		if got := mustOpen(t, "id\n"+tt.cells, CSVOptions{}).Columns()[0].Kind; got != tt.want {
			t.Errorf("%q is %v, want %v", tt.cells, got, tt.want)
		}
	}
}
