package problem

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/internal/bounds"
	"mediant/internal/rowops"
	"mediant/moments"
	"mediant/tables"
)

// PassOptions say how a pass splits rows. Rows of a source made by tables.Weigh have its weights.
type PassOptions struct {
	// Folds is the number of folds; 0 and 1 are a single one.
	Folds int
	Seed  uint64
	// Fold, if not nil, returns the fold of a row of the source that is in no cluster, from 0, in place of a random one.
	Fold func(row int) int
	// Clusters, if not nil, has the place of each cluster of rows (tables.Clusters) in a random order: the rows of the cluster at place i are in fold i modulo Folds.
	Clusters []int
	// Keep selects the folds whose rows are processed; nil selects all. Rows of other folds are encoded and skipped. Rows with a missing side are
	// counted as left out in every fold.
	Keep func(fold int) bool
	// Arithmetic is that of Accumulate.
	Arithmetic moments.Arithmetic
}

// maxFolds bounds folds, which are counted before rows are.
const maxFolds = 1 << 24

// Validate returns an error that names the first field out of range.
func (o PassOptions) Validate() error {
	if o.Folds < 0 || o.Folds > maxFolds {
		return fmt.Errorf("problem: PassOptions.Folds is %d, must be at least 0 and at most %d", o.Folds, maxFolds)
	}
	return bounds.Field("problem: PassOptions.Arithmetic", o.Arithmetic.Validate())
}

// Walk calls do for the rows of src, batch by batch and within a batch fold by fold, with the columns
// of both sides and the weights, all of them valid during the call
// only. It counts the rows left out because a side is incomplete there, a row of weight k as k. Each run of Folds consecutive
// rows holds every fold once, in an order drawn from the seed, so that Folds = n is leave-one-out; a fold
// is empty only if there are fewer rows than folds, or all of its rows are left out. The rows of a cluster share a fold.
// Memory is that of one batch.
func Walk(ctx context.Context, src tables.Source, left, right encode.Side, opt PassOptions, do func(fold int, a, b *mat.Dense, w moments.Weights)) (dropped int, err error) {
	return walk(ctx, src, left, right, opt, position{}, nil, do)
}

// A position is how far a pass has come.
type position struct{ row, dropped int }

// walk is Walk from a position on, at which a batch begins, and calls after, if not nil, behind each batch.
func walk(ctx context.Context, src tables.Source, left, right encode.Side, opt PassOptions, at position, after func(position) error, do func(fold int, a, b *mat.Dense, w moments.Weights)) (dropped int, err error) {
	if err := opt.Validate(); err != nil {
		return 0, err
	}
	p, err := openPass(src, left, right)
	if err != nil {
		return 0, err
	}
	assign := opt.assigner()
	for batch, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return 0, err
		}
		if batch.Start < at.row {
			continue
		}
		if err := p.read(batch); err != nil {
			return 0, err
		}
		at.dropped += batch.Count()
		for _, i := range p.usable {
			at.dropped -= batch.Copies(i)
		}
		for f, keep := range assign.split(batch, p.usable) {
			if len(keep) > 0 && (opt.Keep == nil || opt.Keep(f)) {
				a, b, w := p.choose(keep, f)
				do(f, a, b, w)
			}
		}
		at.row = batch.Start + batch.Rows
		if after != nil {
			if err := after(at); err != nil {
				return 0, err
			}
		}
	}
	return at.dropped, nil
}

// Accumulate computes the co-moments of (left, right) in one pass over src, one CoMoments for each fold, and counts the rows left out. Sums are formed a batch at a time in the order of the table. Errors are
// Walk's. Where the context has a checkpoint.Folder, the sums and the position are kept there, and a pass that was killed goes on.
func Accumulate(ctx context.Context, src tables.Source, left, right encode.Side, opt PassOptions) (folds []*moments.CoMoments, dropped int, err error) {
	if err := opt.Validate(); err != nil {
		return nil, 0, err
	}
	sums, err := resumed(ctx, src, left, right, opt)
	if err != nil {
		return nil, 0, err
	}
	if !sums.done {
		var after func(position) error
		if sums.pass != nil {
			after = sums.keep
		}
		sums.at.dropped, err = walk(ctx, src, left, right, opt, sums.at, after, func(fold int, a, b *mat.Dense, w moments.Weights) {
			sums.folds[fold].Add(a, b, w.Products())
		})
		if err != nil {
			return nil, 0, err
		}
	}
	if err := sums.check(); err != nil {
		return nil, 0, err
	}
	return sums.folds, sums.at.dropped, sums.finish()
}

// ErrIncomplete reports a table in which every row has a missing value on one of the two sides.
var ErrIncomplete = errors.New("problem: no row is complete")

// Matrices returns in memory both sides, a (n×p) and b (n×q), and the weights of the n complete rows of src, and counts the incomplete ones; within
// a batch rows come fold by fold. It is an error (ErrIncomplete) if no row is complete.
func Matrices(ctx context.Context, src tables.Source, left, right encode.Side, opt PassOptions) (a, b *mat.Dense, w []float64, dropped int, err error) {
	var dataA, dataB []float64
	var widthA, widthB int
	rows := 0 // to make room for, where they are known: a slice that grows is twice as large for a moment
	if opt.Keep == nil {
		rows = tables.FactsOf(src).Rows
	}
	dropped, err = Walk(ctx, src, left, right, opt, func(_ int, rowsA, rowsB *mat.Dense, own moments.Weights) {
		_, widthA = rowsA.Dims()
		_, widthB = rowsB.Dims()
		if dataA == nil {
			dataA, dataB = make([]float64, 0, rows*widthA), make([]float64, 0, rows*widthB)
		}
		dataA, dataB, w = rowops.Append(dataA, rowsA), rowops.Append(dataB, rowsB), append(w, own.Products()...)
	})
	if err != nil {
		return nil, nil, nil, 0, err
	}
	if len(dataA) == 0 {
		return nil, nil, nil, 0, ErrIncomplete
	}
	return mat.NewDense(len(dataA)/widthA, widthA, dataA), mat.NewDense(len(dataB)/widthB, widthB, dataB), w, dropped, nil
}

// AccumulateRows computes the co-moments of (m(x), y) over rows x (n×d) and y (n×k) in memory, block by block; nil weights are 1. The identity of y
// is that of outputs without names.
func AccumulateRows(ctx context.Context, m features.Map, x, y *mat.Dense, weights []float64) (*moments.CoMoments, error) {
	pair := moments.NewCoMoments(m.ID(), moments.ID{})
	n, in := x.Dims()
	_, k := y.Dims()
	_, out := m.Dims()
	var memory mat.Dense
	for lo := 0; lo < n; lo += tables.BlockRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(n, lo+tables.BlockRows)
		var w []float64
		if weights != nil {
			w = weights[lo:hi]
		}
		phi := rowops.First(&memory, hi-lo, out)
		m.MapTo(phi, x.Slice(lo, hi, 0, in))
		pair.Add(phi, y.Slice(lo, hi, 0, k).(*mat.Dense), w)
	}
	return pair, pair.Check()
}

// A pass reads both sides and the weights of a source, batch by batch.
type pass struct {
	left, right  encode.SideReader
	rowsA, rowsB mat.Matrix
	w            moments.Weights
	usable       []int
	rows         int
}

func openPass(src tables.Source, left, right encode.Side) (*pass, error) {
	var p pass
	var err error
	if p.left, err = left.Open(src); err != nil {
		return nil, err
	}
	if p.right, err = right.Open(src); err != nil {
		return nil, err
	}
	return &p, nil
}

// read encodes a batch and finds its usable rows.
func (p *pass) read(batch tables.Batch) error {
	p.w, p.rows = RowWeights(batch), batch.Rows
	var usableA, usableB []int
	var err error
	if p.rowsA, usableA, err = p.left.Read(batch); err != nil {
		return err
	}
	if p.rowsB, usableB, err = p.right.Read(batch); err != nil {
		return err
	}
	p.usable = intersect(usableA, usableB, batch.Rows)
	return nil
}

// choose finishes the columns of the given rows of the batch, which are of one fold.
func (p *pass) choose(keep []int, fold int) (a, b *mat.Dense, w moments.Weights) {
	w = p.w.Pick(keep)
	if len(keep) == p.rows {
		keep = nil // all of them, no need to copy
	}
	return finish(p.left, p.rowsA, keep, fold), finish(p.right, p.rowsB, keep, fold), w
}

func finish(r encode.SideReader, rows mat.Matrix, keep []int, fold int) *mat.Dense {
	if by, ok := r.(encode.FoldReader); ok {
		return by.FinishFold(rows, keep, fold)
	}
	return r.Finish(rows, keep)
}

// intersect returns the rows in both lists; nil stands for all n.
func intersect(a, b []int, n int) []int {
	out := make([]int, 0, n)
	for i := range n {
		if contains(a, i) && contains(b, i) {
			out = append(out, i)
		}
	}
	return out
}

func contains(sorted []int, i int) bool {
	if sorted == nil {
		return true
	}
	_, found := slices.BinarySearch(sorted, i)
	return found
}
