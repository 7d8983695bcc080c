package experiments

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/glm"
	"mediant/losses"
	"mediant/moments"
	"mediant/solvers"
	"mediant/tables"
)

// An ImageLoss is what the models of an ImageRun minimise and their hyperparameters are chosen by.
type ImageLoss string

const (
	// SquaredError fits ridge regressions to the classes as 0/1.
	SquaredError ImageLoss = ""
	// LogLoss fits probabilities of classes, as rr.Generalized does with losses.Log.
	LogLoss ImageLoss = "log"
)

// Methods are the names of the methods that minimise the loss, in order. Joint-RR is for squared error alone.
func (l ImageLoss) Methods() []string {
	if l == LogLoss {
		return ImageMethods[:1]
	}
	return ImageMethods
}

// fitter returns the fitter of the loss to rows, of which uy are the moments of S_Y.
func (l ImageLoss) fitter(rows tableRows, uy *moments.CoMoments) (imageFitter, error) {
	if l == LogLoss {
		return newLogFitter(rows), nil
	}
	return newSquaredFitter(sumRows(rows.phi, rows.psi), uy)
}

// An imageFitter fits h and f, linear in features, to rows of both tables by one loss. Its risk is affine in g(f), the derivative of the loss's potential up to a factor: f itself for
// squared error, log f for log loss.
type imageFitter interface {
	// grid has the penalties of f, those of h, and the scales of outputs; the first scale leaves outputs as they are fitted, and those above 1 are tried as long as the risk falls.
	grid() (lambdaF, lambdaH, scales []float64)
	// h returns h with each penalty, or with the first of them where others have no fit; so does f.
	h(ctx context.Context, lambdas []float64) ([]*solvers.Linear, error)
	// scaleH sets the scale of the h that f is fitted to, which squared error does without.
	scaleH(scale float64)
	// f returns f with each of the hyperparameters. Those of one lambda_f should follow each other.
	f(ctx context.Context, params []solvers.Params) ([]*solvers.Linear, error)
	// with returns the fitter to more rows.
	with(more tableRows) (imageFitter, error)

	// gradients replaces outputs by g of the predictions that they are at a scale.
	gradients(outputs *mat.Dense, scale float64)
	// predictions replaces g by the predictions.
	predictions(g *mat.Dense)
	// lossX is the term of a row of S_X, from g and h, and up to a constant the loss of a row of g and Y.
	lossX(g, h []float64) float64
	// lossY is that of a row of S_Y with the Riesz weights r of g.
	lossY(y, h, r []float64) float64
}

// A squaredFitter fits 2Step-RR and Joint-RR in closed form; outputs are calibrated around the shares of the classes (Calibrated).
type squaredFitter struct {
	xu, uy *moments.CoMoments
	system *solvers.System
	shares []float64
}

func newSquaredFitter(xu, uy *moments.CoMoments) (*squaredFitter, error) {
	system, err := solvers.NewSystem(xu, uy, true)
	return &squaredFitter{xu, uy, system, uy.MeanB()}, err
}

func (s *squaredFitter) grid() (lambdaF, lambdaH, scales []float64) {
	return imageLambdas, nuisanceLambdas, imageScales
}

func (s *squaredFitter) h(ctx context.Context, lambdas []float64) ([]*solvers.Linear, error) {
	return solvers.RidgePath(ctx, s.uy, lambdas, true)
}

func (s *squaredFitter) scaleH(float64) {}

func (s *squaredFitter) f(ctx context.Context, params []solvers.Params) ([]*solvers.Linear, error) {
	var all []*solvers.Linear
	for _, p := range params {
		own := s.system.Coefficients(p)
		all = append(all, &solvers.Linear{Coef: own.Alpha, Intercept: own.InterceptF})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (s *squaredFitter) with(more tableRows) (imageFitter, error) {
	xu, err := moments.Sum(s.xu, sumRows(more.phi, more.psi))
	if err != nil {
		return nil, err
	}
	uy, err := moments.Sum(s.uy, sumRows(more.psiY, more.y))
	if err != nil {
		return nil, err
	}
	return newSquaredFitter(xu, uy)
}

func (s *squaredFitter) gradients(outputs *mat.Dense, scale float64) {
	Calibrated{Shares: s.shares, Scale: scale}.apply(outputs)
}

func (s *squaredFitter) predictions(*mat.Dense) {}

func (s *squaredFitter) lossX(f, h []float64) float64 {
	d := floats.Distance(f, h, 2)
	return d * d
}

// lossY is |y-h|² + 2 (h-r)'(y-h).
func (s *squaredFitter) lossY(y, h, r []float64) (sum float64) {
	for i, v := range y {
		e := v - h[i]
		sum += e*e + 2*(h[i]-r[i])*e
	}
	return sum
}

// A logFitter fits 2Step-RR by log loss: h to the classes, f to the probabilities h. The scale is the exponent T of f^T / Σ f^T.
type logFitter struct {
	parts   []tableRows
	scale   float64 // of the h that f is fitted to
	lambdaH float64 // of targets
	targets []*mat.Dense
	hs, fs  map[float64]*solvers.Linear // by penalty: those fitted before, also to fewer rows, where others begin
}

func newLogFitter(parts ...tableRows) *logFitter {
	return &logFitter{parts: parts, scale: 1, hs: make(map[float64]*solvers.Linear), fs: make(map[float64]*solvers.Linear)}
}

// Grids of the log loss. Penalties fall, so that a fit begins at the one before.
var (
	logLambdas = []float64{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}
	logScales  = []float64{1, .6, .7, .8, .9, 1.1, 1.25, 1.4, 1.6, 1.8, 2, 2.4, 2.8, 3.3, 4}
)

// logTolerance is the derivative at which a fit ends. At a penalty of 1e-6 it moves outputs by at most 1e-6/sqrt(2e-6) = .0007, and a fit takes some 200 passes; at 1e-8 by .007.
const logTolerance = 1e-6

func (l *logFitter) grid() (lambdaF, lambdaH, scales []float64) {
	return logLambdas, logLambdas, logScales
}

// fit minimises the log loss of rows of features and targets, the parts one after the other, for each penalty, from what was fitted before with that penalty or the next larger one. It
// ends before a penalty with which it does not converge, as it would not with a smaller one, and which is an error only if it is the first.
func (l *logFitter) fit(ctx context.Context, lambdas []float64, before map[float64]*solvers.Linear, of func(part int) (features, targets *mat.Dense)) ([]*solvers.Linear, error) {
	rows := func(ctx context.Context, do func(phi, y *mat.Dense, weights []float64)) error {
		for part := range l.parts {
			phi, y := of(part)
			n, p := phi.Dims()
			_, k := y.Dims()
			for lo := 0; lo < n; lo += tables.BlockRows {
				if err := ctx.Err(); err != nil {
					return err
				}
				hi := min(n, lo+tables.BlockRows)
				do(phi.Slice(lo, hi, 0, p).(*mat.Dense), y.Slice(lo, hi, 0, k).(*mat.Dense), nil)
			}
		}
		return nil
	}
	phi, y := of(0)
	_, p := phi.Dims()
	_, k := y.Dims()
	var all []*solvers.Linear
	for _, lambda := range lambdas {
		opt := glm.Options{Tolerance: logTolerance}
		nearest := math.Inf(1)
		for at, m := range before {
			if at >= lambda && at < nearest {
				nearest, opt.Start = at, &glm.Model{Coef: m.Coef, Intercept: m.Intercept}
			}
		}
		m, err := glm.Fit(ctx, rows, p, k, losses.Log{}, lambda, opt)
		if errors.Is(err, glm.ErrNotConverged) && len(all) > 0 {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("experiments: penalty %g: %w", lambda, err)
		}
		before[lambda] = &solvers.Linear{Coef: m.Coef, Intercept: m.Intercept}
		all = append(all, before[lambda])
	}
	return all, nil
}

func (l *logFitter) h(ctx context.Context, lambdas []float64) ([]*solvers.Linear, error) {
	return l.fit(ctx, lambdas, l.hs, func(part int) (*mat.Dense, *mat.Dense) { return l.parts[part].psiY, l.parts[part].y })
}

func (l *logFitter) scaleH(scale float64) { l.scale, l.targets = scale, nil }

// f takes params that differ in lambda_f alone.
func (l *logFitter) f(ctx context.Context, params []solvers.Params) ([]*solvers.Linear, error) {
	if err := l.fitTargets(ctx, params[0].LambdaH); err != nil {
		return nil, err
	}
	var lambdas []float64
	for _, p := range params {
		lambdas = append(lambdas, p.LambdaF)
	}
	return l.fit(ctx, lambdas, l.fs, func(part int) (*mat.Dense, *mat.Dense) { return l.parts[part].phi, l.targets[part] })
}

// fitTargets stores the probabilities h of the rows of S_X, unless those of the penalty are there.
func (l *logFitter) fitTargets(ctx context.Context, lambda float64) error {
	if l.targets != nil && l.lambdaH == lambda {
		return nil
	}
	h, err := l.h(ctx, []float64{lambda})
	if err != nil {
		return err
	}
	l.lambdaH, l.targets = lambda, nil
	for _, rows := range l.parts {
		of := affine(rows.psi, h[0].Coef, h[0].Intercept)
		l.gradients(of, l.scale)
		l.predictions(of)
		l.targets = append(l.targets, of)
	}
	return nil
}

func (l *logFitter) with(more tableRows) (imageFitter, error) {
	all := newLogFitter(append(l.parts[:len(l.parts):len(l.parts)], more)...)
	all.scale = l.scale
	maps.Copy(all.hs, l.hs)
	maps.Copy(all.fs, l.fs)
	return all, nil
}

func (l *logFitter) gradients(outputs *mat.Dense, scale float64) {
	outputs.Scale(scale, outputs)
	for i := range outputs.RawMatrix().Rows {
		row := outputs.RawRowView(i)
		floats.AddConst(-losses.Log{}.Conjugate(row), row)
	}
}

func (l *logFitter) predictions(g *mat.Dense) {
	for i := range g.RawMatrix().Rows {
		row := g.RawRowView(i)
		for j, v := range row {
			row[j] = math.Exp(v)
		}
	}
}

func (l *logFitter) lossX(g, h []float64) float64 { return -floats.Dot(g, h) }

func (l *logFitter) lossY(y, h, r []float64) (sum float64) {
	for i, v := range y {
		sum -= r[i] * (v - h[i])
	}
	return sum
}
