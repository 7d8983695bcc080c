package effect

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/internal/literal"
	"mediant/internal/rowops"
	"mediant/moments"
	"mediant/tables"
)

// arms are the levels of a treatment that has more than two. As an encode.Side they are one 0/1 column for each level.
type arms struct {
	column tables.Column
	levels []string       // the control first, then in natural order
	index  map[string]int // of their keys
	groups *groups        // nil: arms are not divided by another column
}

var _ encode.Side = (*arms)(nil)

func newArms(column tables.Column, levels []string, control int) *arms {
	a := &arms{column: column, levels: append([]string{levels[control]}, slices.Delete(slices.Clone(levels), control, control+1)...), index: make(map[string]int)}
	for i, level := range a.levels {
		a.index[literal.LabelKey(level)] = i
	}
	return a
}

// ID identifies the levels.
func (a *arms) ID() moments.ID {
	id := []byte(a.column.Name)
	for _, level := range a.levels {
		id = fmt.Appendf(id, " %q", level)
	}
	return moments.NewID([]byte("arms"), id)
}

// Open implements encode.Side.
func (a *arms) Open(src tables.Source) (encode.SideReader, error) {
	of, err := a.reader(src)
	return &armReader{arms: a, of: of}, err
}

// reader returns what reads the arm of each row of a batch, -1 where it is missing.
func (a *arms) reader(src tables.Source) (func(b tables.Batch) ([]int16, error), error) {
	if a.groups != nil {
		return a.groups.reader(a.column, src)
	}
	sel, err := tables.Select(src.Columns(), []tables.Column{a.column})
	if err != nil {
		return nil, err
	}
	kind, place := sel.Place(0)
	return func(b tables.Batch) ([]int16, error) {
		of := make([]int16, b.Rows)
		for i := range of {
			of[i] = -1
			cell := cellOf(b, kind, place, i)
			if cell == "" {
				continue
			}
			arm, found := a.index[literal.LabelKey(cell)]
			if !found {
				return nil, fmt.Errorf("effect: %s: treatment %q is %.40q, which it was not in the first pass: did the table change?", tables.FactsOf(src).Where(b.Number(i)), a.column.Name, cell)
			}
			of[i] = int16(arm)
		}
		return of, nil
	}, nil
}

// armReader reads the columns of arms.
type armReader struct {
	arms            *arms
	of              func(b tables.Batch) ([]int16, error)
	encoded, chosen mat.Dense
}

// Read implements encode.SideReader.
func (r *armReader) Read(b tables.Batch) (mat.Matrix, []int, error) {
	of, err := r.of(b)
	if err != nil {
		return nil, nil, err
	}
	rows := rowops.First(&r.encoded, b.Rows, len(r.arms.levels))
	usable := make([]int, 0, b.Rows)
	for i, arm := range of {
		row := rows.RawRowView(i)
		clear(row)
		if arm >= 0 {
			row[arm] = 1
			usable = append(usable, i)
		}
	}
	return rows, usable, nil
}

// Finish implements encode.SideReader.
func (r *armReader) Finish(rows mat.Matrix, keep []int) *mat.Dense {
	if keep != nil {
		rows = rowops.Choose(&r.chosen, rows, keep)
	}
	return rows.(*mat.Dense)
}
