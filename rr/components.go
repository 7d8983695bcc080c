package rr

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"mediant/features"
	"mediant/moments"
	"mediant/solvers"
)

// componentRate is the share of the groups of X kept for components of U that is allowed to be kept in vain. Such a
// group costs the noise of its features, one that is missed costs bias. Among those that a test of each pair by itself
// would keep in vain are those that fit the noise best, and there are more of them the more columns there are: at 5 % of
// all pairs the excess on the synthetic law with d = 20 was a third larger.
const componentRate = 0.05

var errComponentsOwn = errors.New("rr: by components: for ridge regression on additive features only, not for other regressors")

// componentGroups are the numbers of features of the groups of phi and of psi, as fits by components need them.
type componentGroups struct{ phi, psi []int }

// componentGroups returns the groups of an additive phi and an additive psi, or says why there is nothing to fit
// by components.
func (p *Problem) componentGroups() (*componentGroups, error) {
	if p.Setup.NoIntercept {
		return nil, fmt.Errorf("rr: by components: the fit is without intercepts, which components of h need")
	}
	phi, ok := p.Phi.(*features.Additive)
	if !ok {
		return nil, fmt.Errorf("rr: by components: the features of X are %s, want additive ones", features.Describe(p.Phi))
	}
	psi, ok := p.Psi.(*features.Additive)
	if !ok {
		return nil, fmt.Errorf("rr: by components: the features of U are %s, want additive ones", features.Describe(p.Psi))
	}
	g := &componentGroups{phi.Sizes(), psi.Sizes()}
	if len(g.psi) < 2 {
		return nil, fmt.Errorf("rr: by components: U has a single group of columns, want at least 2")
	}
	return g, nil
}

// screen finds what each component is regressed on from moments of S_X, not weighed by precision.
func (g *componentGroups) screen(xu *moments.Pair) solvers.Components {
	return solvers.Screen(xu, g.phi, g.psi, componentRate)
}

// componentwise returns the solver of the problem by components, and what each of them keeps.
func (p *Problem) componentwise() (*solvers.Componentwise, solvers.Components, error) {
	groups, err := p.componentGroups()
	if err != nil {
		return nil, solvers.Components{}, err
	}
	system, err := p.System()
	if err != nil {
		return nil, solvers.Components{}, err
	}
	c := groups.screen(p.XU())
	return system.Componentwise(c), c, nil
}

// solveComponents is solve by components.
func (p *Problem) solveComponents(params solvers.Params) (*Model, error) {
	if err := params.Check(); err != nil {
		return nil, err
	}
	by, c, err := p.componentwise()
	if err != nil {
		return nil, err
	}
	s := by.Solve(params)
	m := p.model("2step", params)
	for _, kept := range c.Kept {
		m.Params.Components = append(m.Params.Components, len(kept))
	}
	m.Notes = slices.Concat(m.Notes, []string{componentNote(m.Params.Components, len(c.Phi))})
	m.F, m.H = p.F(s.Alpha, s.InterceptF), p.H(s.Beta, s.InterceptH)
	m.NoteSystem("f", s.CondF, s.RankF, s.Alpha)
	m.NoteSystem("h", s.CondH, s.RankH, s.Beta)
	return m, nil
}

// withGroups leaves the additive maps among several candidates, if fits by components are asked for and there are any.
func (s Search) withGroups(specs []features.Spec) []features.Spec {
	if s.Components != Always {
		return specs
	}
	additive := slices.DeleteFunc(slices.Clone(specs), func(f features.Spec) bool { return f.Kind != features.AdditiveFeatures })
	if len(additive) == 0 {
		return specs
	}
	return additive
}

// triesComponents reports whether fits by components are tried, where the maps have groups.
func (s Search) triesComponents(rows int) bool {
	if s.Components == Always {
		return true
	}
	// With more rows there is little noise to save.
	_, fixed := s.Fixed()
	return s.Components != Never && !fixed && rows <= sampleRows && slices.Contains(s.wGrid(s.W), 1)
}

// componentNote says what was kept of the given number of groups of X.
func componentNote(kept []int, of int) string {
	each := fmt.Sprintf("%d to %d", slices.Min(kept), slices.Max(kept))
	if slices.Min(kept) == slices.Max(kept) {
		each = strconv.Itoa(kept[0])
	}
	return fmt.Sprintf("f was fitted by components: each of %d parts of h(U) by itself, on those of %d groups of columns of X that it depends on, %s", len(kept), of, each)
}

// componentGrid is what a search tries by components near the numbers that it found at w = 1, given the lambda_h that
// it tries and the settings of w that it chooses for: nil where there are no components, an error if they are then
// asked for, and nil where they keep everything, which is the fit at once.
func (s Search) componentGrid(p *Problem, ws []Setting, lambdaH []float64, found solvers.Params) (*grid, error) {
	if !slices.ContainsFunc(ws, func(w Setting) bool { return s.with(w).triesComponents(p.X.Rows()) }) {
		return nil, nil
	}
	groups, err := p.componentGroups()
	if err != nil {
		if s.Components == Always {
			return nil, err
		}
		return nil, nil
	}
	if s.Components != Always && groups.screen(p.XU()).KeepAll() {
		return nil, nil
	}
	return &grid{lambdaF: around(s.LambdaF, found.LambdaF, refineComponents), lambdaH: lambdaH, w: []float64{1}, components: groups}, nil
}
