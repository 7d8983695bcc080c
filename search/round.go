package search

import (
	"math"
	"slices"

	"mediant/features"
)

// A round decides which candidates of a list are tried, by the risks of those before: bandwidths at the end of the range only where the one next to it is the best so far of the same features, and landmarks only for the kernel and bandwidth
// that are the best as Fourier features. The zero value has no risks.
type round struct {
	bandwidths map[string]map[float64]float64 // risk by features and multiple of the median bandwidth
	fourier    features.Spec                  // the best so far
	least      float64                        // its risk
	any        bool
}

// inwards is the multiple next to one at the end of the range.
var inwards = map[float64]float64{multiples[0]: multiples[1], multiples[len(multiples)-1]: multiples[len(multiples)-2]}

// order returns the indices of specs in the order in which a round tries them.
func order(specs []features.Spec) []int {
	at := make([]int, len(specs))
	for i := range at {
		at[i] = i
	}
	turn := func(s features.Spec) int {
		_, end := inwards[s.Multiple]
		switch {
		case hasPartner(s, specs):
			return 2
		case end:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(at, func(a, b int) int { return turn(specs[a]) - turn(specs[b]) })
	return at
}

// usual are the specs that are tried whatever their risks are, all of them if there are none.
func usual(specs []features.Spec) []features.Spec {
	out := slices.DeleteFunc(slices.Clone(specs), func(s features.Spec) bool {
		_, end := inwards[s.Multiple]
		return end || hasPartner(s, specs)
	})
	if len(out) == 0 {
		return specs
	}
	return out
}

// partner is the spec with Fourier features in the place of landmarks.
func partner(s features.Spec) features.Spec {
	s.Kind = features.FourierFeatures
	return s
}

// hasPartner reports whether s has landmarks and its partner is a candidate too.
func hasPartner(s features.Spec, specs []features.Spec) bool {
	return s.Kind == features.NystromFeatures && s.LandmarkRows == nil && slices.ContainsFunc(specs, func(o features.Spec) bool {
		return o.LandmarkRows == nil && candidateName(o) == candidateName(partner(s))
	})
}

// skips reports whether a spec is not worth trying.
func (r *round) skips(s features.Spec, specs []features.Spec) bool {
	if hasPartner(s, specs) {
		return !r.any || candidateName(r.fourier) != candidateName(partner(s))
	}
	next, end := inwards[s.Multiple]
	if !end {
		return false
	}
	risks := r.bandwidths[familyOf(s)]
	for _, m := range multiples {
		if v, tried := risks[m]; tried && v < risks[next] {
			return true
		}
	}
	return false
}

// record keeps the risk of a spec, nil for one that failed.
func (r *round) record(s features.Spec, risk *float64) {
	value := math.Inf(1)
	if risk != nil && !math.IsNaN(*risk) {
		value = *risk
	}
	if r.bandwidths == nil {
		r.bandwidths = map[string]map[float64]float64{}
	}
	family := familyOf(s)
	if r.bandwidths[family] == nil {
		r.bandwidths[family] = map[float64]float64{}
	}
	r.bandwidths[family][s.Multiple] = value
	if s.Kind == features.FourierFeatures && (!r.any || value < r.least) {
		r.fourier, r.least, r.any = s, value, true
	}
}

// familyOf names a spec without its bandwidth.
func familyOf(s features.Spec) string {
	s.Multiple = 0
	return candidateName(s)
}
