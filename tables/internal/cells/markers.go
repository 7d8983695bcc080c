package cells

import (
	"slices"
	"strings"

	"mediant/internal/literal"
	"mediant/internal/names"
)

// Markers are cells of a column that mark missing values besides the usual ones.
type Markers struct {
	texts   []string
	numbers []float64
	decimal byte
}

// newMarkers returns those of each column that Options.NA names, nil where there are none.
func newMarkers(heads []string, na []string, decimal byte) ([]*Markers, error) {
	all := make([]*Markers, len(heads))
	for _, marker := range na {
		where := make([]int, len(heads))
		for i := range where {
			where[i] = i
		}
		if at := strings.LastIndex(marker, "="); at > 0 && at < len(marker)-1 {
			var err error
			if where, err = names.Match(heads, marker[:at]); err != nil {
				return nil, err
			}
			marker = marker[at+1:]
		}
		for _, i := range where {
			if all[i] == nil {
				all[i] = &Markers{decimal: decimal}
			}
			all[i].add(literal.Trim(marker))
		}
	}
	return all, nil
}

func (m *Markers) add(marker string) {
	m.texts = append(m.texts, marker)
	for _, mark := range []byte{m.decimal, '.'} { // of the file, or of whoever wrote the marker
		if _, ok := literal.Scan(marker, mark); ok {
			m.numbers = append(m.numbers, literal.Value(marker, mark))
			return
		}
	}
}

// Has reports whether a cell without spaces around it is a marker, or the same number as one. No markers have none.
func (m *Markers) Has(cell string) bool {
	if m == nil {
		return false
	}
	if slices.Contains(m.texts, cell) {
		return true
	}
	if len(m.numbers) == 0 {
		return false
	}
	_, ok := literal.Scan(cell, m.decimal)
	return ok && slices.Contains(m.numbers, literal.Value(cell, m.decimal))
}

// HasNumber reports whether a number is a marker.
func (m *Markers) HasNumber(v float64) bool { return m != nil && slices.Contains(m.numbers, v) }
