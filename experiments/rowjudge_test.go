package experiments

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/internal/draw"
	"mediant/solvers"
)

// judgedTables are tables of a law under which Y is independent of X given U: U uniform on [-1, 1]³, X = U with
// noise, Y the second of two classes with probability 1/2 + U_1/2. hidden has the classes of the
// rows of S_X.
func judgedTables(n int, seed uint64) (t *imageTables, hidden *mat.Dense) {
	rnd := draw.Rand(seed, "judged", 0)
	t = &imageTables{p: 4, q: 3, k: 2, x: mat.NewDense(n, 7, nil), y: mat.NewDense(n, 5, nil)}
	hidden = mat.NewDense(n, 2, nil)
	class := func(u []float64) int {
		if rnd.Float64() < .5+.5*u[0] {
			return 1
		}
		return 0
	}
	for i := range n {
		x, y := t.x.RawRowView(i), t.y.RawRowView(i)
		for j := range 3 {
			x[4+j], y[j] = 2*rnd.Float64()-1, 2*rnd.Float64()-1
			x[j] = x[4+j] + .3*rnd.NormFloat64()
		}
		x[3] = x[0] * x[0]
		y[3+class(y[:3])] = 1
		hidden.Set(i, class(x[4:]), 1)
	}
	return t, hidden
}

// TestRowJudgeIsRight: the risk of a fit, of one that is far too stiff, and of outputs that are far too
// sharp is that on the hidden classes, within 5 standard errors of the difference, which fails for one seed in
// a million; the product of the errors of h and r, some 1/n of its size each, is below a tenth of one.
func TestRowJudgeIsRight(t *testing.T) {
	tables, hidden := judgedTables(6000, 1)
	j, err := newRowJudge(tables, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []solvers.Params{{W: 1, LambdaF: 1e-6, LambdaH: 1e-6}, {W: 1, LambdaF: 1, LambdaH: 1}, {W: .5, LambdaF: 1e-3, LambdaH: 1e-3}} {
		c := j.candidate(p)
		for _, scale := range []float64{0, 1, 5} {
			var truth []float64
			for k, f := range j.folds {
				held := mat.DenseCopyOf(c.held[k])
				Calibrated{Shares: f.shares, Scale: scale}.apply(held)
				y := foldRows(hidden, k, true, 0, 2)
				for i := range y.RawMatrix().Rows {
					d := floats.Distance(held.RawRowView(i), y.RawRowView(i), 2)
					truth = append(truth, d*d)
				}
			}
			mean, variance := stat.MeanVariance(truth, nil)
			risk, se := j.risk(c, scale)
			if tol := 5 * math.Sqrt(se*se+variance/float64(len(truth))); math.Abs(risk-mean) > tol {
				t.Errorf("%+v at scale %g: risk %g, truth %g, tolerance %g", p, scale, risk, mean, tol)
			}
		}
	}
}

// TestFoldsPartition: each row is held once, and is in the training rows of the other folds.
func TestFoldsPartition(t *testing.T) {
	m := mat.NewDense(10, 2, nil)
	for i := range 10 {
		m.Set(i, 1, float64(i))
	}
	seen := make([]int, 10)
	for k := range judgeFolds {
		inside, outside := foldRows(m, k, true, 1, 2), foldRows(m, k, false, 1, 2)
		for _, v := range inside.RawMatrix().Data {
			seen[int(v)]++
		}
		if len(inside.RawMatrix().Data)+len(outside.RawMatrix().Data) != 10 {
			t.Errorf("fold %d has %d rows and %d outside", k, len(inside.RawMatrix().Data), len(outside.RawMatrix().Data))
		}
	}
	for i, n := range seen {
		if n != 1 {
			t.Errorf("row %d is held %d times", i, n)
		}
	}
}
