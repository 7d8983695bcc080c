package problem

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/checkpoint"
	"mediant/moments"
	"mediant/tables"
)

// A failing is a Source whose pass ends with an error before a batch, and that counts the batches that it has yielded.
type failing struct {
	tables.Source
	before  int // -1: none
	yielded *int
}

var errKilled = errors.New("killed")

func (f failing) Batches(ctx context.Context) iter.Seq2[tables.Batch, error] {
	return func(yield func(tables.Batch, error) bool) {
		n := 0
		for b, err := range f.Source.Batches(ctx) {
			if n == f.before {
				yield(tables.Batch{}, errKilled)
				return
			}
			n++
			*f.yielded++
			if !yield(b, err) {
				return
			}
		}
	}
}

// TestAccumulateResumes: a pass that is killed before any batch, and goes on, has the bits of one that never was, and rows that were summed are not summed again.
func TestAccumulateResumes(t *testing.T) {
	const n = 5*tables.BlockRows + 100
	src, _, _, _ := passTable(t, n)
	e, y := sides(t, src)
	opt := PassOptions{Folds: 3, Seed: 7}
	accumulate := func(ctx context.Context, before int) (string, int, error) {
		folds, dropped, err := Accumulate(ctx, failing{src, before, new(int)}, e, y, opt)
		var b bytes.Buffer
		for _, f := range folds {
			if _, err := f.WriteTo(&b); err != nil {
				t.Fatal(err)
			}
		}
		return b.String(), dropped, err
	}
	want, wantDropped, err := accumulate(context.Background(), -1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	open := func() context.Context {
		folder, err := checkpoint.Open(dir, nil, time.Nanosecond)
		if err != nil {
			t.Fatal(err)
		}
		return checkpoint.With(context.Background(), folder)
	}
	for _, before := range []int{0, 1, 1, 3, 5} {
		if _, _, err := accumulate(open(), before); !errors.Is(err, errKilled) {
			t.Fatalf("killed before batch %d: %v", before, err)
		}
	}
	s, err := resumed(open(), failing{src, -1, new(int)}, e, y, opt)
	if err != nil || s.at.row != 5*tables.BlockRows || s.done {
		t.Fatalf("resumed at row %d, done %v, %v", s.at.row, s.done, err)
	}
	for _, again := range []bool{false, true} { // from the state, and from the result
		got, dropped, err := accumulate(open(), -1)
		if err != nil || got != want || dropped != wantDropped {
			t.Errorf("result kept %v: other sums than without a kill, or %d rows dropped, want %d: %v", again, dropped, wantDropped, err)
		}
	}
	if s, err := resumed(open(), failing{src, 0, new(int)}, e, y, opt); err != nil || !s.done {
		t.Errorf("the result is not kept: %v", err)
	}
	opt.Seed++
	if s, err := resumed(open(), failing{src, 0, new(int)}, e, y, opt); err != nil || s.done || s.at.row > 0 {
		t.Errorf("another seed finds the state of this one at row %d: %v", s.at.row, err)
	}
}

// TestStateOfOtherSums: a state with other folds or maps is refused.
func TestStateOfOtherSums(t *testing.T) {
	state := func(folds int, left moments.ID) *passState {
		s := &passState{}
		for range folds {
			s.folds = append(s.folds, moments.NewCoMoments(left, moments.ID{}))
		}
		return s
	}
	var b bytes.Buffer
	if err := state(2, moments.ID{1}).write(&b); err != nil {
		t.Fatal(err)
	}
	if err := state(2, moments.ID{1}).read(bytes.NewReader(b.Bytes())); err != nil {
		t.Error(err)
	}
	for _, other := range []*passState{state(3, moments.ID{1}), state(2, moments.ID{2})} {
		if err := other.read(bytes.NewReader(b.Bytes())); err == nil {
			t.Errorf("read into %d folds of %s", len(other.folds), other.folds[0].Left())
		}
	}
}

// TestStateThatCannotBeRead: sums that are not finite are not saved.
func TestStateThatCannotBeRead(t *testing.T) {
	folder, err := checkpoint.Open(t.TempDir(), nil, time.Nanosecond)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []float64{1, 1e200} {
		s := &passState{pass: folder.Pass("sums"), folds: []*moments.CoMoments{new(moments.CoMoments)}}
		s.folds[0].Add(mat.NewDense(2, 1, []float64{-value, value}), mat.NewDense(2, 1, nil), nil)
		if err := s.keep(position{row: 2}); err != nil {
			t.Fatal(err)
		}
		if found, err := s.pass.Resume(s.read); err != nil || found != (value == 1) {
			t.Errorf("sums of squares of %g: a state %v, %v", value, found, err)
		}
	}
}
