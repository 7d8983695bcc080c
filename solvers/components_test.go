package solvers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/moments"
)

// crossed is a problem worked out below: phi are the two contrasts of four rows, psi_1 = phi_1 + phi_2/2 + 1,
// psi_2 = 3 phi_2 - phi_1, and over S_Y, where psi is phi, y = 5 + 2 psi_1 + psi_2.
func crossed() problem {
	one, two := []float64{1, 1, -1, -1}, []float64{1, -1, 1, -1}
	pr := problem{phi: mat.NewDense(4, 2, nil), psi: mat.NewDense(4, 2, nil), psi2: mat.NewDense(4, 2, nil), y: mat.NewDense(4, 1, nil)}
	for i := range 4 {
		pr.phi.SetRow(i, []float64{one[i], two[i]})
		pr.psi.SetRow(i, []float64{one[i] + two[i]/2 + 1, 3*two[i] - one[i]})
		pr.psi2.SetRow(i, []float64{one[i], two[i]})
		pr.y.Set(i, 0, 5+2*one[i]+two[i])
	}
	return pr
}

func (pr problem) system(t testing.TB) *System {
	t.Helper()
	s, err := NewSystem(first(pr.moments()), second(pr.moments()), true)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func first(xu, _ *moments.CoMoments) *moments.CoMoments { return xu }

func second(_, uy *moments.CoMoments) *moments.CoMoments { return uy }

func TestComponentsWorkedExample(t *testing.T) {
	// beta = (2, 1); the covariances of phi with 2 psi_1 are (2, 1), with psi_2 (-1, 3), and A is I, so that with
	// lambda_f = 1 each is halved where it is kept. f's mean is 5 + 2, that of h over S_X.
	for _, c := range []struct {
		kept  [][]int
		alpha []float64
	}{
		{[][]int{{0}, {1}}, []float64{1, 1.5}},
		{[][]int{{1}, {0}}, []float64{-.5, .5}},
		{[][]int{{0, 1}, {1}}, []float64{1, 2}},
		{[][]int{{0, 1}, {0, 1}}, []float64{.5, 2}},
		{[][]int{nil, {0}}, []float64{-.5, 0}},
		{[][]int{nil, nil}, []float64{0, 0}},
	} {
		if c := (Components{Phi: []int{1, 1}, Kept: c.kept}); c.KeepAll() != (len(c.Kept[0]) == 2 && len(c.Kept[1]) == 2) {
			t.Errorf("%v kept: all: %v", c.Kept, c.KeepAll())
		}
		by := crossed().system(t).Componentwise(Components{Phi: []int{1, 1}, Psi: []int{1, 1}, Kept: c.kept})
		s := by.Solve(Params{W: 1, LambdaF: 1})
		// Sums of four numbers of a digit or two: a few roundings.
		if got := mat.Col(nil, 0, s.Alpha); !floats.EqualApprox(got, c.alpha, 1e-14) {
			t.Errorf("%v kept: alpha is %v, want %v", c.kept, got, c.alpha)
		}
		if math.Abs(s.InterceptF[0]-7) > 1e-14 || math.Abs(s.InterceptH[0]-5) > 1e-14 {
			t.Errorf("%v kept: intercepts %v and %v, want 7 and 5", c.kept, s.InterceptF, s.InterceptH)
		}
		if s.RankF != 2 || s.RankH != 2 || math.Abs(s.CondF-1) > 1e-14 || math.Abs(s.CondH-1) > 1e-14 {
			t.Errorf("%v kept: conditions %g and %g, ranks %d and %d, want 1 and 2", c.kept, s.CondF, s.CondH, s.RankF, s.RankH)
		}
	}
}

// drawSizes cuts n columns into adjacent groups.
func drawSizes(t *rapid.T, n int, name string) []int {
	var sizes []int
	for n > 0 {
		size := rapid.IntRange(1, n).Draw(t, name)
		sizes, n = append(sizes, size), n-size
	}
	return sizes
}

func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestComponentsOfAllGroupsAreTwoStep: where every component keeps everything nothing changes, to the bit.
func TestComponentsOfAllGroupsAreTwoStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pr, params := drawProblem(t), drawParams(t)
		params.W, params.Penalty = 1, Scaled
		c := Components{Phi: drawSizes(t, pr.phi.RawMatrix().Cols, "phi"), Psi: drawSizes(t, pr.psi.RawMatrix().Cols, "psi")}
		for range c.Psi {
			c.Kept = append(c.Kept, all(len(c.Phi)))
		}
		if !c.KeepAll() {
			t.Fatal("something is left out")
		}
		s, err := NewSystem(first(pr.moments()), second(pr.moments()), true)
		if err != nil {
			t.Fatal(err)
		}
		want, by := s.Solve(params), s.Componentwise(c)
		for _, got := range []*Solution{by.Solve(params), coefficients(t, by, params)[0]} {
			if !mat.Equal(got.Alpha, want.Alpha) || !mat.Equal(got.Beta, want.Beta) || !slices.Equal(got.InterceptF, want.InterceptF) {
				t.Fatalf("alpha %v, want %v", got.Alpha, want.Alpha)
			}
		}
	})
}

// byRows is the reference: least squares of one component after the other, on rows with the penalty's rows below
// them, by QR, every other coefficient left at 0.
func (pr problem) byRows(t *rapid.T, c Components, beta *mat.Dense, lambda float64) *mat.Dense {
	n, p := pr.phi.Dims()
	_, k := beta.Dims()
	s := shares(pr.wx, n)
	phi, alpha := centred(pr.phi, s), mat.NewDense(p, k, nil)
	psi := centred(pr.psi, s)
	lo := 0
	for g, size := range c.Psi {
		var at []int
		for j, from := 0, 0; j < len(c.Phi); from, j = from+c.Phi[j], j+1 {
			for i := range c.Phi[j] {
				if slices.Contains(c.Kept[g], j) {
					at = append(at, from+i)
				}
			}
		}
		if len(at) > 0 {
			var h, coef mat.Dense
			h.Mul(psi.Slice(0, n, lo, lo+size), beta.Slice(lo, lo+size, 0, k))
			left, right := mat.NewDense(n+len(at), len(at), nil), mat.NewDense(n+len(at), k, nil)
			for i := range n {
				root := math.Sqrt(s[i])
				for j, col := range at {
					left.Set(i, j, root*phi.At(i, col))
				}
				floats.AddScaled(right.RawRowView(i), root, h.RawRowView(i))
			}
			for j := range at {
				left.Set(n+j, j, math.Sqrt(lambda))
			}
			if err := coef.Solve(left, right); err != nil {
				t.Fatal(err)
			}
			for j, col := range at {
				floats.Add(alpha.RawRowView(col), coef.RawRowView(j))
			}
		}
		lo += size
	}
	return alpha
}

// centred returns the rows less their mean weighed by s.
func centred(a *mat.Dense, s []float64) *mat.Dense {
	out := mat.DenseCopyOf(a)
	n, p := a.Dims()
	mean := make([]float64, p)
	for i := range n {
		floats.AddScaled(mean, s[i], a.RawRowView(i))
	}
	for i := range n {
		floats.Sub(out.RawRowView(i), mean)
	}
	return out
}

func TestComponentsAreRegressionsByThemselves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pr := drawProblem(t)
		c := Components{Phi: drawSizes(t, pr.phi.RawMatrix().Cols, "phi"), Psi: drawSizes(t, pr.psi.RawMatrix().Cols, "psi")}
		for range c.Psi {
			c.Kept = append(c.Kept, slices.DeleteFunc(all(len(c.Phi)), func(int) bool { return rapid.Bool().Draw(t, "left out") }))
		}
		s, err := NewSystem(first(pr.moments()), second(pr.moments()), true)
		if err != nil {
			t.Fatal(err)
		}
		params := []Params{{W: 1, LambdaF: .01, LambdaH: .1}, {W: 1, LambdaF: .3, LambdaH: .1}, {W: 1, LambdaF: .3, LambdaH: .5}, {W: 1, LambdaF: .01, LambdaH: .5}}
		for i, got := range coefficients(t, s.Componentwise(c), params...) {
			plain, lambda := s.Solve(params[i]), params[i].LambdaF
			want := pr.byRows(t, c, plain.Beta, lambda)
			// Condition numbers are below (trace + lambda)/lambda, some 10⁴ for 20 columns of variance 1.
			var off mat.Dense
			off.Sub(got.Alpha, want)
			if d := mat.Norm(&off, 2); d > 1e-10*(1+mat.Norm(plain.Beta, 2)) {
				t.Fatalf("%+v: alpha is off by %g", c, d)
			}
			// Over S_X f and h have the same mean.
			for j := range got.InterceptF {
				f := got.InterceptF[j] + mat.Dot(got.Alpha.ColView(j), mat.NewVecDense(len(s.phi), s.phi))
				h := got.InterceptH[j] + mat.Dot(got.Beta.ColView(j), mat.NewVecDense(len(s.psi), s.psi))
				if math.Abs(f-h) > 1e-10*(1+math.Abs(h)+mat.Norm(plain.Beta, 2)) {
					t.Fatalf("means of f and h are %g and %g", f, h)
				}
			}
		}
	})
}

// TestComponentsReportTheWorstSystem: the second group of phi is singular, the first is not.
func TestComponentsReportTheWorstSystem(t *testing.T) {
	pr := crossed()
	phi := mat.NewDense(4, 3, nil)
	for i := range 4 {
		phi.SetRow(i, []float64{pr.phi.At(i, 0), pr.phi.At(i, 1), 2 * pr.phi.At(i, 1)})
	}
	pr.phi = phi
	s := pr.system(t).Componentwise(Components{Phi: []int{1, 2}, Psi: []int{1, 1}, Kept: [][]int{{0}, {1}}}).Solve(Params{W: 1})
	if s.RankF != 2 || !math.IsInf(s.CondF, 1) {
		t.Errorf("rank %d and condition %g, want 2 and +Inf", s.RankF, s.CondF)
	}
	// The covariance 3 of phi_2 and psi_2 on (phi_2, 2 phi_2), with least norm: 3 (1, 2)/5.
	if got, want := mat.Col(nil, 0, s.Alpha), []float64{2, .6, 1.2}; !floats.EqualApprox(got, want, 1e-13) {
		t.Errorf("alpha is %v, want %v", got, want)
	}
}

func TestComponentsRefuse(t *testing.T) {
	pr := crossed()
	good := Components{Phi: []int{1, 1}, Psi: []int{1, 1}, Kept: [][]int{{0}, {1}}}
	for name, do := range map[string]func(){
		"no intercept": func() {
			s, err := NewSystem(first(pr.moments()), second(pr.moments()), false)
			if err != nil {
				t.Fatal(err)
			}
			s.Componentwise(good)
		},
		"w":            func() { pr.system(t).Componentwise(good).Solve(Params{W: .5}) },
		"lambda":       func() { pr.system(t).Componentwise(good).Coefficients(t.Context(), []Params{{W: 1, LambdaF: -1}}) },
		"columns":      func() { pr.system(t).Componentwise(Components{Phi: []int{1}, Psi: []int{1, 1}, Kept: good.Kept}) },
		"columns of U": func() { pr.system(t).Componentwise(Components{Phi: []int{1, 1}, Psi: []int{2, 1}, Kept: good.Kept}) },
		"fewer kept": func() {
			pr.system(t).Componentwise(Components{Phi: []int{1, 1}, Psi: []int{1, 1}, Kept: good.Kept[:1]})
		},
		"unknown group": func() {
			pr.system(t).Componentwise(Components{Phi: []int{1, 1}, Psi: []int{1, 1}, Kept: [][]int{{0}, {2}}})
		},
		"order": func() {
			pr.system(t).Componentwise(Components{Phi: []int{1, 1}, Psi: []int{1, 1}, Kept: [][]int{{1, 0}, {1}}})
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			do()
		}()
	}
}

func ExampleSystem_Componentwise() {
	// Two columns of X, each the cause of one of U: both components are fitted by themselves.
	pr := crossed()
	xu, uy := pr.moments()
	s, err := NewSystem(xu, uy, true)
	if err != nil {
		panic(err)
	}
	c := Components{Phi: []int{1, 1}, Psi: []int{1, 1}, Kept: [][]int{{0}, {1}}}
	params := Params{W: 1, LambdaF: 1}
	fmt.Printf("%.1f\n", mat.Col(nil, 0, s.Solve(params).Alpha))
	fmt.Printf("%.1f\n", mat.Col(nil, 0, s.Componentwise(c).Solve(params).Alpha))
	// Output:
	// [0.5 2.0]
	// [1.0 1.5]
}

func BenchmarkComponentwise(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 1))
	pr := problem{phi: random(rnd, 600, 512), psi: random(rnd, 600, 512), psi2: random(rnd, 600, 512), y: random(rnd, 600, 1)}
	s := pr.system(b)
	c := Components{}
	for g := range 16 {
		c.Phi, c.Psi, c.Kept = append(c.Phi, 32), append(c.Psi, 32), append(c.Kept, []int{g})
	}
	for b.Loop() {
		s.Componentwise(c).Coefficients(b.Context(), []Params{{W: 1, LambdaF: .1, LambdaH: .1}})
	}
}

// coefficients are those of a context that never ends.
func coefficients(t rapid.TB, by *Componentwise, ps ...Params) []*Solution {
	t.Helper()
	all, err := by.Coefficients(context.Background(), ps)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestCancelled: nothing is returned of a path that was not walked to its end.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	pr := crossed()
	by := pr.system(t).Componentwise(Components{Phi: []int{1, 1}, Psi: []int{1, 1}, Kept: [][]int{{0}, {1}}})
	if got, err := by.Coefficients(ctx, []Params{{W: 1, LambdaF: .1}}); got != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("by components %v and error %v, want that of the context", got, err)
	}
	if got, err := RidgePath(ctx, second(pr.moments()), []float64{.1}, true); got != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a path %v and error %v, want that of the context", got, err)
	}
}
