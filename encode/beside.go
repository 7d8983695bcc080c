package encode

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/moments"
	"mediant/tables"
)

var _ Side = Beside{}

// Beside is two sides as one, the columns of the second behind those of the first, for the rows that both can use.
type Beside [2]Side

// ID identifies the columns of both.
func (b Beside) ID() moments.ID {
	first, second := b[0].ID(), b[1].ID()
	return moments.NewID([]byte("beside"), first[:], second[:])
}

// Open implements Side.
func (b Beside) Open(src tables.Source) (SideReader, error) {
	var r besideReader
	for i, side := range b {
		var err error
		if r.of[i], err = side.Open(src); err != nil {
			return nil, err
		}
	}
	return &r, nil
}

type besideReader struct {
	of   [2]SideReader
	read [2]mat.Matrix // of the last batch
	both mat.Dense
}

// Read implements SideReader. It returns the rows of the first side, and keeps those of the second.
func (r *besideReader) Read(batch tables.Batch) (mat.Matrix, []int, error) {
	var usable [2][]int
	for i, of := range r.of {
		var err error
		if r.read[i], usable[i], err = of.Read(batch); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case usable[0] == nil:
		return r.read[0], usable[1], nil
	case usable[1] == nil:
		return r.read[0], usable[0], nil
	}
	common := slices.DeleteFunc(slices.Clone(usable[0]), func(i int) bool {
		_, ok := slices.BinarySearch(usable[1], i)
		return !ok
	})
	return r.read[0], common, nil
}

// Finish implements SideReader.
func (r *besideReader) Finish(_ mat.Matrix, keep []int) *mat.Dense {
	first, second := r.of[0].Finish(r.read[0], keep), r.of[1].Finish(r.read[1], keep)
	r.both.Reset()
	r.both.Augment(first, second)
	return &r.both
}
