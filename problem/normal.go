package problem

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	fast "mediant/internal/blas"
	"mediant/moments"
)

// NormalEquations, made by Mapped.NormalEquations, are those of ridge regressions on one table whose matrix is not formed: the weighted covariances A_t = Cov(a) of its left side over training sets t, of which products take one pass. Set 0 has all
// rows, and set 1 + k those without fold k, if there is more than one fold. Columns are by set, and within a set by output.
type NormalEquations struct {
	// Cross are the covariances of left and right side, p × sets·outputs, and Deviations the standard deviations of the right one.
	Cross      *mat.Dense
	Deviations []float64
	// MeanLeft (by set) and MeanRight are means over the rows, zeros without intercepts.
	MeanLeft  [][]float64
	MeanRight []float64

	again   func(ctx context.Context, do func(k int, a, b *mat.Dense, w moments.Weights)) error // a pass over the left side
	sets    int
	outputs int
	weight  []float64 // by set
	held    []heldRows
	room    float64 // bytes of rows that may be held
}

// heldRows are rows of one fold that are kept between passes.
type heldRows struct {
	fold int
	a    *mat.Dense
	w    []float64 // nil: ones
}

// NormalEquations reads a table for its right sides: right has k columns, or, if bySet, k for each set. Rows of the left side are kept for later passes if they take at most room bytes.
func (m *Mapped) NormalEquations(ctx context.Context, table int, left, right encode.Side, bySet bool, room float64) (*NormalEquations, error) {
	e := &NormalEquations{sets: 1, room: room}
	if folds := len(m.Folds()); folds > 1 {
		e.sets += folds
	}
	walk := func(right encode.Side) func(ctx context.Context, do func(k int, a, b *mat.Dense, w moments.Weights)) error {
		return func(ctx context.Context, do func(k int, a, b *mat.Dense, w moments.Weights)) error {
			return m.walkTable(ctx, table, left, right, do)
		}
	}
	e.again = walk(right)
	if table == TableXU { // where no row is left out for its right side, which may take long
		e.again = walk(m.Constant())
	}
	s := normalSums{NormalEquations: e, bySet: bySet, intercept: !m.setup.NoIntercept}
	if err := walk(right)(ctx, s.add); err != nil {
		return nil, err
	}
	for t, w := range e.weight {
		if !(w > 0) {
			return nil, fmt.Errorf("problem: no row of positive weight in training set %d of %d of the table of %s: too few rows", t+1, e.sets, tableNames[table])
		}
	}
	if s.sums == nil {
		return nil, fmt.Errorf("problem: the table of %s has no row to learn from", tableNames[table])
	}
	s.finish()
	return e, nil
}

// has reports whether rows of a fold are in a training set.
func (e *NormalEquations) has(set, fold int) bool { return set != 1+fold }

// setOf is the training set of a column.
func (e *NormalEquations) setOf(c int) int { return c / e.outputs % e.sets }

// normalSums are what NormalEquations are made of.
type normalSums struct {
	*NormalEquations
	bySet, intercept bool
	centre           []float64  // of the right side: its mean in the first rows
	sums             *mat.Dense // of a b' and, beside them, of a by set
	squares          []float64
	b                mat.Dense
	over             bool // the rows take too much room
}

func (s *normalSums) add(k int, a, b *mat.Dense, w moments.Weights) {
	n, p := a.Dims()
	_, width := b.Dims()
	if s.sums == nil {
		s.begin(p, width, b)
	}
	s.keep(k, a, w)
	columns := s.sets * s.outputs
	s.b.Reset()
	s.b.ReuseAs(n, columns+s.sets)
	for i := range n {
		row, of := s.b.RawRowView(i), b.RawRowView(i)
		by := w.Of(i)
		for t := range s.sets {
			if !s.has(t, k) {
				continue
			}
			s.weight[t] += by
			row[columns+t] = by
			for j := range s.outputs {
				c := t*s.outputs + j
				v := of[c%width] - s.centre[c%width]
				row[c] = by * v
				s.MeanRight[c] += by * v
				s.squares[c] += by * v * v
			}
		}
	}
	fast.Gemm(blas.Trans, blas.NoTrans, 1, a.RawMatrix(), s.b.RawMatrix(), 1, s.sums.RawMatrix())
}

// begin makes room once the widths are known.
func (s *normalSums) begin(p, width int, b *mat.Dense) {
	s.outputs = width
	if s.bySet {
		s.outputs /= s.sets
	}
	s.centre = make([]float64, width)
	if n, _ := b.Dims(); s.intercept {
		for i := range n {
			floats.AddScaled(s.centre, 1/float64(n), b.RawRowView(i))
		}
	}
	columns := s.sets * s.outputs
	s.sums, s.weight = mat.NewDense(p, columns+s.sets, nil), make([]float64, s.sets)
	s.MeanRight, s.Deviations, s.squares = make([]float64, columns), make([]float64, columns), make([]float64, columns)
}

// keep holds rows as long as there is room.
func (s *normalSums) keep(fold int, a *mat.Dense, w moments.Weights) {
	n, p := a.Dims()
	if s.room -= 8 * float64(n) * float64(p); s.room < 0 {
		s.held, s.over = nil, true
	}
	if !s.over {
		s.held = append(s.held, heldRows{fold, mat.DenseCopyOf(a), slices.Clone(w.Products())})
	}
}

// finish divides by weights and centres.
func (s *normalSums) finish() {
	p, _ := s.sums.Dims()
	columns := s.sets * s.outputs
	s.Cross, s.MeanLeft = mat.NewDense(p, columns, nil), make([][]float64, s.sets)
	for t, weight := range s.weight {
		s.MeanLeft[t] = make([]float64, p)
		if s.intercept {
			mat.Col(s.MeanLeft[t], columns+t, s.sums)
			floats.Scale(1/weight, s.MeanLeft[t])
		}
	}
	for c := range columns {
		weight := s.weight[c/s.outputs]
		mean := s.MeanRight[c] / weight
		s.Deviations[c] = math.Sqrt(max(0, s.squares[c]/weight-mean*mean))
		for i := range p {
			s.Cross.Set(i, c, s.sums.At(i, c)/weight-s.MeanLeft[c/s.outputs][i]*mean)
		}
		if s.MeanRight[c] = 0; s.intercept {
			s.MeanRight[c] = mean + s.centre[c%len(s.centre)]
		}
	}
	s.sums = nil
}

// MultiplyTo stores A_t v in the columns of dst, for columns as those of Cross or several times as many (of several penalties, one after another), in one pass and 4 n p flops a column.
func (e *NormalEquations) MultiplyTo(ctx context.Context, dst, v *mat.Dense) error {
	p, columns := v.Dims()
	shift, sums := make([]float64, columns), make([]float64, columns)
	for c := range columns {
		for i, mean := range e.MeanLeft[e.setOf(c)] {
			shift[c] += mean * v.At(i, c)
		}
	}
	dst.Zero()
	var t mat.Dense
	add := func(k int, a, _ *mat.Dense, w moments.Weights) {
		t.Reset()
		fast.MulTo(&t, blas.NoTrans, a, blas.NoTrans, v)
		for i := range a.RawMatrix().Rows {
			row, by := t.RawRowView(i), w.Of(i)
			for c := range row {
				if !e.has(e.setOf(c), k) {
					row[c] = 0
					continue
				}
				row[c] = by * (row[c] - shift[c])
				sums[c] += row[c]
			}
		}
		fast.Gemm(blas.Trans, blas.NoTrans, 1, a.RawMatrix(), t.RawMatrix(), 1, dst.RawMatrix())
	}
	if e.held != nil {
		for _, h := range e.held {
			if err := ctx.Err(); err != nil {
				return err
			}
			add(h.fold, h.a, nil, moments.Weights{Factor: h.w})
		}
	} else if err := e.again(ctx, add); err != nil {
		return err
	}
	for i := range p {
		row := dst.RawRowView(i)
		for c := range row {
			row[c] = (row[c] - e.MeanLeft[e.setOf(c)][i]*sums[c]) / e.weight[e.setOf(c)]
		}
	}
	return nil
}

// Sets returns the number of training sets.
func (e *NormalEquations) Sets() int { return e.sets }

// Intercept returns the intercepts that belong to coefficients in the columns of Cross.
func (e *NormalEquations) Intercept(coef *mat.Dense) []float64 {
	_, columns := coef.Dims()
	out := slices.Repeat(e.MeanRight, columns/len(e.MeanRight))
	for i := range coef.RawMatrix().Rows {
		for c, v := range coef.RawRowView(i) {
			out[c] -= e.MeanLeft[e.setOf(c)][i] * v
		}
	}
	return out
}
