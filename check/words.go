package check

import (
	"fmt"
	"strings"

	"mediant/internal/plural"
)

// count writes a number of things.
var count = plural.Of

// verb is the form of a verb for a number of things.
func verb(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// short writes a number that was computed from a column with the digits that people compare.
func short(v float64) string { return fmt.Sprintf("%.4g", v) }

// naFlag is the flag that takes a value of a column for missing ones.
func naFlag(column string, value float64) string {
	return fmt.Sprintf("--na %q", field(fmt.Sprintf("%s=%g", column, value), ','))
}

// renameFlag is the flag that reads a column by another name.
func renameFlag(from, to string) string {
	return fmt.Sprintf("--rename %q", field(from, '=')+"="+field(to, '='))
}

// field is an item of a list as CSV writes it, in quotes where it has a separator or quotes itself.
func field(item string, separator rune) string {
	if !strings.ContainsRune(item, separator) && !strings.Contains(item, `"`) {
		return item
	}
	return `"` + strings.ReplaceAll(item, `"`, `""`) + `"`
}

// listed are how many rows have one of some values, the values as words, and the flags that take them for missing ones.
func listed(column string, values []valueCount) (rows int, words, flags string) {
	var are, na []string
	for _, v := range values {
		rows += v.rows
		are = append(are, fmt.Sprintf("%g", v.value))
		na = append(na, naFlag(column, v.value))
	}
	return rows, strings.Join(are, " or "), strings.Join(na, " ")
}
