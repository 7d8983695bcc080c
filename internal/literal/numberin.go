package literal

import (
	"strings"
	"unicode/utf8"
)

// NumberIn finds the number in a cell that is none but has one, with its unit, its currency or marks of thousands: "18.5 %" has "18.5"
// and "%", "€ 3" has "3" and "€", "1,299.5" has "1299.5" and no unit. So have numbers in other spellings: "−0.5" with a minus of its own, "'0.5", "0.5-",
// "1.5D+03". The decimal mark is that of the file, 0 for a point; the
// number is written with it. What is a number, or could be one with the other decimal mark, has none within.
func NumberIn(cell string, decimal rune) (number, unit string, ok bool) {
	mark := byte('.')
	if decimal == ',' {
		mark = ','
	}
	cell = Trim(cell)
	if _, is := Scan(cell, mark); is || len(cell) > 64 {
		return "", "", false
	}
	number, unit = cell, ""
	if at := strings.LastIndexAny(cell, "0123456789.,"); at >= 0 && at < len(cell)-1 && IsUnit(Trim(cell[at+1:])) {
		if len(cell) == at+2 && 'A' <= cell[at+1] && cell[at+1] <= 'Z' {
			return "", "", false // a code such as 3A
		}
		number, unit = Trim(cell[:at+1]), Trim(cell[at+1:])
	} else if sign, rest := signOf(cell); rest != "" && !IsDigit(rest[0]) {
		if at := strings.IndexAny(rest, "0123456789.,+-"); at > 0 && currencies[Trim(rest[:at])] {
			number, unit = sign+Trim(rest[at:]), Trim(rest[:at])
		}
	}
	if _, is := Scan(number, mark); is {
		return number, unit, unit != ""
	}
	if plain, is := withoutThousands(number, mark); is {
		return plain, unit, true
	}
	if plain, is := Respelled(cell, mark); is && (strings.IndexByte(cell, mark) >= 0 || !IsDigit(cell[0])) && !strings.ContainsAny(cell, "*†‡") {
		return plain, "", true // not codes such as 1d3, grades such as 2-
	}
	return "", "", false
}

// currencies stand before numbers too.
var currencies = Words(`€ $ £ ¥ EUR USD GBP CHF JPY CNY SEK NOK DKK PLN CZK US$ A$ C$ Fr. Rs`)

// Respelled writes a number as such that stands in a cell in another spelling: with a minus of other letters or behind it, in
// quotes or brackets, with an exponent of Fortran's or a mark of a footnote.
func Respelled(cell string, decimal byte) (string, bool) {
	s := strings.NewReplacer("−", "-", "–", "-", "‘", "'", "’", "'", "“", "'", "”", "'").Replace(Trim(cell))
	s = Trim(strings.Trim(s, "'"))
	s = Trim(strings.TrimRight(s, "*†‡"))
	if inner, ok := strings.CutPrefix(s, "("); ok {
		if inner, ok = strings.CutSuffix(inner, ")"); ok {
			s = "-" + inner // as accountants write it
		}
	}
	if before, ok := strings.CutSuffix(s, "-"); ok {
		s = "-" + before
	}
	if at := strings.IndexAny(s, "dD"); at > 0 && IsDigit(s[at-1]) {
		s = s[:at] + "E" + s[at+1:]
	}
	_, ok := Scan(s, decimal)
	return s, ok && s != Trim(cell)
}

func signOf(s string) (sign, rest string) {
	end := signEnd(s, 0)
	return s[:end], Trim(s[end:])
}

// withoutThousands removes the marks between groups of three digits: commas or points, whichever is not the decimal mark, spaces
// or apostrophes. A single comma or point without decimals could be the other decimal mark, and is left.
func withoutThousands(s string, decimal byte) (string, bool) {
	for _, mark := range []string{",", ".", " ", "\u00a0", "\u202f", "\u2009", "'", "’", "_"} {
		if mark == string(decimal) || !strings.Contains(s, mark) {
			continue
		}
		whole, fraction, has := strings.Cut(s, string(decimal))
		groups := strings.Split(whole[signEnd(whole, 0):], mark)
		if n := len(groups[0]); n < 1 || n > 3 || len(groups) < 2 || utf8.RuneCountInString(mark) != 1 {
			continue
		}
		if len(groups) == 2 && !has && (mark == "," || mark == ".") {
			continue
		}
		right := digitsEnd(groups[0], 0) == len(groups[0])
		for _, g := range groups[1:] {
			right = right && len(g) == 3 && digitsEnd(g, 0) == 3
		}
		plain := strings.ReplaceAll(whole, mark, "")
		if has {
			plain += string(decimal) + fraction
		}
		if _, is := Scan(plain, decimal); right && is {
			return plain, true
		}
	}
	return "", false
}
