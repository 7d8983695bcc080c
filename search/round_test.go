package search

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mediant/features"
)

// TestRoundFindsTheBest: of risks with one minimum along the bandwidth a round tries the best bandwidth of each kind of features, not both ends of the range, and landmarks of the best Fourier features alone.
func TestRoundFindsTheBest(t *testing.T) {
	specs := slices.Concat(DefaultCandidates(), LandmarkCandidates())
	rapid.Check(t, func(t *rapid.T) {
		level, at := map[string]float64{}, map[string]int{}
		for _, s := range specs {
			family := familyOf(s)
			if _, drawn := at[family]; !drawn {
				level[family], at[family] = rapid.Float64Range(1, 2).Draw(t, family), rapid.IntRange(0, len(multiples)-1).Draw(t, "minimum")
			}
		}
		risk := func(s features.Spec) float64 {
			d := slices.Index(multiples, s.Multiple) - at[familyOf(s)]
			return level[familyOf(s)] + float64(d*d)
		}
		var r round
		tried := map[string][]float64{}
		var landmarks []features.Spec
		for _, i := range order(specs) {
			s := specs[i]
			if r.skips(s, specs) {
				continue
			}
			v := risk(s)
			r.record(s, &v)
			tried[familyOf(s)] = append(tried[familyOf(s)], v)
			if s.Kind == features.NystromFeatures {
				landmarks = append(landmarks, s)
			}
		}
		least := func(kernel string) float64 {
			found := tried[familyOf(features.Spec{Kernel: kernel})]
			if len(found) == len(multiples) || slices.Min(found) != level[familyOf(features.Spec{Kernel: kernel})] {
				t.Errorf("%s: the risks found are %g, the least of all is %g", kernel, found, level[familyOf(features.Spec{Kernel: kernel})])
			}
			return slices.Min(found)
		}
		gaussian, matern := least("gaussian"), least("matern32")
		if len(landmarks) != 1 || risk(partner(landmarks[0])) != min(gaussian, matern) {
			t.Errorf("landmarks of %v are tried, want those of the best Fourier features", landmarks)
		}
	})
}

// TestRoundOfFailures: where every candidate fails, the ends of the range are tried as well.
func TestRoundOfFailures(t *testing.T) {
	specs := DefaultCandidates()
	var r round
	tried := 0
	for _, i := range order(specs) {
		if !r.skips(specs[i], specs) {
			tried++
			r.record(specs[i], nil)
		}
	}
	if tried != len(specs) {
		t.Errorf("%d candidates are tried, want %d", tried, len(specs))
	}
}
