package check

import (
	"fmt"
	"slices"
	"strconv"

	"mediant/internal/literal"
	"mediant/tables"
)

// leastCompactDates is the least number of different whole numbers of eight digits that makes them dates: one of 28 is the number of a month and a
// day, and so, with odds of 1 in 10 million, are five.
const leastCompactDates = 5

// compactDates reports whether all numbers of a column are dates as 20240301 is one.
func (c *columnLook) compactDates(t *tableLook) bool {
	if c.column.Kind != tables.Numeric || c.fraction || c.distinct.count() < leastCompactDates {
		return false
	}
	return !slices.ContainsFunc(withOuter(t.sample.values(c.place), c.numbers), func(v float64) bool {
		_, ok := literal.CompactDate(strconv.FormatFloat(v, 'f', -1, 64), literal.NoOrder)
		return !ok
	})
}

// numbersAsDates is the finding of such numbers: a note, or an error where the other table has others in a column of U.
func (c *checker) numbersAsDates(table Table, look *columnLook, otherTable *tableLook) {
	name, other := look.column.Name, otherTable.of(look.column.Name)
	f := Finding{Code: DateColumn, Severity: Note, Table: table, Columns: []string{name}, Rows: look.present(), Of: look.rows,
		What:   fmt.Sprintf("the numbers of %q in %s are dates (such as %.0f)", name, table.words(), look.numbers.low[0].value),
		Effect: "as numbers the last day of a year is 8,870 from the next one",
		Remedy: fmt.Sprintf("--dates %q takes year, month, weekday and days", name)}
	if other != nil && other.column.Kind == tables.Numeric && other.present() > 0 {
		switch {
		case !other.compactDates(otherTable):
			f.Code, f.Severity = KindsDiffer, Error
			f.What += fmt.Sprintf(", and those in %s are %.0f to %.0f", table.other().words(), other.numbers.low[0].value, other.numbers.high[0].value)
			f.Effect = "what U means cannot be compared"
			f.Remedy = fmt.Sprintf("dates such as 2024-03-01 in both tables, or --ignore %q leaves it out", name)
		case table == UY:
			return // which the first table has said
		default:
			f.Table, f.What = Both, fmt.Sprintf("the numbers of %q are dates (such as %.0f)", name, look.numbers.low[0].value)
		}
	}
	c.add(f)
}
