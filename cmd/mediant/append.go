package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"mediant/tables"
	"mediant/tables/formats"
)

// An appending writer puts the rows of a table in front of batches that are as long as its own.
type appending struct {
	tables.Writer
	next func() (tables.Batch, error, bool)
	stop func()
}

// appended returns the columns of a table with others behind them, of which none may have the name of another.
func appended(table, behind []tables.Column) ([]tables.Column, error) {
	for _, c := range behind {
		if i := slices.IndexFunc(table, func(t tables.Column) bool { return t.Name == c.Name }); i >= 0 {
			rename := strconv.Quote(c.Name + "=OTHER")
			if strings.Contains(c.Name, "=") { // the flag wants such names in quotes
				rename = fmt.Sprintf(`'%q="OTHER"'`, c.Name)
			}
			return nil, fmt.Errorf("the table has a column %q, as the output would: read it by another name with --rename %s, or leave out --append", c.Name, rename)
		}
	}
	for _, c := range table {
		if c.Kind == tables.Vector {
			return nil, fmt.Errorf("column %q has sparse rows, which no output holds: leave out --append", c.Name)
		}
	}
	return slices.Concat(table, behind), nil
}

// appendTo writes the rows of src in front of those that come.
func appendTo(ctx context.Context, src tables.Source, w tables.Writer) *appending {
	next, stop := iter.Pull2(tables.NewGuard("", src).Batches(ctx))
	return &appending{w, next, stop}
}

// Write implements tables.Writer.
func (a *appending) Write(b tables.Batch) error {
	front, err, ok := a.next()
	if err != nil {
		return err
	}
	if !ok || front.Start != b.Start || front.Rows != b.Rows {
		return fmt.Errorf("the table changed while it was read")
	}
	both := tables.Batch{Start: b.Start, Rows: b.Rows, Num: b.Num, Text: slices.Concat(front.Text, b.Text)}
	switch {
	case front.Num != nil && b.Num != nil:
		both.Num = new(mat.Dense)
		both.Num.Augment(front.Num, b.Num)
	case front.Num != nil:
		both.Num = front.Num
	}
	return a.Writer.Write(both)
}

// Close implements tables.Writer.
func (a *appending) Close() error {
	a.stop()
	return a.Writer.Close()
}

// front opens the table again for the columns that stand in front of the output: as they are written where that is CSV, and else as what they are; columns that
// the model knows as text, such as "007", are text. Those of --ignore are left out.
func (f *predictFlags) front(ctx context.Context, table string, known []tables.Column) (tables.Source, func() error, error) {
	own := f.read
	own.seen, own.stream, own.lenient = new(seenNames), true, true
	own.model.Dates, own.dates = nil, nil
	if formats.IsCSV(f.out) {
		own.text, own.na, own.model.NA = []string{"*"}, nil, nil
	} else {
		for _, c := range known {
			if c.Kind == tables.Text {
				own.text = append(slices.Clip(own.text), c.Name)
			}
		}
	}
	own.ignore = &f.ignore
	src, close, err := own.open(ctx, table, nil)
	if err != nil {
		return nil, nil, err
	}
	ignored, err := tables.MatchNames(src.Columns(), own.seen.ignored(f.ignore, src.Columns()))
	if err == nil && len(ignored) == len(src.Columns()) {
		err = errors.New("--ignore leaves no column of the table: leave out --append")
	}
	if err != nil {
		return nil, nil, errors.Join(err, close())
	}
	if len(ignored) == 0 {
		return src, close, nil
	}
	return without{src, ignored}, close, nil
}

// without is a Source that lacks columns of another.
type without struct {
	tables.Source
	ignored []string
}

// Columns are those that are left.
func (w without) Columns() []tables.Column {
	return slices.DeleteFunc(slices.Clone(w.Source.Columns()), func(c tables.Column) bool { return slices.Contains(w.ignored, c.Name) })
}

// Facts are those of the whole.
func (w without) Facts() tables.Facts { return tables.FactsOf(w.Source) }

// Batches yields the columns that are left.
func (w without) Batches(ctx context.Context) iter.Seq2[tables.Batch, error] {
	return func(yield func(tables.Batch, error) bool) {
		chosen, err := tables.Select(w.Source.Columns(), w.Columns())
		if err != nil {
			yield(tables.Batch{}, err)
			return
		}
		for b, err := range tables.NewGuard("", w.Source).Batches(ctx) {
			if err == nil {
				b = pick(b, chosen)
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// pick has the chosen columns of a batch.
func pick(b tables.Batch, chosen *tables.Selection) tables.Batch {
	picked := tables.Batch{Start: b.Start, Rows: b.Rows}
	var numbers []int // their places in Num
	for i := range chosen.Len() {
		if kind, at := chosen.Place(i); kind == tables.Text {
			picked.Text = append(picked.Text, b.Text[at])
		} else {
			numbers = append(numbers, at)
		}
	}
	if len(numbers) > 0 {
		picked.Num = mat.NewDense(b.Rows, len(numbers), nil)
		for j, at := range numbers {
			picked.Num.ColView(j).(*mat.VecDense).CopyVec(b.Num.ColView(at))
		}
	}
	return picked
}
