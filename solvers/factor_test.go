package solvers

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/moments"
)

func outer(a *mat.Dense) *mat.SymDense {
	var s mat.SymDense
	s.SymOuterK(1, a)
	return &s
}

func TestFactorOfSingularMatrixIsMinimumNorm(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct{ n, rank int }{{1, 0}, {4, 0}, {5, 2}, {30, 7}, {80, 79}} {
		m := mat.NewSymDense(c.n, nil)
		if c.rank > 0 {
			m = outer(random(rnd, c.n, c.rank))
		}
		for _, lambda := range []float64{0, 1e-16 * mat.Norm(m, 2)} {
			f := NewFactor(m, lambda)
			if lambda == 0 && f.Rank() != c.rank {
				t.Errorf("order %d: rank %d, want %d", c.n, f.Rank(), c.rank)
				continue
			}
			if lambda == 0 && !math.IsInf(f.Cond(), 1) {
				t.Errorf("order %d: condition %g", c.n, f.Cond())
			}
			b := random(rnd, c.n, 2)
			var x, want, pinv mat.Dense
			f.SolveTo(&x, b)
			// The pseudoinverse by singular values, an independent way to the minimum norm.
			var svd mat.SVD
			svd.Factorize(m, mat.SVDFull)
			var u, v mat.Dense
			svd.UTo(&u)
			svd.VTo(&v)
			values := svd.Values(nil)
			d := mat.NewDiagDense(c.n, nil)
			for i := range c.rank {
				d.SetDiag(i, 1/values[i])
			}
			pinv.Product(&v, d, u.T())
			want.Mul(&pinv, b)
			x.Sub(&x, &want)
			// Solutions lose cond digits; the smallest kept eigenvalue of these is above 1e-4 of the
			// largest.
			if e := mat.Norm(&x, 2); e > 1e-8*(1+mat.Norm(&want, 2)) {
				t.Errorf("order %d rank %d lambda %g: off by %g", c.n, c.rank, lambda, e)
			}
		}
	}
}

func TestFactorReportsCondition(t *testing.T) {
	m := mat.NewSymDense(3, []float64{1, 0, 0, 0, 1e-3, 0, 0, 0, 1e-6})
	if c := NewFactor(m, 0).Cond(); math.Abs(c/1e6-1) > 1e-9 {
		t.Errorf("condition %g, want 1e6", c)
	}
	if c := NewFactor(m, 1).Cond(); math.Abs(c-2/(1+1e-6)) > 1e-9 {
		t.Errorf("condition %g, want about 2", c)
	}
}

func TestFactorSolvesInPlace(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, rank := range []int{3, 9} {
		f := NewFactor(outer(random(rnd, 6, rank)), 0)
		b := random(rnd, 6, 2)
		var want mat.Dense
		f.SolveTo(&want, b)
		f.SolveTo(b, b)
		if !mat.Equal(b, &want) {
			t.Errorf("rank %d: other bytes in place", rank)
		}
	}
}

func TestSingularSystemsKeepGoing(t *testing.T) {
	// A column twice: with lambda = 0 its two coefficients share the load equally, which is the
	// minimum norm, and predictions are those without the copy.
	rnd := rand.New(rand.NewPCG(9, 9))
	pr := problem{phi: random(rnd, 20, 2), psi: random(rnd, 20, 2), psi2: random(rnd, 15, 2), y: random(rnd, 15, 1)}
	twice := pr
	twice.phi, twice.psi, twice.psi2 = repeatLast(pr.phi), repeatLast(pr.psi), repeatLast(pr.psi2)
	for _, w := range []float64{1, .5} {
		one, two := pr.solve(t, Params{W: w}, true), twice.solve(t, Params{W: w}, true)
		if two.RankF != 2 || two.RankH != 2 {
			t.Errorf("w=%g: ranks %d and %d, want 2", w, two.RankF, two.RankH)
		}
		for _, c := range [][2]*mat.Dense{{one.Alpha, two.Alpha}, {one.Beta, two.Beta}} {
			half := c[0].At(1, 0) / 2
			if math.Abs(c[1].At(1, 0)-half) > 1e-9 || math.Abs(c[1].At(2, 0)-half) > 1e-9 {
				t.Errorf("w=%g: coefficients %g and %g of a repeated column, want %g each", w, c[1].At(1, 0), c[1].At(2, 0), half)
			}
		}
	}
}

func repeatLast(a *mat.Dense) *mat.Dense {
	n, p := a.Dims()
	b := mat.NewDense(n, p+1, nil)
	b.Slice(0, n, 0, p).(*mat.Dense).Copy(a)
	for i := range n {
		b.Set(i, p, a.At(i, p-1))
	}
	return b
}

func TestNewSystemRefuses(t *testing.T) {
	row := func(left, right byte, p, q int) *moments.CoMoments {
		m := moments.NewCoMoments(moments.ID{left}, moments.ID{right})
		m.Add(mat.NewDense(1, p, nil), mat.NewDense(1, q, nil), nil)
		return m
	}
	for want, pair := range map[string][2]*moments.CoMoments{
		"same map of U": {row(1, 2, 1, 1), row(3, 4, 1, 1)},
		"columns":       {row(1, 2, 1, 1), row(2, 4, 2, 1)},
		"weights":       {moments.NewCoMoments(moments.ID{1}, moments.ID{2}), row(2, 4, 2, 1)},
	} {
		if _, err := NewSystem(pair[0], pair[1], true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one about %q", err, want)
		}
	}
}

func TestParamsCheck(t *testing.T) {
	for want, p := range map[string]Params{
		"w is 0":       {},
		"w is 1.5":     {W: 1.5},
		"at least 1e-": {W: 1e-310},
		"penalty 7":    {W: 1, Penalty: 7},
		"w is NaN":     {W: math.NaN()},
		"paper":        {W: 1, Penalty: Paper},
		"lambda_f":     {W: 1, LambdaF: -1},
		"lambda_h":     {W: 1, LambdaH: math.NaN()},
		"lambda_h is ": {W: 1, LambdaH: math.Inf(1)},
	} {
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one about %q", p, err, want)
		}
	}
	if err := (Params{W: 1}).Check(); err != nil {
		t.Error(err)
	}
}

func TestRidgeIsTwoStepsFirst(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 2))
	pr := problem{phi: random(rnd, 9, 3), psi: random(rnd, 9, 4), psi2: random(rnd, 12, 4), y: random(rnd, 12, 2)}
	_, uy := pr.moments()
	for _, intercept := range []bool{true, false} {
		s := pr.solve(t, Params{W: 1, LambdaF: .1, LambdaH: .2}, intercept)
		l, err := Ridge(uy, .2, intercept)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(l.Coef, s.Beta) {
			t.Errorf("intercept %v: ridge and h of 2Step-RR differ", intercept)
		}
		for j, v := range l.Intercept {
			if v != s.InterceptH[j] {
				t.Errorf("intercept %g, want %g", v, s.InterceptH[j])
			}
		}
	}
	if _, err := Ridge(moments.NewCoMoments(moments.ID{}, moments.ID{}), 1, true); err == nil {
		t.Error("a pair without rows was accepted")
	}
}

func BenchmarkSolve(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 1))
	pr := problem{phi: random(rnd, 1024, 512), psi: random(rnd, 1024, 512), psi2: random(rnd, 1024, 512), y: random(rnd, 1024, 10)}
	xu, uy := pr.moments()
	for _, w := range []float64{1, .5} {
		b.Run("w="+map[float64]string{1: "1", .5: "half"}[w], func(b *testing.B) {
			for b.Loop() {
				s, err := NewSystem(xu, uy, true)
				if err != nil {
					b.Fatal(err)
				}
				s.Solve(Params{W: w, LambdaF: 1e-4, LambdaH: 1e-4})
			}
		})
	}
}

func TestSystemIsACopy(t *testing.T) {
	// Rows that reach the sums later belong to the next System.
	rnd := rand.New(rand.NewPCG(12, 1))
	pr := problem{phi: random(rnd, 9, 3), psi: random(rnd, 9, 4), psi2: random(rnd, 12, 4), y: random(rnd, 12, 2)}
	xu, uy := pr.moments()
	s, err := NewSystem(xu, uy, true)
	if err != nil {
		t.Fatal(err)
	}
	p := Params{W: .5, LambdaF: .1, LambdaH: .1}
	want := pr.solve(t, p, true)
	uy.Add(pr.psi2, pr.psi2.Slice(0, 12, 0, 2).(*mat.Dense), nil)
	xu.Add(pr.phi, pr.psi, nil)
	if d := gap(s.Solve(p), want); d != 0 {
		t.Errorf("later rows change the solution by %g", d)
	}
}

func TestSolveToPanicsOnOtherShapes(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a right side of another height was accepted")
		}
	}()
	NewFactor(mat.NewSymDense(2, nil), 1).SolveTo(new(mat.Dense), mat.NewDense(3, 1, nil))
}

// TestRootTimes: the root of the inverse, of a matrix that has one and of a singular one, times itself is what systems are solved by.
func TestRootTimes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 1))
	const n = 6
	for _, rank := range []int{n, 3} {
		half := random(rnd, n, rank)
		var m mat.SymDense
		m.SymOuterK(1, half)
		f := NewFactor(&m, 0)
		one := mat.NewDense(n, n, nil)
		for i := range n {
			one.Set(i, i, 1)
		}
		var want, got mat.Dense
		f.SolveTo(&want, one)
		root := f.RootTimes(one)
		got.Mul(root, root.T())
		if !mat.EqualApprox(&got, &want, 1e-9*mat.Norm(&want, 2)) {
			t.Errorf("rank %d: the root times itself is %v, want %v", rank, mat.Formatted(&got), mat.Formatted(&want))
		}
	}
}
