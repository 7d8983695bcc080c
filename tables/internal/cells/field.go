package cells

import (
	"math"

	"mediant/internal/literal"
	"mediant/internal/names"
	"mediant/tables"
)

// SetDate stores the parts of a date in a row of numbers.
func (f *Field) SetDate(row []float64, cell string, decimal byte) bool {
	parts := row[f.At : f.At+names.DateParts]
	if cell == "" || literal.UsualMarker(cell) {
		for i := range parts {
			parts[i] = math.NaN()
		}
		return true
	}
	d, ok := f.How.date(cell, decimal)
	if ok {
		d.PartsTo(parts)
	}
	return ok
}

// A Field is a column of the file.
type Field struct {
	Name string
	Kind tables.Kind
	At   int // its place among the columns of its kind
	NA   *Markers
	// Of dates, which become numbers from at on.
	Date   bool
	How    dateReading
	unsure place // a date that may have another order than how says
}

// Settle decides the kinds of columns of these names from what scans have found. The error says that a part of a date has the name of a column.
func Settle(heads []string, scans []Scan) (fields []Field, columns []tables.Column, err error) {
	fields = make([]Field, len(scans))
	var places [2]int // the next of each kind
	for i := range scans {
		c := &scans[i]
		f := Field{Name: heads[i], Kind: c.Decide(), NA: c.NA, Date: c.date}
		f.At = places[f.Kind]
		if f.Date {
			f.How.serial = c.how.serial
			shown, _ := c.order()
			if c.slashes {
				f.How.order = max(c.how.order, shown) // which are one, or one of them is none
			}
			if shown == literal.NoOrder {
				f.unsure = c.open
			}
			for _, name := range names.OfDates(f.Name) {
				columns = append(columns, tables.Column{Name: name, Kind: tables.Numeric})
			}
			places[tables.Numeric] += names.DateParts
		} else {
			columns = append(columns, tables.Column{Name: f.Name, Kind: f.Kind})
			places[f.Kind]++
		}
		fields[i] = f
	}
	return fields, columns, names.Check(tables.ColumnNames(columns))
}
