package distribution

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/internal/bounds"
	"mediant/internal/progress"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
)

// Options say how a CDF is fitted and assessed. The zero value is usable.
type Options struct {
	// Thresholds is the number of thresholds, quantiles of Y; 0 is DefaultThresholds.
	Thresholds int
	// LambdaF and LambdaH are the penalties of all thresholds; Auto: chosen by uncoupled CRPS, LambdaF at least a tenth of one over the number of rows.
	LambdaF, LambdaH rr.Setting
	Assess           AssessOptions
}

// Validate returns an error that names the first field out of range.
func (o Options) Validate() error {
	if o.Thresholds < 0 || o.Thresholds > maxThresholds {
		return fmt.Errorf("distribution: Options.Thresholds is %d, must be at least 0 and at most %d", o.Thresholds, maxThresholds)
	}
	return bounds.First(o.LambdaF.CheckPenalty("distribution: Options.LambdaF"), o.LambdaH.CheckPenalty("distribution: Options.LambdaH"), o.Assess.Validate())
}

// maxThresholds bounds the outputs of a CDF.
const maxThresholds = 1000

// Fit fits the distribution of Y given X to a problem of one column of numbers, on the features of the problem, and assesses it by cross-fitting over its folds. It takes several passes over
// both tables. The error is that of a setting, of reading, that Y is not numbers or does not vary, or problem.ErrNeedsRows for sums without rows.
func Fit(ctx context.Context, p *problem.Problem, opt Options) (*CDF, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	if err := p.NeedsRows("the distribution of Y"); err != nil {
		return nil, err
	}
	if _, err := p.Y().Below(Knots{Thresholds: []float64{0, 1}, Discrete: true}.outputs()); err != nil { // before it is read
		return nil, err
	}
	ctx = progress.Stage(ctx, "fitting the distribution")
	p, err := p.Full(ctx)
	if err != nil {
		return nil, err
	}
	if p, err = p.Split(ctx); err != nil {
		return nil, err
	}
	knots, err := knotsOf(ctx, p, opt.Thresholds)
	if err != nil {
		return nil, err
	}
	y, err := p.Y().Below(knots.outputs())
	if err != nil {
		return nil, err
	}
	m, err := newIndices(ctx, p)
	if err != nil {
		return nil, err
	}
	mapped, err := p.WithTargets(y).WithMaps(ctx, m.phi, m.psi)
	if err != nil {
		return nil, err
	}
	if err := mapped.Footprint().Within(Bytes, "the distribution of Y"); err != nil {
		return nil, err
	}
	q, err := mapped.Sum(ctx)
	if err != nil {
		return nil, err
	}
	s := searchOf(p.Setup())
	s.LambdaF, s.LambdaH = opt.LambdaF, opt.LambdaH
	choice, err := s.ChooseOf(ctx, q)
	if err != nil {
		return nil, err
	}
	method := leastPenalty(choice.Method.(rr.TwoStep), p, opt.LambdaF)
	f, err := rr.FitWith(ctx, method, q)
	if err != nil {
		return nil, err
	}
	d := newCDF(knots, f.F.(*rr.Linear), m.phi, m.phi.index)
	d.hatsU = m.psi.hats
	d.LambdaF, d.LambdaH = *f.Params.LambdaF, *f.Params.LambdaH
	a, err := d.assessFit(ctx, q, m, method, choice.Optimism, opt.Assess)
	if err != nil && !errors.Is(err, risk.ErrNoRisk) {
		return nil, err
	}
	d.Assessment = a
	return d, nil
}

// leastPenalty raises a lambda_f that was chosen to a tenth of one over the number of rows. The CRPS hardly depends on it there, and f of a smaller one follows the noise of the h that it was
// fitted to: another h makes another f, and the coverage is estimated with weights from the fs of other folds. In ten dimensions, at 1,000 rows, the estimate was 2 points too high without the floor, and is 0.2 too low with it (docs/intervals.md).
func leastPenalty(m rr.TwoStep, p *problem.Problem, set rr.Setting) rr.TwoStep {
	if set.IsAuto() {
		m.LambdaF = rr.Value(max(m.LambdaF.Or(0), .1/float64(p.Counts()[problem.TableXU])))
	}
	return m
}

// mostValues bounds the values of Y of which thresholds are quantiles.
const mostValues = 1 << 20

// knotsOf reads Y.
func knotsOf(ctx context.Context, p *problem.Problem, count int) (Knots, error) {
	if count == 0 {
		count = DefaultThresholds
	}
	every := 1 + p.Counts()[problem.TableUY]/mostValues
	var values []weightedValue
	row := 0
	err := p.WalkUY(ctx, p.SidePsi(), p.Y(), func(_ int, _, y *mat.Dense, w moments.Weights) {
		n, _ := y.Dims()
		for i := range n {
			if row++; row%every == 0 {
				values = append(values, weightedValue{y.At(i, 0), w.Of(i)})
			}
		}
	})
	if err != nil {
		return Knots{}, err
	}
	return newKnots(values, count)
}

// foldFitter fits the CDF of the other folds of p, and keeps it in kept, one for each fold.
func foldFitter(k Knots, of indexed, p *problem.Problem, method rr.Method, kept []*CDF) risk.FoldFitter {
	return func(ctx context.Context, train *problem.Problem) (rr.Predictor, error) {
		m, err := rr.FitWith(ctx, method, train)
		if err != nil {
			return nil, err
		}
		without := slices.IndexFunc(p.Folds(), func(fold int) bool { return !slices.Contains(train.Folds(), fold) })
		kept[without] = newCDF(k, m.F.(*rr.Linear), of, of.folds[without])
		return scaled{kept[without]}, nil
	}
}

// searchOf chooses the penalties of 2Step-RR.
func searchOf(s problem.Setup) search.Search {
	return search.Search{Setup: s, W: rr.Value(1), Precision: search.Never, Components: search.Never}
}

// Bytes returns the memory, in bytes, of a fit to a problem whose outputs are the thresholds.
func Bytes(f problem.Footprint) float64 {
	columns := f.Outputs * float64(len(nominalLevels))
	weights := 8 * 4 * f.Folds() * (f.Q() + 1) * columns // targets over the folds and outside of them, and solutions, twice while they are joined
	assessing := f.Base() + f.Sums() + f.OtherFolds() + 8*f.Folds()*(f.P()+2*f.Q())*f.Outputs + weights + f.RieszWeights(256)
	return max(searchOf(f.Setup).HyperparameterBytes(f), assessing)
}

// Outline estimates the bytes and the floating-point operations of a fit of a CDF to a problem with this footprint.
func Outline(f problem.Footprint) (bytes, flops float64) {
	f.Outputs = DefaultThresholds + 1
	f.Setup.Folds = max(f.Setup.Folds, problem.DefaultFolds)
	n, m, q := float64(f.Rows[problem.TableXU]), float64(f.Rows[problem.TableUY]), f.Q()
	columns := f.Outputs * float64(len(nominalLevels)+3)
	mus := float64(len(crossfit.Mus))
	coverage := 2*columns*q*(n*f.Folds()+m) + f.Folds()*mus*(columns*4*q*q+q*q*q/3)
	one := f
	one.Outputs = 1
	return Bytes(f), searchOf(f.Setup).TuningFlops(f) + searchOf(f.Setup).TuningFlops(one) + coverage
}
