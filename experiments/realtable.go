package experiments

import (
	"context"
	"fmt"
	"slices"

	"mediant/internal/draw"
	"mediant/tables"
)

// A RealTable, made by ReadRealTable, is a pair of real tables with coupled rows, from which new pairs are drawn.
type RealTable struct {
	Name       string
	xu, uy, xy sheet // xy has U, too
}

// ReadRealTable reads a table of (X, U), one of (U, Y), and coupled rows of X, U and Y.
func ReadRealTable(ctx context.Context, name string, xu, uy, xuy tables.Source) (*RealTable, error) {
	t := &RealTable{Name: name}
	for to, src := range map[*sheet]tables.Source{&t.xu: xu, &t.uy: uy, &t.xy: xuy} {
		var err error
		if *to, err = readSheet(ctx, src); err != nil {
			return nil, fmt.Errorf("experiments: %s: %w", name, err)
		}
	}
	for _, side := range []sheet{t.xu, t.uy} {
		if _, err := tables.Select(t.xy.columns, side.columns); err != nil {
			return nil, fmt.Errorf("experiments: %s: coupled rows: %w", name, err)
		}
	}
	if t.xy.rows < 8 || t.xu.rows < t.xy.rows || t.uy.rows < t.xy.rows {
		return nil, fmt.Errorf("experiments: %s: %d, %d and %d coupled rows, want at least 8 coupled ones and as many in both tables", name, t.xu.rows, t.uy.rows, t.xy.rows)
	}
	return t, nil
}

// Rows are those of either table and the test rows of a draw.
func (t *RealTable) Rows() (xu, uy, test int) {
	return t.xu.rows, t.uy.rows, t.xy.rows - 2*(t.xy.rows/4)
}

// Draw draws tables of the sizes of the files: a quarter of the coupled rows, without their Y, takes the place of as many rows of (X, U), another quarter,
// without X, that of rows of (U, Y), and the others are test rows.
func (t *RealTable) Draw(seed uint64) (xu, uy, test tables.Source, err error) {
	order := draw.Rand(seed, "experiments/real/coupled", 0).Perm(t.xy.rows)
	quarter := t.xy.rows / 4
	if xu, err = t.replaced(t.xu, order[:quarter], seed, "xu"); err != nil {
		return nil, nil, nil, err
	}
	if uy, err = t.replaced(t.uy, order[quarter:2*quarter], seed, "uy"); err != nil {
		return nil, nil, nil, err
	}
	test, err = t.xy.source(t.xy.columns, order[2*quarter:])
	return xu, uy, test, err
}

// replaced is one of the two tables with coupled rows in the place of as many of its own.
func (t *RealTable) replaced(own sheet, coupled []int, seed uint64, name string) (tables.Source, error) {
	kept, err := own.source(own.columns, draw.Indices(own.rows, own.rows-len(coupled), seed, "experiments/real/"+name))
	if err != nil {
		return nil, err
	}
	more, err := t.xy.source(own.columns, coupled)
	if err != nil {
		return nil, err
	}
	return tables.VStack(kept, more)
}

// A sheet is a table of numbers and text in memory, by columns.
type sheet struct {
	columns []tables.Column
	numbers map[string][]float64
	cells   map[string][]string
	rows    int
}

func readSheet(ctx context.Context, src tables.Source) (sheet, error) {
	s := sheet{columns: slices.Clone(src.Columns()), numbers: map[string][]float64{}, cells: map[string][]string{}}
	for b, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return s, err
		}
		s.rows += b.Rows
		number, text := 0, 0
		for _, c := range s.columns {
			switch c.Kind {
			case tables.Numeric:
				for i := range b.Rows {
					s.numbers[c.Name] = append(s.numbers[c.Name], b.Num.At(i, number))
				}
				number++
			case tables.Text:
				s.cells[c.Name] = append(s.cells[c.Name], b.Text[text][:b.Rows]...)
				text++
			default:
				return s, fmt.Errorf("column %q is of neither numbers nor text", c.Name)
			}
		}
	}
	return s, nil
}

// source is a table of some columns and rows.
func (s sheet) source(columns []tables.Column, rows []int) (tables.Source, error) {
	var all []tables.ColumnData
	for _, c := range columns {
		if c.Kind == tables.Text {
			all = append(all, tables.Strings(c.Name, at(s.cells[c.Name], rows)))
		} else {
			all = append(all, tables.Numbers(c.Name, at(s.numbers[c.Name], rows)))
		}
	}
	return tables.FromColumns(all...)
}

func at[T any](values []T, rows []int) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = values[r]
	}
	return out
}
