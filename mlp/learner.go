package mlp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/bounds"
	"mediant/internal/draw"
	"mediant/rr"
)

// Learner is the rr.Regressor that trains a fully connected network with rectifiers to minimise the weighted mean of |f(x) -
// y|², or the cross-entropy (Softmax), by Adam on minibatches that use every row once an epoch. A fit costs some 6 flops a row, weight and epoch. The zero
// value is the network of [Yamane21, section 6.1]: 4 layers, the three hidden ones of 20 units, rate 1e-3, 200 epochs;
// batches of 32 rows are our choice, as the paper states none.
//
// Inputs are not standardised, because encoders have done so. mediant.Load reads predictors by Format.
type Learner struct {
	// Hidden are the widths of the hidden layers; nil: 20, 20, 20. Empty and not nil: none, a linear model.
	Hidden []int
	Output Output
	// Rate is Adam's step, 0: 1e-3; Epochs 0: 200; Batch 0: 32 rows.
	Rate          float64
	Epochs, Batch int
	// NoStandardize learns from y as it is, as the paper does. By default y is centred and divided by its standard deviation
	// (root mean square over outputs), and predictions are transformed back, unless Output makes them shares.
	NoStandardize bool
	// Seed and Purpose select the random streams of weights and batches.
	Seed    uint64
	Purpose string
}

var _ rr.Regressor = Learner{}

// Fit implements rr.Regressor. It is an error if a setting or a weight is out of range, or if training diverges; then a
// smaller Rate helps.
func (l Learner) Fit(ctx context.Context, x, y *mat.Dense, weights []float64) (rr.Predictor, error) {
	n, in := x.Dims()
	rows, out := y.Dims()
	if rows != n || weights != nil && len(weights) != n {
		panic(mat.ErrShape)
	}
	if err := l.Validate(); err != nil {
		return nil, err
	}
	l = l.filled()
	l.Batch = min(l.Batch, n)
	if err := l.check(weights, in, out); err != nil {
		return nil, err
	}
	if l.Output == Softmax {
		if err := checkShares(y); err != nil {
			return nil, err
		}
	}
	s, scaled := l.scale(y, weights)
	f := l.training(in, out, "f")
	data := newTable(x, scaled, weights, l.Batch, l.Seed, l.purpose("f"))
	err := l.train(ctx, data.batches.steps(), func() {
		left, right, shares := data.deal()
		f.outputs(left)
		f.addGradient(right.RawMatrix(), shares, 1)
		f.step()
	}, f.network)
	if err != nil {
		return nil, err
	}
	s.restore(f.network)
	return f.network, nil
}

// checkShares refuses targets that have no cross-entropy.
func checkShares(y *mat.Dense) error {
	n, _ := y.Dims()
	for i := range n {
		row := y.RawRowView(i)
		if sum := floats.Sum(row); !(floats.Min(row) >= 0) || !(math.Abs(sum-1) <= 1e-6) {
			return fmt.Errorf("mlp: the targets %v of row %d are no shares of 1, which the output %v is for", row, i+1, Softmax)
		}
	}
	return nil
}

// filled is l with defaults in the place of zeros.
func (l Learner) filled() Learner {
	if l.Hidden == nil {
		l.Hidden = []int{20, 20, 20}
	}
	if l.Rate == 0 {
		l.Rate = 1e-3
	}
	if l.Epochs == 0 {
		l.Epochs = 200
	}
	if l.Batch == 0 {
		l.Batch = 32
	}
	return l
}

// Validate returns an error that names the first field out of range.
func (l Learner) Validate() error {
	for i, width := range l.Hidden {
		if width < 1 {
			return fmt.Errorf("mlp: Learner.Hidden[%d] is %d, must be at least 1", i, width)
		}
	}
	return bounds.First(
		bounds.Enum("mlp: Learner.Output", l.Output, "Identity, SquareSoftmax or Softmax", Identity, SquareSoftmax, Softmax),
		bounds.Penalty("mlp: Learner.Rate", l.Rate),
		bounds.Count("mlp: Learner.Epochs", l.Epochs),
		bounds.Count("mlp: Learner.Batch", l.Batch),
	)
}

// maxWeights bounds the parameters of a network: with their gradient and Adam's moments they take 64 GiB.
const maxWeights = 1 << 31

// check refuses weights that are all 0, and a network from in to out numbers that no memory holds.
func (l Learner) check(weights []float64, in, out int) error {
	if weights != nil && !(floats.Sum(weights) > 0) {
		return fmt.Errorf("mlp: no row has weight, want at least one")
	}
	parameters, before := 0., float64(in)
	for _, width := range append(slices.Clone(l.Hidden), out) {
		parameters += (before + 1) * float64(width)
		before = float64(width)
	}
	if parameters > maxWeights {
		return fmt.Errorf("mlp: Learner.Hidden makes a network of %.3g weights, must be at most %d", parameters, maxWeights)
	}
	return nil
}

// scale returns targets as they are learned, and how to turn predictions back.
func (l Learner) scale(y *mat.Dense, weights []float64) (scale, *mat.Dense) {
	if l.NoStandardize || l.Output != Identity {
		_, k := y.Dims()
		return scale{mean: make([]float64, k), spread: 1}, y
	}
	s := scaleOf(y, weights)
	return s, s.of(y)
}

func (l Learner) purpose(name string) string { return "mlp/" + l.Purpose + "/" + name }

// bytes is the size of a network in training: its weights with their gradient and two moments of it, and a batch.
func (l Learner) bytes(in, out int) float64 {
	weights, units, from := 0.0, float64(in+out), in
	for _, width := range append(append([]int{}, l.Hidden...), out) {
		weights += float64(from+1) * float64(width)
		units += float64(width)
		from = width
	}
	return 8 * (4*weights + 3*float64(l.Batch)*units)
}

// training is a new network under the given name.
func (l Learner) training(in, out int, name string) *training {
	widths := append(append([]int{in}, l.Hidden...), out)
	net := newNetwork(widths, l.Output, draw.Rand(l.Seed, l.purpose(name)+"/weights", 0))
	return newTraining(net, l.Batch, l.Rate)
}

// train repeats training steps for all epochs, and returns an error if a parameter is not finite.
func (l Learner) train(ctx context.Context, steps int, step func(), nets ...*network) error {
	for epoch := range l.Epochs {
		for range steps {
			if err := ctx.Err(); err != nil {
				return err
			}
			step()
		}
		for _, n := range nets {
			if !n.finite() {
				return fmt.Errorf("mlp: weights are not finite after epoch %d at rate %g, want a smaller rate", epoch+1, l.Rate)
			}
		}
	}
	return nil
}
