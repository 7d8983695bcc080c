package main

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"mediant/tables"
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
