package experiments

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/baselines"
	"mediant/mlp"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// Values of Outcome.Learner.
const (
	// Kernels are ridge regressions on random features; all settings are chosen from the two tables by
	// search.Search for 2Step-RR and Joint-RR, and the other methods have those of 2Step-RR.
	Kernels = "kernels"
	// Networks are those of the paper: 4 layers, the three hidden ones of 20 rectifiers, Adam at 1e-3, 200 epochs. Batches
	// of 32 rows, and X, U and Y as they are, are our choice.
	Networks = "networks"
)

// Names of methods of a Reproduction, in the order of its tables.
const (
	NaiveMethod       = "naive"
	TwoStepMethod     = "2Step-RR"
	JointMethod       = "Joint-RR, w = 1/2"
	JointChosenMethod = "Joint-RR, w chosen"
	EmbeddingMethod   = "mean embedding"
	IntegralMethod    = "integral"
)

// ReproducedMethods lists the methods of a Reproduction.
func ReproducedMethods() []string {
	return []string{NaiveMethod, TwoStepMethod, JointMethod, JointChosenMethod, EmbeddingMethod, IntegralMethod}
}

// A comparison fits all methods on one pair of tables. What several of them need is made by the first: entries are
// fitted in order.
type comparison struct {
	ctx    context.Context
	xu, uy tables.Source
	seed   uint64

	problem     *problem.Problem // with the features that a search chose for 2Step-RR
	two         rr.TwoStep
	half, joint *search.Choice     // of the same search, with w = 1/2 and any w
	lambda      rr.Setting         // of the mean embedding, which does not see h
	density     *baselines.Density // of U given X, for both integrals

	networkTwo, networkHalf *rr.Model
	networkH                rr.Predictor // on encoded U of problem
}

// An entry is one method.
type entry struct {
	method, learner string
	fit             func() (*rr.Model, error)
}

func (c *comparison) entries() []entry {
	return []entry{
		{TwoStepMethod, Kernels, c.kernelTwoStep},
		{NaiveMethod, Kernels, func() (*rr.Model, error) {
			return baselines.Naive{LambdaG: c.two.LambdaF, LambdaH: c.two.LambdaH}.Fit(c.ctx, c.problem)
		}},
		{JointMethod, Kernels, func() (*rr.Model, error) { return c.half.Fit(c.ctx) }},
		{JointChosenMethod, Kernels, func() (*rr.Model, error) { return c.joint.Fit(c.ctx) }},
		{EmbeddingMethod, Kernels, func() (m *rr.Model, err error) {
			if m, err = (baselines.MeanEmbedding{LambdaH: c.two.LambdaH}).Fit(c.ctx, c.problem); err == nil {
				c.lambda = rr.Value(*m.Params.LambdaF)
			}
			return m, err
		}},
		{IntegralMethod, Kernels, func() (m *rr.Model, err error) {
			if c.density, err = (baselines.Integral{}).Estimate(c.ctx, c.problem); err != nil {
				return nil, err
			}
			return baselines.Integral{LambdaH: c.two.LambdaH, Density: c.density}.Fit(c.ctx, c.problem)
		}},
		{TwoStepMethod, Networks, c.networkTwoStep},
		{NaiveMethod, Networks, c.networkNaive},
		{JointMethod, Networks, func() (m *rr.Model, err error) {
			c.networkHalf, err = rr.Fit(c.ctx, c.raw(), c.networkJoint(.5), c.xu, c.uy)
			return c.networkHalf, err
		}},
		{JointChosenMethod, Networks, c.networkJointChosen},
		{EmbeddingMethod, Networks, func() (*rr.Model, error) {
			return baselines.MeanEmbedding{Lambda: c.lambda, H: memory{c}}.Fit(c.ctx, c.problem)
		}},
		{IntegralMethod, Networks, func() (*rr.Model, error) {
			return baselines.Integral{H: memory{c}, Density: c.density}.Fit(c.ctx, c.problem)
		}},
	}
}

// kernelTwoStep chooses features, penalties and, for the methods after it, w.
func (c *comparison) kernelTwoStep() (*rr.Model, error) {
	choices, err := search.Search{Setup: problem.Setup{Seed: c.seed}}.ChooseEach(c.ctx, c.xu, c.uy, rr.Value(1), rr.Value(.5), rr.Auto)
	if err != nil {
		return nil, err
	}
	var ok bool
	if c.two, ok = choices[0].Method.(rr.TwoStep); !ok {
		return nil, fmt.Errorf("a search at w = 1 chose %T, want 2Step-RR", choices[0].Method)
	}
	c.problem, c.half, c.joint = choices[0].Problem, choices[1], choices[2]
	return choices[0].Fit(c.ctx)
}

// network is the paper's.
func (c *comparison) network(purpose string) mlp.Learner {
	return mlp.Learner{NoStandardize: true, Seed: c.seed, Purpose: purpose}
}

// raw is the setup of tables as they are.
func (c *comparison) raw() problem.Setup { return problem.Setup{NoStandardize: true, Seed: c.seed} }

func (c *comparison) networkTwoStep() (m *rr.Model, err error) {
	c.networkTwo, err = rr.Fit(c.ctx, c.raw(), rr.TwoStep{F: c.network("f"), H: c.network("h")}, c.xu, c.uy)
	return c.networkTwo, err
}

// networkNaive has the h of 2Step-RR.
func (c *comparison) networkNaive() (*rr.Model, error) {
	return rr.Fit(c.ctx, c.raw(), baselines.Naive{G: c.network("g"), H: given{c.networkTwo.H}}, c.xu, c.uy)
}

func (c *comparison) networkJoint(w float64) mlp.Joint {
	return mlp.Joint{W: rr.Value(w), Learner: c.network("joint")}
}

// smallW is what is tried beside 1 and 1/2.
const smallW = .2

// networkJointChosen takes w among 1, 1/2 and 0.2 by uncoupled risk over two folds.
func (c *comparison) networkJointChosen() (*rr.Model, error) {
	setup := c.raw()
	setup.Folds = 2
	setup.Phi, setup.Psi = c.problem.Setup().Phi, c.problem.Setup().Psi
	p, err := problem.Prepare(c.ctx, setup, c.xu, c.uy)
	if err != nil {
		return nil, err
	}
	best, least := 0, 0.
	candidates := []rr.Method{rr.TwoStep{F: c.network("f"), H: c.network("h")}, c.networkJoint(.5), c.networkJoint(smallW)}
	for i, s := range candidates {
		a, err := risk.Assess(c.ctx, p, risk.Fitted(s), risk.AssessOptions{})
		if err != nil {
			return nil, err
		}
		if i == 0 || a.Risk.MSE < least {
			best, least = i, a.Risk.MSE
		}
	}
	switch best {
	case 1:
		return c.networkHalf, nil
	case 2:
		return candidates[2].Fit(c.ctx, p)
	}
	m, one := *c.networkTwo, 1.
	m.Params.W = &one
	return &m, nil
}

// given is the learner that has learned already.
type given struct{ rr.Predictor }

// Fit implements rr.Regressor.
func (g given) Fit(context.Context, *mat.Dense, *mat.Dense, []float64) (rr.Predictor, error) {
	return g.Predictor, nil
}

// memory is the network h on standardised columns, as the problem has them, fitted when it is first asked for.
type memory struct{ *comparison }

// Fit implements rr.Regressor.
func (m memory) Fit(ctx context.Context, x, y *mat.Dense, weights []float64) (h rr.Predictor, err error) {
	if m.networkH == nil {
		m.networkH, err = m.network("h").Fit(ctx, x, y, weights)
	}
	return m.networkH, err
}
