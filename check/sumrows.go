package check

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mediant/tables"
	"mediant/tables/notes"
)

const (
	// A sum of sumLeast rows or more, sumTimes as large as the largest of them, is none by chance where sumColumns have it, or all that have a value in
	// sumAlone rows or more and above sumLarge.
	sumLeast, sumTimes, sumColumns, sumAlone, sumLarge = 5, 2, 2, 10, 100
	// sumDigits is the rounding of a sum, as a share of it.
	sumDigits = 1e-9
	// sumRowsKept is how many such rows are kept.
	sumRowsKept = 1000
)

// sumRows looks for rows whose numbers are the sums of the rows above, since the last such row or of all that are none.
type sumRows struct {
	since, all []columnSum // since is nil before the first such row
	rows       [2]int      // that the sums are of
	found      []int       // their numbers
	columns    []int       // places of those that had the sum in the first such row
}

// A columnSum is the sum of a column and the size of its largest value.
type columnSum struct{ sum, largest float64 }

func (c *columnSum) add(v float64) {
	c.sum += v
	if v = math.Abs(v); v > c.largest {
		c.largest = v
	}
}

// is reports whether a value is the sum, and no single value is near it.
func (c columnSum) is(v float64) bool {
	return math.Abs(v-c.sum) <= sumDigits*math.Abs(c.sum) && math.Abs(c.sum) > sumTimes*c.largest
}

// add looks at a batch of numbers.
func (s *sumRows) add(b tables.Batch) {
	if b.Num == nil {
		return
	}
	_, width := b.Num.Dims()
	if s.all == nil {
		s.all = make([]columnSum, width)
	}
	for i := range b.Rows {
		row := b.Num.RawRowView(i)
		if columns := s.matches(row); columns != nil {
			if s.found == nil {
				s.columns = columns
			}
			if len(s.found) < sumRowsKept {
				s.found = append(s.found, b.Number(i))
			}
			s.since, s.rows[0] = make([]columnSum, width), 0
			continue
		}
		for k, sums := range [][]columnSum{s.since, s.all} {
			for j := range sums {
				if v := row[j]; !math.IsNaN(v) {
					sums[j].add(v)
				}
			}
			s.rows[k]++
		}
	}
}

// matches are the columns of a row that have the sums, nil where these are too few.
func (s *sumRows) matches(row []float64) []int {
	for k, sums := range [][]columnSum{s.since, s.all} {
		if s.rows[k] < sumLeast || sums == nil || !anyLargest(row, sums) {
			continue
		}
		var columns []int
		present, others, large := 0, 0, false
		for j, v := range row {
			if math.IsNaN(v) {
				continue
			}
			if present++; sums[j].is(v) {
				columns = append(columns, j)
				large = large || math.Abs(v) > sumLarge
			} else if others++; 2*others >= len(row) {
				break
			}
		}
		if len(columns) >= sumColumns && 2*len(columns) > present || len(columns) > 0 && len(columns) == present && s.rows[k] >= sumAlone && large {
			return columns
		}
	}
	return nil
}

// anyLargest reports whether some value is larger than all of its column, as a sum is: of most rows, no more is to be looked at.
func anyLargest(row []float64, sums []columnSum) bool {
	for j, v := range row {
		if math.Abs(v) > sums[j].largest {
			return true
		}
	}
	return false
}

// sumsAbove finds such rows, which nothing else marks: what says that it is a sum was left out when the file was read.
func (c *checker) sumsAbove() {
	for _, side := range []struct {
		table Table
		look  *tableLook
	}{{XU, c.xu}, {UY, c.uy}} {
		s := side.look.sums
		if len(s.found) == 0 {
			continue
		}
		var names []string
		for i := range side.look.looks {
			if look := &side.look.looks[i]; look.column.Kind == tables.Numeric && slices.Contains(s.columns, look.place) {
				names = append(names, look.column.Name)
			}
		}
		f := Finding{Code: Code(notes.TotalRow), Severity: Warning, Table: side.table, Columns: names, Rows: len(s.found), Of: side.look.rows, gravity: causeFirst + 1,
			Effect: "it is no observation, and counts as one",
			Remedy: fmt.Sprintf("a table without it, or --accept %s if it is one", notes.TotalRow)}
		has := fmt.Sprintf("row %d of %s has", s.found[0]+1, side.table.words())
		if len(s.found) > 1 {
			f.Code, f.Effect = Code(notes.SubtotalRows), "they are no observations, and count as such"
			f.Remedy = fmt.Sprintf("a table without them, or --accept %s if they are", notes.SubtotalRows)
			has = fmt.Sprintf("%d rows of %s, the first being row %d, have", len(s.found), side.table.words(), s.found[0]+1)
		}
		f.What = fmt.Sprintf("%s the sums of the rows above in %s", has, strings.Join(quoted(names), ", "))
		c.add(f)
	}
}
