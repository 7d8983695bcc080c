package baselines_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/baselines"
	"mediant/diagnose"
	"mediant/effect"
	"mediant/features"
	"mediant/inference"
	"mediant/internal/fittest"
	"mediant/mlp"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// A faulty source yields what fault makes of its rows in one pass, counted from 1, and its rows in all others. It looks at
// no context.
type faulty struct {
	tables.Source
	pass, passes int
	fault        func(rows tables.Source, yield func(tables.Batch, error) bool)
}

func (f *faulty) Batches(context.Context) iter.Seq2[tables.Batch, error] {
	f.passes++
	if f.passes != f.pass {
		return f.Source.Batches(context.Background())
	}
	return func(yield func(tables.Batch, error) bool) { f.fault(f.Source, yield) }
}

var (
	errFault = errors.New("disk on fire")
	errPanic = errors.New("panic of the source")
)

// others yields each batch as change makes it.
func others(change func(b tables.Batch) tables.Batch) func(tables.Source, func(tables.Batch, error) bool) {
	return func(rows tables.Source, yield func(tables.Batch, error) bool) {
		for b := range rows.Batches(context.Background()) {
			if !yield(change(b), nil) {
				return
			}
		}
	}
}

// part is a batch of the first n rows, or one that has the first row once more at its end.
func part(b tables.Batch, n int) tables.Batch {
	num := mat.NewDense(n, b.Num.RawMatrix().Cols, nil)
	text := make([][]string, len(b.Text))
	for i := range n {
		num.SetRow(i, b.Num.RawRowView(i%b.Rows))
		for j := range text {
			text[j] = append(text[j], b.Text[j][i%b.Rows])
		}
	}
	return tables.Batch{Start: b.Start, Rows: n, Num: num, Text: text}
}

// A faultKind is one way to be wrong. Kinds that are right in a method's only pass over a table have counts.
type faultKind struct {
	name, says string
	counts     bool
	is         error
	fault      func(rows tables.Source, yield func(tables.Batch, error) bool)
}

func faultKinds(short bool, cancel *context.CancelFunc) []faultKind {
	kinds := []faultKind{
		{name: "error", is: errFault, fault: func(_ tables.Source, yield func(tables.Batch, error) bool) { yield(tables.Batch{}, errFault) }},
		{name: "panic", is: errPanic, fault: func(tables.Source, func(tables.Batch, error) bool) { panic(errPanic) }},
		{name: "one row fewer", counts: true, fault: others(func(b tables.Batch) tables.Batch { return part(b, b.Rows-1) })},
		{name: "deaf to the context", is: context.Canceled, fault: others(func(b tables.Batch) tables.Batch { (*cancel)(); return b })},
	}
	if short {
		return kinds
	}
	return append(kinds,
		faultKind{name: "error after rows", is: errFault, fault: func(rows tables.Source, yield func(tables.Batch, error) bool) {
			for b := range rows.Batches(context.Background()) {
				if !yield(b, nil) {
					return
				}
			}
			yield(tables.Batch{}, errFault)
		}},
		faultKind{name: "no rows", counts: true, fault: func(tables.Source, func(tables.Batch, error) bool) {}},
		faultKind{name: "one row more", counts: true, fault: others(func(b tables.Batch) tables.Batch { return part(b, b.Rows+1) })},
		faultKind{name: "start", says: "starts at row 1", fault: others(func(b tables.Batch) tables.Batch { b.Start++; return b })},
		faultKind{name: "no numbers", says: "no numbers", fault: others(func(b tables.Batch) tables.Batch { b.Num = nil; return b })},
		faultKind{name: "infinite", says: "row 1 is +Inf", fault: others(func(b tables.Batch) tables.Batch {
			b = part(b, b.Rows)
			b.Num.Set(0, 0, math.Inf(1))
			return b
		})},
	)
}

// faultyTables are S_X, S_Y and coupled rows, of two outputs or of labels.
func faultyTables(t *testing.T, labels bool) [3]tables.Source {
	t.Helper()
	rnd := rand.New(rand.NewPCG(8, 8))
	const n = 26
	make := func(names string) tables.Source {
		var columns []tables.ColumnData
		var values [4][]float64 // x1, x2, u1, u2
		var treated, y []float64
		var words []string
		for i := range n {
			a, b, e := rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()
			for j, v := range []float64{a, b, a + .3*e, b - .3*e} {
				values[j] = append(values[j], v)
			}
			treated, y = append(treated, float64(i%2)), append(y, a*a+b)
			words = append(words, []string{"low", "high"}[i%2])
		}
		for _, name := range strings.Fields(names) {
			switch {
			case name == "t":
				columns = append(columns, tables.Numbers(name, treated))
			case name == "y" && labels:
				columns = append(columns, tables.Strings(name, words))
			case name == "y":
				columns = append(columns, tables.Numbers(name, y))
			default:
				columns = append(columns, tables.Numbers(name, values[map[string]int{"x1": 0, "x2": 1, "u1": 2, "u2": 3}[name]]))
			}
		}
		return source(columns...)
	}
	return [3]tables.Source{make("x1 x2 u1 u2"), make("u1 u2 y"), make("x1 x2 u1 u2 y")}
}

// A use is something that reads tables.
type use func(ctx context.Context, of [3]tables.Source) error

// fitting is the use of a method.
func fitting(m fittest.Fitter) use {
	return func(ctx context.Context, of [3]tables.Source) error {
		model, err := m.Fit(ctx, of[0], of[1])
		if err != nil && model != nil {
			return fmt.Errorf("a model beside the error %v", err)
		}
		return err
	}
}

// errorsOf is a fit with standard errors.
func errorsOf(s problem.Setup, method rr.Method, kind inference.Covariance) use {
	return func(ctx context.Context, of [3]tables.Source) error {
		p, err := problem.Prepare(ctx, s, of[0], of[1])
		if err != nil {
			return err
		}
		m, err := method.Fit(ctx, p)
		if err != nil {
			return err
		}
		_, err = inference.Estimate(ctx, p, m, kind)
		return err
	}
}

// uses are all methods in all their ways, search, risk, effect, diagnosis and predictions.
func uses(t *testing.T, whole [3]tables.Source) map[string]use {
	t.Helper()
	few := features.Spec{Size: 4}
	additive := features.Spec{Kind: features.AdditiveFeatures, Kernel: "gaussian", Size: 8}
	setup := problem.Setup{Phi: few, Psi: few}
	with := func(change func(*problem.Setup)) problem.Setup {
		s := setup
		change(&s)
		return s
	}
	folds := with(func(s *problem.Setup) { s.Folds = 3 })
	ridge := rr.Ridge{Spec: few}
	model := fit(t, fittest.With(setup, rr.TwoStep{}), whole[0], whole[1])
	riskOf := func(form risk.Form, m rr.Method) use {
		return func(ctx context.Context, of [3]tables.Source) error {
			p, err := problem.Prepare(ctx, folds, of[0], of[1])
			if err != nil {
				return err
			}
			_, err = risk.Assess(ctx, p, risk.Fitted(m), risk.AssessOptions{Form: form})
			return err
		}
	}
	one := []features.Spec{few, {Kind: features.LinearFeatures}}
	network := mlp.Learner{Hidden: []int{2}, Epochs: 2}
	return map[string]use{
		"2step in turn":     fitting(fittest.With(setup, rr.TwoStep{})),
		"2step by folds":    fitting(fittest.With(folds, rr.TwoStep{})),
		"2step of learners": fitting(fittest.With(setup, rr.TwoStep{F: ridge, H: network})),
		"2step, own f":      fitting(fittest.With(setup, rr.TwoStep{F: ridge})),
		"2step, shift":      fitting(fittest.With(with(func(s *problem.Setup) { s.Shift = true }), rr.TwoStep{})),
		"2step, precision": func(ctx context.Context, of [3]tables.Source) error {
			p, err := problem.Prepare(ctx, setup, of[0], of[1])
			if err != nil {
				return err
			}
			if p, err = search.WeighByPrecision(ctx, p); err != nil {
				return err
			}
			_, err = rr.TwoStep{}.Fit(ctx, p)
			return err
		},
		"2step, components": errorsOf(with(func(s *problem.Setup) { s.Phi, s.Psi = additive, additive }), rr.TwoStep{Components: true}, inference.Sandwich),
		"joint with errors": errorsOf(setup, rr.Joint{LambdaF: rr.Value(1), LambdaH: rr.Value(1)}, inference.Corrected),
		"search": func(ctx context.Context, of [3]tables.Source) error {
			c, err := search.Search{Setup: folds, PhiCandidates: one, PsiCandidates: one, Rivals: baselines.Rivals}.Choose(ctx, of[0], of[1])
			if err != nil {
				return err
			}
			_, err = mediant.FitChoice(ctx, c)
			return err
		},
		"naive":              fitting(fittest.With(setup, baselines.Naive{})),
		"naive of learners":  fitting(fittest.With(setup, baselines.Naive{G: ridge, H: ridge})),
		"embedding":          fitting(fittest.With(setup, baselines.MeanEmbedding{})),
		"integral":           fitting(fittest.With(setup, baselines.Integral{Centres: 4})),
		"integral, Nadaraya": fitting(fittest.With(setup, baselines.Integral{H: ridge, Estimator: baselines.NadarayaWatson})),
		"networks":           fitting(fittest.With(setup, mlp.Joint{Learner: network})),
		"oracle": func(ctx context.Context, of [3]tables.Source) error {
			return fitting(fittest.With(setup, baselines.Oracle{Pairs: of[2]}))(ctx, of)
		},
		"risk":         riskOf(risk.SameDistribution, rr.Joint{}),
		"risk, form 2": riskOf(risk.CovariateShift, rr.TwoStep{}),
		"risk of rows": riskOf(risk.SameDistribution, rr.TwoStep{F: ridge, H: ridge}),
		"risk of model": func(ctx context.Context, of [3]tables.Source) error {
			_, err := risk.AssessModel(ctx, model.Model, of[0], of[1], tables.RoleOptions{}, risk.AssessOptions{Form: risk.CovariateShift})
			return err
		},
		"diagnosis": func(ctx context.Context, of [3]tables.Source) error {
			d, err := diagnose.Diagnose(ctx, model.Model, of[0], of[1], tables.RoleOptions{})
			if err != nil {
				return err
			}
			return d.AddCMI(ctx, model.Model, of[0], of[1], of[2], tables.RoleOptions{})
		},
		"prediction": func(ctx context.Context, of [3]tables.Source) error {
			for _, err := range model.Predict(ctx, of[0]) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"evaluation": func(ctx context.Context, of [3]tables.Source) error {
			_, err := model.Evaluate(ctx, of[2])
			return err
		},
		"landmarks": func(ctx context.Context, of [3]tables.Source) error {
			s := with(func(s *problem.Setup) {
				s.Psi = features.Spec{Kind: features.NystromFeatures}
				s.LandmarksU = of[2]
			})
			return fitting(fittest.With(s, rr.Joint{}))(ctx, of)
		},
	}
}

// effectUse is that of an effect.Estimator, whose tables are others.
func effectUse(ctx context.Context, of [3]tables.Source) error {
	e := effect.Estimator{Setup: problem.Setup{Psi: features.Spec{Size: 4}, Folds: 2}, Treatment: "t"}
	_, err := e.Estimate(ctx, of[0], of[1])
	return err
}

// armsUse is that of an effect.Estimator of several arms and complete rows.
func armsUse(ctx context.Context, of [3]tables.Source) error {
	e := effect.Estimator{Setup: problem.Setup{Psi: features.Spec{Size: 4}, Folds: 2}, Treatment: "t", Control: "0", Pairs: true, CompleteU: true}
	_, err := e.Estimate(ctx, of[0], of[1])
	return err
}

// beside returns a table with a further column.
func beside(t *testing.T, name string, value func(row int) float64, src tables.Source) tables.Source {
	t.Helper()
	values := make([]float64, src.(*tables.Table).Rows())
	for i := range values {
		values[i] = value(i)
	}
	both, err := tables.HStack(source(tables.Numbers(name, values)), src)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := tables.Load(ctx, both)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// TestFaultySources: whatever is wrong with a table in whichever pass, each use of it ends with one error that names the
// table, or with the panic of the source itself, on the caller's goroutine, and never with a result; nothing goes on in
// the background.
func TestFaultySources(t *testing.T) {
	before := runtime.NumGoroutine()
	numbers, labels := faultyTables(t, false), faultyTables(t, true)
	for name, u := range uses(t, numbers) {
		tryFaults(t, name, u, numbers)
	}
	for name, u := range uses(t, labels) {
		if name == "2step in turn" || name == "risk" || name == "search" {
			tryFaults(t, name+" of labels", u, labels)
		}
	}
	treated := faultyTables(t, false)
	xu := treated[0]
	treated[0] = beside(t, "t", func(i int) float64 { return float64(i % 2) }, xu)
	tryFaults(t, "effect", effectUse, treated)
	missing := func(i int) float64 { // in one row
		if i == 5 {
			return math.NaN()
		}
		return float64(i % 7)
	}
	several := treated
	several[0] = beside(t, "t", func(i int) float64 { return float64(i % 3) }, beside(t, "u3", missing, xu))
	several[1] = beside(t, "u3", missing, treated[1])
	tryFaults(t, "effect of arms", armsUse, several)
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

func tryFaults(t *testing.T, name string, u use, whole [3]tables.Source) {
	t.Helper()
	var cancel context.CancelFunc
	counted := [3]*faulty{{Source: whole[0]}, {Source: whole[1]}, {Source: whole[2]}}
	if err := u(ctx, [3]tables.Source{counted[0], counted[1], counted[2]}); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for table, c := range counted {
		for pass := 1; pass <= c.passes; pass++ {
			for _, kind := range faultKinds(testing.Short(), &cancel) {
				if kind.counts && c.passes == 1 {
					continue // as right as any other number of rows
				}
				of := whole
				of[table] = &faulty{Source: whole[table], pass: pass, fault: kind.fault}
				var cancelled context.Context
				cancelled, cancel = context.WithCancel(ctx)
				err := recovered(func() error { return u(cancelled, of) })
				cancel()
				what := fmt.Sprintf("%s, table %d, pass %d of %d, %s", name, table+1, pass, c.passes, kind.name)
				switch {
				case err == nil:
					t.Errorf("%s: no error", what)
				case kind.is != nil && !errors.Is(err, kind.is):
					t.Errorf("%s: %v, want %v", what, err, kind.is)
				case !strings.Contains(err.Error(), kind.says):
					t.Errorf("%s: %v, want one with %q", what, err, kind.says)
				case kind.is != context.Canceled && kind.is != errPanic && !strings.Contains(err.Error(), []string{"S_X", "S_Y", "oupled"}[table]) && !isOnlyTable(name, table, kind, err):
					t.Errorf("%s: %v, which does not name the table", what, err)
				}
			}
		}
	}
}

// isOnlyTable reports whether the error may leave out the table: predictions have no other, landmarks have their own name,
// and a first pass without rows is one of an encoder.
func isOnlyTable(name string, table int, kind faultKind, err error) bool {
	switch {
	case name == "prediction", name == "landmarks" && table == 2 && strings.Contains(err.Error(), "landmarks of U"):
		return true
	}
	return kind.name == "no rows" && strings.Contains(err.Error(), "row")
}

// recovered returns the panic of the source as an error; others go on.
func recovered(do func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			if value != any(errPanic) {
				panic(value)
			}
			err = errPanic
		}
	}()
	return do()
}
