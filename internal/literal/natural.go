package literal

import (
	"cmp"
	"strings"
)

// NaturalLess reports whether a sorts before b when runs of digits compare by value and everything
// else byte by byte: "2" < "10", "x9" < "x10a". Texts that differ only in leading zeros sort as
// bytes, "01" < "1", so the order is total: of two different texts one is less.
func NaturalLess(a, b string) bool { return NaturalCompare(a, b) < 0 }

// NaturalCompare is NaturalLess as a comparison for slices.SortFunc.
func NaturalCompare(a, b string) int {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		var c int
		if IsDigit(a[i]) && IsDigit(b[j]) {
			aEnd, bEnd := digitsEnd(a, i), digitsEnd(b, j)
			c = compareDigits(a[i:aEnd], b[j:bEnd])
			i, j = aEnd, bEnd
		} else {
			c = cmp.Compare(a[i], b[j])
			i, j = i+1, j+1
		}
		if c != 0 {
			return c
		}
	}
	if c := cmp.Compare(len(a)-i, len(b)-j); c != 0 {
		return c // at least one is used up
	}
	return strings.Compare(a, b)
}

// compareDigits compares the values of two runs of digits of any length.
func compareDigits(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}
