package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/features"
	"mediant/internal/draw"
	"mediant/kernels"
	"mediant/problem"
	"mediant/solvers"
)

// A MapTrial holds coupled rows of a distribution on which feature maps are compared: by how near their inner products
// are to the kernel, and by the error of ridge regression of Y on them.
type MapTrial struct {
	distribution Synthetic
	x            *mat.Dense // all rows: those to fit, to choose a penalty, to test
	y            []float64
	train        int
}

// Rows beside those that are fitted: to choose the penalty and to test, each, and the first of the tests on which the
// kernel is compared.
const (
	trialHeldOut = 1000
	trialKernel  = 500
)

// trialLambdas are the penalties to choose from, per sample, for a kernel whose mean diagonal is level.
func trialLambdas(level float64) (l []float64) {
	for e := -8; e <= 0; e++ {
		l = append(l, level*math.Pow(10, float64(e)))
	}
	return l
}

// MapTrial draws train rows to fit and 2,000 more. X is scaled to variance 1, as an encoder does.
func (s Synthetic) MapTrial(train int, seed uint64) *MapTrial {
	rows := train + 2*trialHeldOut
	t := &MapTrial{distribution: s, x: mat.NewDense(rows, s.D, nil), y: make([]float64, rows), train: train}
	rnd := draw.Rand(seed, "experiments/maps", 0)
	for i := range rows {
		x := t.x.RawRowView(i)
		for j := range x {
			x[j] = 2*rnd.Float64() - 1
			u := x[j]*x[j]*x[j] + rnd.Float64() - .5
			t.y[i] += u * u
			x[j] *= math.Sqrt(3)
		}
		t.y[i] += math.Sqrt(s.Noise) * rnd.NormFloat64()
	}
	return t
}

// X returns all rows, and how many of them are there to be fitted, the first ones.
func (t *MapTrial) X() (x *mat.Dense, train int) { return t.x, t.train }

// Train returns the rows to fit.
func (t *MapTrial) Train() *mat.Dense { return t.x.Slice(0, t.train, 0, t.distribution.D).(*mat.Dense) }

// A MapResult is the accuracy and the cost of a feature map.
type MapResult struct {
	// Kernel is |Phi Phi' - K|/|K|, Frobenius norms, on 500 test rows.
	Kernel float64
	// MSE is the mean squared error on 1,000 test rows of ridge regression with an intercept, its penalty that of
	// nine with the least error on 1,000 other rows.
	MSE float64
	// Size is the number of features.
	Size int
	// Fit and Map are the seconds of making the map and of mapping all rows.
	Fit, Map float64
}

// Fit makes the map of a spec from the rows to fit, and measures it against its kernel.
func (t *MapTrial) Fit(ctx context.Context, spec features.Spec, seed uint64) (MapResult, error) {
	start := time.Now()
	m, _, err := spec.Fit(t.Train(), seed, "phi")
	if err != nil {
		return MapResult{}, err
	}
	fitted := time.Now()
	phi := new(mat.Dense)
	m.MapTo(phi, t.x)
	mapped := time.Now()
	k, err := kernelOf(m)
	if err != nil {
		return MapResult{}, err
	}
	r, err := t.Measure(ctx, phi, k)
	r.Fit, r.Map = fitted.Sub(start).Seconds(), mapped.Sub(fitted).Seconds()
	return r, err
}

// kernelOf returns the kernel that a map is, or approximates.
func kernelOf(m features.Map) (kernels.Kernel, error) {
	switch m := m.(type) {
	case interface{ Kernel() kernels.Kernel }:
		return m.Kernel(), nil
	case interface{ Degree() int }:
		return kernels.NewPolynomial(m.Degree())
	case *features.Linear, *features.CountSketch:
		return kernels.Linear{}, nil
	}
	return nil, fmt.Errorf("experiments: maps: a %T has no kernel to compare with", m)
}

// Measure compares features of all rows, however they were made.
func (t *MapTrial) Measure(ctx context.Context, phi *mat.Dense, k kernels.Kernel) (r MapResult, err error) {
	rows, size := phi.Dims()
	if all, _ := t.x.Dims(); rows != all {
		panic(mat.ErrShape)
	}
	r.Size, r.Kernel = size, t.kernelError(phi, k)
	diagonal := make([]float64, rows)
	k.DiagTo(diagonal, t.x)
	r.MSE, err = t.ridgeError(ctx, phi, stat.Mean(diagonal, nil))
	return r, err
}

// kernelError compares inner products with the kernel.
func (t *MapTrial) kernelError(phi *mat.Dense, k kernels.Kernel) float64 {
	first := t.train + trialHeldOut
	_, size := phi.Dims()
	x, own := t.x.Slice(first, first+trialKernel, 0, t.distribution.D), phi.Slice(first, first+trialKernel, 0, size)
	var want, got mat.Dense
	k.GramTo(&want, x, x)
	got.Mul(own, own.T())
	got.Sub(&got, &want)
	return mat.Norm(&got, 2) / mat.Norm(&want, 2)
}

// ridgeError fits all penalties and tests the best.
func (t *MapTrial) ridgeError(ctx context.Context, phi *mat.Dense, level float64) (float64, error) {
	_, size := phi.Dims()
	y := mat.NewDense(t.train, 1, slices.Clone(t.y[:t.train]))
	sums, err := problem.AccumulateRows(ctx, features.NewLinear(size), phi.Slice(0, t.train, 0, size).(*mat.Dense), y, nil)
	if err != nil {
		return 0, err
	}
	path, err := solvers.RidgePath(ctx, sums, trialLambdas(level), true)
	if err != nil {
		return 0, err
	}
	least, test := math.Inf(1), math.NaN()
	for _, l := range path {
		if own := t.squaredError(phi, l, t.train); own < least {
			least, test = own, t.squaredError(phi, l, t.train+trialHeldOut)
		}
	}
	if math.IsInf(least, 1) {
		return 0, fmt.Errorf("experiments: maps: no penalty gives a finite error")
	}
	return test, nil
}

// squaredError is the mean squared error of l on the held-out rows from first on.
func (t *MapTrial) squaredError(phi *mat.Dense, l *solvers.Linear, first int) float64 {
	_, size := phi.Dims()
	var f mat.Dense
	f.Mul(phi.Slice(first, first+trialHeldOut, 0, size), l.Coef)
	var sum float64
	for i := range trialHeldOut {
		off := f.At(i, 0) + l.Intercept[0] - t.y[first+i]
		sum += off * off
	}
	return sum / trialHeldOut
}
