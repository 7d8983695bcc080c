package rr

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/glm"
	"mediant/internal/bounds"
	"mediant/losses"
	"mediant/moments"
	"mediant/problem"
)

// Generalized is 2Step-RR for another loss than squared error: h minimises the mean loss d(Y, h(U)) over S_Y, and f the mean loss d(h(U), f(X)) over S_X, both
// generalised linear models on the features of the problem with l2 penalties. Under conditional mean independence f estimates E[Y|X], as every Bregman divergence is least at a mean
// (docs/theory.md, 9.13). It reads the rows some ten to thirty times. Auto means lambdas of 1e-4. Loss must be set.
type Generalized struct {
	Loss             losses.Canonical
	LambdaF, LambdaH Setting
	// Temperature is the exponent T of f^T / Σ f^T in the place of probabilities f of classes (risk.CrossFit.Temperature); 0 means 1.
	Temperature float64
}

var _ Method = Generalized{}

// Validate returns an error that names the first field out of range.
func (g Generalized) Validate() error {
	if g.Loss == nil {
		return fmt.Errorf("rr: Generalized.Loss is not set")
	}
	if t := g.Temperature; !(t >= 0) || math.IsInf(t, 1) {
		return fmt.Errorf("rr: Generalized.Temperature is %g, must be finite and at least 0", t)
	}
	return bounds.First(positivePenalty("rr: Generalized.LambdaF", g.LambdaF), positivePenalty("rr: Generalized.LambdaH", g.LambdaH))
}

// positivePenalty checks a penalty without which there may be no minimum.
func positivePenalty(field string, s Setting) error {
	if s.Or(DefaultLambda) == 0 {
		return fmt.Errorf("%s is 0, must be above 0: classes that can be told apart would have no minimum", field)
	}
	return s.CheckPenalty(field)
}

// Fit implements Method. It is an error if the outcomes are not those of the loss (CheckOutcomes).
func (g Generalized) Fit(ctx context.Context, p *problem.Problem) (*Model, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	if err := p.NeedsRows("a fit for another loss than squared error"); err != nil {
		return nil, err
	}
	m := NewModel(p, "2step")
	lambdaF, lambdaH := g.LambdaF.Or(DefaultLambda), g.LambdaH.Or(DefaultLambda)
	m.Params.LambdaF, m.Params.LambdaH, m.Params.Loss = &lambdaF, &lambdaH, g.Loss.Name()
	h, err := g.FitH(ctx, p)
	if err != nil {
		return nil, err
	}
	f, err := g.FitF(ctx, p, h)
	if err != nil {
		return nil, err
	}
	m.F, m.H = f, h
	return m, nil
}

// FitF is the second step alone, with the h of the first.
func (g Generalized) FitF(ctx context.Context, p *problem.Problem, h Linked) (Linked, error) {
	project := p.Splitter().TrainingRows(p.SidePhi().ID())
	rows := func(ctx context.Context, do func(phi, y *mat.Dense, weights []float64)) error {
		return p.WalkXU(ctx, p.SidePhi(), Predicted(p.U(), p.Y().Len(), h), func(_ int, phi, target *mat.Dense, w moments.Weights) {
			project(phi)
			do(phi, target, w.Products())
		})
	}
	_, width := p.Phi().Dims()
	f, err := glm.Fit(ctx, glm.Kept(rows, KeptBytes(p.Setup(), p.Footprint())), width, p.Y().Len(), g.Loss, g.LambdaF.Or(DefaultLambda), glm.Options{NoIntercept: p.Setup().NoIntercept})
	if err != nil {
		return Linked{}, fmt.Errorf("rr: second step, f on S_X: %w", err)
	}
	return Linked{NewLinear(p.Phi(), f.Coef, f.Intercept), g.Loss}.Tempered(g.Temperature), nil
}

// mostKept is the memory for the features of all rows, which save most of the time of later passes.
const mostKept = 256 << 20

// KeptBytes is the memory that is left for them under the limit of a setup.
func KeptBytes(s problem.Setup, f problem.Footprint) int {
	if s.Memory == 0 {
		return mostKept
	}
	return int(max(0, min(mostKept, float64(s.Memory)-f.Base()-f.Sums()-f.Solving())))
}

// FitH is the first step alone.
func (g Generalized) FitH(ctx context.Context, p *problem.Problem) (Linked, error) {
	var refused error
	project := p.Splitter().TrainingRows(p.SidePsi().ID())
	rows := func(ctx context.Context, do func(phi, y *mat.Dense, weights []float64)) error {
		err := p.WalkUY(ctx, p.SidePsi(), p.Y(), func(_ int, psi, y *mat.Dense, w moments.Weights) {
			if refused == nil {
				refused = CheckOutcomes(g.Loss, p.Y(), y)
			}
			project(psi)
			do(psi, y, w.Products())
		})
		if refused != nil {
			return refused
		}
		return err
	}
	_, width := p.Psi().Dims()
	h, err := glm.Fit(ctx, glm.Kept(rows, KeptBytes(p.Setup(), p.Footprint())), width, p.Y().Len(), g.Loss, g.LambdaH.Or(DefaultLambda), glm.Options{NoIntercept: p.Setup().NoIntercept})
	if err != nil {
		return Linked{}, fmt.Errorf("rr: first step, h on S_Y: %w", err)
	}
	return Linked{NewLinear(p.Psi(), h.Coef, h.Intercept), g.Loss}, nil
}

// CheckOutcomes returns an error for rows of Y that a loss is not for: log loss is for classes, Poisson deviance for numbers of at least 0. Other losses check their
// outcomes by their potential, which must be finite.
func CheckOutcomes(l losses.Loss, y *encode.Targets, rows *mat.Dense) error {
	if _, log := l.(losses.Log); log && y.Classes() == nil {
		return fmt.Errorf("rr: the log loss is for classes, and Y is numbers")
	}
	n, k := rows.Dims()
	for i := range n {
		row := rows.RawRowView(i)
		if _, log := l.(losses.Log); log && floats.Sum(row) == 0 {
			return fmt.Errorf("rr: Y has labels that no class has, which the log loss is not for")
		}
		if v := l.Potential(row); v-v == 0 { // finite
			continue
		}
		for j := range k {
			if v := l.Potential(row[j : j+1]); v-v != 0 {
				return fmt.Errorf("rr: Y: %q has the value %g, which the loss %s is not for", y.Names()[j], row[j], l.Name())
			}
		}
		return fmt.Errorf("rr: Y has the values %v, which the loss %s is not for", row, l.Name())
	}
	return nil
}
