package glm_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/glm"
	"mediant/losses"
	"mediant/moments"
	"mediant/solvers"
)

// A sample has rows of features, targets and weights.
type sample struct {
	phi, y  *mat.Dense
	weights []float64
}

// in are the rows in blocks.
func (s sample) in(block int) glm.Rows {
	return func(ctx context.Context, do func(phi, y *mat.Dense, weights []float64)) error {
		n, p := s.phi.Dims()
		_, k := s.y.Dims()
		for lo := 0; lo < n; lo += block {
			hi := min(n, lo+block)
			var w []float64
			if s.weights != nil {
				w = s.weights[lo:hi]
			}
			do(s.phi.Slice(lo, hi, 0, p).(*mat.Dense), s.y.Slice(lo, hi, 0, k).(*mat.Dense), w)
		}
		return ctx.Err()
	}
}

// drawn draws n rows of p features with targets of a loss at random coefficients.
func drawn(seed uint64, n, p, k int, loss losses.Canonical, weighted bool) sample {
	rnd := rand.New(rand.NewPCG(seed, 5))
	s := sample{phi: mat.NewDense(n, p, nil), y: mat.NewDense(n, k, nil)}
	coef := mat.NewDense(p, k, nil)
	for i := range p {
		for j := range k {
			coef.Set(i, j, rnd.NormFloat64())
		}
	}
	for i := range n {
		for j := range p {
			s.phi.Set(i, j, rnd.NormFloat64()/math.Sqrt(float64(p)))
		}
		mean := make([]float64, k)
		for j := range k {
			mean[j] = .3*float64(j) + floats.Dot(mat.Col(nil, j, coef), s.phi.RawRowView(i))
		}
		loss.MeanTo(mean, mean)
		switch loss.(type) {
		case losses.Log:
			class, u := 0, rnd.Float64()
			for class < k-1 && u > mean[class] {
				u -= mean[class]
				class++
			}
			s.y.Set(i, class, 1)
		case losses.Poisson:
			for j, m := range mean {
				for u := rnd.ExpFloat64(); u < m; u += rnd.ExpFloat64() {
					s.y.Set(i, j, s.y.At(i, j)+1)
				}
			}
		default:
			for j, m := range mean {
				s.y.Set(i, j, m+rnd.NormFloat64())
			}
		}
		if weighted {
			s.weights = append(s.weights, rnd.ExpFloat64())
		}
	}
	return s
}

// gradient is that of the objective by central differences of its value, which is written as the sum of losses.
func (s sample) gradient(m *glm.Model, loss losses.Canonical, lambda float64) float64 {
	n, p := s.phi.Dims()
	_, k := s.y.Dims()
	value := func(coef *mat.Dense, intercept []float64) float64 {
		sum, weight := 0., 0.
		for i := range n {
			eta := make([]float64, k)
			for j := range k {
				eta[j] = intercept[j] + floats.Dot(mat.Col(nil, j, coef), s.phi.RawRowView(i))
			}
			loss.MeanTo(eta, eta)
			w := 1.
			if s.weights != nil {
				w = s.weights[i]
			}
			sum += w * losses.Divergence(loss, s.y.RawRowView(i), eta)
			weight += w
		}
		norm := mat.Norm(coef, 2)
		return sum/weight + lambda*norm*norm
	}
	const step = 1e-5
	worst := 0.
	for j := range k {
		for i := range p + 1 {
			at := func(by float64) float64 {
				coef, intercept := mat.DenseCopyOf(m.Coef), append([]float64(nil), m.Intercept...)
				if i < p {
					coef.Set(i, j, coef.At(i, j)+by)
				} else {
					intercept[j] += by
				}
				return value(coef, intercept)
			}
			worst = max(worst, math.Abs(at(step)-at(-step))/(2*step))
		}
	}
	return worst
}

// TestFitHasNoGradient: at the fit of each loss the derivatives of the mean loss and penalty vanish, to the error of differences, 1e-10 of third derivatives and eps/1e-5.
func TestFitHasNoGradient(t *testing.T) {
	for _, loss := range []losses.Canonical{losses.Squared{}, losses.Log{}, losses.Poisson{}} {
		for _, weighted := range []bool{false, true} {
			for _, lambda := range []float64{1e-4, .1} {
				s := drawn(1, 80, 4, 3, loss, weighted)
				m, err := glm.Fit(t.Context(), s.in(33), 4, 3, loss, lambda, glm.Options{Tolerance: 1e-10})
				if err != nil {
					t.Fatal(err)
				}
				if g := s.gradient(m, loss, lambda); g > 1e-8 || m.Gradient > 1e-9 {
					t.Errorf("%s, lambda %g, weighted %v: a derivative of %g (%g by its own account) after %d steps", loss.Name(), lambda, weighted, g, m.Gradient, m.Steps)
				}
			}
		}
	}
}

// TestSquaredIsRidge: for squared error it is ridge regression, eta being 2f, so that its coefficients are twice those of f and lambda is a quarter of the ridge's.
func TestSquaredIsRidge(t *testing.T) {
	s := drawn(2, 60, 5, 2, losses.Squared{}, true)
	m, err := glm.Fit(t.Context(), s.in(60), 5, 2, losses.Squared{}, .01, glm.Options{Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	pair := moments.NewCoMoments(moments.ID{}, moments.ID{})
	pair.Add(s.phi, s.y, s.weights)
	want, err := solvers.Ridge(pair, .04, true)
	if err != nil {
		t.Fatal(err)
	}
	m.Coef.Scale(.5, m.Coef)
	floats.Scale(.5, m.Intercept)
	if !mat.EqualApprox(m.Coef, want.Coef, 1e-10) || !floats.EqualApprox(m.Intercept, want.Intercept, 1e-10) {
		t.Errorf("coefficients\n%v, ridge\n%v", mat.Formatted(m.Coef), mat.Formatted(want.Coef))
	}
}

// TestNewtonAndBoundAgree: both solvers reach one minimum to 1e-8. The intercepts of classes are free to move together.
func TestNewtonAndBoundAgree(t *testing.T) {
	for _, k := range []int{2, 3, 6} {
		for _, lambda := range []float64{1e-5, 1e-2} {
			s := drawn(uint64(k), 300, 6, k, losses.Log{}, k == 3)
			newton, err := glm.Fit(t.Context(), s.in(128), 6, k, losses.Log{}, lambda, glm.Options{Solver: glm.Newton, Tolerance: 1e-10})
			if err != nil {
				t.Fatal(err)
			}
			bound, err := glm.Fit(t.Context(), s.in(128), 6, k, losses.Log{}, lambda, glm.Options{Solver: glm.Bound, Tolerance: 1e-10})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []*glm.Model{newton, bound} {
				floats.AddConst(-floats.Sum(m.Intercept)/float64(k), m.Intercept)
			}
			var d mat.Dense
			d.Sub(newton.Coef, bound.Coef)
			gap := max(mat.Norm(&d, math.Inf(1)), floats.Distance(newton.Intercept, bound.Intercept, math.Inf(1)))
			t.Logf("%d classes, lambda %g: %d and %d passes, gap %.1e, gradients %.1e and %.1e", k, lambda, newton.Steps, bound.Steps, gap, newton.Gradient, bound.Gradient)
			if gap > 1e-8*max(1, mat.Norm(newton.Coef, 2)) {
				t.Errorf("%d classes, lambda %g: the solvers differ by %g", k, lambda, gap)
			}
		}
	}
}

// TestHardClasses: separable classes have finite coefficients, a class without rows has a probability near 0, and targets that sum to 1 and are below 0 and above 1, as those of a ridge regression, have a minimum if their mean is in the simplex.
// TestStart: from the minimum for a penalty twice as large fewer passes lead to the same minimum, and from the minimum itself those that see that it is one.
func TestStart(t *testing.T) {
	for _, loss := range []losses.Canonical{losses.Log{}, losses.Poisson{}} {
		s := drawn(3, 300, 20, 3, loss, false)
		fit := func(lambda float64, from *glm.Model) *glm.Model {
			m, err := glm.Fit(t.Context(), s.in(64), 20, 3, loss, lambda, glm.Options{Start: from})
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		cold := fit(1e-4, nil)
		warm, again := fit(1e-4, fit(2e-4, nil)), fit(1e-4, cold)
		if again.Steps > 2 || warm.Steps >= cold.Steps || !mat.EqualApprox(warm.Coef, cold.Coef, 1e-4) { // gradients of 1e-8 by curvatures of 2e-4
			t.Errorf("%s: %d passes, %d from a neighbour, %d from the minimum", loss.Name(), cold.Steps, warm.Steps, again.Steps)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a start of another shape is taken")
		}
	}()
	s := drawn(3, 30, 2, 3, losses.Log{}, false)
	glm.Fit(t.Context(), s.in(64), 2, 3, losses.Log{}, 1e-4, glm.Options{Start: &glm.Model{Coef: mat.NewDense(1, 3, nil), Intercept: make([]float64, 3)}})
}

func TestHardClasses(t *testing.T) {
	n := 40
	s := sample{phi: mat.NewDense(n, 1, nil), y: mat.NewDense(n, 3, nil)}
	for i := range n {
		s.phi.Set(i, 0, float64(i)-19.5)
		s.y.Set(i, i/20, 1)
	}
	for _, solver := range []glm.Solver{glm.Newton, glm.Bound} {
		m, err := glm.Fit(t.Context(), s.in(n), 1, 3, losses.Log{}, 1e-6, glm.Options{Solver: solver})
		if err != nil {
			t.Fatal(err)
		}
		mean := []float64{m.Coef.At(0, 0)*20 + m.Intercept[0], m.Coef.At(0, 1)*20 + m.Intercept[1], m.Coef.At(0, 2)*20 + m.Intercept[2]}
		losses.Log{}.MeanTo(mean, mean)
		if !(mean[1] > .99) || !(mean[2] < 1e-6) {
			t.Errorf("solver %d: probabilities %v", solver, mean)
		}
	}
	outside := drawn(3, 50, 3, 2, losses.Squared{}, false)
	for i := range 50 {
		outside.y.Set(i, 0, .5+.3*outside.y.At(i, 0))
		outside.y.Set(i, 1, 1-outside.y.At(i, 0))
	}
	if m, err := glm.Fit(t.Context(), outside.in(50), 3, 2, losses.Log{}, .1, glm.Options{}); err != nil || m.Gradient > 1e-7 {
		t.Errorf("targets outside the simplex: %v", err)
	}
}

// TestKept: kept rows are the rows, read once; rows that take more are read each time. An interrupted pass is not kept.
func TestKept(t *testing.T) {
	s := drawn(4, 50, 3, 2, losses.Log{}, true)
	const bytes = 8 * 50 * (3 + 2 + 1)
	for _, c := range []struct{ limit, reads int }{{bytes, 2}, {bytes - 1, 4}} {
		reads, fails := 0, true
		rows := glm.Kept(func(ctx context.Context, do func(phi, y *mat.Dense, weights []float64)) error {
			reads++
			if fails {
				fails = false
				do(s.phi, s.y, s.weights)
				return errors.New("broken")
			}
			return s.in(20)(ctx, do)
		}, c.limit)
		sum := func() (sum float64, err error) {
			err = rows(t.Context(), func(phi, y *mat.Dense, weights []float64) {
				sum += mat.Sum(phi) + 2*mat.Sum(y) + 3*floats.Sum(weights)
				phi.Scale(1, phi)
			})
			return sum, err
		}
		if _, err := sum(); err == nil {
			t.Error("the error of the rows is lost")
		}
		first, _ := sum()
		for range 2 {
			if again, err := sum(); again != first || err != nil {
				t.Errorf("limit %d: %g, want %g (%v)", c.limit, again, first, err)
			}
		}
		if reads != c.reads {
			t.Errorf("limit %d: read %d times, want %d", c.limit, reads, c.reads)
		}
	}
}

// TestFitRefuses: a penalty of 0, a solver for other losses, rows without weight, errors of rows.
func TestFitRefuses(t *testing.T) {
	s := drawn(1, 20, 2, 2, losses.Log{}, false)
	for name, fit := range map[string]func() (*glm.Model, error){
		"lambda 0": func() (*glm.Model, error) {
			return glm.Fit(t.Context(), s.in(20), 2, 2, losses.Log{}, 0, glm.Options{})
		},
		"bound of poisson": func() (*glm.Model, error) {
			return glm.Fit(t.Context(), s.in(20), 2, 2, losses.Poisson{}, 1, glm.Options{Solver: glm.Bound})
		},
		"no weight": func() (*glm.Model, error) {
			none := sample{s.phi, s.y, make([]float64, 20)}
			return glm.Fit(t.Context(), none.in(20), 2, 2, losses.Log{}, 1, glm.Options{})
		},
		"rows": func() (*glm.Model, error) {
			return glm.Fit(t.Context(), func(context.Context, func(phi, y *mat.Dense, weights []float64)) error { return errors.New("broken") }, 2, 2, losses.Log{}, 1, glm.Options{})
		},
	} {
		if m, err := fit(); err == nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
}
