package experiments

import (
	"context"
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
	ctx := context.Background()
	j, err := newRowJudge(ctx, tables)
	if err != nil {
		t.Fatal(err)
	}
	params := []solvers.Params{{W: 1, LambdaF: 1e-6, LambdaH: 1e-6}, {W: 1, LambdaF: 1, LambdaH: 1}, {W: .5, LambdaF: 1e-3, LambdaH: 1e-3}}
	fits, err := j.candidates(ctx, params)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range fits {
		scales := []float64{0, 1, 5}
		for s, e := range j.risks(c, scales) {
			scale := scales[s]
			var truth []float64
			for k, f := range j.folds {
				held, y := mat.DenseCopyOf(f.x.of(c[k])), f.x.of(hidden)
				Calibrated{Shares: f.shares, Scale: scale}.apply(held)
				for i := range y.RawMatrix().Rows {
					d := floats.Distance(held.RawRowView(i), y.RawRowView(i), 2)
					truth = append(truth, d*d)
				}
			}
			mean, variance := stat.MeanVariance(truth, nil)
			if tol := 5 * math.Sqrt(e.se*e.se+variance/float64(len(truth))); math.Abs(e.risk-mean) > tol {
				t.Errorf("%+v at scale %g: risk %g, truth %g, tolerance %g", params[i], scale, e.risk, mean, tol)
			}
		}
	}
}

// TestStretchesPartition: each row is in one fold, and in the others of the other folds.
func TestStretchesPartition(t *testing.T) {
	for _, n := range []int{3, 4, 10, 11} {
		inside, outside := make([]int, n), make([]int, n)
		for k := range judgeFolds {
			f := stretchOf(k, n)
			for i := f.lo; i < f.hi; i++ {
				inside[i]++
			}
			for _, o := range f.others() {
				for i := o.lo; i < o.hi; i++ {
					outside[i]++
				}
			}
		}
		for i := range n {
			if inside[i] != 1 || outside[i] != judgeFolds-1 {
				t.Errorf("row %d of %d is inside %d folds and outside %d", i, n, inside[i], outside[i])
			}
		}
	}
}

// TestCandidatesSeeOtherFolds: what a fold's rows of either table are does not change the function fitted without it,
// and changes the others.
func TestCandidatesSeeOtherFolds(t *testing.T) {
	ctx := context.Background()
	fits := func(change func(t *imageTables)) candidate {
		tables, _ := judgedTables(300, 2)
		change(tables)
		j, err := newRowJudge(ctx, tables)
		if err != nil {
			t.Fatal(err)
		}
		all, err := j.candidates(ctx, []solvers.Params{{W: .5, LambdaF: 1e-3, LambdaH: 1e-3}})
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	before := fits(func(*imageTables) {})
	for name, change := range map[string]func(t *imageTables){
		"S_X": func(t *imageTables) { t.x.Set(150, 4, 3) },
		"S_Y": func(t *imageTables) { t.y.Set(150, 0, 3) },
	} {
		for k, after := range fits(change) {
			// Row 150 itself has the same phi.
			if same := mat.Equal(after, before[k]); same != (k == 1) {
				t.Errorf("a row of fold 1 of %s changed: the function without fold %d is the same: %t", name, k, same)
			}
		}
	}
}
