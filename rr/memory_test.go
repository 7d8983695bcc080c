package rr_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"mediant/baselines"
	"mediant/diagnose"
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

// TestEveryMethodHasALimit: with a limit of one byte a fit is refused; each refusal asks for more than the limit, and after
// a few the fit is done, and is that without a limit.
func TestEveryMethodHasALimit(t *testing.T) {
	xu, uy := tablesOf(t, 120, 110, 2)
	pairs := table(t, "x1 x2 y", uniform(rand.New(rand.NewPCG(4, 4)), 40, 3))
	small, landmarks := features.Spec{Kernel: "gaussian", Size: 12}, features.Spec{Kind: features.NystromFeatures, Size: 12}
	learner := mlp.Learner{Hidden: []int{3}, Epochs: 2}
	for name, method := range map[string]func(s problem.Setup) fittest.Fitter{
		"2step":     func(s problem.Setup) fittest.Fitter { return fittest.With(s, rr.TwoStep{}) },
		"joint":     func(s problem.Setup) fittest.Fitter { return fittest.With(s, rr.Joint{}) },
		"iterative": func(s problem.Setup) fittest.Fitter { return fittest.With(s, rr.Iterative{}) },
		"sections":  func(s problem.Setup) fittest.Fitter { return fittest.With(s, rr.Iterative{Whitened: 1}) },
		"errors":    func(s problem.Setup) fittest.Fitter { return withErrors{s, rr.Joint{}, inference.Corrected} },
		"shift":     func(s problem.Setup) fittest.Fitter { s.Shift = true; return fittest.With(s, rr.Joint{}) },
		"precision": func(s problem.Setup) fittest.Fitter { return withPrecision{setup: s, method: rr.Joint{}} },
		"search": func(s problem.Setup) fittest.Fitter {
			return searching{search.Search{Setup: s, Rivals: baselines.Rivals}}
		},
		"learners": func(s problem.Setup) fittest.Fitter { return fittest.With(s, rr.TwoStep{F: learner, H: learner}) },
		"naive":    func(s problem.Setup) fittest.Fitter { return fittest.With(s, baselines.Naive{}) },
		"cme":      func(s problem.Setup) fittest.Fitter { return fittest.With(s, baselines.MeanEmbedding{}) },
		"oracle":   func(s problem.Setup) fittest.Fitter { return fittest.With(s, baselines.Oracle{Pairs: pairs}) },
		"integral": func(s problem.Setup) fittest.Fitter { return fittest.With(s, baselines.Integral{Centres: 20}) },
		"watson": func(s problem.Setup) fittest.Fitter {
			return fittest.With(s, baselines.Integral{Estimator: baselines.NadarayaWatson})
		},
		"networks": func(s problem.Setup) fittest.Fitter { return fittest.With(s, mlp.Joint{Learner: learner}) },
	} {
		for _, spec := range []features.Spec{small, landmarks} {
			refusals := 0
			for limit := int64(1); ; refusals++ {
				_, err := method(problem.Setup{Phi: spec, Psi: spec, Memory: limit}).Fit(context.Background(), xu, uy)
				if err == nil {
					break
				}
				var short *problem.MemoryError
				if !errors.As(err, &short) || short.Limit != limit || short.Need <= float64(limit) || refusals > 4 {
					t.Fatalf("%s, limit %d, after %d refusals: %v", name, limit, refusals, err)
				}
				limit = int64(short.Need) + 1
			}
			if refusals == 0 {
				t.Errorf("%s fits within one byte", name)
			}
		}
	}
}

// TestLimitsOfModels: predictions, risk and diagnosis of a model look at its limit, which is that of its fit.
func TestLimitsOfModels(t *testing.T) {
	xu, uy := tablesOf(t, 120, 110, 3)
	spec := features.Spec{Size: 8}
	m := fit(t, fittest.With(problem.Setup{Phi: spec, Psi: spec, Memory: 1 << 40}, rr.TwoStep{}), xu, uy)
	if m.Memory != 1<<40 {
		t.Errorf("the limit is %d, not that of the fit", m.Memory)
	}
	for _, limit := range []int64{1, 1 << 40} {
		m.Memory = limit
		predict := func() error {
			for _, err := range m.Predict(context.Background(), xu) {
				if err != nil {
					return err
				}
			}
			return nil
		}
		assess := func() error {
			_, err := risk.AssessModel(context.Background(), m.Model, xu, uy, tables.RoleOptions{}, risk.AssessOptions{})
			return err
		}
		diagnose := func() error {
			_, err := diagnose.Diagnose(context.Background(), m.Model, xu, uy, tables.RoleOptions{})
			return err
		}
		evaluate := func() error {
			_, err := m.Evaluate(context.Background(), table(t, "x1 x2 y", uniform(rand.New(rand.NewPCG(1, 2)), 9, 3)))
			return err
		}
		for name, do := range map[string]func() error{"predict": predict, "assess": assess, "diagnose": diagnose, "evaluate": evaluate} {
			if err := do(); (err == nil) != (limit > 1) || err != nil && !errors.As(err, new(*problem.MemoryError)) {
				t.Errorf("%s within %d bytes: %v", name, limit, err)
			}
		}
	}
}

// TestSearchLeavesOutWhatDoesNotFit: a candidate that its columns make large is listed with why it was left out.
func TestSearchLeavesOutWhatDoesNotFit(t *testing.T) {
	const columns = 700
	rnd := rand.New(rand.NewPCG(5, 5))
	x, u := make([]tables.ColumnData, columns), make([]float64, 80)
	for i := range u {
		u[i] = rnd.NormFloat64()
	}
	for j := range x {
		values := make([]float64, len(u))
		for i := range values {
			values[i] = u[i] + rnd.NormFloat64()
		}
		x[j] = tables.Numbers(strings.Repeat("x", 1+j), values)
	}
	xu, err := tables.FromColumns(append(x, tables.Numbers("u", u))...)
	if err != nil {
		t.Fatal(err)
	}
	uy, err := tables.FromColumns(tables.Numbers("u", u), tables.Numbers("y", u))
	if err != nil {
		t.Fatal(err)
	}
	gaussian := features.Spec{Kernel: "gaussian", Size: 16}
	c, err := search.Search{
		Setup: problem.Setup{Psi: gaussian, Memory: 70 << 20}, PhiCandidates: []features.Spec{{Kind: features.LinearFeatures}, gaussian},
	}.Choose(context.Background(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, trial := range c.Trials {
		if trial.Stage == "phi" && trial.Name == "linear" {
			found = true
			if !strings.Contains(trial.Error, "above the limit") {
				t.Errorf("700 linear features within 70 MiB: %+v", trial)
			}
		}
	}
	if !found || c.Problem.Setup().Phi.Kind != features.FourierFeatures {
		t.Errorf("chosen is %s, trials %+v", c.Problem.Setup().Phi, c.Trials)
	}
}

// TestPreview: what is not known of tables is not held against them.
func TestPreview(t *testing.T) {
	columns := func(names string) (out []tables.Column) {
		for _, n := range strings.Fields(names) {
			out = append(out, tables.Column{Name: n, Kind: tables.Numeric})
		}
		return out
	}
	wide := make([]string, 400)
	for i := range wide {
		wide[i] = "y" + strings.Repeat("a", i)
	}
	few := problem.Preview{Columns: columns("x u")}
	for _, c := range []struct {
		memory int64
		xu, uy problem.Preview
		size   int
		fits   bool
	}{
		{45 << 20, problem.Preview{}, problem.Preview{}, 64, true},
		{45 << 20, problem.Preview{}, problem.Preview{}, 1024, false},
		{73 << 20, few, problem.Preview{Columns: columns("u y"), Rows: 10}, 128, true},
		{73 << 20, few, problem.Preview{Columns: columns("u " + strings.Join(wide, " ")), Rows: 10}, 128, false}, // 400 outputs
	} {
		gaussian := features.Spec{Kernel: "gaussian", Size: c.size}
		s := problem.Setup{Phi: gaussian, Psi: gaussian, Memory: c.memory, Folds: 5}
		if err := s.CheckMemory(c.xu, c.uy); (err == nil) != c.fits {
			t.Errorf("size %d, %d columns within %d MiB: %v", c.size, len(c.uy.Columns), c.memory>>20, err)
		}
	}
	if err := (problem.Setup{Phi: features.Spec{Size: 40000}, Psi: features.Spec{Size: 40000}, Memory: 1 << 30}).CheckMemory(problem.Preview{}, problem.Preview{Rows: 200}); err != nil {
		t.Errorf("of sparse rows there may be no more than 200 landmarks: %v", err)
	}
}

// TestPreviewOfWeights: of a table with weights it is not known how many rows have one above 0.
func TestPreviewOfWeights(t *testing.T) {
	columns := func(names ...string) (out []tables.Column) {
		for _, n := range names {
			out = append(out, tables.Column{Name: n})
		}
		return out
	}
	xu, uy := problem.Preview{Columns: columns("x", "u", "w"), Rows: 5000}, problem.Preview{Columns: columns("u", "y", "v"), Rows: 5000}
	s := problem.Setup{Memory: 100 << 20, Phi: features.Spec{Kind: features.NystromFeatures, Size: 4000}, Psi: features.Spec{Kind: features.NystromFeatures, Size: 4000}}
	if err := s.CheckMemory(xu, uy); err == nil {
		t.Error("4,000 landmarks fit 100 MiB")
	}
	s.Roles = tables.RoleOptions{WeightsXU: "w", WeightsUY: "v"}
	if err := s.CheckMemory(xu, uy); err != nil {
		t.Errorf("with weights: %v", err)
	}
}
