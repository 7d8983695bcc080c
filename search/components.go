package search

import (
	"slices"

	"mediant/features"
	"mediant/problem"
	"mediant/rr"
	"mediant/solvers"
)

// withGroups returns the additive maps among several candidates, if fits by components are required and there are any.
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
	return s.Components != Never && !fixed && rows <= problem.MapRows && slices.Contains(s.wGrid(s.W), 1)
}

// componentGrid returns the grid of fits by components near the penalties found at w = 1, given the lambda_h to try and the
// searches for each choice. It is nil if there are no components, which is an error if they are required, and if they keep everything,
// which is the fit at once.
func componentGrid(p *problem.Problem, choices []Search, lambdaH []float64, found solvers.Params) (*grid, error) {
	s := choices[0]
	if !slices.ContainsFunc(choices, func(own Search) bool { return own.triesComponents(p.X().Rows()) }) {
		return nil, nil
	}
	if p.HasNoise() && s.Components != Always { // the tests that select groups of X know nothing of the noise
		return nil, nil
	}
	groups, err := rr.GroupsOf(p)
	if err != nil {
		if s.Components == Always {
			return nil, err
		}
		return nil, nil
	}
	if s.Components != Always && groups.Screen(p.XU()).KeepAll() {
		return nil, nil
	}
	return &grid{lambdaF: around(s.LambdaF, found.LambdaF, refineComponents), lambdaH: lambdaH, w: []float64{1}, components: groups}, nil
}
