package main

import (
	"errors"
	"math"
	"slices"

	"mediant/baselines"
	"mediant/losses"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/solvers"
)

// A plan is a method with all its numbers, or a search for one.
type plan struct {
	setup  problem.Setup
	method rr.Method
	search search.Search // if there is no method
	large  rr.Method     // in place of what needs more memory than there is; nil: nothing
}

// plan returns what the flags ask for, having checked their numbers.
func (f *fitFlags) plan(setup problem.Setup) (plan, error) {
	if err := f.checkMethod(); err != nil {
		return plan{}, err
	}
	for _, l := range []struct {
		flag  string
		value float64
	}{{"lambda", f.lambda}, {"lambda-f", f.lambdaF}, {"lambda-h", f.lambdaH}} {
		if err := checkPenalty(l.flag, l.value); err != nil {
			return plan{}, err
		}
	}
	lambdaF, lambdaH := f.setting("lambda-f", f.lambdaF), f.setting("lambda-h", f.lambdaH)
	w := rr.Auto
	if f.given("w") {
		w = rr.Value(f.w)
	}
	params := solvers.Params{W: w.Or(rr.DefaultW), LambdaF: lambdaF.Or(rr.DefaultLambda), LambdaH: lambdaH.Or(rr.DefaultLambda), Penalty: penalties[f.penalty]}
	if f.method != "auto" && f.method != "joint" {
		if f.given("w") && f.w != 1 {
			return plan{}, usagef("--w %g has no meaning with --method %s", f.w, f.method)
		}
		if params.Penalty == solvers.Paper {
			return plan{}, usagef("--penalty paper has no meaning with --method %s", f.method)
		}
		params.W, w = 1, rr.Value(1)
	}
	if err := params.Check(); err != nil {
		return plan{}, usagef("--w, --penalty: %w", err)
	}
	p := plan{setup: setup}
	if err := f.planSolver(&p, lambdaF, lambdaH); err != nil || p.method != nil {
		return p, err
	}
	switch f.method {
	case "naive":
		p.method = baselines.Naive{LambdaG: lambdaF, LambdaH: lambdaH}
		return p, nil
	case "cme":
		p.method = baselines.MeanEmbedding{Lambda: lambdaF, LambdaH: lambdaH}
		return p, nil
	}
	p.search = search.Search{
		Setup: setup, W: w, LambdaF: lambdaF, LambdaH: lambdaH, Penalty: params.Penalty, JointOnly: f.method == "joint",
		Precision: f.use("precision", f.precision), Components: f.use("components", f.components),
		Loss:   f.ofLoss(),
		Assess: risk.AssessOptions{Form: risk.Form(f.form)},
	}
	if _, fixed := p.search.Fixed(); fixed && f.classes { // else the search knows
		p.search = p.search.WithLoss(2)
	}
	if method, ok := p.search.Fixed(); ok {
		p.method = method
		if f.precision {
			p.setup = search.ReserveForPrecision(p.setup)
		}
	} else if f.method == "auto" && !f.given("w") && !f.se && !f.noRisk && !f.components {
		p.search.Rivals = baselines.Rivals
	}
	return p, nil
}

// checkMemory refuses, before tables of at least so many rows are read, what is sure to need more memory than the limit.
func (p plan) checkMemory(noRisk bool, xu, uy problem.Preview) error {
	check := func(p plan) error {
		switch {
		case p.method == nil:
			return p.search.CheckMemory(xu, uy)
		case !noRisk:
			p.setup.Folds = problem.DefaultFolds
		}
		if m, ok := p.method.(interface {
			CheckMemory(s problem.Setup, xu, uy problem.Preview) error
		}); ok { // which may need less
			return m.CheckMemory(p.setup, xu, uy)
		}
		return p.setup.CheckMemory(xu, uy)
	}
	err := check(p)
	if short := new(problem.MemoryError); p.large != nil && errors.As(err, &short) {
		p.method = p.large
		return check(p)
	}
	return err
}

// use is what a flag that may be left out says of a way to fit.
func (f *fitFlags) use(flag string, value bool) search.Use {
	switch {
	case value:
		return search.Always
	case f.given(flag):
		return search.Never
	}
	return search.Compared
}

// methods are the values of --method.
var methods = []string{"auto", "joint", "2step", "naive", "cme"}

// penalties are the values of --penalty.
var penalties = map[string]solvers.Penalty{"scaled": solvers.Scaled, "paper": solvers.Paper}

// checkMethod refuses methods and penalties that there are not, and flags that mean nothing for the method.
func (f *fitFlags) checkMethod() error {
	if _, ok := penalties[f.penalty]; !ok {
		return usagef("--penalty %q, want scaled or paper", f.penalty)
	}
	if !slices.Contains(methods, f.method) {
		return usagef("--method %q, want auto, joint, 2step, naive or cme", f.method)
	}
	if err := f.checkLoss(); err != nil {
		return err
	}
	if f.se && (f.method == "naive" || f.method == "cme") {
		return usagef("--se has no meaning with --method %s", f.method)
	}
	if f.given("precision") && (f.method == "naive" || f.method == "cme") {
		return usagef("--precision has no meaning with --method %s", f.method)
	}
	if f.components {
		return f.checkComponents()
	}
	return nil
}

// lossFlags mean nothing for another loss than squared error.
var lossFlags = []string{"se", "precision", "components", "shift", "penalty", "plan"}

// ofLoss is the loss that a flag names, nil for the automatic one.
func (f *fitFlags) ofLoss() losses.Canonical {
	l, set := losses.ByName(f.loss)
	if !set && f.se {
		return losses.Squared{}
	}
	return l
}

// otherLoss is the loss that a flag names, nil for squared error.
func otherLoss(name string) losses.Canonical {
	l, _ := losses.ByName(name)
	if _, squared := l.(losses.Squared); squared {
		return nil
	}
	return l
}

// checkLoss refuses losses that there are not, and flags that mean nothing for the loss.
func (f *fitFlags) checkLoss() error {
	if _, ok := losses.ByName(f.loss); !ok && f.loss != "auto" {
		return usagef("--loss %q, want auto, squared, log or poisson", f.loss)
	}
	if otherLoss(f.loss) == nil {
		return nil
	}
	for _, flag := range lossFlags {
		if f.given(flag) {
			return usagef("--%s has no meaning with --loss %s", flag, f.loss)
		}
	}
	switch {
	case f.method != "auto" && f.method != "2step":
		return usagef("--method %s has no meaning with --loss %s", f.method, f.loss)
	case f.given("w") && f.w != 1:
		return usagef("--w %g has no meaning with --loss %s", f.w, f.loss)
	case f.form != 1:
		return usagef("--form %d has no meaning with --loss %s", f.form, f.loss)
	}
	for flag, value := range map[string]float64{"lambda": f.lambda, "lambda-f": f.lambdaF, "lambda-h": f.lambdaH} {
		if f.given(flag) && value == 0 {
			return usagef("--%s is 0, must be above 0 with --loss %s", flag, f.loss)
		}
	}
	return nil
}

// checkComponents refuses what a fit by components cannot be.
func (f *fitFlags) checkComponents() error {
	switch {
	case f.method != "auto" && f.method != "2step":
		return usagef("--components has no meaning with --method %s", f.method)
	case f.given("w") && f.w != 1:
		return usagef("--components has no meaning with --w %g", f.w)
	case f.penalty == "paper":
		return usagef("--components has no meaning with --penalty paper")
	case f.noIntercept:
		return usagef("--components has no meaning with --no-intercept")
	}
	return nil
}

// checkPenalty refuses a penalty out of range.
func checkPenalty(flag string, value float64) error {
	if !(value >= 0) || math.IsInf(value, 1) {
		return usagef("--%s is %g, must be finite and at least 0", flag, value)
	}
	return nil
}

// setting returns the penalty of a flag of its own, or of --lambda.
func (f *fitFlags) setting(flag string, value float64) rr.Setting {
	switch {
	case f.given(flag):
		return rr.Value(value)
	case f.given("lambda"):
		return rr.Value(f.lambda)
	}
	return rr.Auto
}
