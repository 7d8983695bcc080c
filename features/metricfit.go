package features

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// MaxFullMetric is the largest number of columns of a metric that is not diagonal.
const MaxFullMetric = 256

// LearnsMetric reports whether the map has a metric or a warp that is still to be learned from a target, which rows alone do not have: package problem does that.
func (s Spec) LearnsMetric() bool {
	return s.Kind == MetricFeatures && s.Metric == nil || s.Kind == WarpedFeatures && s.Warp == nil
}

// metricMaker is that of Fourier features of a kernel of a metric.
func metricMaker() *maker {
	return &maker{
		kind: MetricFeatures, heads: []string{"metric", "fullmetric"},
		names: func() []string { return []string{"fullmetric:KERNEL", "metric:KERNEL"} },
		parse: func(head, rest string, _ bool) (Spec, bool) {
			return Spec{Kind: MetricFeatures, Kernel: rest, Full: head == "fullmetric"}, rest != ""
		},
		write: func(s Spec) string {
			if s.Full {
				return "full" + writeWithKernel(s)
			}
			return writeWithKernel(s)
		},
		takes: isSpectral,
		validate: func(s Spec) error {
			if s.Size == 0 {
				return nil
			}
			return checkFourierSize(s.Size)
		},
		bytes: metricBytes,
		fit:   (*specFit).metric,
	}
}

// metricBytes is the size of the root of the metric and of the frequencies.
func metricBytes(s Spec, z Size) float64 {
	in := float64(z.In)
	if s.Full {
		in *= min(in, MaxFullMetric)
	}
	return 8*in + fourierBytes(s.afterMetric(), z)
}

// afterMetric is the map of what the metric makes of rows.
func (s Spec) afterMetric() Spec {
	s.Kind, s.Metric, s.Full = FourierFeatures, nil, false
	return s
}

var errSparseMetric = errors.New("features: a metric is for columns of numbers and levels, not for hashed text or sparse rows")

// metric makes Fourier features of the kernel of a metric; without one it is the identity.
func (f *specFit) metric() (Map, error) {
	if _, sparse := f.rows.(mat.RowNonZeroDoer); sparse {
		return nil, errSparseMetric
	}
	_, in := f.rows.Dims()
	first := f.Metric
	if first == nil {
		ones := make([]float64, in)
		for j := range ones {
			ones[j] = 1
		}
		first, _ = NewDiagonalMetric(ones) // which is not 0
		f.note("there is no metric, since nothing is to be fitted yet: distances are those of the encoded columns")
	}
	if width, _ := first.Dims(); width != in {
		return nil, fmt.Errorf("features: %s: the metric has %d columns, want %d", f.Spec, width, in)
	}
	var moved mat.Dense
	first.MapTo(&moved, f.rows)
	own := *f
	own.Spec, own.rows = f.afterMetric(), &moved
	then, err := own.fourier()
	f.notes = own.notes
	if err != nil {
		return nil, err
	}
	return NewChain(first, then)
}
