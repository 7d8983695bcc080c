package tables

import (
	"fmt"
	"strings"

	"mediant/internal/names"
)

// A Selection finds chosen columns in the batches of a source whose columns may be more and in
// another order. It is made by Select, does not change, and is safe for concurrent use.
type Selection struct {
	places []columnPlace
}

// A columnPlace is where a Batch has a column.
type columnPlace struct {
	kind  Kind
	index int // in Num or Text
}

// Select finds the wanted columns by name, exactly or else in canonical form (CanonicalName), among those that a source has;
// other columns are ignored. The error lists all names that are missing, or the columns of another kind than wanted.
func Select(have, want []Column) (*Selection, error) {
	index, _, _ := kindIndexes(have)
	at := names.NewLookup(ColumnNames(have))
	s := &Selection{places: make([]columnPlace, len(want))}
	var missing, other []string
	for k, w := range want {
		i := at.Find(w.Name)
		switch {
		case i < 0:
			missing = append(missing, w.Name)
			continue
		case have[i].Kind != w.Kind:
			other = append(other, fmt.Sprintf("column %q is %v, want %v", w.Name, have[i].Kind, w.Kind))
		}
		s.places[k] = columnPlace{w.Kind, index[i]}
	}
	switch {
	case len(missing) == 1:
		return nil, fmt.Errorf("tables: %w", names.Missing(ColumnNames(have), missing[0]))
	case len(missing) > 0:
		return nil, fmt.Errorf("tables: no column %s; there are %s", names.List(missing), names.List(ColumnNames(have)))
	case len(other) > 0:
		return nil, fmt.Errorf("tables: %s", strings.Join(other[:min(len(other), names.Listed)], "; "))
	}
	return s, nil
}

// Len returns the number of columns chosen.
func (s *Selection) Len() int { return len(s.places) }

// Place returns the kind of the i-th wanted column and its index in a Batch: column index of Num or
// element index of Text.
func (s *Selection) Place(i int) (kind Kind, index int) {
	return s.places[i].kind, s.places[i].index
}

// NumericTo stores the values of the i-th wanted column in dst, which must have b.Rows elements.
// It panics if the column is Text.
func (s *Selection) NumericTo(dst []float64, b Batch, i int) {
	p := s.places[i]
	if p.kind != Numeric {
		panic("tables: numbers asked of a text column")
	}
	if len(dst) != b.Rows {
		panic(fmt.Sprintf("tables: dst has %d elements, want %d", len(dst), b.Rows))
	}
	raw := b.Num.RawMatrix()
	for r := range dst {
		dst[r] = raw.Data[r*raw.Stride+p.index]
	}
}

// Text returns the cells of the i-th wanted column; they are those of the batch, not a copy. It
// panics if the column is Numeric.
func (s *Selection) Text(b Batch, i int) []string {
	p := s.places[i]
	if p.kind != Text {
		panic("tables: text asked of a numeric column")
	}
	return b.Text[p.index]
}
