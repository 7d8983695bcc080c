// Package plural writes numbers of things.
package plural

import "fmt"

// Of writes a number of things: 1 row, 2 rows.
func Of(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
