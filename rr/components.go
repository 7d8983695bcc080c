package rr

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"mediant/features"
	"mediant/moments"
	"mediant/problem"
	"mediant/solvers"
)

// componentRate is the false discovery rate among the groups of X kept for components of U. A group kept falsely adds the
// noise of its features, a missed one bias. Tests of each pair by itself at 5 % would keep those false groups that fit the
// noise best, and the more the more columns there are: the excess on the synthetic distribution with d = 20 was a third
// larger.
const componentRate = 0.05

var errComponentsOwn = errors.New("rr: by components: for ridge regression on additive features only, not for other regressors")

// ComponentGroups, made by GroupsOf, are the numbers of features of the groups of phi and of psi, as fits by components need them.
type ComponentGroups struct{ phi, psi []int }

// GroupsOf returns the groups of an additive phi and those of psi, one if it is not additive. The error names what a fit by components needs and
// lacks: an intercept, or an additive phi.
func GroupsOf(p *problem.Problem) (*ComponentGroups, error) {
	if p.Setup().NoIntercept {
		return nil, fmt.Errorf("rr: by components: the fit is without intercepts, which components of h need")
	}
	phi, ok := p.Phi().(*features.Additive)
	if !ok {
		return nil, fmt.Errorf("rr: by components: the features of X are %s, want additive ones", features.Describe(p.Phi()))
	}
	if psi, ok := p.Psi().(*features.Additive); ok {
		return &ComponentGroups{phi.Sizes(), psi.Sizes()}, nil
	}
	_, q := p.Psi().Dims()
	return &ComponentGroups{phi.Sizes(), []int{q}}, nil
}

// RelatedGroups returns the groups of an additive phi that U depends on by the same tests, given the moments of phi and of features of U over S_X, which are one group.
func RelatedGroups(phi *features.Additive, xu *moments.CoMoments) []int {
	_, q := xu.Dims()
	return solvers.Screen(xu, phi.Sizes(), []int{q}, componentRate).Kept[0]
}

// Screen selects the groups of X on which each component is regressed, from moments of S_X without weights by precision.
func (g *ComponentGroups) Screen(xu *moments.CoMoments) solvers.Components {
	return solvers.Screen(xu, g.phi, g.psi, componentRate)
}

// Componentwise returns the solver of 2Step-RR by components for the problem, and the groups of columns of X that each
// component keeps.
func Componentwise(p *problem.Problem) (*solvers.Componentwise, solvers.Components, error) {
	groups, err := GroupsOf(p)
	if err != nil {
		return nil, solvers.Components{}, err
	}
	system, err := p.System()
	if err != nil {
		return nil, solvers.Components{}, err
	}
	c := groups.Screen(p.XU())
	return system.Componentwise(c), c, nil
}

// solveComponents fits f and h by components.
func solveComponents(p *problem.Problem, params solvers.Params) (*Model, error) {
	if err := params.Check(); err != nil {
		return nil, err
	}
	by, c, err := Componentwise(p)
	if err != nil {
		return nil, err
	}
	s := by.Solve(params)
	m := model(p, "2step", params)
	for _, kept := range c.Kept {
		m.Params.Components = append(m.Params.Components, len(kept))
	}
	m.Notes = slices.Concat(m.Notes, []string{componentNote(m.Params.Components, len(c.Phi))})
	m.F, m.H = NewLinear(p.Phi(), s.Alpha, s.InterceptF), NewLinear(p.Psi(), s.Beta, s.InterceptH)
	m.NoteSystem("f", s.CondF, s.RankF, s.Alpha)
	m.NoteSystem("h", s.CondH, s.RankH, s.Beta)
	return m, nil
}

// componentNote says what was kept of the given number of groups of X.
func componentNote(kept []int, of int) string {
	each := fmt.Sprintf("%d to %d", slices.Min(kept), slices.Max(kept))
	if slices.Min(kept) == slices.Max(kept) {
		each = strconv.Itoa(kept[0])
	}
	if len(kept) == 1 {
		return fmt.Sprintf("f was fitted on those of %d groups of columns of X that h(U) depends on, %d", of, kept[0])
	}
	return fmt.Sprintf("f was fitted by components: each of %d parts of h(U) by itself, on those of %d groups of columns of X that it depends on, %s", len(kept), of, each)
}
