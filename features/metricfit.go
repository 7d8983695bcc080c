package features

import (
	"errors"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// MaxFullMetric is the largest number of columns of a metric that is not diagonal.
const MaxFullMetric = 256

// LearnsMetric reports whether the map has a metric, scales or a warp that are still to be learned from a target, which rows alone do not have: package problem does that.
func (s Spec) LearnsMetric() bool {
	return (s.Kind == MetricFeatures || s.Kind == AdaptiveFeatures) && s.Metric == nil || s.Kind == WarpedFeatures && s.Warp == nil
}

// identityMetric has distances of the columns as they are.
func identityMetric(columns int) *Metric {
	m := &Metric{scales: make([]float64, columns)}
	for j := range m.scales {
		m.scales[j] = 1
	}
	return m
}

// atLandmarks comes before the kernel in the name of Nyström features of a metric.
const atLandmarks = "nystrom:"

// metricMaker is that of Fourier features of a kernel of a metric, or of its Nyström features.
func metricMaker() *maker {
	return &maker{
		kind: MetricFeatures, heads: []string{"metric", "fullmetric"},
		names: func() (all []string) {
			for _, head := range []string{"fullmetric:", "metric:"} {
				all = append(all, head+"KERNEL", head+atLandmarks+"KERNEL")
			}
			return all
		},
		parse: func(head, rest string, _ bool) (Spec, bool) {
			kernel, landmarks := strings.CutPrefix(rest, atLandmarks)
			return Spec{Kind: MetricFeatures, Kernel: kernel, Full: head == "fullmetric", AtLandmarks: landmarks}, kernel != ""
		},
		write: func(s Spec) string {
			name := string(s.Kind) + ":"
			if s.Full {
				name = "full" + name
			}
			if s.AtLandmarks {
				name += atLandmarks
			}
			return name + s.kernelName()
		},
		takes: isSpectral,
		validate: func(s Spec) error {
			if s.Size == 0 || s.AtLandmarks {
				return nil
			}
			return checkFourierSize(s.Size)
		},
		bytes: func(s Spec, z Size) float64 {
			root, then := float64(z.In), s.afterMetric()
			if s.Full {
				root *= min(root, MaxFullMetric)
			}
			return 8*root + then.maker().bytes(then, z)
		},
		fitBytes: func(s Spec, z Size) float64 {
			if !s.AtLandmarks {
				return 0
			}
			return nystromFitBytes(s.afterMetric(), z) + 8*float64(z.Sample)*float64(z.In)
		},
		fit: (*specFit).metric,
	}
}

// afterMetric is the map of what the metric makes of rows.
func (s Spec) afterMetric() Spec {
	s.Kind = FourierFeatures
	if s.AtLandmarks {
		s.Kind = NystromFeatures
	}
	s.Metric, s.Full, s.AtLandmarks = nil, false, false
	return s
}

var errSparseMetric = errors.New("features: a metric is for columns of numbers and levels, not for hashed text or sparse rows")

// metric makes features of the kernel of a metric; without one it is the identity.
func (f *specFit) metric() (Map, error) {
	if _, sparse := f.rows.(mat.RowNonZeroDoer); sparse {
		return nil, errSparseMetric
	}
	_, in := f.rows.Dims()
	first := f.Metric
	if first == nil {
		first = identityMetric(in)
		f.note("there is no metric, since nothing is to be fitted yet: distances are those of the encoded columns")
	}
	if width, _ := first.Dims(); width != in {
		return nil, fmt.Errorf("features: %s: the metric has %d columns, want %d", f.Spec, width, in)
	}
	var moved mat.Dense
	first.MapTo(&moved, f.rows)
	own := *f
	own.Spec, own.rows = f.afterMetric(), &moved
	then, err := own.maker().fit(&own)
	f.notes = own.notes
	if err != nil {
		return nil, err
	}
	return NewChain(first, then)
}
