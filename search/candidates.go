package search

import (
	"fmt"

	"mediant/encode"
	"mediant/features"
	"mediant/problem"
)

// multiples of the median bandwidth that a search tries.
var multiples = []float64{0.25, 0.5, 1, 2, 4}

// DefaultCandidates returns the feature maps that a search tries by default: linear features, and Fourier features of a sum of
// Gaussian kernels of one column each, of a Gaussian and of a Matérn-3/2 kernel, at 1/4, 1/2, 1, 2 and 4 times the median
// bandwidth. These few candidates cover additive, smooth and rough functions.
func DefaultCandidates() []features.Spec {
	out := []features.Spec{{Kind: features.LinearFeatures}}
	for _, s := range []features.Spec{
		{Kind: features.AdditiveFeatures, Kernel: "gaussian"}, {Kernel: "gaussian"}, {Kernel: "matern32"},
	} {
		out = append(out, bandwidths(s)...)
	}
	return out
}

// LandmarkCandidates returns the Gaussian and Matérn-3/2 kernels of DefaultCandidates at landmarks, which lose less of a kernel of few rows than as many Fourier features. A search tries those whose Fourier features are the best.
func LandmarkCandidates() []features.Spec {
	var out []features.Spec
	for _, kernel := range []string{"gaussian", "matern32"} {
		out = append(out, bandwidths(features.Spec{Kind: features.NystromFeatures, Kernel: kernel})...)
	}
	return out
}

// SparseCandidates returns the feature maps that a search tries for sparse encoded rows, such as hashed text: kernels at
// landmarks, which lose little, while a sketch of as many columns loses most of the information in rare words.
func SparseCandidates() []features.Spec {
	return []features.Spec{
		{Kind: features.NystromFeatures, Kernel: "linear"},
		{Kind: features.NystromFeatures, Kernel: "gaussian", Multiple: 1},
		{Kind: features.NystromFeatures, Kernel: "gaussian", Multiple: 2},
	}
}

// bandwidths is the spec at all multiples of the median bandwidth, or the spec alone where it has its
// bandwidth or needs none.
func bandwidths(s features.Spec) []features.Spec {
	var out []features.Spec
	for _, m := range multiples {
		at := s
		at.Multiple = m
		if at.Validate() != nil {
			return []features.Spec{s}
		}
		out = append(out, at)
	}
	return out
}

// candidates returns the maps that a search tries for a spec: the caller's list, the defaults if only a size is set, the set
// map at several bandwidths, or just that map.
func candidates(asked features.Spec, own []features.Spec) []features.Spec {
	if own != nil {
		return own
	}
	if asked.IsAuto() {
		out := DefaultCandidates()
		for i := range out {
			out[i].Size = asked.Size
		}
		return out
	}
	return bandwidths(asked)
}

// metricRows of the larger table are those from which on a metric or a warp is learned: of fewer it follows their noise.
const metricRows = 300

// candidatesFor is candidates for encoded rows of so many columns, of which sparse ones have defaults of their own. Dense ones have landmarks, unless there are so many rows that their features would take most of the time, and metrics. No rows leave out both: maps are then to depend on no rows.
func candidatesFor(sparse bool, columns, rows int, asked features.Spec, own []features.Spec) []features.Spec {
	if own != nil || !asked.IsAuto() {
		return candidates(asked, own)
	}
	out := SparseCandidates()
	if !sparse {
		out = append(DefaultCandidates(), PairCandidates(columns)...)
		if 0 < rows && rows <= problem.MapRows {
			out = append(out, LandmarkCandidates()...)
		}
		if rows >= metricRows {
			out = append(out, MetricCandidates(columns)...)
		}
	}
	for i := range out {
		out[i].Size = asked.Size
	}
	return out
}

// searchSize is the size of maps while kernels are compared, when every candidate costs a pass over its
// table.
func searchSize(rows int) int { return min(256, enough(rows)) }

// comparedSize is searchSize for rows of an encoder, and no more than atMost.
func (s Search) comparedSize(e *encode.Encoder) int {
	size := searchSize(e.Rows())
	if s.atMost > 0 {
		size = min(size, s.atMost)
	}
	return size
}

// finalSize is the size of a map in the final fit, where none is set. The factorisations of tuning grow with its cube.
func finalSize(e *encode.Encoder, s features.Spec) int {
	rows := e.Rows()
	switch {
	case e.Sparse(): // few of their columns are in any two rows, so that landmarks have little in common
		return min(2048, rows)
	case rows < 1000 || rows < 5000 && (additive(s) || e.Width() < 4): // of a function of few columns more features say little more
		return min(512, enough(rows))
	case rows < 50000:
		return 1024
	}
	return 2048
}

// enough is twice the rows, beyond which features only bring the kernel nearer, and at least 64.
func enough(rows int) int { return max(64, 2*rows) }

// sized is the spec with a size, where none is set. Additive features need two for each column or pair.
func sized(s features.Spec, size, columns int) features.Spec {
	if s.Size == 0 {
		if s.Kind == features.AdditiveFeatures {
			size = max(size, s.AdditiveSize(columns))
		}
		s.Size = size
	}
	return s
}

// candidateName names a spec for the report of a search.
func candidateName(s features.Spec) string {
	name := s.String()
	if s.Among != nil {
		name += fmt.Sprintf(" among %d columns", len(*s.Among))
	}
	if s.Multiple != 0 {
		name += fmt.Sprintf(", %g × median bandwidth", s.Multiple)
	}
	if s.Bandwidth != 0 {
		name += fmt.Sprintf(", bandwidth %g", s.Bandwidth)
	}
	return name
}
