package inference

import (
	"fmt"

	"mediant/features"
	"mediant/rr"
)

// DescribeRoots returns the ranks of the roots of covariances, and weights with the roots' coefficients appended.
func DescribeRoots(roots []*rr.Linear, weights []float64) ([]int, []float64) {
	var ranks []int
	for _, root := range roots {
		ranks = append(ranks, len(root.Intercept))
		weights = root.AppendCoefficients(weights)
	}
	return ranks, weights
}

// ReadErrors reads the standard errors of f, whose roots have the given ranks.
func ReadErrors(r *rr.NumberReader, sum, shared []int, f rr.Predictor, outputs int) (*Errors, error) {
	if sum == nil && shared == nil {
		return nil, nil
	}
	l, ok := f.(*rr.Linear)
	if !ok || len(sum) != outputs || shared != nil && len(shared) != outputs {
		return nil, fmt.Errorf("%d and %d for %d outputs of a %T", len(sum), len(shared), outputs, f)
	}
	s := &Errors{}
	var err error
	if s.Sum, err = roots(r, sum, l.Map); err != nil {
		return nil, err
	}
	s.Shared, err = roots(r, shared, l.Map)
	return s, err
}

// roots takes roots of covariances, of the given ranks, of the coefficients of m.
func roots(r *rr.NumberReader, ranks []int, m features.Map) ([]*rr.Linear, error) {
	var roots []*rr.Linear
	for _, rank := range ranks {
		root, err := r.Coefficients(m, rank)
		if err != nil {
			return nil, err
		}
		roots = append(roots, root)
	}
	return roots, nil
}
