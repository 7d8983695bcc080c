package experiments

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/effect"
	"mediant/features"
	"mediant/inference"
	"mediant/internal/draw"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/solvers"
	"mediant/tables"
)

// ErrorStudy draws both tables of the synthetic distribution again and again, with maps and penalties fixed, and
// counts how often 95 % intervals of f(x) hold the mean of fhat(x) over all draws.
type ErrorStudy struct {
	Distribution Synthetic
	Rows         int // of each table
	Features     int // a side, Gaussian
	Bandwidth    float64
	Points       int
	Draws        int
	Seed         uint64
}

// ErrorCoverage is what an ErrorStudy finds for one fit.
type ErrorCoverage struct {
	Freedom float64 // effective degrees of freedom of f and of h, asked for
	W       float64
	// Held is the share of intervals that hold the mean, over points and draws; Least and Most are those
	// of single points. Ratio is the root mean square standard error over the standard deviation.
	Corrected, Jackknife, Sandwich struct{ Held, Least, Most, Ratio float64 }
}

// Run studies every pair of degrees of freedom and w.
func (s ErrorStudy) Run(ctx context.Context, freedoms, ws []float64, progress func(draw int)) ([]ErrorCoverage, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	spec := features.Spec{Size: s.Features, Bandwidth: s.Bandwidth, Orthogonal: true} // in any number of columns
	setup := problem.Setup{Phi: spec, Psi: spec, NoStandardize: true, Seed: s.Seed}
	query, err := s.Distribution.points(s.Points, s.Seed)
	if err != nil {
		return nil, err
	}
	var fits []*fitted
	for draw := range s.Draws {
		progress(draw)
		problem, err := s.prepare(ctx, setup, uint64(draw))
		if err != nil {
			return nil, err
		}
		if fits == nil {
			fits = newFitted(problem, freedoms, ws)
		}
		for _, f := range fits {
			if err := f.draw(ctx, problem, query); err != nil {
				return nil, err
			}
		}
	}
	out := make([]ErrorCoverage, len(fits))
	for i, f := range fits {
		out[i] = f.coverage()
	}
	return out, nil
}

func (s ErrorStudy) prepare(ctx context.Context, setup problem.Setup, seed uint64) (*problem.Problem, error) {
	xu, err := s.Distribution.XU(s.Rows, seed)
	if err != nil {
		return nil, err
	}
	uy, err := s.Distribution.UY(s.Rows, seed)
	if err != nil {
		return nil, err
	}
	return problem.Prepare(ctx, setup, xu, uy)
}

// points draws X.
func (s Synthetic) points(n int, seed uint64) (tables.Source, error) {
	rnd := draw.Rand(seed, "experiments/points", 0)
	columns := make([]tables.ColumnData, s.D)
	for j := range columns {
		v := make([]float64, n)
		for i := range v {
			v[i] = 2*rnd.Float64() - 1
		}
		columns[j] = tables.Numbers(columnName("x", j), v)
	}
	return tables.FromColumns(columns...)
}

// fitted collects the predictions and standard errors of one fit over the draws.
type fitted struct {
	freedom, w, lambdaF, lambdaH float64
	// By draw and point.
	f, corrected, jackknife, sandwich [][]float64
}

// newFitted finds the penalties from the first draw, which every other draw then keeps.
func newFitted(p *problem.Problem, freedoms, ws []float64) []*fitted {
	phi, psi := spectrum(p.XU()), spectrum(p.UY())
	var fits []*fitted
	for _, freedom := range freedoms {
		for _, w := range ws {
			fits = append(fits, &fitted{freedom: freedom, w: w, lambdaF: penalty(phi, freedom), lambdaH: penalty(psi, freedom)})
		}
	}
	return fits
}

// spectrum returns the eigenvalues of the centred second moments of the left columns.
func spectrum(m *moments.CoMoments) []float64 {
	var a mat.SymDense
	m.LeftTo(&a, true)
	var eig mat.EigenSym
	eig.Factorize(&a, false)
	return eig.Values(nil)
}

// penalty returns the lambda at which Σ v/(v + lambda) is freedom, by bisection of its logarithm.
func penalty(values []float64, freedom float64) float64 {
	lo, hi := -40., 5.
	for range 60 {
		mid, sum := (lo+hi)/2, 0.
		for _, v := range values {
			sum += max(v, 0) / (max(v, 0) + math.Exp(mid))
		}
		if sum > freedom {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Exp(lo)
}

func (f *fitted) draw(ctx context.Context, p *problem.Problem, query tables.Source) error {
	joint := rr.Joint{W: rr.Value(f.w), LambdaF: rr.Value(f.lambdaF), LambdaH: rr.Value(f.lambdaH), Penalty: solvers.Scaled}
	m, err := joint.Fit(ctx, p)
	if err != nil {
		return err
	}
	for _, kind := range []struct {
		is inference.Covariance
		to *[][]float64
	}{{inference.Corrected, &f.corrected}, {inference.Jackknife, &f.jackknife}, {inference.Sandwich, &f.sandwich}} {
		se, err := inference.Estimate(ctx, p, m, kind.is)
		if err != nil {
			return err
		}
		var values, errors []float64
		for b, err := range m.PredictWith(ctx, query, se) {
			if err != nil {
				return err
			}
			values, errors = append(values, mat.Col(nil, 0, b.Values)...), append(errors, mat.Col(nil, 0, b.Errors)...)
		}
		*kind.to = append(*kind.to, errors)
		if kind.is == inference.Jackknife {
			f.f = append(f.f, values)
		}
	}
	return nil
}

func (f *fitted) coverage() ErrorCoverage {
	c := ErrorCoverage{Freedom: f.freedom, W: f.w}
	for _, kind := range []struct {
		se [][]float64
		to *struct{ Held, Least, Most, Ratio float64 }
	}{{f.corrected, &c.Corrected}, {f.jackknife, &c.Jackknife}, {f.sandwich, &c.Sandwich}} {
		points, draws := len(f.f[0]), float64(len(f.f))
		kind.to.Least = 1
		var square, variance float64
		for i := range points {
			mean, held := 0., 0.
			for _, row := range f.f {
				mean += row[i] / draws
			}
			for d, row := range f.f {
				off := row[i] - mean
				variance += off * off
				square += kind.se[d][i] * kind.se[d][i]
				if math.Abs(off) <= normal95*kind.se[d][i] {
					held += 1 / draws
				}
			}
			kind.to.Held += held / float64(points)
			kind.to.Least, kind.to.Most = min(kind.to.Least, held), max(kind.to.Most, held)
		}
		kind.to.Ratio = math.Sqrt(square / (variance * draws / (draws - 1)))
	}
	return c
}

// normal95 is the 97.5 % point of the standard normal distribution.
const normal95 = 1.959963984540054

// EffectStudy draws a surrogate study again and again, and counts how often the 95 % interval holds the
// effect. The first Boots draws are also resampled Resamples times, both tables by rows, with the
// penalties kept.
type EffectStudy struct {
	Distribution     Surrogate
	RowsXU, RowsUY   int
	Draws            int
	Boots, Resamples int
	Method           effect.Estimator
}

// EffectCoverage is what an EffectStudy finds.
type EffectCoverage struct {
	Held, Mean, SD, SE float64 // share of intervals; mean and standard deviation of estimates; root mean square SE
	Bootstrap          float64 // root mean square ratio of the bootstrap's standard error to SE
}

// Run draws.
func (s EffectStudy) Run(ctx context.Context, progress func(draw int)) (EffectCoverage, error) {
	if err := s.Validate(); err != nil {
		return EffectCoverage{}, err
	}
	var c EffectCoverage
	var square float64
	for d := range s.Draws {
		progress(d)
		xu, err := s.Distribution.XU(s.RowsXU, uint64(d))
		if err != nil {
			return c, err
		}
		uy, err := s.Distribution.UY(s.RowsUY, uint64(d))
		if err != nil {
			return c, err
		}
		r, err := s.Method.Estimate(ctx, xu, uy)
		if err != nil {
			return c, err
		}
		e, n := r.Effects[0], float64(s.Draws)
		if e.Lo <= Effect && Effect <= e.Hi {
			c.Held += 1 / n
		}
		c.Mean += e.Value / n
		square += e.Value * e.Value / n
		c.SE += e.SE * e.SE / n
		if d < s.Boots {
			se, err := s.bootstrap(ctx, r, xu, uy, uint64(d))
			if err != nil {
				return c, err
			}
			c.Bootstrap += se * se / (e.SE * e.SE) / float64(s.Boots)
		}
	}
	n := float64(s.Draws)
	c.SD, c.SE, c.Bootstrap = math.Sqrt((square-c.Mean*c.Mean)*n/(n-1)), math.Sqrt(c.SE), math.Sqrt(c.Bootstrap)
	return c, nil
}

// bootstrap returns the standard deviation of the estimate over resampled rows of both tables.
func (s EffectStudy) bootstrap(ctx context.Context, r *effect.Result, xu, uy tables.Source, seed uint64) (float64, error) {
	method := s.Method
	method.LambdaH, method.Mu = rr.Value(r.LambdaH), rr.Value(r.Mu)
	var mean, square float64
	for b := range s.Resamples {
		x, err := resample(ctx, xu, seed, "xu", b)
		if err != nil {
			return 0, err
		}
		y, err := resample(ctx, uy, seed, "uy", b)
		if err != nil {
			return 0, err
		}
		again, err := method.Estimate(ctx, x, y)
		if err != nil {
			return 0, fmt.Errorf("experiments: resample %d: %w", b, err)
		}
		mean += again.Effects[0].Value / float64(s.Resamples)
		square += again.Effects[0].Value * again.Effects[0].Value / float64(s.Resamples)
	}
	n := float64(s.Resamples)
	return math.Sqrt((square - mean*mean) * n / (n - 1)), nil
}

// resample draws as many rows of a numeric source as it has, with replacement.
func resample(ctx context.Context, src tables.Source, seed uint64, table string, block int) (tables.Source, error) {
	columns := make([][]float64, len(src.Columns()))
	for b, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return nil, err
		}
		for j := range columns {
			columns[j] = append(columns[j], mat.Col(nil, j, b.Num)...)
		}
	}
	rnd := draw.Rand(seed, "experiments/resample/"+table, block)
	data, n := make([]tables.ColumnData, len(columns)), len(columns[0])
	rows := make([]int, n)
	for i := range rows {
		rows[i] = rnd.IntN(n)
	}
	for j, c := range columns {
		drawn := make([]float64, n)
		for i, r := range rows {
			drawn[i] = c[r]
		}
		data[j] = tables.Numbers(src.Columns()[j].Name, drawn)
	}
	return tables.FromColumns(data...)
}
