package diagnose

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"mediant/crossfit"
	"mediant/features"
	fast "mediant/internal/blas"
	"mediant/internal/progress"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
)

// DiagnoseSums computes the diagnostics of a model that is linear in the features of a problem of sums without rows: all of Diagnose but SharedRows, which
// rows tell. Whether U has the same distribution is tested by its mean features alone. Another model is an error.
func DiagnoseSums(ctx context.Context, m *rr.Model, p *problem.Problem) (*Diagnosis, error) {
	f, h := affineIn(m.F, p.Phi()), affineIn(m.H, p.Psi())
	if f == nil || h == nil {
		return nil, fmt.Errorf("diagnose: the method %s is not linear in the features, and there are no rows", m.Method)
	}
	ctx = progress.Stage(ctx, "diagnosing the tables")
	d := Diagnosis{DistributionOfU: meanTest(p.XU().Swapped(), p.UY(), blocksOf(p))}
	var ofH, ofF []*moments.CoMoments
	for _, fold := range p.FoldsXU() {
		ofH = append(ofH, fold.Composed(h.Coef, h.Intercept, moments.ID{}))
		ofF = append(ofF, fold.Swapped().Composed(f.Coef, f.Intercept, moments.ID{}))
	}
	all, err := explainEach(ctx, p.Splitter(), ofH, ofF, p.FoldsUY(), p.Y().Classes() != nil)
	if err != nil {
		return nil, err
	}
	d.set(all, "X")
	return &d, nil
}

// affineIn is a predictor as an affine function of the features, nil if it is none.
func affineIn(f rr.Predictor, m features.Map) *crossfit.Affine {
	l, ok := f.(*rr.Linear)
	if !ok {
		return nil
	}
	a, ok := l.AffineIn(m)
	if !ok {
		return nil
	}
	return &a
}

// meanTest tests whether the means of psi are equal, from moments whose left side is psi, and those of blocks. Under the hypothesis |d|², d being the
// difference of means, is a weighted sum of squares of independent normal variables, whose weights are the eigenvalues of the covariance S of d. Its mean, variance
// and third central moment are tr S, 2 tr S² and 8 tr S³; a chi-squared variable, moved and scaled, that has all three gives the p-value (Pearson's
// approximation: Imhof, Biometrika 48, 1961).
func meanTest(x, y *moments.CoMoments, blocks [2][]block) *DistributionTest {
	t := &DistributionTest{RowsXU: x.Rows(), RowsUY: y.Rows(), PValue: 1}
	defer t.say(nil)
	q, _ := x.Dims()
	d := make([]float64, q)
	floats.SubTo(d, x.MeanA(), y.MeanA())
	t.Statistic = floats.Dot(d, d)
	s := mat.NewDense(q, q, nil)
	for i, side := range []*moments.CoMoments{x, y} {
		var c mat.SymDense
		side.LeftTo(&c, true)
		factor := 1 / rowsOf(side, mat.Trace(&c), blocks[i])
		for j := range q {
			for k := range q {
				s.Set(j, k, s.At(j, k)+float64(factor*c.At(j, k)))
			}
		}
	}
	var square mat.Dense
	fast.MulTo(&square, blas.NoTrans, s, blas.NoTrans, s)
	trace := mat.Trace(s)
	trace2, trace3 := mat.Trace(&square), 0.
	for i := range q {
		trace3 += floats.Dot(square.RawRowView(i), s.RawRowView(i))
	}
	if !(trace3 > 0) { // U does not vary
		if t.Statistic > 1e-20*floats.Dot(x.MeanA(), x.MeanA()) {
			t.PValue = 0
		}
		return t
	}
	freedom := trace2 * trace2 * trace2 / (trace3 * trace3)
	t.PValue = distuv.ChiSquared{K: freedom}.Survival(freedom + (t.Statistic-trace)*math.Sqrt(freedom/trace2))
	return t
}

// rowsOf is the number of rows of equal weight whose mean has the variance of that of side: all, or, where weights differ, by the variance between blocks.
// variance is the trace of the covariance of the features.
func rowsOf(side *moments.CoMoments, variance float64, blocks []block) float64 {
	if math.Abs(side.Weight()-float64(side.Rows())) < .5 {
		return side.Weight()
	}
	between, n := 0., 0.
	gap := make([]float64, len(side.MeanA()))
	for _, b := range blocks {
		if b.weight > 0 {
			floats.SubTo(gap, b.mean, side.MeanA())
			share := b.weight / side.Weight()
			between += share * share * floats.Dot(gap, gap)
			n++
		}
	}
	if n < 2 || between == 0 {
		return side.Weight()
	}
	return variance / (between * n / (n - 1))
}

// A block of rows of one table has a total weight and the mean of psi.
type block struct {
	weight float64
	mean   []float64
}

// blocksOf are the blocks of all folds of both tables.
func blocksOf(p *problem.Problem) (all [2][]block) {
	for k := range p.FoldsXU() {
		xu, uy := p.Blocks(k)
		for _, b := range xu {
			all[problem.TableXU] = append(all[problem.TableXU], block{b.Weight(), b.MeanB()})
		}
		for _, b := range uy {
			all[problem.TableUY] = append(all[problem.TableUY], block{b.Weight(), b.MeanA()})
		}
	}
	return all
}
