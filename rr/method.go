package rr

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/bounds"
	"mediant/problem"
	"mediant/tables"
)

// A Method fits a Model to a Problem. Its value holds its hyperparameters; how tables become features is the Problem's
// Setup.
type Method interface {
	// Fit fits to p, which may be shared with other methods.
	Fit(ctx context.Context, p *problem.Problem) (*Model, error)
}

// A TableMethod is a Method with its own way to fit to tables, because it needs fewer sums than Prepare computes, or the rows.
type TableMethod interface {
	Method
	// FitTables fits to tables; the function Fit calls it.
	FitTables(ctx context.Context, s problem.Setup, xu, uy tables.Source) (*Model, error)
}

// Fit fits a method to xu, the table S_X of (X, U), and uy, the table S_Y of (U, Y), which are read several times. The error
// names the field of s or m that is out of range, or is that of problem.Prepare or of the method.
func Fit(ctx context.Context, s problem.Setup, m Method, xu, uy tables.Source) (*Model, error) {
	if err := bounds.First(s.Validate(), bounds.Validated("rr: the method", m)); err != nil {
		return nil, err
	}
	if t, ok := m.(TableMethod); ok {
		return t.FitTables(ctx, s, xu, uy)
	}
	p, err := problem.Prepare(ctx, s, xu, uy)
	if err != nil {
		return nil, err
	}
	return m.Fit(ctx, p)
}

// A Predictor maps encoded rows to outputs.
type Predictor interface {
	// PredictTo stores in dst one row of k outputs for each row of x. An empty dst is resized; dst or
	// x of another shape panics.
	PredictTo(dst *mat.Dense, x mat.Matrix)
}

// A Regressor is a supervised learner. 2Step-RR uses two of them, and any implementation serves.
type Regressor interface {
	// Fit learns to predict the k columns of y (n×k) from the rows of x (n×d, encoded and without
	// missing values). weights are nil or n numbers of at least 0.
	Fit(ctx context.Context, x, y *mat.Dense, weights []float64) (Predictor, error)
}

// A Setting is a number, or Auto: left to the method. The zero value is Auto.
type Setting struct {
	value float64
	given bool
}

// Auto leaves a setting to the method.
var Auto Setting

// Value returns the setting v, which is then used exactly.
func Value(v float64) Setting { return Setting{value: v, given: true} }

// Or returns the number, or auto if the setting is Auto.
func (s Setting) Or(auto float64) float64 {
	if s.given {
		return s.value
	}
	return auto
}

// IsAuto reports whether no number is set.
func (s Setting) IsAuto() bool { return !s.given }

// The values of hyperparameters that are Auto, for methods that do not choose them. Package search chooses them.
const (
	// DefaultLambda is the penalty of f and of h, per sample, on standardised features of norm 1.
	DefaultLambda = 1e-4
	// DefaultW weights the two losses of Joint-RR equally.
	DefaultW = 0.5
)

// Grid returns the number that is set, or auto.
func (s Setting) Grid(auto []float64) []float64 {
	if s.IsAuto() {
		return auto
	}
	return []float64{s.Or(0)}
}
