package risk

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
	"mediant/moments"
)

// targets sums the right sides of Riesz weights over rows of S_X, for functions that are not affine in
// phi: the means of (psi, 1) g, for the functions g of each fold's model, over the rows outside and
// inside the fold. It holds 2 K (q+1) columns numbers.
type targets struct {
	train, held             []*mat.Dense
	trainWeight, heldWeight []float64

	columns int
	scaled  mat.Dense // functions of the models side by side, times weights
	product mat.Dense
}

// newTargets returns empty sums for folds models of columns functions each, with psi of width q.
func newTargets(folds, columns, q int) *targets {
	t := &targets{columns: columns, trainWeight: make([]float64, folds), heldWeight: make([]float64, folds)}
	for range folds {
		t.train = append(t.train, mat.NewDense(q+1, columns, nil))
		t.held = append(t.held, mat.NewDense(q+1, columns, nil))
	}
	return t
}

// add adds rows of the given fold. functions returns the values of g of each model (its fold held out), which are the same for all models if same is set.
func (t *targets) add(fold int, psi *mat.Dense, w moments.Weights, same bool, functions func(model int) *mat.Dense) {
	models, rows := len(t.train), psi.RawMatrix().Rows
	if same {
		models = 1
	}
	t.scaled.Reset()
	t.scaled.ReuseAs(rows, models*t.columns)
	weight := 0.
	for i := range rows {
		weight += w.Of(i)
	}
	for model := range models {
		g := functions(model)
		for i := range rows {
			floats.ScaleTo(t.scaled.RawRowView(i)[model*t.columns:(model+1)*t.columns], w.Of(i), g.RawRowView(i))
		}
	}
	t.product.Reset()
	fast.MulTo(&t.product, blas.Trans, psi, blas.NoTrans, &t.scaled)
	for model := range t.train {
		to, sum := t.train[model], &t.trainWeight[model]
		if model == fold {
			to, sum = t.held[model], &t.heldWeight[model]
		}
		*sum += weight
		from := model * t.columns
		if same {
			from = 0
		}
		q, _ := to.Dims()
		for i := range rows {
			floats.Add(to.RawRowView(q-1), t.scaled.RawRowView(i)[from:from+t.columns])
		}
		top := to.Slice(0, q-1, 0, t.columns).(*mat.Dense)
		top.Add(top, t.product.Slice(0, q-1, from, from+t.columns))
	}
}

// means divides the sums by the weights, which must be above 0.
func (t *targets) means() (train, held []*mat.Dense) {
	for k := range t.train {
		t.train[k].Scale(1/t.trainWeight[k], t.train[k])
		t.held[k].Scale(1/t.heldWeight[k], t.held[k])
	}
	return t.train, t.held
}

// argmaxTo stores in dst, of f's shape, 1 where a row of f is largest (the first of equal ones) and
// else 0.
func argmaxTo(dst, f *mat.Dense) {
	rows, _ := f.Dims()
	for i := range rows {
		at := floats.MaxIdx(f.RawRowView(i))
		row := dst.RawRowView(i)
		clear(row)
		row[at] = 1
	}
}
