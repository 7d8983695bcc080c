package csv

import (
	"fmt"
	"strings"

	"mediant/internal/literal"
)

// leastSwallowed is how many cells a row has at least for lines in quotes to be taken for rows, and swallowedTexts how many rows there are where
// no column is of numbers: a sentence may have a comma in every line.
const leastSwallowed, swallowedTexts = 3, 5

// swallowed refuses a record whose quotes hold whole rows: a cell that begins with a quote by mistake goes on to the next such cell. Then
// each of its lines has the cells of a row, and the columns are numbers, or not, in all of them alike. Lines of a text that have as many delimiters
// have no numbers in the same places.
func (r *records) swallowed(record []string) error {
	n := len(record)
	if n < leastSwallowed || r.next == r.start+1 { // one line
		return nil
	}
	comma := r.sep
	cells := make([]string, n)
	open := -1
	for i, cell := range record {
		switch {
		case strings.Contains(cell, "\n"):
			if cells[i] = cell; open < 0 {
				open = i
			}
		default:
			cells[i] = strings.ReplaceAll(cell, comma, " ")
		}
	}
	lines := 0
	numbers, others := make([]int, n), make([]int, n)
	for line := range strings.SplitSeq(strings.Join(cells, comma), "\n") {
		if strings.Count(line, comma) != n-1 {
			return nil
		}
		lines++
		for i, cell := range strings.Split(line, comma) {
			switch _, class := literal.Parse(cell, r.decimal); class {
			case literal.Number:
				numbers[i]++
			case literal.Missing:
			default:
				others[i]++
			}
		}
	}
	ofNumbers := 0
	for i := range n {
		if 4*min(numbers[i], others[i]) > numbers[i]+others[i] {
			return nil
		}
		if numbers[i] > others[i] && numbers[i] > 1 {
			ofNumbers++
		}
	}
	if ofNumbers == 0 && lines < swallowedTexts {
		return nil
	}
	line := r.line(open)
	return fmt.Errorf("csv: %s:%d: column %q: the cell begins with a quote that ends on line %d, and the lines within look like rows of the table; remove the quotes",
		r.name, line, r.names[min(open, len(r.names)-1)], line+strings.Count(record[open], "\n"))
}
