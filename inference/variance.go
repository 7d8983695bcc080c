package inference

import (
	"context"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/collect"
	"mediant/problem"
	"mediant/rr"
)

// A spread makes Errors of the covariances of (alpha, a), output by output.
type spread struct {
	Errors
	p      *problem.Problem
	centre []float64     // phi_X, about which alpha and a are
	square *mat.SymDense // the mean of (phi - centre, 1)(phi - centre, 1)' over S_X
}

func newSpread(p *problem.Problem, centre []float64) *spread {
	var a mat.SymDense
	p.XU().LeftTo(&a, true)
	off := floats.SubTo(make([]float64, len(centre)), p.XU().MeanA(), centre)
	a.SymRankOne(&a, 1, mat.NewVecDense(len(off), off))
	s := &spread{p: p, centre: centre, square: mat.NewSymDense(len(off)+1, nil)}
	s.square.SliceSym(0, len(off)).(*mat.SymDense).CopySym(&a)
	for i, v := range off {
		s.square.SetSym(i, len(off), v)
	}
	s.square.SetSym(len(off), len(off), 1)
	s.Variance = new(collect.Variance)
	return s
}

// add adds an output whose sandwiches are x of S_X and y of S_Y, and whose interaction, which both contain, is both; nil if it is unknown. It overwrites x.
func (s *spread) add(ctx context.Context, x, y, both *mat.SymDense) error {
	ofX, ofY, ofBoth := s.mean(x), s.mean(y), 0.0
	if both != nil {
		ofBoth = s.mean(both)
	}
	v := split(ofX, ofY, ofBoth)
	s.Variance.XU += v.XU
	s.Variance.UY += v.UY
	s.Variance.Both += v.Both
	x.AddSym(x, y)
	sum, err := s.root(ctx, x)
	if err != nil {
		return err
	}
	s.Sum = append(s.Sum, sum)
	if both == nil {
		return nil
	}
	shared, err := s.root(ctx, both)
	s.Shared = append(s.Shared, shared)
	return err
}

// split returns the parts of a variance whose sandwiches are x and y, each with the interaction t, which is cut as in Errors, and where a sandwich is
// smaller.
func split(x, y, t float64) collect.Variance {
	t = min(t, (x+y)/2)
	v := collect.Variance{XU: max(x-t, 0), UY: max(y-t, 0)}
	v.Both = max(x+y-t-v.XU-v.UY, 0)
	return v
}

// mean returns the mean over the rows of S_X of the variance of f with this covariance.
func (s *spread) mean(cov *mat.SymDense) float64 {
	sum, n := 0.0, cov.SymmetricDim()
	for i := range n {
		sum += cov.At(i, i) * s.square.At(i, i)
		for j := i + 1; j < n; j++ {
			sum += 2 * cov.At(i, j) * s.square.At(i, j)
		}
	}
	return max(sum, 0) // but for rounding
}

// root returns the root of a covariance as a function of x.
func (s *spread) root(ctx context.Context, cov *mat.SymDense) (*rr.Linear, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	root, intercept, err := rootOf(ctx, cov, s.centre)
	if err != nil {
		return nil, err
	}
	return rr.NewLinear(s.p.Phi(), root, intercept), nil
}
