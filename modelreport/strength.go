package modelreport

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/internal/draw"
	"mediant/internal/weighted"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

const (
	// shuffledColumns bounds the columns that are shuffled one by one; of more, those that f varies with most by groups of rows.
	shuffledColumns = 60
	// mostOutputs bounds rows times outputs, for many classes.
	mostOutputs = 400_000
)

// xRows are sampled rows of X, of which columns can be changed.
type xRows struct {
	model   *rr.Model
	bind    *encode.Binding
	columns *tables.Selection // those of model.X
	batch   tables.Batch
	weights []float64
	num     *mat.Dense // a copy of batch.Num, to change
	f       *mat.Dense // predictions for the rows as they are
	scale   []float64  // of squared differences of each output
	memory  mat.Dense
}

// sampleX reads a sample of rows of S_X.
func (b *builder) sampleX(ctx context.Context, e *problem.Encoded) (*xRows, error) {
	m := b.Model
	n := max(50, min(sampleSize(e, dependenceRows), mostOutputs/m.Y.Len()))
	if !m.X.Sparse() { // whose encoded rows are encoded and predicted a hundred times
		n = max(50, min(n, sampledCells/m.X.Width()))
	}
	some, err := e.Sampled(ctx, n, "report dependence")
	if err != nil {
		return nil, err
	}
	src := some.Sources()[problem.TableXU]
	table, err := tables.Load(ctx, src)
	if err != nil {
		return nil, err
	}
	r := &xRows{model: m.Model}
	for batch, err := range table.Batches(ctx) { // one, of no more than tables.BlockRows
		if err != nil {
			return nil, err
		}
		r.batch = batch
		break
	}
	w := problem.RowWeights(r.batch)
	for i := range r.batch.Rows {
		r.weights = append(r.weights, w.Of(i))
	}
	if r.bind, err = m.X.Bind(table.Columns()); err != nil {
		return nil, err
	}
	if r.columns, err = tables.Select(table.Columns(), m.X.Columns()); err != nil {
		return nil, err
	}
	if r.batch.Num != nil {
		r.num = mat.DenseCopyOf(r.batch.Num)
	}
	if r.f, err = r.predict(r.batch); err != nil {
		return nil, err
	}
	r.setScale()
	return r, nil
}

// setScale makes each of several columns of Y a unit, by the variance of its predictions, and classes one together.
func (r *xRows) setScale() {
	k := r.model.Y.Len()
	mean, square := weighted.NewAverages(k), weighted.NewAverages(k)
	row := make([]float64, k)
	for i, w := range r.weights {
		mean.Add(w, r.f.RawRowView(i))
	}
	for i, w := range r.weights {
		floats.SubTo(row, r.f.RawRowView(i), mean.Mean)
		floats.Mul(row, row)
		square.Add(w, row)
	}
	r.scale = make([]float64, k)
	vary := 0.
	for j, v := range square.Mean {
		if v > 0 {
			r.scale[j] = 1 / v
			vary++
		}
	}
	if r.model.Y.Classes() != nil {
		all := floats.Sum(square.Mean)
		for j := range r.scale {
			if r.scale[j] = 0; all > 0 {
				r.scale[j] = 1 / all
			}
		}
		return
	}
	if vary > 0 {
		floats.Scale(1/vary, r.scale)
	}
}

// encoded are the rows of a batch as f takes them, valid until the next call.
func (r *xRows) encoded(b tables.Batch) mat.Matrix {
	x, _ := r.bind.Rows(&r.memory, b)
	return x
}

func (r *xRows) predict(b tables.Batch) (f *mat.Dense, err error) {
	defer func() { // a panic of a caller's predictor
		if value := recover(); value != nil {
			err = fmt.Errorf("%T panicked: %v", r.model.F, value)
		}
	}()
	f = new(mat.Dense)
	r.model.F.PredictTo(f, r.encoded(b))
	return f, nil
}

// with calls use with the rows in which column i is changed: set stores the numbers or the cells of all rows.
func (r *xRows) with(i int, numbers func(dst []float64), cells func(dst []string), use func(tables.Batch) error) error {
	changed := r.batch
	switch kind, place := r.columns.Place(i); kind {
	case tables.Numeric:
		dst := make([]float64, r.batch.Rows)
		numbers(dst)
		r.num.SetCol(place, dst)
		changed.Num = r.num
		defer r.num.SetCol(place, mat.Col(nil, place, r.batch.Num))
	case tables.Text:
		dst := make([]string, r.batch.Rows)
		cells(dst)
		changed.Text = slices.Clone(r.batch.Text)
		changed.Text[place] = dst
	default:
		panic("modelreport: a column of sparse rows cannot be changed")
	}
	return use(changed)
}

// values are those of column i of numbers, cells those of one of text.
func (r *xRows) values(i int) []float64 {
	_, place := r.columns.Place(i)
	return mat.Col(nil, place, r.batch.Num)
}

func (r *xRows) cells(i int) []string {
	_, place := r.columns.Place(i)
	return r.batch.Text[place]
}

func (r *xRows) kind(i int) tables.Kind {
	kind, _ := r.columns.Place(i)
	return kind
}

// A strength is half the mean squared change of f if a column is shuffled among the rows, as a share of the variance of f: if the columns are independent,
// the share of the variance that is lost without the column (Sobol's total index).
type strength struct {
	column int // of model.X
	share  float64
}

// strengths are those of the columns of X, the largest first, and the number of columns that were shuffled.
func (b *builder) strengths(ctx context.Context, r *xRows) ([]strength, int, error) {
	var open []int
	for i := range b.Model.X.Columns() {
		if r.kind(i) != tables.Vector {
			open = append(open, i)
		}
	}
	if len(open) > shuffledColumns {
		open = r.screen(open)[:shuffledColumns]
	}
	var all []strength
	for _, i := range open {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		perm := draw.Rand(b.Model.Seed, "report strength", i).Perm(r.batch.Rows)
		err := r.with(i, func(dst []float64) {
			for row, v := range r.values(i) {
				dst[perm[row]] = v
			}
		}, func(dst []string) {
			for row, v := range r.cells(i) {
				dst[perm[row]] = v
			}
		}, func(changed tables.Batch) error {
			f, err := r.predict(changed)
			if err == nil {
				all = append(all, strength{i, r.halfSquare(f)})
			}
			return err
		})
		if err != nil {
			return nil, 0, err
		}
	}
	slices.SortStableFunc(all, func(a, b strength) int { return cmp.Compare(b.share, a.share) })
	return all, len(open), nil
}

// halfSquare is half the mean square of f less the predictions for the rows as they are, in units of the variance.
func (r *xRows) halfSquare(f *mat.Dense) float64 {
	mean := weighted.NewAverages(1)
	for i, w := range r.weights {
		sum := 0.
		for j, v := range f.RawRowView(i) {
			d := v - r.f.At(i, j)
			sum += d * d * r.scale[j]
		}
		mean.Add(w, []float64{sum / 2})
	}
	return mean.Mean[0]
}

// screen sorts columns by the share of the variance of f between groups of rows by their values: ten of numbers, the levels of text.
func (r *xRows) screen(columns []int) []int {
	between := make(map[int]float64)
	for _, i := range columns {
		between[i] = r.between(r.groups(i))
	}
	sorted := slices.Clone(columns)
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(between[b], between[a]) })
	return sorted
}

// groups numbers the group of each row by the value of a column; missing ones are one.
func (r *xRows) groups(i int) []int {
	group := make([]int, r.batch.Rows)
	if r.kind(i) == tables.Text {
		seen := map[string]int{}
		for row, cell := range r.cells(i) {
			if _, ok := seen[cell]; !ok {
				seen[cell] = len(seen)
			}
			group[row] = seen[cell]
		}
		if len(seen) > r.batch.Rows/4 { // each row is a group, which says nothing
			return make([]int, r.batch.Rows)
		}
		return group
	}
	values := r.values(i)
	var present []float64
	for _, v := range values {
		if !math.IsNaN(v) {
			present = append(present, v)
		}
	}
	slices.Sort(present)
	for row, v := range values {
		if math.IsNaN(v) {
			continue
		}
		at, _ := slices.BinarySearch(present, v)
		group[row] = 1 + binned*at/len(present)
	}
	return group
}

// between is the share of the variance of f between groups, over the first outputs.
func (r *xRows) between(group []int) float64 {
	k := min(r.model.Y.Len(), shownOutputs)
	all := weighted.NewAverages(k)
	by := map[int]*weighted.Averages{}
	for i, w := range r.weights {
		row := r.f.RawRowView(i)[:k]
		all.Add(w, row)
		if by[group[i]] == nil {
			by[group[i]] = weighted.NewAverages(k)
		}
		by[group[i]].Add(w, row)
	}
	share := 0.
	for g := range slices.Max(group) + 1 {
		if m := by[g]; m != nil {
			for j := range k {
				d := m.Mean[j] - all.Mean[j]
				share += m.Weight / all.Weight * d * d * r.scale[j]
			}
		}
	}
	return share
}
