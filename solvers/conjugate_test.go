package solvers

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/internal/settingstest"
)

// dense are equations of matrices that are there, M + lambda_j I.
type dense struct {
	m       *mat.SymDense
	lambda  []float64
	inverse func(dst, r *mat.Dense)
	fail    error
	spoil   float64 // added to products
}

func (d dense) MultiplyTo(_ context.Context, dst, v *mat.Dense) error {
	dst.Mul(d.m, v)
	for i := range v.RawMatrix().Rows {
		for j, x := range v.RawRowView(i) {
			dst.Set(i, j, dst.At(i, j)+d.lambda[j]*x+d.spoil)
		}
	}
	return d.fail
}

func (d dense) PreconditionTo(dst, r *mat.Dense) {
	if d.inverse == nil {
		dst.Copy(r)
		return
	}
	d.inverse(dst, r)
}

// rowsOf are n rows of p columns whose standard deviations fall.
func rowsOf(rnd *rand.Rand, n, p int) *mat.Dense {
	a := mat.NewDense(n, p, nil)
	for i := range n {
		for j := range p {
			a.Set(i, j, (rnd.NormFloat64()+.3)*math.Pow(.7, float64(j)))
		}
	}
	return a
}

func momentOf(a *mat.Dense) *mat.SymDense {
	n, p := a.Dims()
	m := mat.NewSymDense(p, nil)
	m.SymOuterK(1/float64(n), a.T())
	return m
}

func ones(k int) []float64 {
	out := make([]float64, k)
	for j := range out {
		out[j] = 1
	}
	return out
}

// TestConjugateByHand: of diag(2, 1) x = (2, 3) from zeros without a preconditioner two steps are exact, and the third product shows it.
func TestConjugateByHand(t *testing.T) {
	x := mat.NewDense(2, 1, nil)
	got, err := Conjugate{}.Solve(context.Background(), dense{m: mat.NewSymDense(2, []float64{2, 0, 0, 1}), lambda: []float64{0}}, x, mat.NewDense(2, 1, []float64{2, 3}), ones(1))
	if err != nil || math.Abs(x.At(0, 0)-1) > 1e-14 || math.Abs(x.At(1, 0)-3) > 1e-14 {
		t.Errorf("x is %v, error %v, want 1 and 3", mat.Formatted(x), err)
	}
	if got.Iterations != 3 || !got.Converged || got.Breakdown != 0 || math.Abs(got.Condition-2) > .01 {
		t.Errorf("convergence is %+v, want 3 iterations and a condition of 2", got)
	}
}

// TestConjugateSolves: random systems with one penalty a column, preconditioned by a sample or not, have the solution of a factorisation to the tolerance that is reported, and a column alone is the same to the bit.
func TestConjugateSolves(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1))
		n, p, k := rapid.IntRange(2, 60).Draw(r, "n"), rapid.IntRange(1, 30).Draw(r, "p"), rapid.IntRange(1, 4).Draw(r, "k")
		a := rowsOf(rnd, n, p)
		eq := dense{m: momentOf(a), lambda: make([]float64, k)}
		for j := range eq.lambda {
			eq.lambda[j] = math.Pow(10, -float64(rapid.IntRange(0, 6).Draw(r, "lambda")))
		}
		sample := mat.DenseCopyOf(a.Slice(0, rapid.IntRange(1, n).Draw(r, "sample"), 0, p))
		inverse := NewSampledInverse(sample, false)
		eq.inverse = func(dst, r *mat.Dense) {
			_, own := r.Dims()
			inverse.ApplyTo(dst, r, eq.lambda[:own])
		}
		b, x := mat.NewDense(p, k, nil), mat.NewDense(p, k, nil)
		targets := mat.NewDense(n, k, nil)
		for i := range targets.RawMatrix().Data {
			targets.RawMatrix().Data[i] = rnd.NormFloat64()
		}
		b.Mul(a.T(), targets)
		b.Scale(1/float64(n), b)
		deviations := ones(k)
		got, err := Conjugate{}.Solve(context.Background(), eq, x, b, deviations)
		if err != nil || !got.Converged || got.Breakdown != 0 {
			r.Fatalf("%+v, error %v", got, err)
		}
		for j := range k {
			var want, gap, predicted mat.VecDense
			f := NewFactor(eq.m, eq.lambda[j])
			own := mat.NewDense(p, 1, mat.Col(nil, j, b))
			f.SolveTo(own, own)
			want.CloneFromVec(own.ColView(0))
			gap.SubVec(x.ColView(j), &want)
			predicted.MulVec(a, &gap)
			// The estimate is by the least eigenvalue that was seen, which is above the least one: twice the tolerance leaves room for a factor of 4.
			if off := mat.Norm(&predicted, 2) / math.Sqrt(float64(n)); off > 2e-7 {
				r.Fatalf("predictions of column %d are off by %g, said is %g", j, off, got.Off)
			}
		}
		alone := mat.NewDense(p, 1, nil)
		first := mat.DenseCopyOf(b.Slice(0, p, 0, 1))
		if _, err := (Conjugate{}).Solve(context.Background(), eq, alone, first, deviations[:1]); err != nil || !mat.Equal(alone, x.Slice(0, p, 0, 1)) {
			r.Fatalf("the first column alone is another one, error %v", err)
		}
	})
}

// TestConjugateReports what goes wrong: products that are not of a positive semidefinite matrix, too few iterations, and errors.
func TestConjugateReports(t *testing.T) {
	ctx := context.Background()
	b := mat.NewDense(3, 1, []float64{1, 2, 3})
	solve := func(c Conjugate, eq Equations) (Convergence, error) {
		return c.Solve(ctx, eq, mat.NewDense(3, 1, nil), b, ones(1))
	}
	negative := dense{m: mat.NewSymDense(3, []float64{-1, 0, 0, 0, -1, 0, 0, 0, -1}), lambda: []float64{0}}
	if got, err := solve(Conjugate{}, negative); err != nil || got.Breakdown != 1 || got.Converged {
		t.Errorf("of a negative matrix: %+v, %v, want a breakdown at 1", got, err)
	}
	if got, err := solve(Conjugate{}, dense{m: mat.NewSymDense(3, nil), lambda: []float64{1}, spoil: math.NaN()}); err != nil || got.Breakdown != 1 || got.Converged {
		t.Errorf("of NaN: %+v, %v, want a breakdown at 1", got, err)
	}
	hilbert := mat.NewSymDense(3, []float64{1, 1. / 2, 1. / 3, 1. / 2, 1. / 3, 1. / 4, 1. / 3, 1. / 4, 1. / 5})
	if got, err := solve(Conjugate{MaxIterations: 2}, dense{m: hilbert, lambda: []float64{0}}); err != nil || got.Converged || got.Iterations != 2 || got.Off < 1e-3 {
		t.Errorf("of 2 iterations: %+v, %v", got, err)
	}
	broken := errors.New("broken")
	if _, err := solve(Conjugate{}, dense{m: hilbert, lambda: []float64{0}, fail: broken}); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the product", err)
	}
	zero := Conjugate{}
	if got, err := zero.Solve(ctx, negative, mat.NewDense(3, 1, nil), b, []float64{0}); err != nil || got.Iterations != 0 || !got.Converged {
		t.Errorf("of an output that does not vary: %+v, %v", got, err)
	}
}

func TestConjugateOutOfRange(t *testing.T) {
	settingstest.Run(t, settingstest.Case[Conjugate]{
		Fields: map[string][]any{"Tolerance": {-1., math.NaN()}, "MaxIterations": {-1}},
		Use:    Conjugate.Validate,
	})
}

// TestTridiagonalFindsEigenvalues of a matrix by those of gonum.
func TestTridiagonalFindsEigenvalues(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	var of tridiagonal
	steps, ratios := make([]float64, 8), make([]float64, 8)
	for i := range steps {
		steps[i], ratios[i] = .5+rnd.Float64(), rnd.Float64()
		of.add(steps[i], ratios[i])
	}
	full := mat.NewSymDense(8, nil)
	for i := range steps {
		d := 1 / steps[i]
		if i > 0 {
			d += ratios[i-1] / steps[i-1]
			full.SetSym(i-1, i, math.Sqrt(ratios[i-1])/steps[i-1])
		}
		full.SetSym(i, i, d)
	}
	var eig mat.EigenSym
	eig.Factorize(full, false)
	values := eig.Values(nil)
	least, largest := of.extremes()
	if math.Abs(least/values[0]-1) > .002 || math.Abs(largest/values[7]-1) > .002 {
		t.Errorf("extremes are %g and %g, want %g and %g", least, largest, values[0], values[7])
	}
}

// TestSampledInverseIsInverse: of all rows the preconditioner is the inverse.
func TestSampledInverseIsInverse(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 1))
	const n, p = 40, 8
	a := rowsOf(rnd, n, p)
	r, got, back := rowsOf(rnd, p, 3), new(mat.Dense), new(mat.Dense)
	lambda := []float64{.1, .1, 1e-3}
	centred := mat.DenseCopyOf(a)
	NewSampledInverse(a, true).ApplyTo(got, r, lambda)
	centreScaled(centred, true)
	moment := mat.NewSymDense(p, nil)
	moment.SymOuterK(1, centred.T())
	eq := dense{m: moment, lambda: lambda}
	back.ReuseAs(p, 3)
	_ = eq.MultiplyTo(context.Background(), back, got)
	if !mat.EqualApprox(back, r, 1e-10) {
		t.Errorf("P P⁻¹r differs from r: %v", mat.Formatted(back))
	}
}

func BenchmarkConjugate(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 1))
	a := rowsOf(rnd, 1000, 200)
	eq := dense{m: momentOf(a), lambda: make([]float64, 4)}
	right := rowsOf(rnd, 200, 4)
	for j := range eq.lambda {
		eq.lambda[j] = 1e-2
	}
	for b.Loop() {
		if _, err := (Conjugate{}).Solve(context.Background(), eq, mat.NewDense(200, 4, nil), right, ones(4)); err != nil {
			b.Fatal(err)
		}
	}
}
