package rr

import (
	"encoding/binary"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/features"
	fast "mediant/internal/blas"
	"mediant/internal/parallel"
	"mediant/kernels"
	"mediant/moments"
)

// A Linear is the predictor coef'map(x) + intercept, made by NewLinear.
type Linear struct {
	Map       features.Map
	Coef      *mat.Dense // features × outputs
	Intercept []float64

	// The predictor before its linear last step was folded; unset if it was read from a file.
	whole     features.Map
	wholeCoef *mat.Dense

	// sum is coef'map(x), if there is one output and the map has something faster than its features.
	sum features.Combination
}

var _ Predictor = (*Linear)(nil)

// NewLinear returns the predictor coef'm(x) + intercept. The linear last step of a map that has one (Nyström whitening) is
// folded into the coefficients, so that prediction skips it and a model file need not hold it.
func NewLinear(m features.Map, coef *mat.Dense, intercept []float64) *Linear {
	l := &Linear{Map: m, Coef: coef, Intercept: intercept, whole: m, wholeCoef: coef}
	if f, ok := m.(features.Folder); ok {
		l.Map, l.Coef = f.Fold(coef)
	}
	return l.combined()
}

// combined prepares l, whose map and coefficients are set, for predictions.
func (l *Linear) combined() *Linear {
	if c, ok := l.Map.(features.Combiner); ok && l.Coef.RawMatrix().Cols == 1 {
		l.sum = c.Combine(mat.Col(nil, 0, l.Coef))
	}
	return l
}

// AffineIn returns l as an affine function of the features m; ok is false unless l was made with m.
func (l *Linear) AffineIn(m features.Map) (f crossfit.Affine, ok bool) {
	if l.whole == nil || m == nil || l.whole.ID() != m.ID() {
		return crossfit.Affine{}, false
	}
	return l.affine(), true
}

// affine is l as a function of the features that it was fitted on.
func (l *Linear) affine() crossfit.Affine {
	if l.whole == nil {
		return crossfit.Affine{Coef: l.Coef, Intercept: l.Intercept}
	}
	return crossfit.Affine{Coef: l.wholeCoef, Intercept: l.Intercept}
}

// PredictTo implements Predictor, in blocks of rows, so that memory does not grow with them.
func (l *Linear) PredictTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	_, k := l.Coef.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, k)
	}
	if r, c := dst.Dims(); r != n || c != k {
		panic(mat.ErrShape)
	}
	if l.sum != nil {
		l.sum.CombineTo(dst, x)
		addRows(dst, l.Intercept)
		return
	}
	parallel.Blocks(n, predictRows, func(lo, hi int) {
		l.predictBlock(dst.Slice(lo, hi, 0, k).(*mat.Dense), kernels.Span(x, lo, hi))
	})
}

// predictRows is the number of rows whose features are computed at a time: a few hundred, so that a product is worth its
// overhead and the features are still in the cache when it reads them.
const predictRows = 128

// featureBlocks keeps memory for the features of predictRows rows.
var featureBlocks = sync.Pool{New: func() any { return new([]float64) }}

func (l *Linear) predictBlock(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	_, p := l.Map.Dims()
	memory := featureBlocks.Get().(*[]float64)
	defer featureBlocks.Put(memory)
	*memory = slices.Grow((*memory)[:0], n*p)[:n*p]
	phi := mat.NewDense(n, p, *memory)
	l.Map.MapTo(phi, x)
	fast.Gemm(blas.NoTrans, blas.NoTrans, 1, phi.RawMatrix(), l.Coef.RawMatrix(), 0, dst.RawMatrix())
	addRows(dst, l.Intercept)
}

// addRows adds a row to all rows of dst.
func addRows(dst *mat.Dense, row []float64) {
	n, _ := dst.Dims()
	for i := range n {
		floats.Add(dst.RawRowView(i), row)
	}
}

// outputs is the feature map of the outputs of a Linear, for moments with predictions on one side.
type outputs struct{ *Linear }

var _ features.Map = outputs{}

// Dims implements features.Map.
func (o outputs) Dims() (in, out int) {
	in, _ = o.Map.Dims()
	_, out = o.Coef.Dims()
	return in, out
}

// MapTo implements features.Map.
func (o outputs) MapTo(dst *mat.Dense, x mat.Matrix) { o.PredictTo(dst, x) }

// CheckRows returns an error for rows that the features are not for.
func (o outputs) CheckRows(x mat.Matrix) error { return features.CheckRows(o.Map, x) }

// ID implements features.Map.
func (o outputs) ID() moments.ID {
	id := o.Map.ID()
	numbers := append(slices.Clone(o.Coef.RawMatrix().Data), o.Intercept...)
	raw, err := binary.Append(nil, binary.LittleEndian, numbers)
	if err != nil {
		panic(err) // float64 has a size
	}
	return moments.NewID([]byte("outputs"), id[:], raw)
}

// A Chain predicts in two steps, Then(First(x)), as the naive chain from X over U to Y does. Both fields must be set.
type Chain struct{ First, Then Predictor }

var _ Predictor = Chain{}

// PredictTo implements Predictor.
func (c Chain) PredictTo(dst *mat.Dense, x mat.Matrix) {
	var u mat.Dense
	c.First.PredictTo(&u, x)
	c.Then.PredictTo(dst, &u)
}
