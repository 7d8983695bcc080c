// Package literal reads what is written in a cell of text: numbers, with or without units, dates, markers of missing values, and labels that are
// other spellings of one value.
package literal

import (
	"math"
	"strconv"
	"strings"
)

// Class is what a cell can be before the kind of its column is known.
type Class int

const (
	Missing Class = iota
	Number
	Huge   // a number whose square overflows float64
	Almost // looks like a number and is not one
	Word
)

// safeDigits is a number of integer digits that needs no parsing to see that the square is finite:
// sqrt(MaxFloat64) = 1.34e154 has 155 digits.
const safeDigits = 154

// exactDigits is a number of digits that float64 always keeps (DBL_DIG of C).
const exactDigits = 15

// Scan reports whether s, without spaces around it, is a number with this decimal mark.
func Scan(s string, decimal byte) (n Numeral, ok bool) {
	end := n.Read(s, decimal)
	return n, end == len(s) && end > 0
}

func signEnd(s string, i int) int {
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		return i + 1
	}
	return i
}

func digitsEnd(s string, i int) int {
	for i < len(s) && IsDigit(s[i]) {
		i++
	}
	return i
}

func IsDigit(b byte) bool { return '0' <= b && b <= '9' }

// Parse returns the value of a cell in a column of numbers, NaN if it is missing; only
// Missing and Number have one.
func Parse(cell string, decimal byte) (float64, Class) {
	s := Trim(cell)
	n, ok := Scan(s, decimal)
	if !ok {
		return math.NaN(), classifyOther(s, decimal)
	}
	return n.Parse(s, decimal)
}

// Parse is Parse of a cell that is all a number.
func (n *Numeral) Parse(s string, decimal byte) (float64, Class) {
	v := n.Value(s, decimal)
	if v*v > math.MaxFloat64 {
		return v, Huge
	}
	return v, Number
}

// Classify returns the class that Parse does, without parsing where the number of digits tells.
// lost reports an integer whose digits float64 does not keep, fraction a number not written as an
// integer.
func Classify(cell string, decimal byte) (class Class, fraction, lost bool) {
	s := Trim(cell)
	n, ok := Scan(s, decimal)
	if !ok {
		return classifyOther(s, decimal), false, false
	}
	return n.Classify(s, decimal)
}

// Classify is Classify of a cell that is all a number.
func (n *Numeral) Classify(s string, decimal byte) (class Class, fraction, lost bool) {
	if !n.Exponent && n.intDigits <= safeDigits {
		return Number, !n.integer, n.integer && n.intDigits > exactDigits && digitsLost(s)
	}
	if v := n.Value(s, decimal); v*v > math.MaxFloat64 {
		return Huge, !n.integer, false
	}
	return Number, !n.integer, n.integer && digitsLost(s)
}

// digitsLost reports whether the integer s reads back with other digits after float64.
func digitsLost(s string) bool {
	digits := strings.TrimLeft(s[signEnd(s, 0):], "0")
	if digits == "" {
		return false
	}
	v, _ := strconv.ParseFloat(digits, 64)
	return strconv.FormatFloat(v, 'f', -1, 64) != digits
}

// almostMarks stand before the digits of what people read as a number.
const almostMarks = "−–'‘’“”(<>=≤≥~≈$€£¥+- "

func classifyOther(s string, decimal byte) Class {
	if s == "" || UsualMarker(s) {
		return Missing
	}
	if b := s[0]; IsDigit(b) || b == '+' || b == '-' || b == '.' || b == decimal {
		return Almost
	}
	if rest := strings.TrimLeft(s, almostMarks); len(rest) < len(s) && rest != "" && (IsDigit(rest[0]) || rest[0] == decimal && len(rest) > 1 && IsDigit(rest[1])) {
		return Almost
	}
	switch strings.ToLower(s) {
	case "nan", "inf", "infinity":
		return Almost
	}
	return Word
}

// Trim is strings.TrimSpace with a fast way out.
func Trim(s string) string {
	if len(s) == 0 || plainByte(s[0]) && plainByte(s[len(s)-1]) {
		return s
	}
	return strings.TrimSpace(s)
}

// plainByte reports a byte that neither is a space nor part of one in UTF-8.
func plainByte(b byte) bool { return ' ' < b && b < 0x80 }
