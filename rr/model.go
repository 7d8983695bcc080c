package rr

import (
	"context"
	"fmt"
	"iter"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/check"
	"mediant/encode"
	"mediant/features"
	"mediant/internal/progress"
	"mediant/losses"
	"mediant/moments"
	"mediant/problem"
	"mediant/solvers"
	"mediant/tables"
)

// A Model, made by a Method, predicts Y from X; the zero value cannot. Once made it does not change and is safe for
// concurrent use. What is found out about it is kept in mediant.Model.
type Model struct {
	Method string
	Params Params
	Seed   uint64
	Roles  tables.Roles
	Rows   Rows
	X, U   *encode.Encoder
	Y      *encode.Targets
	// F predicts Y from encoded X, H from encoded U. A method without an h has nil there.
	F, H Predictor
	// Condition has the condition numbers of the systems solved, by name ("f", "h").
	Condition map[string]Condition
	// Iterations say how far conjugate gradients came, by name ("f", "h"); nil for solutions in closed form.
	Iterations map[string]solvers.Convergence
	// Learned has the profile and fingerprints of the two training tables, with which later rows are compared; nil in older files, and in models of
	// some folds.
	Learned *check.Learned
	// Memory is the limit in bytes for Predict, Assess and Diagnose, as that of a Setup; 0 is none. A fit sets it to its
	// Setup's. It is not in model files.
	Memory int64
	// Held is the size in bytes of objects kept with the model, such as its standard errors, which count against Memory. It is not in model files.
	Held float64
	// Notes and Warnings are sentences for the user about this fit.
	Notes, Warnings []string

	withoutFold []Predictor // of the folds of the problem, where they were fitted along with F
}

// WithoutFold returns the predictors that were fitted along with F, in the same passes, without each fold of the problem; nil if there are none. They are not in model files.
func (m *Model) WithoutFold() []Predictor { return m.withoutFold }

// Params are the hyperparameters that a model was fitted with; nil where a method has none of that name.
type Params struct {
	W         *float64 `json:"w,omitempty"`
	LambdaF   *float64 `json:"lambda_f,omitempty"`
	LambdaH   *float64 `json:"lambda_h,omitempty"`
	LambdaG   *float64 `json:"lambda_g,omitempty"`  // of the naive model of U given X
	LambdaXU  *float64 `json:"lambda_xu,omitempty"` // of the features of X given U, the first stage of an instrument
	Penalty   string   `json:"penalty,omitempty"`
	Loss      string   `json:"loss,omitempty"`      // unless it is squared error
	Precision bool     `json:"precision,omitempty"` // rows of S_X were weighted by precision
	// Components are the numbers of groups of columns of X that each component of h was regressed on, by components.
	Components []int `json:"components,omitempty"`
	Intercept  bool  `json:"intercept"`
	// Outputs are the hyperparameters of each column of Y, if not all have the same (ByOutput): what they share is above, and nil there where they differ.
	Outputs []Params `json:"by_output,omitempty"`
	// Arithmetic is that of the sums it was fitted from, unless it is float64.
	Arithmetic moments.Arithmetic `json:"arithmetic,omitempty"`
}

// Rows counts the rows that a model learned from; a row of weight k counts as k.
type Rows struct {
	XU      int `json:"xu"`
	UY      int `json:"uy"`
	XY      int `json:"xy,omitempty"` // coupled rows, which only the supervised oracle uses
	Dropped int `json:"dropped"`      // of S_Y, Y missing
	// NoOverlap counts the rows of S_X without overlap, whose U is outside the support of U in S_Y. They were left out unless too few others
	// remained.
	NoOverlap int `json:"no_overlap,omitempty"`
}

// Condition is what is known of the matrix of a linear system.
type Condition struct {
	Number *float64 `json:"condition"` // in the 1-norm; nil: singular to rounding
	Rank   int      `json:"rank"`
}

func conditionOf(number float64, rank int) Condition {
	if math.IsInf(number, 0) || math.IsNaN(number) {
		return Condition{Rank: rank}
	}
	return Condition{Number: &number, Rank: rank}
}

// NewModel returns a model with roles, encoders, targets and counts of rows of the problem, without predictors.
func NewModel(p *problem.Problem, method string) *Model {
	m := newModel(&p.Encoded, method)
	if !p.HasAllFolds() || !p.HasRows() {
		m.Rows.XU, m.Rows.UY = int(math.Round(p.XU().Weight())), int(math.Round(p.UY().Weight()))
	}
	return m
}

// newModel is NewModel of rows that there are sums of or none.
func newModel(e *problem.Encoded, method string) *Model {
	setup, rows := e.Setup(), e.Counts()
	m := &Model{
		Method: method, Params: Params{Intercept: !setup.NoIntercept}, Seed: setup.Seed, Memory: setup.Memory,
		Roles: e.Roles(), X: e.X(), U: e.U(), Y: e.Y(), Notes: e.Notes(),
		Rows: Rows{XU: rows[problem.TableXU], UY: rows[problem.TableUY] - e.Dropped(), Dropped: e.Dropped()},
	}
	if setup.Arithmetic == moments.Mixed {
		m.Params.Arithmetic = moments.Mixed
	}
	if e.HasAllFolds() {
		m.Learned = e.Learned()
	}
	if o := e.NoOverlap(); o != nil {
		m.Rows.NoOverlap = o.Rows
	}
	return m
}

// A Block holds the predictions for consecutive rows.
type Block struct {
	Start  int        // rows before this block
	Values *mat.Dense // rows × outputs
	Errors *mat.Dense // their standard errors, if asked for
	// UnknownLabels are labels that are no class; their rows count as errors. Nil if there are none.
	UnknownLabels *encode.UnknownLabels `json:"unknown_labels,omitempty"`
	// Counts are the values that training had not prepared for; X.Warnings describes them.
	Counts encode.Counts
}

// Predict yields f(X) for the rows of src, block by block; X's columns are found by name, others
// are ignored. A Block is valid until the next one is yielded. The first error ends the sequence.
func (m *Model) Predict(ctx context.Context, src tables.Source) iter.Seq2[Block, error] {
	return m.predict(ctx, src, nil)
}

// PredictWith is Predict with standard errors of f(X), which se predicts from encoded X as F does f(X).
func (m *Model) PredictWith(ctx context.Context, src tables.Source, se Predictor) iter.Seq2[Block, error] {
	return m.predict(ctx, src, se)
}

func (m *Model) predict(ctx context.Context, src tables.Source, se Predictor) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		guard := tables.NewGuard("", src)
		bind, err := m.X.Bind(guard.Columns())
		if err == nil {
			err = m.mayPredict(guard, se != nil)
		}
		if err != nil {
			yield(Block{}, err)
			return
		}
		var memory, values, errors mat.Dense
		for b, err := range guard.Batches(progress.Stage(ctx, "predicting")) {
			if err != nil {
				yield(Block{}, err)
				return
			}
			values.Reset()
			x, counts := bind.Rows(&memory, b)
			if l := LinearOf(m.F); l != nil { // whose map may not be for these rows, such as negative ones of a chi-squared kernel
				if err := features.CheckEncoded(l.Map, m.X, x, src, b); err != nil {
					yield(Block{}, fmt.Errorf("rr: predict: %w", err))
					return
				}
			}
			if err := m.predictBlock(&values, x, b.Start); err != nil {
				yield(Block{}, err)
				return
			}
			block := Block{Start: b.Start, Values: &values, Counts: counts}
			if se != nil {
				errors.Reset()
				se.PredictTo(&errors, x)
				block.Errors = &errors
			}
			if !yield(block, nil) {
				return
			}
		}
	}
}

// predictBlock stores f(x) in an empty dst, and refuses what is not finite.
func (m *Model) predictBlock(dst *mat.Dense, x mat.Matrix, start int) error {
	if err := predictTo(dst, m.F, x, m.Y.Len()); err != nil {
		return fmt.Errorf("rr: predict: rows from %d on: %w", start+1, err)
	}
	for i := range dst.RawMatrix().Rows {
		for j, v := range dst.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("rr: predict: row %d: %q is predicted as %g, which is no finite number", start+i+1, m.Y.Names()[j], v)
			}
		}
	}
	return nil
}

// PredictTo stores f(x) in dst, one row of outputs for each row of x, whose columns are those of Roles.X in that order (NaN:
// missing), or the places of its one column of sparse rows, for an x with nonzeros by rows (mat.RowNonZeroDoer). An empty
// dst is resized; other shapes panic. The error reports that X has text columns, or names a value that is not finite.
func (m *Model) PredictTo(dst *mat.Dense, x mat.Matrix) error {
	src, err := m.X.Table(x)
	if err != nil {
		return err
	}
	n, _ := x.Dims()
	k := m.Y.Len()
	if dst.IsEmpty() {
		dst.ReuseAs(n, k)
	}
	if r, c := dst.Dims(); r != n || c != k {
		panic(mat.ErrShape)
	}
	for b, err := range m.Predict(context.Background(), src) {
		if err != nil {
			return err
		}
		rows, _ := b.Values.Dims()
		dst.Slice(b.Start, b.Start+rows, 0, k).(*mat.Dense).Copy(b.Values)
	}
	return nil
}

// Probabilities reports whether the outputs are probabilities of classes, which sum to 1.
func (m *Model) Probabilities() bool {
	_, classes := m.Loss().(losses.Log)
	return classes
}

// Loss is the loss that f minimises, nil for squared error: that of a Linked, or what the method Loss() losses.Canonical of another Predictor says.
func (m *Model) Loss() losses.Canonical {
	switch f := m.F.(type) {
	case Linked:
		return f.Loss
	case interface{ Loss() losses.Canonical }:
		return f.Loss()
	}
	return nil
}

// Label returns the class of the largest output, the first of equal ones. A model that predicts numbers panics.
func (m *Model) Label(outputs []float64) string { return m.Y.Class(floats.MaxIdx(outputs)) }

// missingAlarm is the p-value below which predictions of rows without Y are reported as different.
const missingAlarm = 1e-4

// countOf is the number of rows that those of x stand for.
func countOf(x *mat.Dense, weights []float64) int {
	if weights != nil {
		return int(math.Round(floats.Sum(weights)))
	}
	rows, _ := x.Dims()
	return rows
}

// NewModelOfRows is NewModel for tables that are in memory as encoded rows.
func NewModelOfRows(r *problem.Rows, method string) *Model {
	m := newModel(r.Encoded, method)
	m.Rows.XU, m.Rows.UY = countOf(r.X, r.WeightsX), countOf(r.Y, r.WeightsY)
	return m
}
