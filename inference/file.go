package inference

import (
	"encoding/json"
	"fmt"

	"mediant/collect"
	"mediant/features"
	"mediant/rr"
)

// errorsHeader has the ranks of the roots of covariances, by output, in a model file, and the mean variance of f.
type errorsHeader struct {
	Sum      []int             `json:"standard_errors,omitempty"`
	Shared   []int             `json:"standard_errors_shared,omitempty"`
	Variance *collect.Variance `json:"standard_errors_variance,omitempty"`
}

// Store returns the standard errors for a model file: the ranks of the roots, which package json writes, and the roots.
func (s *Errors) Store() (header any, numbers []float64) {
	h := errorsHeader{Variance: s.Variance}
	h.Sum, numbers = store(s.Sum, numbers)
	h.Shared, numbers = store(s.Shared, numbers)
	return h, numbers
}

func store(roots []*rr.Linear, numbers []float64) ([]int, []float64) {
	var ranks []int
	for _, root := range roots {
		ranks = append(ranks, len(root.Intercept))
		numbers = root.AppendCoefficients(numbers)
	}
	return ranks, numbers
}

// Read reads the standard errors of the model m that Store returned, nil if there were none, and returns the remaining
// numbers.
func Read(header json.RawMessage, numbers []float64, m *rr.Model) (s *Errors, rest []float64, err error) {
	var h errorsHeader
	if err := json.Unmarshal(header, &h); err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	if h.Sum == nil && h.Shared == nil {
		return nil, numbers, nil
	}
	l, ok := m.F.(*rr.Linear)
	if outputs := m.Y.Len(); !ok || len(h.Sum) != outputs || h.Shared != nil && len(h.Shared) != outputs {
		return nil, nil, fmt.Errorf("%d and %d for %d outputs of a %T", len(h.Sum), len(h.Shared), outputs, m.F)
	}
	s = &Errors{Variance: h.Variance}
	if s.Sum, numbers, err = roots(h.Sum, l.Map, numbers); err != nil {
		return nil, nil, err
	}
	s.Shared, numbers, err = roots(h.Shared, l.Map, numbers)
	return s, numbers, err
}

// roots takes roots of covariances, of the given ranks, of the coefficients of m.
func roots(ranks []int, m features.Map, numbers []float64) ([]*rr.Linear, []float64, error) {
	var roots []*rr.Linear
	for _, rank := range ranks {
		root, rest, err := rr.ReadCoefficients(m, rank, numbers)
		if err != nil {
			return nil, nil, err
		}
		roots, numbers = append(roots, root), rest
	}
	return roots, numbers, nil
}
