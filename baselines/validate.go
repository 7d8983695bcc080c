package baselines

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/bounds"
	"mediant/rr"
)

// penalty checks a penalty that is set.
func penalty(name string, s rr.Setting) error { return bounds.Penalty(name, s.Or(0)) }

// Validate returns an error that names the first field out of range, or that one of G and H is nil and the other not.
func (n Naive) Validate() error {
	if (n.G == nil) != (n.H == nil) {
		return fmt.Errorf("baselines: Naive has one learner of G and H, must have both or neither")
	}
	return bounds.First(penalty("baselines: Naive.LambdaG", n.LambdaG), penalty("baselines: Naive.LambdaH", n.LambdaH))
}

// Validate returns an error that names the first field out of range.
func (e MeanEmbedding) Validate() error {
	return bounds.First(penalty("baselines: MeanEmbedding.Lambda", e.Lambda), penalty("baselines: MeanEmbedding.LambdaH", e.LambdaH))
}

// Validate returns an error that names the first field out of range.
func (o Oracle) Validate() error {
	if o.Pairs == nil {
		return fmt.Errorf("baselines: Oracle.Pairs is nil, must be a table of X and Y")
	}
	return penalty("baselines: Oracle.Lambda", o.Lambda)
}

// Validate returns an error that names the first field out of range.
func (n Integral) Validate() error {
	return bounds.First(
		penalty("baselines: Integral.LambdaH", n.LambdaH),
		bounds.Enum("baselines: Integral.Estimator", int(n.Estimator), "LeastSquares or NadarayaWatson", int(LeastSquares), int(NadarayaWatson)),
		bounds.Count("baselines: Integral.Centres", n.Centres),
		bounds.Count("baselines: Integral.Nodes", n.Nodes),
		bounds.Count("baselines: Integral.Samples", n.Samples),
		atMost("baselines: Integral.Nodes", n.Nodes, maxNodes),
		atMost("baselines: Integral.Samples", n.Samples, maxSamples),
		n.Density.check(),
	)
}

// Bounds of the number of values of h for each component, far above what changes an integral.
const (
	maxNodes   = 1 << 10
	maxSamples = 1 << 20
)

func atMost(field string, n, most int) error {
	if n > most {
		return fmt.Errorf("%s is %d, must be at most %d", field, n, most)
	}
	return nil
}

// check returns an error unless d is nil or a mixture.
func (d *Density) check() error {
	if d == nil {
		return nil
	}
	if d.X == nil || d.U == nil || d.X.IsEmpty() || d.U.IsEmpty() {
		return fmt.Errorf("baselines: Integral.Density has no centres")
	}
	if x, u := rowsOf(d.X), rowsOf(d.U); x != u || len(d.Alpha) != x {
		return fmt.Errorf("baselines: Integral.Density has %d centres of X, %d of U and %d numbers in Alpha, must have as many of each", x, u, len(d.Alpha))
	}
	for i, a := range d.Alpha {
		if !(a > 0) || math.IsInf(a, 1) {
			return fmt.Errorf("baselines: Integral.Density.Alpha[%d] is %g, must be positive and finite", i, a)
		}
	}
	for _, m := range []*mat.Dense{d.X, d.U} {
		if s := mat.Sum(m); math.IsNaN(s) || math.IsInf(s, 0) {
			return fmt.Errorf("baselines: Integral.Density has a centre that is not finite")
		}
	}
	if !(d.BandwidthX > 0) || math.IsInf(d.BandwidthX, 1) {
		return fmt.Errorf("baselines: Integral.Density.BandwidthX is %g, must be positive and finite", d.BandwidthX)
	}
	return bounds.Penalty("baselines: Integral.Density.BandwidthU", d.BandwidthU)
}
