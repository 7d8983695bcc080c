package report

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TextCell is a cell of text.
func TextCell(text string) Cell { return Cell{Text: text} }

// Number is a cell of a number: it shows four significant digits, or all digits of a whole number
// below 1e15, sorts by the number itself, and shows it in full on hover.
func Number(v float64) Cell { return Cell{Text: FormatNumber(v), Value: &v} }

// Verdict is a cell of text marked Good or Bad. The text must say so, too: colours are not seen by
// everyone and not in every format.
func Verdict(good bool, text string) Cell {
	if good {
		return Cell{Text: text, Mark: Good}
	}
	return Cell{Text: text, Mark: Bad}
}

// FormatNumber writes v as Number shows it: four significant digits without zeros at the end,
// "1.518", "0.025", "1.2e-5"; whole numbers below 1e15 in full; "NaN", "Inf", "-Inf".
func FormatNumber(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	case v == 0:
		return "0"
	case a == math.Trunc(a) && a < 1e15: // exact in a float64, and readable
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a < 1e-3 || a >= 1e6:
		return scientific(v, 3)
	case a >= 1e3: // four digits would round before the decimal point
		return strconv.FormatFloat(v, 'f', 0, 64)
	default:
		return trimZeros(strconv.FormatFloat(v, 'f', 3-int(math.Floor(math.Log10(a))), 64))
	}
}

// fullNumber has the fewest digits that read back as v.
func fullNumber(v float64) string {
	if a := math.Abs(v); a == 0 || 1e-4 <= a && a < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return scientific(v, -1)
}

// scientific is "1.2e-5", where strconv would write "1.200e-05".
func scientific(v float64, digits int) string {
	mantissa, exponent, ok := strings.Cut(strconv.FormatFloat(v, 'e', digits, 64), "e")
	if !ok {
		return mantissa // NaN and the infinities
	}
	sign, power := exponent[:1], strings.TrimLeft(exponent[1:], "0")
	if sign == "+" {
		sign = ""
	}
	if power == "" {
		return trimZeros(mantissa)
	}
	return trimZeros(mantissa) + "e" + sign + power
}

func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// shown is what a reader sees of c.
func (c Cell) shown() string {
	if c.Text != "" || c.Value == nil {
		return clean(c.Text)
	}
	return FormatNumber(*c.Value)
}

// full is c's number with all its digits, or "" if it has none.
func (c Cell) full() string {
	if c.Value == nil || math.IsNaN(*c.Value) {
		return ""
	}
	return fullNumber(*c.Value)
}

// numeric tells for each column whether it is set as numbers are: aligned right.
func (t *Table) numeric() []bool {
	is := make([]bool, len(t.Columns))
	for c := range is {
		for _, row := range t.Rows {
			if row[c].Value != nil {
				is[c] = true
			} else if row[c].Text != "" {
				is[c] = false
				break
			}
		}
	}
	return is
}

// clean makes s one line of valid UTF-8 without what terminals obey or XML forbids: control
// characters and the marks that turn the direction of text.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return ' '
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		case r == '\ufffe', r == '\uffff':
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(s, string(utf8.RuneError)))
}
