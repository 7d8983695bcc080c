package tables

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/literal"
	"mediant/internal/names"
)

// Indicator returns src with one column of text or numbers made numeric: 1 where its cell is a level, 0 where it is another one, and missing where
// it is missing. Numbers are compared as text in their shortest form. The column comes last; rows, and what is known of them, stay. The error says that
// there is no such column, or one of sparse rows.
func Indicator(src Source, column, level string) (Source, error) {
	columns := src.Columns()
	at := names.Index(ColumnNames(columns), column)
	if at < 0 {
		return nil, fmt.Errorf("tables: indicator: %w", names.Missing(ColumnNames(columns), column))
	}
	if columns[at].Kind == Vector {
		return nil, fmt.Errorf("tables: indicator: column %q has sparse rows", column)
	}
	own := indicator{kind: columns[at].Kind, level: literal.LabelKey(level)}
	for _, c := range columns[:at] {
		if c.Kind == own.kind {
			own.place++
		}
	}
	left := append(slices.Delete(slices.Clone(columns), at, at+1), Column{Name: columns[at].Name, Kind: Numeric})
	return renamedSource{NewGuard("", src), left, &own}, nil
}

// An indicator is a column, by its place among those of its kind, that becomes 1 at a level.
type indicator struct {
	kind  Kind
	place int
	level string // its key
}

// batches are those of a source with the indicator in place of the column.
func (d *indicator) batches(ctx context.Context, guard *Guard) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		for b, err := range guard.Batches(ctx) {
			if err == nil {
				b = d.of(b)
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

func (d *indicator) of(b Batch) Batch {
	width := 0
	if b.Num != nil {
		_, width = b.Num.Dims()
	}
	from := width // how many numeric columns are left
	if d.kind == Numeric {
		from--
	}
	num := mat.NewDense(b.Rows, from+1, nil)
	for i := range b.Rows {
		row := num.RawRowView(i)
		if width > 0 {
			own := b.Num.RawRowView(i)
			if d.kind == Numeric {
				copy(row, own[:d.place])
				copy(row[d.place:], own[d.place+1:])
			} else {
				copy(row, own)
			}
		}
		row[from] = d.value(b, i)
	}
	b.Num = num
	if d.kind == Text {
		b.Text = slices.Delete(slices.Clone(b.Text), d.place, d.place+1)
	}
	return b
}

// value is 1, 0 or NaN.
func (d *indicator) value(b Batch, i int) float64 {
	cell := ""
	if d.kind == Text {
		cell = b.Text[d.place][i]
	} else if v := b.Num.At(i, d.place); !math.IsNaN(v) {
		cell = strconv.FormatFloat(v, 'g', -1, 64)
	}
	switch {
	case cell == "":
		return math.NaN()
	case literal.LabelKey(cell) == d.level:
		return 1
	}
	return 0
}
