package tables

import (
	"context"
	"fmt"
	"iter"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/names"
)

// HStack returns the columns of both sources side by side: row i has those of row i of a and of row i of b, such as X and U in
// two files of the same rows. At most one of them may have weights. The error reports that a name is in both, or that both
// have weights; a pass ends with an error if one source has more rows than the other.
func HStack(a, b Source) (Source, error) {
	columns := append(append([]Column{}, a.Columns()...), b.Columns()...)
	if err := names.Check(ColumnNames(columns)); err != nil {
		return nil, fmt.Errorf("tables: side by side: %w", err)
	}
	if FactsOf(a).Weighted && FactsOf(b).Weighted {
		return nil, fmt.Errorf("tables: side by side: both tables have weights, want those of one")
	}
	return beside{NewGuard("", a), NewGuard("", b), columns}, nil
}

type beside struct {
	a, b    *Guard
	columns []Column
}

func (s beside) Columns() []Column { return s.columns }

func (s beside) Facts() Facts { return s.a.Facts().beside(s.b.Facts()) }

func (s beside) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		next, stop := iter.Pull2(s.b.Batches(ctx))
		defer stop()
		rows := 0
		for left, err := range s.a.Batches(ctx) {
			right, other, ok := next()
			switch {
			case err != nil:
			case other != nil:
				err = other
			case !ok || left.Rows != right.Rows:
				err = fmt.Errorf("tables: side by side: the tables have not the same number of rows, they part within the %d after row %d", BlockRows, rows)
			}
			if err != nil {
				yield(Batch{}, err)
				return
			}
			rows += left.Rows
			if !yield(joined(left, right), nil) {
				return
			}
		}
		if _, err, more := next(); err != nil {
			yield(Batch{}, err)
		} else if more {
			yield(Batch{}, fmt.Errorf("tables: side by side: the second table has more rows than the first, which has %d", rows))
		}
	}
}

// joined are two batches of the same rows as one.
func joined(a, b Batch) Batch {
	out := Batch{Start: a.Start, Rows: a.Rows, Num: a.Num}
	out.Text = append(append(out.Text, a.Text...), b.Text...)
	out.Sparse = append(append(out.Sparse, a.Sparse...), b.Sparse...)
	out.weights = a.weights
	if !a.weights.known() {
		out.weights = b.weights
	}
	switch {
	case a.Num == nil:
		out.Num = b.Num
	case b.Num != nil:
		out.Num = new(mat.Dense)
		out.Num.Augment(a.Num, b.Num)
	}
	return out
}
