// Package metric learns the metric of a kernel from rows and a target: in each round a function is fitted with features of the kernel of the
// present metric, and the next metric is the average outer product of its gradients [Radhakrishnan, Beaglehole, Pandit and Belkin, Mechanism for feature learning in
// neural networks and backpropagation-free machine learning models, Science 383, 2024]. Columns and directions along which the function does not
// vary then count for little in distances, so that fewer rows tell how it varies along the others.
package metric

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/features"
	fast "mediant/internal/blas"
	"mediant/internal/bounds"
	"mediant/internal/draw"
	"mediant/internal/rowops"
	"mediant/moments"
	"mediant/solvers"
)

// Options say how a metric is learned. The zero value is a diagonal metric of the Gaussian kernel in three rounds.
type Options struct {
	// Kernel is one with Fourier features; empty: gaussian.
	Kernel string
	// Full learns products of columns too; diagonal otherwise.
	Full bool
	// Rounds of fits; 0 is 3.
	Rounds int
	// Size is the number of features of each fit; 0 is 512, or twice the rows if that is less.
	Size int
	// Scale multiplies the products of gradients of each output, as 1/variance does, one number of at least 0 for each; nil: 1.
	Scale []float64
	// Seed and Purpose name the random streams of frequencies and of the rows that penalties are chosen on.
	Seed    uint64
	Purpose string
}

// Validate returns an error that names the first field out of range.
func (o Options) Validate() error {
	for c, v := range o.Scale {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("metric: Options.Scale[%d] is %g, must be a number of at least 0", c, v)
		}
	}
	return bounds.First(
		bounds.Count("metric: Options.Rounds", o.Rounds),
		bounds.Field("metric: Options", o.spec(nil, 1).Validate()),
	)
}

const (
	defaultRounds = 3
	// DefaultSize is the number of features of a fit where none is set.
	DefaultSize = 512
)

// spec is the map of a round, for so many rows.
func (o Options) spec(of *features.Metric, rows int) features.Spec {
	size := o.Size
	if size == 0 {
		size = min(DefaultSize, 2*rows)
	}
	return features.Spec{Kind: features.MetricFeatures, Kernel: o.Kernel, Metric: of, Size: size}
}

// Learn returns the metric for the regression of y (n×k) on the rows of x (n×d) with weights w (nil: 1): that of the products
//
//	M = mean of Σ_c scale_c ∇f_c(x) ∇f_c(x)',   divided by its trace / d
//
// of gradients of the ridge regression f on Fourier features of k(M^½ x, M^½ x') for the M of the round before, first I, at the median bandwidth. The penalty is
// that of least squared error on a fifth of the rows. A function that does not vary gives I. Each round costs n p² + 11 p³/3 + k n d p flops for p features. More than
// features.MaxFullMetric columns, or fewer than two rows, are errors.
func Learn(ctx context.Context, x, y *mat.Dense, w []float64, o Options) (*features.Metric, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	n, d := x.Dims()
	if err := o.checkRows(n, y); err != nil {
		return nil, err
	}
	if o.Full && d > features.MaxFullMetric {
		return nil, fmt.Errorf("metric: a full metric of %d columns, want at most %d", d, features.MaxFullMetric)
	}
	m, err := features.NewDiagonalMetric(ones(d))
	for range o.rounds() {
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err = o.next(ctx, m, x, y, w)
	}
	return m, err
}

// checkRows returns an error of rows and outputs that no metric can be learned from.
func (o Options) checkRows(n int, y *mat.Dense) error {
	if n < 2 {
		return fmt.Errorf("metric: %d rows, want at least 2", n)
	}
	if o.Scale != nil && len(o.Scale) != y.RawMatrix().Cols {
		return fmt.Errorf("metric: Options.Scale has %d numbers, want one for each of %d outputs", len(o.Scale), y.RawMatrix().Cols)
	}
	return nil
}

func (o Options) rounds() int {
	if o.Rounds == 0 {
		return defaultRounds
	}
	return o.Rounds
}

// scale is what the products of gradients of an output are multiplied by.
func (o Options) scale(output int) float64 {
	if o.Scale == nil {
		return 1
	}
	return o.Scale[output]
}

func ones(d int) []float64 {
	out := make([]float64, d)
	for j := range out {
		out[j] = 1
	}
	return out
}

// bandwidthRows are enough for the median distance, which takes time with their square.
const bandwidthRows = 500

// someOf are bandwidthRows rows at most, evenly spaced.
func someOf(x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	if n <= bandwidthRows {
		return x
	}
	some := mat.NewDense(bandwidthRows, d, nil)
	for i := range bandwidthRows {
		some.SetRow(i, x.RawRowView(i*n/bandwidthRows))
	}
	return some
}

// next is a round.
func (o Options) next(ctx context.Context, m *features.Metric, x, y *mat.Dense, w []float64) (*features.Metric, error) {
	n, d := x.Dims()
	both, _, err := o.spec(m, n).FitContext(ctx, someOf(x), o.Seed, o.Purpose+"/metric")
	if err != nil {
		return nil, err
	}
	_, then := both.(*features.Chain).Maps()
	var z mat.Dense
	m.MapTo(&z, x)
	coef, err := o.fit(ctx, then, &z, y, w)
	if err != nil {
		return nil, err
	}
	for c, scale := range o.Scale {
		for i := range coef.RawMatrix().Rows {
			coef.Set(i, c, math.Sqrt(scale)*coef.At(i, c))
		}
	}
	products := mat.NewSymDense(d, nil)
	if err := then.(*features.Fourier).AddGradients(products, coef, &z, w); err != nil {
		return nil, err
	}
	return o.metricOf(m, products)
}

// fit returns the coefficients of the ridge regression, with the penalty of least error on a fifth of the rows.
func (o Options) fit(ctx context.Context, by features.Map, z, y *mat.Dense, w []float64) (*mat.Dense, error) {
	n, _ := z.Dims()
	held := draw.Indices(n, max(1, n/5), o.Seed, o.Purpose+"/metric/held out")
	rest := make([]int, 0, n)
	for i, at := 0, 0; i < n; i++ {
		if at < len(held) && held[at] == i {
			at++
			continue
		}
		rest = append(rest, i)
	}
	var parts []*moments.CoMoments
	for _, rows := range [][]int{rest, held} {
		var own []float64
		for _, i := range rows {
			if w != nil {
				own = append(own, w[i])
			}
		}
		part := moments.NewCoMoments(by.ID(), moments.ID{})
		var phi mat.Dense
		by.MapTo(&phi, rowops.View(rowops.Of(z, rows)))
		part.Add(&phi, rowops.View(rowops.Of(y, rows)), own)
		parts = append(parts, part)
	}
	all, err := moments.Sum(parts...)
	if err != nil {
		return nil, err
	}
	lambda := crossfit.Lambdas[len(crossfit.Lambdas)-1]
	if parts[0].Weight() > 0 && parts[1].Weight() > 0 {
		lambda, err = crossfit.LeastPenalty(ctx, crossfit.Splits{Train: parts[:1], Held: parts[1:]}, crossfit.Units{Scale: o.Scale}, crossfit.Lambdas, true)
		if err != nil {
			return nil, err
		}
	}
	l, err := solvers.Ridge(all, lambda, true)
	if err != nil {
		return nil, err
	}
	return l.Coef, nil
}

// metricOf is the metric of products of gradients with respect to R'x, for the R of m.
func (o Options) metricOf(m *features.Metric, products *mat.SymDense) (*features.Metric, error) {
	d := products.SymmetricDim()
	root := m.Root()
	var half, full mat.Dense
	fast.MulTo(&half, blas.NoTrans, root, blas.NoTrans, mat.DenseCopyOf(products))
	fast.MulTo(&full, blas.NoTrans, &half, blas.Trans, mat.DenseCopyOf(root))
	trace := mat.Trace(&full)
	if !(trace > 0) {
		return m, nil
	}
	next, diagonal := mat.NewSymDense(d, nil), make([]float64, d)
	for i := range d {
		for j := i; j < d; j++ {
			next.SetSym(i, j, (full.At(i, j)+full.At(j, i))*(float64(d)/trace)/2)
		}
		diagonal[i] = max(0, next.At(i, i))
	}
	if o.Full {
		return features.NewMetric(next)
	}
	return features.NewDiagonalMetric(diagonal)
}

// Bytes returns the memory, in bytes, in which Learn works on n rows of d columns and k outputs: rows twice, their features, sums of two parts and of both, and a factor.
func Bytes(n, d, k float64) float64 {
	p := min(DefaultSize, 2*n)
	return 8*(2*n*(d+k)+2*n*p) + 3*moments.Bytes(p, k) + solvers.RidgeBytes(p, k, float64(len(crossfit.Lambdas))) + 8*4*d*d
}

// Flops returns the number of floating-point operations of Learn on n rows of d columns and k outputs.
func Flops(n, d, k float64) float64 {
	p := min(DefaultSize, 2*n)
	factors := float64(len(crossfit.Lambdas)+1) * p * p * p / 3
	return defaultRounds * (n*p*(p+2*d) + factors + k*n*d*(p+2*d))
}
