package tables

import (
	"slices"
	"strings"
)

// markers are cells of a column that mark missing values besides the usual ones.
type markers struct {
	texts   []string
	numbers []float64
	decimal byte
}

// newMarkers returns those of each column that CSVOptions.NA names, nil where there are none.
func newMarkers(columns []Column, na []string, decimal byte) ([]*markers, error) {
	all := make([]*markers, len(columns))
	for _, marker := range na {
		where := make([]int, len(columns))
		for i := range where {
			where[i] = i
		}
		if at := strings.LastIndex(marker, "="); at > 0 && at < len(marker)-1 {
			var err error
			if where, err = matchOne(columns, marker[:at]); err != nil {
				return nil, err
			}
			marker = marker[at+1:]
		}
		for _, i := range where {
			if all[i] == nil {
				all[i] = &markers{decimal: decimal}
			}
			all[i].add(trimSpaces(marker))
		}
	}
	return all, nil
}

func (m *markers) add(marker string) {
	m.texts = append(m.texts, marker)
	for _, mark := range []byte{m.decimal, '.'} { // of the file, or of whoever wrote the marker
		if _, ok := scanNumeral(marker, mark); ok {
			m.numbers = append(m.numbers, numeralValue(marker, mark))
			return
		}
	}
}

// has reports whether a cell without spaces around it is a marker, or the same number as one. No markers have none.
func (m *markers) has(cell string) bool {
	if m == nil {
		return false
	}
	if slices.Contains(m.texts, cell) {
		return true
	}
	if len(m.numbers) == 0 {
		return false
	}
	_, ok := scanNumeral(cell, m.decimal)
	return ok && slices.Contains(m.numbers, numeralValue(cell, m.decimal))
}

// unusualMarker reports whether a cell without spaces around it often marks missing values, which CSVOptions.NA has to say.
func unusualMarker(cell string) bool {
	const longest = len("not applicable")
	if cell == "" || len(cell) > longest || !markerStarts[cell[0]] {
		return false
	}
	return unusualMarkers[strings.ToLower(cell)]
}

var unusualMarkers, markerStarts = func() (set map[string]bool, starts [256]bool) {
	set = wordSet(`
		. .. ... - -- --- – — ? ?? * #n/a #na #null! #value! #div/0! #ref! #name? #num! <na> <nan> <null> (null) (missing) (empty) (blank)
		none nil n/a na n.a. n.a k.a. nan -nan 1.#qnan -1.#ind null nul \n missing unknown unk empty blank fehlt unbekannt inconnu desconocido
	`)
	set["not available"], set["not applicable"], set["k. a."], set["keine angabe"] = true, true, true, true
	for word := range set {
		starts[word[0]], starts[strings.ToUpper(word)[0]] = true, true
	}
	return set, starts
}()

// A Reading is how the files that a model learned from were read, as far as later ones must be read so too: see the fields of
// CSVOptions of the same names.
type Reading struct {
	NA      []string          `json:"na,omitempty"`
	Dates   []string          `json:"dates,omitempty"`
	Aliases map[string]string `json:"aliases,omitempty"`
}

// IsZero reports a file that is read as it stands.
func (r Reading) IsZero() bool { return len(r.NA)+len(r.Dates)+len(r.Aliases) == 0 }
