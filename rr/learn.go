package rr

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/fault"
	"mediant/problem"
)

// A PanicError reports that a Regressor or Predictor of another package panicked, with the value and the stack.
type PanicError struct {
	Of    string // its type
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("%s panicked: %v", e.Of, e.Value) }

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// guarded calls a function of another package and returns its panic as an error.
func guarded(of any, do func()) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{fmt.Sprintf("%T", of), value, debug.Stack()}
		}
	}()
	do()
	return nil
}

// FitWith is s.Fit. It is an error if s is nil, or if the model has no F.
func FitWith(ctx context.Context, s Method, p *problem.Problem) (*Model, error) {
	if s == nil {
		return nil, fmt.Errorf("rr: the Method is nil")
	}
	m, err := s.Fit(ctx, p)
	if err != nil {
		return nil, err
	}
	if m == nil || m.F == nil {
		return nil, fmt.Errorf("rr: %T returned neither a Model with an F nor an error", s)
	}
	return m, nil
}

// Learn fits r to the rows x (n×d) and y (n×k), as methods do; it is for methods of other packages. Errors begin with name,
// the step and its table, such as "h, on S_Y". It is an error if r fails or panics, if ctx is done, if r returns no Predictor,
// or if it returns a Storer whose Dims are not d and k.
func Learn(ctx context.Context, name string, r Regressor, x, y *mat.Dense, weights []float64) (Predictor, error) {
	var p Predictor
	var err error
	if broken := guarded(r, func() { p, err = r.Fit(ctx, x, y, weights) }); broken != nil {
		err = broken
	}
	if done := ctx.Err(); done != nil {
		return nil, done
	}
	if err != nil {
		return nil, fmt.Errorf("rr: %s: %w", name, err)
	}
	if p == nil {
		return nil, fmt.Errorf("rr: %s: %T returned neither a Predictor nor an error", name, r)
	}
	if s, ok := p.(Storer); ok {
		_, in := x.Dims()
		_, out := y.Dims()
		if err := checkStorer(s, in, out); err != nil {
			return nil, fmt.Errorf("rr: %s: %w", name, err)
		}
	}
	return p, nil
}

// checkStorer returns an error for a predictor with other numbers of columns or outputs.
func checkStorer(s Storer, in, out int) error {
	i, o := 0, 0
	if err := guarded(s, func() { i, o = s.Dims() }); err != nil {
		return err
	}
	if i != in || o != out {
		return fmt.Errorf("%T says that it predicts %d outputs from %d columns, want %d from %d", s, o, i, out, in)
	}
	return nil
}

// Predictions returns the outputs of p for the rows of x, for methods that learn from them. Errors begin with name, which
// says which step and table they concern. It is an error if p panics or predicts another number of rows or outputs, or a
// number that is not finite.
func Predictions(name string, p Predictor, x mat.Matrix, outputs int) (*mat.Dense, error) {
	var values mat.Dense
	if err := predictTo(&values, p, x, outputs); err != nil {
		return nil, fmt.Errorf("rr: %s: %w", name, err)
	}
	for i := range values.RawMatrix().Rows {
		for j, v := range values.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("rr: %s: %T predicts %g for output %d of row %d, want finite numbers", name, p, v, j+1, i+1)
			}
		}
	}
	return &values, nil
}

// predictTo stores what p predicts in dst, which it may resize if empty. A panic is an error, and so is another shape.
func predictTo(dst *mat.Dense, p Predictor, x mat.Matrix, outputs int) error {
	if l, ok := p.(*Linear); ok {
		l.PredictTo(dst, x)
		return nil
	}
	if err := guarded(p, func() { p.PredictTo(dst, x) }); err != nil {
		return err
	}
	n, _ := x.Dims()
	if r, c := dst.Dims(); r != n || c != outputs {
		return fmt.Errorf("%T predicts %d×%d numbers, want %d×%d", p, r, c, n, outputs)
	}
	return nil
}

// MustPredict stores the outputs of p for the rows of x in dst, for use within a pass over a table (problem.Encoded.WalkXU). A panic of
// p, or outputs of another shape, end the pass, which returns them as its error.
func MustPredict(dst *mat.Dense, p Predictor, x mat.Matrix, outputs int) {
	if err := predictTo(dst, p, x, outputs); err != nil {
		fault.Panic(fmt.Errorf("rr: %w", err))
	}
}
