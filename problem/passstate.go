package problem

import (
	"context"
	"errors"
	"fmt"
	"io"

	"mediant/encode"
	"mediant/internal/checkpoint"
	"mediant/internal/frame"
	"mediant/moments"
	"mediant/tables"
)

// A passState is the state of Accumulate, which a checkpoint keeps.
type passState struct {
	pass  *checkpoint.Pass // nil: it is not kept
	done  bool             // all rows are summed, in this run or in one before
	known bool             // that they are is kept
	at    position
	folds []*moments.CoMoments
}

// resumed is the state in which a run before left this pass, or that of no rows.
func resumed(ctx context.Context, src tables.Source, left, right encode.Side, opt PassOptions) (*passState, error) {
	s := &passState{folds: make([]*moments.CoMoments, max(1, opt.Folds))}
	for i := range s.folds {
		s.folds[i] = opt.Arithmetic.NewCoMoments(left.ID(), right.ID())
	}
	folder := checkpoint.Of(ctx)
	if folder == nil {
		return s, nil
	}
	what := "sums"
	if opt.Arithmetic == moments.Mixed {
		what = "mixed sums"
	}
	if opt.Clusters != nil {
		what = fmt.Sprintf("%s by %d clusters", what, len(opt.Clusters))
	}
	s.pass = folder.Pass(fmt.Sprintf("%s of %s and %s in %d folds by %d over %d rows of %q", what, left.ID(), right.ID(), len(s.folds), opt.Seed, tables.FactsOf(src).Rows, tables.ColumnNames(src.Columns())))
	_, err := s.pass.Resume(s.read)
	return s, err
}

// keep saves the state of the pass from time to time. What is not finite cannot be read again, and ends the pass with an error once all rows are summed.
func (s *passState) keep(at position) error {
	s.at = at
	if !s.pass.Due() || s.check() != nil {
		return nil
	}
	return s.pass.Save(s.write)
}

// finish saves the sums of all rows, where they took long.
func (s *passState) finish() error {
	if s.known || !s.pass.Long() {
		return nil
	}
	s.done = true
	return s.pass.Save(s.write)
}

// check returns the error of the first fold that has one.
func (s *passState) check() error {
	for _, f := range s.folds {
		if err := f.Check(); err != nil {
			return err
		}
	}
	return nil
}

func (s *passState) write(w io.Writer) error {
	done := uint64(0)
	if s.done {
		done = 1
	}
	out := frame.NewWriter(w)
	for _, v := range []uint64{done, uint64(s.at.row), uint64(s.at.dropped), uint64(len(s.folds))} {
		out.Number(v)
	}
	if _, err := out.End(); err != nil {
		return err
	}
	for _, f := range s.folds {
		if _, err := f.WriteTo(w); err != nil {
			return err
		}
	}
	return nil
}

func (s *passState) read(r io.Reader) error {
	in := frame.NewReader(r)
	done, row, dropped, folds := in.Number(), in.Number(), in.Number(), in.Number()
	if err := in.End(); err != nil {
		return err
	}
	if folds != uint64(len(s.folds)) {
		return errors.New("it has another number of folds")
	}
	for i, want := range s.folds {
		m, err := moments.Read(r)
		if err != nil {
			return err
		}
		if m.Left() != want.Left() || m.Right() != want.Right() {
			return errors.New("it is of other maps")
		}
		s.folds[i] = m
	}
	s.done, s.known = done == 1, done == 1
	s.at = position{int(row), int(dropped)}
	return nil
}
