package search

import (
	"math"
	"slices"

	"mediant/features"
)

// A round decides which candidates of a list are tried, by the risks of those before: bandwidths at the end of the range only where the one next to it is the best so far of the same features, and landmarks only for the kernel and bandwidth
// that are the best as Fourier features, without a metric or in one of the same kind. The zero value has no risks.
type round struct {
	bandwidths map[string]map[float64]float64 // risk by features and multiple of the median bandwidth
	fourier    map[metricKind]bestFourier
}

// bestFourier are the best Fourier features so far, and their risk.
type bestFourier struct {
	spec features.Spec
	risk float64
}

// groupOf is that of Fourier features and landmarks of which the best are compared.
func groupOf(s features.Spec) metricKind {
	if s.Kind == features.MetricFeatures {
		return metricKind{kind: s.Kind, full: s.Full}
	}
	return metricKind{}
}

// hasLandmarks reports whether a map has those in the place of Fourier features.
func hasLandmarks(s features.Spec) bool {
	return s.Kind == features.NystromFeatures && s.LandmarkRows == nil || s.AtLandmarks
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
	if s.Kind == features.NystromFeatures {
		s.Kind = features.FourierFeatures
	}
	s.AtLandmarks = false
	return s
}

// hasPartner reports whether s has landmarks and its partner is a candidate too.
func hasPartner(s features.Spec, specs []features.Spec) bool {
	return hasLandmarks(s) && slices.ContainsFunc(specs, func(o features.Spec) bool {
		return o.LandmarkRows == nil && candidateName(o) == candidateName(partner(s))
	})
}

// skips reports whether a spec is not worth trying.
func (r *round) skips(s features.Spec, specs []features.Spec) bool {
	if hasPartner(s, specs) {
		best, any := r.fourier[groupOf(s)]
		return !any || candidateName(best.spec) != candidateName(partner(s))
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
		r.bandwidths, r.fourier = map[string]map[float64]float64{}, map[metricKind]bestFourier{}
	}
	family := familyOf(s)
	if r.bandwidths[family] == nil {
		r.bandwidths[family] = map[float64]float64{}
	}
	r.bandwidths[family][s.Multiple] = value
	if s.Kind != features.FourierFeatures && (s.Kind != features.MetricFeatures || s.AtLandmarks) {
		return
	}
	if best, any := r.fourier[groupOf(s)]; !any || value < best.risk {
		r.fourier[groupOf(s)] = bestFourier{s, value}
	}
}

// familyOf names a spec without its bandwidth.
func familyOf(s features.Spec) string {
	s.Multiple = 0
	return candidateName(s)
}
