package theory

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"mediant/baselines"
	"mediant/features"
	"mediant/internal/draw"
	"mediant/problem"
	"mediant/report"
	"mediant/rr"
	"mediant/tables"
)

// minimaxMethods are our estimators on linear features, in which E[Y|U] and E[Y|X] are linear.
func minimaxMethods() []struct {
	name string
	rr.Method
} {
	return []struct {
		name string
		rr.Method
	}{
		{"2Step-RR", rr.TwoStep{}}, {"Joint-RR, w = 1/2", rr.Joint{}},
		{"naive", baselines.Naive{}}, {"mean embedding", baselines.MeanEmbedding{}},
	}
}

// sample draws the two tables. S_Y is drawn from P_+; P_- has the same distribution of (U, Y), so that one fit
// is a fit for both.
func (m minimaxPair) sample(rnd *rand.Rand, n int) (xu, uy *mat.Dense) {
	atoms := m.distribution(1)
	pick := func() minimaxAtom {
		at := rnd.Float64()
		for _, a := range atoms {
			if at -= a.p; at < 0 {
				return a
			}
		}
		return atoms[len(atoms)-1]
	}
	xu, uy = mat.NewDense(n, 3, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		a, b := pick(), pick()
		xu.SetRow(i, []float64{minimaxX[a.x][0], minimaxX[a.x][1], a.u})
		uy.SetRow(i, []float64{b.u, b.y})
	}
	return xu, uy
}

// estimate fits a method and returns its values at the four points of X.
func (m minimaxPair) estimate(ctx context.Context, method rr.Method, xu, uy *mat.Dense) (minimaxEstimate, error) {
	first, err := tables.FromMatrix([]string{"x1", "x2", "u"}, xu)
	if err != nil {
		return minimaxEstimate{}, err
	}
	second, err := tables.FromMatrix([]string{"u", "y"}, uy)
	if err != nil {
		return minimaxEstimate{}, err
	}
	linear := features.Spec{Kind: features.LinearFeatures}
	model, err := rr.Fit(ctx, problem.Setup{Phi: linear, Psi: linear, NoStandardize: true}, method, first, second)
	if err != nil {
		return minimaxEstimate{}, err
	}
	points := mat.NewDense(len(minimaxX), 2, nil)
	for i, x := range minimaxX {
		points.SetRow(i, x[:])
	}
	var values mat.Dense
	if err := model.PredictTo(&values, points); err != nil {
		return minimaxEstimate{}, err
	}
	e := minimaxEstimate{p: []float64{1}, values: make([][4]float64, 1)}
	for i := range minimaxX {
		e.values[0][i] = values.At(i, 0)
	}
	return e, nil
}

// checkEstimators runs the methods on samples of the pair in which U says something. Their risks are
// exact sums: chance enters by the sample alone, and the bound holds for each sample.
func checkEstimators(ctx context.Context, g *gauge, f minimaxFormula, o Options) (report.Table, error) {
	sizes, repetitions := []int{100, 1000, 10000}, 20
	if o.Quick {
		sizes, repetitions = []int{100, 1000}, 5
	}
	m := minimaxPairs(1)[1]
	limit := m.limit()
	t := report.Table{Caption: fmt.Sprintf("Our estimators on samples of the pair, c = 1: no risk is below c² = 1 for both distributions; means of %d samples", repetitions),
		Columns: []string{"method", "n = m", "risk under P+", "risk under P-", "worst", "least worst", "average - c²"}}
	for _, method := range minimaxMethods() {
		for _, n := range sizes {
			var plus, minus, worst, above tallied
			least, off := math.Inf(1), 0.0
			for i := range repetitions {
				xu, uy := m.sample(draw.Rand(o.Seed, fmt.Sprintf("theory/minimax/sample/%d", n), i), n)
				e, err := m.estimate(ctx, method.Method, xu, uy)
				if err != nil {
					return t, fmt.Errorf("theory: minimax: %s: %w", method.name, err)
				}
				a, b := m.risks(e)
				plus.add(a)
				minus.add(b)
				worst.add(math.Max(a, b))
				above.add((a+b)/2 - m.c*m.c)
				least = math.Min(least, math.Max(a, b))
				off = math.Max(off, math.Abs((a+b)/2-f.average(e.distance(limit), m.c)))
			}
			t.Rows = append(t.Rows, append([]report.Cell{words(method.name)}, numbers(float64(n), plus.mean, minus.mean, worst.mean, least, above.mean)...))
			where := fmt.Sprintf("%s, n = %d", method.name, n)
			g.atLeast("worst risk, "+where, "Least worst risk of all samples.", least, f.lower(m.c)-exactly, 0)
			g.near("average, "+where, "Largest distance of the average risk from E (fhat - g)² + c².", off, 0, 0, exactly)
		}
	}
	return t, nil
}
