package names

import (
	"fmt"
	"strings"

	"mediant/internal/lookalike"
)

// Names beyond these bounds are not compared, so that an error about a wide table takes no time.
const (
	comparedNames   = 10000
	comparedLetters = 64
)

// Nearest returns the name that a misspelt one most likely stands for: the one with the fewest letters inserted, left out, replaced or exchanged with
// the next, without regard to case; the first of several. It is "" if that takes more than a third of the letters, or more than one of fewer than six.
func Nearest(names []string, name string) string {
	wanted := folded(name)
	best, least := "", max(len(wanted)/3, min(len(wanted)-1, 1))+1
	for _, n := range names[:min(len(names), comparedNames)] {
		letters := folded(n)
		if len(wanted) > comparedLetters || len(letters) > comparedLetters || len(letters) == 0 {
			continue
		}
		if d := edits(wanted, letters); d < least {
			best, least = n, d
		}
	}
	return best
}

// folded are the letters of a name that are compared.
func folded(name string) []rune {
	return []rune(lookalike.Fold(strings.ToLower(Canonical(name))))
}

// edits is the number of letters that are inserted, left out, replaced or exchanged with the next between two texts (the optimal string alignment distance).
func edits(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i, x := range a {
		row[0] = i + 1
		for j, y := range b {
			same := 1
			if x == y {
				same = 0
			}
			row[j+1] = min(last[j]+same, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && x == b[j-1] && a[i-1] == y {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// DidYouMean is what an error about a name that is not there says of the nearest one, "" if there is none.
func DidYouMean(names []string, name string) string {
	if near := Nearest(names, name); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}
