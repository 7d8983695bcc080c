package columnar

import (
	"errors"
	"fmt"
)

// A ListLength gathers how many items the lists of a column have, which makes columns of them where all have as many. Rows without a list, or with an
// empty one, do not count. Its zero value has seen no row.
type ListLength struct {
	n       int
	refused string
}

// ErrUneven ends a pass that looks for the length: it is settled that there is none.
var ErrUneven = errors.New("lists of several lengths")

// Look takes row row, from 1, of so many items. The error is ErrUneven.
func (l *ListLength) Look(row, items int) error {
	switch {
	case l.refused != "":
		return ErrUneven
	case items == 0:
	case l.n == 0:
		l.n = items
	case l.n != items:
		l.refused = fmt.Sprintf("is a list of %d items in row %d and of %d before, want as many in every row", items, row, l.n)
		return ErrUneven
	}
	return nil
}

// Length returns the number of items of all rows that have any, or why they are no columns.
func (l *ListLength) Length() (n int, refused string) {
	if l.refused == "" && l.n == 0 {
		return 0, "is a list without any item"
	}
	return l.n, l.refused
}
