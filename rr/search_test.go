package rr_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/features"
	"mediant/internal/fittest"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/solvers"
	"mediant/tables"
)

// chosen returns the winner of a stage.
func chosen(t *testing.T, m *mediant.Model, stage string) search.Trial {
	t.Helper()
	var out []search.Trial
	for _, trial := range m.Search {
		if trial.Stage == stage && trial.Chosen {
			out = append(out, trial)
		}
	}
	if len(out) != 1 {
		t.Fatalf("%d winners of stage %s", len(out), stage)
	}
	return out[0]
}

func TestSearchFindsTheKernel(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits, which find no race that few do not")
	}
	// Y is quadratic in U and U a cubic of X, with noise: a straight line of either must lose, and what is
	// chosen must come near E[Y|X]. The constant is off by 0.4 (TestItLearns); the bound is half of that.
	xu, uy := tablesOf(t, 600, 600, 1)
	few := features.Spec{Size: 64}
	m := fit(t, search.Search{Setup: problem.Setup{Phi: few, Psi: few}}, xu, uy)
	for _, stage := range []string{"psi", "phi"} {
		if name := chosen(t, m, stage).Name; name == "linear" {
			t.Errorf("%s: linear features won", stage)
		}
	}
	got := predictions(t, m, uniform(rand.New(rand.NewPCG(3, 3)), 300, 2))
	query := uniform(rand.New(rand.NewPCG(3, 3)), 300, 2)
	var sum float64
	for i := range 300 {
		d := got.At(i, 0) - .18 - math.Pow(query.At(i, 0), 6) - math.Pow(query.At(i, 1), 6)
		sum += d * d
	}
	if rmse := math.Sqrt(sum / 300); rmse > .2 {
		t.Errorf("RMSE to the true regression is %.3f", rmse)
	}
	best := chosen(t, m, "hyperparameters")
	if *m.Params.W != best.W || *m.Params.LambdaF != best.LambdaF || *m.Params.LambdaH != best.LambdaH {
		t.Errorf("fitted with %+v, chosen %+v", m.Params, best)
	}
	for _, trial := range m.Search {
		// A polynomial must be better than an additive map by two standard errors.
		gives := strings.HasPrefix(trial.Name, "adaptive:") && trial.SE != nil && *trial.Difference >= -2**trial.SE
		if trial.Risk == nil || trial.SE == nil || *trial.Difference < 0 && !gives || trial.Chosen && *trial.Difference != 0 {
			t.Errorf("%+v: the winner has not the least risk", trial)
		}
	}
}

func TestSearchUsesWhatIsGiven(t *testing.T) {
	xu, uy := tablesOf(t, 200, 200, 2)
	small := features.Spec{Kernel: "matern52", Bandwidth: 1.5, Size: 16}
	s := search.Search{Setup: problem.Setup{Phi: small, Psi: small, Folds: search.Folds}, W: rr.Value(.7), LambdaF: rr.Value(2e-3), LambdaH: rr.Value(3e-4)}
	m := fit(t, s, xu, uy)
	if *m.Params.W != .7 || *m.Params.LambdaF != 2e-3 || *m.Params.LambdaH != 3e-4 {
		t.Errorf("fitted with w %g, lambdas %g and %g", *m.Params.W, *m.Params.LambdaF, *m.Params.LambdaH)
	}
	want := fit(t, fittest.With(problem.Setup{Phi: small, Psi: small, Folds: search.Folds}, rr.Joint{W: s.W, LambdaF: s.LambdaF, LambdaH: s.LambdaH}), xu, uy)
	query := uniform(rand.New(rand.NewPCG(1, 1)), 9, 2)
	if !mat.Equal(predictions(t, m, query), predictions(t, want, query)) {
		t.Error("with everything given, the search is not the method itself")
	}
}

func TestSearchListsWhatFails(t *testing.T) {
	// U up to 50 in the 60th power leaves float64 squared; y = u² wants degree 2 (the failure of another
	// library was to choose the candidate whose score was NaN, scikit-learn#20678).
	n := 60
	x, u, y := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		u[i] = 50 * math.Sin(float64(i))
		x[i], y[i] = u[i]+math.Cos(3*float64(i)), u[i]*u[i]
	}
	xu, err := tables.FromColumns(tables.Numbers("x", x), tables.Numbers("u", u))
	if err != nil {
		t.Fatal(err)
	}
	uy, err := tables.FromColumns(tables.Numbers("u", u), tables.Numbers("y", y))
	if err != nil {
		t.Fatal(err)
	}
	poly := func(degree int) features.Spec {
		return features.Spec{Kind: features.PolynomialFeatures, Degree: degree}
	}
	s := search.Search{
		Setup:         problem.Setup{Phi: features.Spec{Kind: features.LinearFeatures}, NoStandardize: true},
		PsiCandidates: []features.Spec{poly(1), poly(2), poly(200)},
	}
	m := fit(t, s, xu, uy)
	if name := chosen(t, m, "psi").Name; name != "polynomial:2" {
		t.Errorf("%s won", name)
	}
	last := m.Search[slices.IndexFunc(m.Search, func(t search.Trial) bool { return t.Name == "polynomial:200" })]
	if last.Risk != nil || last.Error == "" || last.Chosen {
		t.Errorf("the candidate that fails is listed as %+v", last)
	}
	s.PsiCandidates = []features.Spec{poly(200), poly(150)}
	if _, err := fitSearch(context.Background(), s, xu, uy); err == nil || !strings.Contains(err.Error(), "no candidate for psi") {
		t.Errorf("nothing but failures: %v", err)
	}
}

func TestSearchIsDeterministic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	xu, uy := tablesOf(t, 150, 130, 3)
	small := features.Spec{Kernel: "gaussian", Size: 20}
	var want []byte
	for _, threads := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(threads)
		got := saved(t, fit(t, search.Search{Setup: problem.Setup{Phi: small, Psi: small}}, xu, uy))
		if want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Errorf("%d threads give another model", threads)
		}
	}
}

func TestChoiceIsAssessed(t *testing.T) {
	// The risk of what was chosen is that of the method with these numbers, and what choosing it costs, less what the model of all rows gains on those of folds.
	xu, uy := tablesOf(t, 200, 200, 4)
	small := features.Spec{Kernel: "gaussian", Size: 16}
	c, err := search.Search{Setup: problem.Setup{Phi: small, Psi: small}}.Choose(context.Background(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Assessment(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	plain, err := risk.Assess(context.Background(), c.Problem, risk.Fitted(c.Method), risk.AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Risk.Folds != search.Folds || !(c.Optimism >= 0) || a.Risk.Optimism != c.Optimism || math.Abs(a.Risk.MSE-(plain.Risk.MSE+c.Optimism-a.Risk.LearningCurve)) > 1e-15 || math.Abs(a.Risk.SE-math.Hypot(math.Hypot(plain.Risk.SE, c.Optimism), a.Risk.LearningCurve)) > 1e-15 {
		t.Errorf("risk %+v, optimism %g, plain %+v", a.Risk, c.Optimism, plain.Risk)
	}
	one := table(t, "x u", mat.NewDense(1, 2, []float64{1, 2}))
	if _, err := fitSearch(context.Background(), (search.Search{}), one, uy); err == nil {
		t.Error("a table of one row was searched")
	}
}

// A flat method predicts the mean of Y and tells that it is one.
type flat struct{ shift float64 }

func (c flat) Fit(ctx context.Context, p *problem.Problem) (*rr.Model, error) {
	m := rr.NewModel(p, "constant")
	_, q := p.Phi().Dims()
	m.F = rr.NewLinear(p.Phi(), mat.NewDense(q, 1, nil), []float64{p.UY().MeanB()[0] + c.shift})
	return m, nil
}

func TestRivalsAreCompared(t *testing.T) {
	// Where U and Y have nothing in common a constant is best, yet not by more than chance; where they
	// have, it is far worse; and one that is off by 10 must lose by 100.
	few := features.Spec{Kernel: "gaussian", Size: 16}
	xu, uy := tablesOf(t, 300, 300, 5)
	c, err := search.Search{
		Setup:  problem.Setup{Phi: few, Psi: few},
		Rivals: func(solvers.Params) []rr.Method { return []rr.Method{flat{}, flat{shift: 10}} },
	}.Choose(context.Background(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	m, err := recorded(c.Fit(context.Background()))
	if err != nil {
		t.Fatal(err)
	}
	m.Search = c.Trials
	if name := chosen(t, m, "method").Name; name != m.Method || name == "constant" {
		t.Errorf("%s was chosen, %s fitted", name, m.Method)
	}
	var differences []float64
	for _, trial := range m.Search {
		if trial.Stage == "method" && trial.Name == "constant" {
			differences = append(differences, *trial.Difference)
			if trial.SE == nil || *trial.SE == 0 {
				t.Errorf("no standard error of the difference: %+v", trial)
			}
		}
	}
	if len(differences) != 2 || !(differences[0] > 0) || math.Abs(differences[1]-differences[0]-100) > 5 {
		t.Errorf("constants are worse by %v", differences)
	}
}

func TestChooseEachIsChooseWithEachW(t *testing.T) {
	xu, uy := tablesOf(t, 160, 150, 6)
	small := features.Spec{Kernel: "gaussian", Size: 20}
	set := features.Spec{Kernel: "matern52", Bandwidth: 1.5, Size: 16}
	ws := []rr.Setting{rr.Value(1), rr.Auto, rr.Value(.5), rr.Value(.77)}
	for _, s := range []search.Search{
		{Setup: problem.Setup{Phi: small, Psi: small}},
		{Setup: problem.Setup{Phi: small, Psi: small}, Precision: search.Never, LambdaF: rr.Value(1e-3)},
		// With these a w that is given leaves nothing to choose, so that weights by precision are tried for Auto alone.
		{Setup: problem.Setup{Phi: set, Psi: set}, LambdaF: rr.Value(1e-4), LambdaH: rr.Value(1e-4)},
	} {
		each, err := s.ChooseEach(context.Background(), xu, uy, ws...)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range ws {
			s.W = w
			want, err := s.Choose(context.Background(), xu, uy)
			if err != nil {
				t.Fatal(err)
			}
			if each[i].Optimism != want.Optimism || !reflect.DeepEqual(each[i].Method, want.Method) {
				t.Errorf("w %v: optimism %g and %g, solvers %+v and %+v", w, each[i].Optimism, want.Optimism, each[i].Method, want.Method)
			}
			if !bytes.Equal(saved(t, solved(t, each[i])), saved(t, solved(t, want))) {
				t.Errorf("w %v: not the model of a search of its own", w)
			}
		}
	}
}

func TestSearchWithinAnyMemoryIsTheSame(t *testing.T) {
	// A limit decides whether factors are kept, never what is chosen of maps of one size.
	xu, uy := tablesOf(t, 150, 130, 3)
	small := features.Spec{Kernel: "gaussian", Size: 20}
	refused := &problem.MemoryError{Least: true}
	for limit := int64(1); refused.Least; limit = int64(refused.Need) + 1 { // what is least, and then what is needed
		_, err := fitSearch(context.Background(), search.Search{Setup: problem.Setup{Phi: small, Psi: small, Memory: limit}}, xu, uy)
		if !errors.As(err, &refused) {
			t.Fatalf("a limit of %d bytes: %v", limit, err)
		}
	}
	var want []byte
	// The second holds the fit, but not 40 factors of order 21, 141 kB, beside it.
	for _, limit := range []int64{0, int64(refused.Need) + 1, 1 << 30} {
		got := saved(t, fit(t, search.Search{Setup: problem.Setup{Phi: small, Psi: small, Memory: limit}}, xu, uy))
		if want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Errorf("a limit of %d bytes gives another model", limit)
		}
	}
}

// solved fits what was chosen.
func solved(t *testing.T, c *search.Choice) *mediant.Model {
	t.Helper()
	m, err := recorded(c.Fit(context.Background()))
	if err != nil {
		t.Fatal(err)
	}
	m.Search = c.Trials
	return m
}

// TestSearchFitHasItsRisk, with the optimism of the choice, as Choose and Assessment give it; where the tables tell none,
// a warning says why.
func TestSearchFitHasItsRisk(t *testing.T) {
	xu, uy := tablesOf(t, 120, 100, 1)
	few := features.Spec{Kind: features.LinearFeatures}
	s := search.Search{Setup: problem.Setup{Phi: few, Psi: few}}
	m := fit(t, s, xu, uy)
	c, err := s.Choose(context.Background(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	want, err := c.Assessment(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if m.Assessment == nil || m.Assessment.Risk.MSE != want.Risk.MSE || m.Assessment.Risk.Optimism != c.Optimism {
		t.Errorf("the model has the risk %+v, want %+v with optimism %g", m.Assessment, want.Risk, c.Optimism)
	}
}
