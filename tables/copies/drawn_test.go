package copies

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mediant/tables"
)

// A drawnTable has named columns, numbers or text, of rows that are drawn one by one.
type drawnTable struct {
	names []string
	rows  [][]any
}

func drawTable(n int, names string, row func(i int, rnd *rand.Rand) []any) drawnTable {
	rnd := rand.New(rand.NewPCG(uint64(n), uint64(len(names))))
	d := drawnTable{names: strings.Split(names, ",")}
	for i := range n {
		d.rows = append(d.rows, row(i, rnd))
	}
	return d
}

// pasted is the table so many times, one after the other.
func (d drawnTable) pasted(times int) drawnTable {
	return drawnTable{d.names, slices.Repeat(d.rows, times)}
}

// doubled repeats one row in so many at the end.
func (d drawnTable) doubled(every int) drawnTable {
	out := drawnTable{d.names, slices.Clone(d.rows)}
	for i := 0; i < len(d.rows); i += every {
		out.rows = append(out.rows, d.rows[i])
	}
	return out
}

func (d drawnTable) table(t testing.TB) *tables.Table {
	t.Helper()
	var columns []tables.ColumnData
	for j, name := range d.names {
		var numbers []float64
		var cells []string
		for _, row := range d.rows {
			switch v := row[j].(type) {
			case int:
				numbers = append(numbers, float64(v))
			case float64:
				numbers = append(numbers, v)
			case string:
				cells = append(cells, v)
			}
		}
		if cells != nil {
			columns = append(columns, tables.Strings(name, cells))
		} else {
			columns = append(columns, tables.Numbers(name, numbers))
		}
	}
	table, err := tables.FromColumns(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func (d drawnTable) distinct(t testing.TB) (tables.Source, Summary) {
	t.Helper()
	src, found, err := Distinct(context.Background(), d.table(t), d.names)
	if err != nil {
		t.Fatal(err)
	}
	return src, found
}

// decimals rounds to so many digits after the point.
func decimals(v float64, digits int) float64 {
	scale := math.Pow(10, float64(digits))
	return math.Round(v*scale) / scale
}
