package literal

import (
	"strings"
)

// LabelKey is equal for labels that are other spellings of one number or truth value: 1, 1.0 and 1.00, .5 and 0.50, TRUE, True and true.
// Spaces around them do not count. A label that is neither is its own key, as are codes: 01, +1 and 1e3 are text.
func LabelKey(label string) string {
	s := Trim(label)
	switch s {
	case "TRUE", "True", "true":
		return "true"
	case "FALSE", "False", "false":
		return "false"
	}
	n, ok := Scan(s, '.')
	if !ok || n.Exponent || s[0] == '+' {
		return label
	}
	sign, digits := "", s
	if s[0] == '-' {
		sign, digits = "-", s[1:]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	if len(whole) > 1 && whole[0] == '0' {
		return label
	}
	if whole == "" {
		whole = "0"
	}
	fraction = strings.TrimRight(fraction, "0")
	switch {
	case fraction != "":
		return sign + whole + "." + fraction
	case whole == "0":
		return whole // also -0
	}
	return sign + whole
}
