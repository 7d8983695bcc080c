package features

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/moments"
	"mediant/tables"
)

// A Side makes one half of a moments.Pair from the rows of a table: *Encoder gives encoded columns,
// Mapped features of them, *Targets the outputs.
type Side interface {
	// ID identifies what the columns mean.
	ID() moments.ID
	open(columns []tables.Column) (*sideReader, error)
}

var (
	_ Side = (*Encoder)(nil)
	_ Side = Mapped{}
	_ Side = (*Targets)(nil)
	_ Side = Squares{}
)

// Mapped, of which both must be set, is the Side of a Map of encoded rows.
type Mapped struct {
	Encoder *Encoder
	Map     Map
}

// ID identifies encoder and map together.
func (m Mapped) ID() moments.ID {
	encoder, id := m.Encoder.ID(), m.Map.ID()
	return moments.NewID([]byte("mapped"), encoder[:], id[:])
}

func (m Mapped) open(columns []tables.Column) (*sideReader, error) {
	r, err := m.Encoder.open(columns)
	if err != nil {
		return nil, err
	}
	r.encoder, r.then = m.Encoder, m.Map
	return r, nil
}

// ID identifies the encoded columns.
func (e *Encoder) ID() moments.ID { return moments.NewID([]byte("encoder"), e.Canonical()) }

func (e *Encoder) open(columns []tables.Column) (*sideReader, error) {
	b, err := e.Bind(columns)
	if err != nil {
		return nil, err
	}
	r := &sideReader{width: e.Width(), encode: func(dst *mat.Dense, batch tables.Batch) []int {
		b.EncodeTo(dst, batch)
		return nil
	}}
	if e.Sparse() {
		r.sparse = b
	}
	return r, nil
}

func (t *Targets) open(columns []tables.Column) (*sideReader, error) {
	b, err := t.Bind(columns)
	if err != nil {
		return nil, err
	}
	return &sideReader{width: t.Len(), encode: b.EncodeTo}, nil
}

// Squares, of which Of must be set, is the Side of the squares of the outputs, for models of E[Y²|U].
type Squares struct{ Of *Targets }

// ID identifies the squares of the outputs.
func (s Squares) ID() moments.ID {
	id := s.Of.ID()
	return moments.NewID([]byte("squares"), id[:])
}

func (s Squares) open(columns []tables.Column) (*sideReader, error) {
	r, err := s.Of.open(columns)
	if err != nil {
		return nil, err
	}
	encode := r.encode
	r.encode = func(dst *mat.Dense, batch tables.Batch) []int {
		usable := encode(dst, batch)
		dst.MulElem(dst, dst)
		return usable
	}
	return r, nil
}

// A sideReader makes the columns of one side, batch by batch.
type sideReader struct {
	width int
	// encode writes all rows of a batch and returns the usable ones, in order; nil stands for all.
	encode func(dst *mat.Dense, batch tables.Batch) []int
	sparse *Binding // of an encoder whose rows are sparse, instead of encode
	then   Map      // nil: the encoded rows themselves
	// encoder is that of the rows that then maps.
	encoder *Encoder

	encoded, chosen, mapped mat.Dense
}

// read encodes a batch.
func (r *sideReader) read(batch tables.Batch) (mat.Matrix, []int) {
	if r.sparse != nil {
		rows, _ := r.sparse.sparse(batch)
		return rows, nil
	}
	rows := firstRows(&r.encoded, batch.Rows, r.width)
	return rows, r.encode(rows, batch)
}

// check returns an error that names the row of src and the column whose entry the map cannot take.
func (r *sideReader) check(rows mat.Matrix, src tables.Source, batch tables.Batch) error {
	if r.then == nil {
		return nil
	}
	return r.encoder.CheckRows(r.then, rows, src, batch)
}

// outWidth is the number of finished columns.
func (r *sideReader) outWidth() int {
	if r.then == nil {
		return r.width
	}
	_, p := r.then.Dims()
	return p
}

// finish returns the finished columns of the given rows, nil for all. Sparse rows stay sparse up to the map.
func (r *sideReader) finish(rows mat.Matrix, keep []int) *mat.Dense {
	if keep != nil {
		rows = r.choose(rows, keep)
	}
	n, _ := rows.Dims()
	if r.then != nil {
		out := firstRows(&r.mapped, n, r.outWidth())
		r.then.MapTo(out, rows)
		return out
	}
	if dense, ok := rows.(*mat.Dense); ok {
		return dense
	}
	out := firstRows(&r.mapped, n, r.width)
	NewLinear(r.width).MapTo(out, rows)
	return out
}

// choose returns the given rows.
func (r *sideReader) choose(rows mat.Matrix, keep []int) mat.Matrix {
	dense, ok := rows.(*mat.Dense)
	if !ok {
		return pickRows(rows, keep)
	}
	chosen := firstRows(&r.chosen, len(keep), r.width)
	for i, k := range keep {
		copy(chosen.RawRowView(i), dense.RawRowView(k))
	}
	return chosen
}

// PassOptions say how a pass splits rows. Rows of a source made by tables.Weigh have its weights.
type PassOptions struct {
	// Folds is the number of folds; 0 and 1 are a single one.
	Folds int
	Seed  uint64
	// Fold, if not nil, is the fold of each row of the source, from 0, in the place of one that is drawn.
	Fold func(row int) int
	// Keep says which folds' rows are wanted; nil wants all. The others are skipped, which costs their
	// encoding only. Rows without a value count as left out in any fold.
	Keep func(fold int) bool
}

// Weights say how much the rows of a block count; nil slices stand for ones.
type Weights struct {
	// Frequency is how many observations each row stands for, Factor what else it is multiplied by in sums: a sampling
	// weight, a ratio of densities, a precision.
	Frequency, Factor []float64
}

// Of is the weight of row i in sums.
func (w Weights) Of(i int) float64 { return weightOf(w.Frequency, i) * weightOf(w.Factor, i) }

// FrequencyOf is the number of observations that row i stands for.
func (w Weights) FrequencyOf(i int) float64 { return weightOf(w.Frequency, i) }

// FactorOf is the part that multiplies the observations.
func (w Weights) FactorOf(i int) float64 { return weightOf(w.Factor, i) }

// Products are the weights of all rows in sums, nil for ones.
func (w Weights) Products() []float64 {
	switch {
	case w.Frequency == nil:
		return w.Factor
	case w.Factor == nil:
		return w.Frequency
	}
	return floats.MulTo(make([]float64, len(w.Factor)), w.Frequency, w.Factor)
}

// Times multiplies the factors.
func (w Weights) Times(factor []float64) Weights {
	if w.Factor != nil {
		factor = floats.MulTo(make([]float64, len(factor)), factor, w.Factor)
	}
	return Weights{w.Frequency, factor}
}

// weightsOf are those of the rows of a batch.
func weightsOf(batch tables.Batch) Weights {
	return Weights{Frequency: batch.Frequencies(), Factor: batch.Factors()}
}

// pick returns the weights of some rows.
func (w Weights) pick(rows []int) Weights {
	some := func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		out := make([]float64, len(rows))
		for i, r := range rows {
			out[i] = v[r]
		}
		return out
	}
	return Weights{some(w.Frequency), some(w.Factor)}
}

// maxFolds bounds folds, which are counted before rows are.
const maxFolds = 1 << 24

// Validate returns an error that names the first field out of range.
func (o PassOptions) Validate() error {
	if o.Folds < 0 || o.Folds > maxFolds {
		return fmt.Errorf("features: PassOptions.Folds is %d, must be at least 0 and at most %d", o.Folds, maxFolds)
	}
	return nil
}

// Walk calls do for the rows of src, batch by batch and within a batch fold by fold, with the columns
// of both sides and the weights, all of them valid during the call
// only. It counts the rows left out because a side is incomplete there, a row of weight k as k. Each run of Folds consecutive
// rows holds every fold once, in an order drawn from the seed, so that Folds = n is leave-one-out; a fold
// is empty only if there are fewer rows than folds, or all of its rows are left out.
// Memory is that of one batch.
func Walk(ctx context.Context, src tables.Source, left, right Side, opt PassOptions, do func(fold int, a, b *mat.Dense, w Weights)) (dropped int, err error) {
	if err := opt.Validate(); err != nil {
		return 0, err
	}
	p, err := openPass(src, left, right)
	if err != nil {
		return 0, err
	}
	assign := foldAssigner{folds: max(1, opt.Folds), seed: opt.Seed, fixed: opt.Fold}
	for batch, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return 0, err
		}
		if err := p.read(batch); err != nil {
			return 0, err
		}
		dropped += batch.Count()
		for _, i := range p.usable {
			dropped -= batch.Copies(i)
		}
		for f, keep := range assign.split(batch.Start, p.usable) {
			if len(keep) > 0 && (opt.Keep == nil || opt.Keep(f)) {
				a, b, w := p.choose(keep)
				do(f, a, b, w)
			}
		}
	}
	return dropped, nil
}

// Accumulate makes the moments of (left, right) in one pass over src, one Pair for each fold, and
// counts the rows left out. Sums are formed a batch at a time in the order of the table. Errors are
// Walk's.
func Accumulate(ctx context.Context, src tables.Source, left, right Side, opt PassOptions) (folds []*moments.Pair, dropped int, err error) {
	if err := opt.Validate(); err != nil {
		return nil, 0, err
	}
	folds = make([]*moments.Pair, max(1, opt.Folds))
	for i := range folds {
		folds[i] = moments.NewPair(left.ID(), right.ID())
	}
	dropped, err = Walk(ctx, src, left, right, opt, func(fold int, a, b *mat.Dense, w Weights) {
		folds[fold].Add(a, b, w.Products())
	})
	if err != nil {
		return nil, 0, err
	}
	for _, f := range folds {
		if err := f.Check(); err != nil {
			return nil, 0, err
		}
	}
	return folds, dropped, nil
}

// ErrIncomplete is the error of a table in which no row has both sides.
var ErrIncomplete = errors.New("features: no row is complete")

// Matrices returns the columns of both sides and the weights of all complete rows of src in memory,
// and counts the others; within a batch rows come fold by fold. No complete row at all is an error.
func Matrices(ctx context.Context, src tables.Source, left, right Side, opt PassOptions) (a, b *mat.Dense, w []float64, dropped int, err error) {
	var dataA, dataB []float64
	var widthA, widthB int
	rows := 0 // to make room for, where they are known: a slice that grows is twice as large for a moment
	if n, ok := tables.KnownRows(src); ok && opt.Keep == nil {
		rows = n
	}
	dropped, err = Walk(ctx, src, left, right, opt, func(_ int, rowsA, rowsB *mat.Dense, own Weights) {
		_, widthA = rowsA.Dims()
		_, widthB = rowsB.Dims()
		if dataA == nil {
			dataA, dataB = make([]float64, 0, rows*widthA), make([]float64, 0, rows*widthB)
		}
		dataA, dataB, w = appendRows(dataA, rowsA), appendRows(dataB, rowsB), append(w, own.Products()...)
	})
	if err != nil {
		return nil, nil, nil, 0, err
	}
	if len(dataA) == 0 {
		return nil, nil, nil, 0, ErrIncomplete
	}
	return mat.NewDense(len(dataA)/widthA, widthA, dataA), mat.NewDense(len(dataB)/widthB, widthB, dataB), w, dropped, nil
}

func appendRows(data []float64, rows *mat.Dense) []float64 {
	n, _ := rows.Dims()
	for i := range n {
		data = append(data, rows.RawRowView(i)...)
	}
	return data
}

// AccumulateRows makes the moments of (m(x), y) over rows in memory, a block at a time. The identity
// of y is that of no named outputs.
func AccumulateRows(ctx context.Context, m Map, x, y *mat.Dense, weights []float64) (*moments.Pair, error) {
	pair := moments.NewPair(m.ID(), moments.ID{})
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
		phi := firstRows(&memory, hi-lo, out)
		m.MapTo(phi, x.Slice(lo, hi, 0, in))
		pair.Add(phi, y.Slice(lo, hi, 0, k).(*mat.Dense), w)
	}
	return pair, pair.Check()
}

// A pass reads both sides and the weights of a source, batch by batch.
type pass struct {
	src          tables.Source
	left, right  *sideReader
	rowsA, rowsB mat.Matrix
	w            Weights
	usable       []int
	rows         int
}

func openPass(src tables.Source, left, right Side) (*pass, error) {
	p := pass{src: src}
	var err error
	if p.left, err = left.open(src.Columns()); err != nil {
		return nil, err
	}
	if p.right, err = right.open(src.Columns()); err != nil {
		return nil, err
	}
	return &p, nil
}

// read encodes a batch and finds its usable rows.
func (p *pass) read(batch tables.Batch) error {
	p.w, p.rows = weightsOf(batch), batch.Rows
	var usableA, usableB []int
	p.rowsA, usableA = p.left.read(batch)
	p.rowsB, usableB = p.right.read(batch)
	if err := p.left.check(p.rowsA, p.src, batch); err != nil {
		return err
	}
	if err := p.right.check(p.rowsB, p.src, batch); err != nil {
		return err
	}
	p.usable = intersect(usableA, usableB, batch.Rows)
	return nil
}

// choose finishes the columns of the given rows of the batch.
func (p *pass) choose(keep []int) (a, b *mat.Dense, w Weights) {
	w = p.w.pick(keep)
	if len(keep) == p.rows {
		keep = nil // all of them, no need to copy
	}
	return p.left.finish(p.rowsA, keep), p.right.finish(p.rowsB, keep), w
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
