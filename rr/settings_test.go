package rr_test

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mediant/diagnose"
	"mediant/effect"
	"mediant/encode"
	"mediant/features"
	"mediant/inference"
	"mediant/internal/fittest"
	"mediant/internal/settingstest"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/solvers"
	"mediant/tables"
)

// settingTypes are values out of range for types of this package.
var settingTypes = map[reflect.Type][]any{
	reflect.TypeFor[rr.Setting]():           {rr.Value(-1), rr.Value(math.NaN()), rr.Value(math.Inf(1))},
	reflect.TypeFor[[]features.Spec]():      {[]features.Spec{}, []features.Spec{{Size: -1}}, []features.Spec{{}, {Bandwidth: math.NaN()}}},
	reflect.TypeFor[inference.Covariance](): {9},
	reflect.TypeFor[encode.Task]():          {9},
	reflect.TypeFor[solvers.Penalty]():      {9},
	reflect.TypeFor[risk.Form]():            {9},
	reflect.TypeFor[search.Use]():           {9},
	reflect.TypeFor[[]string]():             {[]string{"no such column"}},
}

// setupFields are more values for the fields of a Setup that are wrong, legalOfSetup those that cannot be.
func setupFields() map[string][]any {
	fields := map[string][]any{
		"Setup.Text.Words":   {1 << 40},
		"Setup.Text.CharMin": {1 << 40},
		"Setup.Text.CharMax": {1 << 40},
		"Setup.Text.Buckets": {3, 1 << 40},
	}
	for _, side := range []string{"Setup.Phi.", "Setup.Psi."} {
		fields[side+"Size"] = []any{3, 1 << 40}
		fields[side+"Degree"] = []any{2, 1 << 40}
		fields[side+"Multiple"] = []any{1e9}
		fields[side+"Landmarks"] = []any{features.Uniform}
	}
	return fields
}

var legalOfSetup = []string{"Setup.Seed", "Setup.Text.Stop"}

// tiny is a setup with few features.
func tiny() problem.Setup {
	few := features.Spec{Size: 4}
	return problem.Setup{Phi: few, Psi: few, Folds: 2}
}

// TestSettingsOutOfRange: each is an error of Fit, or what the struct is for, before a table is read.
func TestSettingsOutOfRange(t *testing.T) {
	xu, uy := tablesOf(t, 30, 30, 1)
	ctx := t.Context()
	unread := func(use func(xu, uy tables.Source) error) error {
		a, b := &countingSource{Source: xu}, &countingSource{Source: uy}
		err := use(a, b)
		// Roles are found in the columns, before rows are read but for classes of Y.
		if err != nil && a.passes+b.passes > 0 && !strings.Contains(err.Error(), "no column") {
			t.Errorf("%v is found after %d passes over the tables", err, a.passes+b.passes)
		}
		return err
	}
	weights := func(w ...any) map[string][]any {
		fields := setupFields()
		fields["W"] = append([]any{rr.Value(0), rr.Value(2)}, w...)
		return fields
	}
	settingstest.Run(t, settingstest.Case[rr.Joint]{
		Types: settingTypes, Fields: map[string][]any{"W": {rr.Value(0), rr.Value(2)}},
		Use: func(j rr.Joint) error {
			return unread(func(xu, uy tables.Source) error { _, err := rr.Fit(ctx, tiny(), j, xu, uy); return err })
		},
	})
	settingstest.Run(t, settingstest.Case[rr.TwoStep]{
		Types: settingTypes,
		Use: func(s rr.TwoStep) error {
			return unread(func(xu, uy tables.Source) error { _, err := rr.Fit(ctx, tiny(), s, xu, uy); return err })
		},
	})
	settingstest.Run(t, settingstest.Case[search.Search]{
		Good:  search.Search{Setup: tiny(), PhiCandidates: []features.Spec{{Size: 4}}, PsiCandidates: []features.Spec{{Size: 4}}, W: rr.Value(1), LambdaF: rr.Value(1), LambdaH: rr.Value(1)},
		Types: settingTypes, Legal: legalOfSetup, Fields: weights(),
		Use: func(s search.Search) error {
			return unread(func(xu, uy tables.Source) error { _, err := fitSearch(ctx, s, xu, uy); return err })
		},
	})
	p, err := problem.Prepare(ctx, tiny(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	settingstest.Run(t, settingstest.Case[risk.AssessOptions]{
		Types: settingTypes, Fields: map[string][]any{"Mu": {rr.Value(1e300)}, "LambdaH": {rr.Value(1e300)}},
		Use: func(o risk.AssessOptions) error {
			_, err := risk.Assess(ctx, p, risk.Fitted(rr.Joint{}), o)
			return err
		},
	})
	settingstest.Run(t, settingstest.Case[rr.Ridge]{
		Types: settingTypes, Legal: []string{"Seed", "Purpose"}, Good: rr.Ridge{Spec: features.Spec{Size: 4}},
		Fields: map[string][]any{"Spec.Size": {3, 1 << 40}, "Spec.Degree": {1}},
		Use: func(r rr.Ridge) error {
			_, err := r.Fit(ctx, uniform(rand.New(rand.NewPCG(1, 1)), 10, 2), uniform(rand.New(rand.NewPCG(2, 2)), 10, 1), nil)
			return err
		},
	})
	t0, u0 := surrogate(t, 40, 40, 5)
	fields := setupFields()
	fields["Probability"], fields["Setup.Folds"] = []any{rr.Value(0), rr.Value(1), rr.Value(2)}, []any{1 << 40, 30}
	settingstest.Run(t, settingstest.Case[effect.Estimator]{
		Good: effect.Estimator{Setup: tiny(), Treatment: "t"}, Types: settingTypes, Fields: fields,
		Legal: slices.Concat(legalOfSetup, []string{"Setup.Roles.X"}), // which is the treatment
		Use:   func(e effect.Estimator) error { _, err := e.Estimate(ctx, t0, u0); return err },
	})
}

// A countingSource counts the passes over another.
type countingSource struct {
	tables.Source
	passes int
}

func (s *countingSource) Batches(ctx context.Context) iter.Seq2[tables.Batch, error] {
	s.passes++
	return s.Source.Batches(ctx)
}

// An emptyMethod fits nothing and returns no error.
type emptyMethod struct{}

func (emptyMethod) Fit(context.Context, *problem.Problem) (*rr.Model, error) { return nil, nil }

// TestNothingWhereSomethingIsNeeded: nil tables, methods and functions are errors, and so are results that are none.
func TestNothingWhereSomethingIsNeeded(t *testing.T) {
	ours := regexp.MustCompile(`(^|: )(rr|problem|risk|search|effect|diagnose|inference): `)
	xu, uy := tablesOf(t, 40, 40, 1)
	ctx := t.Context()
	p, err := problem.Prepare(ctx, tiny(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	m := fit(t, fittest.With(tiny(), rr.TwoStep{}), xu, uy)
	empty := func(context.Context, *problem.Problem) (rr.Predictor, error) { return nil, nil }
	for name, do := range map[string]func() error{
		"S_X":    func() error { _, err := rr.Fit(ctx, problem.Setup{}, rr.Joint{}, nil, uy); return err },
		"S_Y":    func() error { _, err := rr.Fit(ctx, problem.Setup{}, rr.TwoStep{}, xu, nil); return err },
		"search": func() error { _, err := fitSearch(ctx, search.Search{}, xu, nil); return err },
		"effect": func() error { _, err := effect.Estimator{Treatment: "t"}.Estimate(ctx, nil, nil); return err },
		"encode": func() error { _, err := problem.ReadRows(ctx, problem.Setup{}, nil, uy); return err },
		"assess": func() error {
			_, err := risk.AssessModel(ctx, m.Model, xu, nil, tables.RoleOptions{}, risk.AssessOptions{})
			return err
		},
		"diagnose": func() error { _, err := diagnose.Diagnose(ctx, m.Model, nil, uy, tables.RoleOptions{}); return err },
		"method": func() error {
			_, err := search.ChoiceOfTables(ctx, problem.Setup{}, nil, risk.AssessOptions{}, xu, uy)
			return err
		},
		"fitter":       func() error { _, err := risk.Assess(ctx, p, nil, risk.AssessOptions{}); return err },
		"no predictor": func() error { _, err := risk.Assess(ctx, p, empty, risk.AssessOptions{}); return err },
		"no method":    func() error { _, err := risk.Assess(ctx, p, risk.Fitted(nil), risk.AssessOptions{}); return err },
		"no model": func() error {
			_, err := risk.Assess(ctx, p, risk.Fitted(emptyMethod{}), risk.AssessOptions{})
			return err
		},
		"no W": func() error { _, err := search.Search{}.ChooseEach(ctx, xu, uy); return err },
		"a model later": func() error {
			c, err := search.ChoiceOfTables(ctx, tiny(), emptyMethod{}, risk.AssessOptions{}, xu, uy)
			if err != nil {
				return err
			}
			_, err = c.Fit(ctx)
			return err
		},
	} {
		if err := do(); err == nil || !ours.MatchString(err.Error()) {
			t.Errorf("%s: error %v, want one that begins with its package", name, err)
		}
	}
	// A rival that is none loses, and says why.
	s := search.Search{Setup: tiny(), Rivals: func(solvers.Params) []rr.Method { return []rr.Method{nil, emptyMethod{}} }}
	failed := 0
	for _, trial := range fit(t, s, xu, uy).Search {
		if trial.Stage == "method" && trial.Error != "" {
			failed++
		}
	}
	if failed != 2 {
		t.Errorf("%d rivals failed, want 2", failed)
	}
}
