package problem_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/features"
	"mediant/internal/problemtest"
	"mediant/problem"
	"mediant/tables"
)

// weightedTables are two tables of one column of U and two outputs, the second of which is missing in some rows, with weights.
func weightedTables(t testing.TB, rnd *rand.Rand, n, m int) (xu, uy tables.Source) {
	t.Helper()
	draw := func(rows int, at float64) []float64 {
		out := make([]float64, rows)
		for i := range out {
			out[i] = rnd.NormFloat64() + at
		}
		return out
	}
	weights := func(rows int) []float64 {
		out := make([]float64, rows)
		for i := range out {
			out[i] = .5 + rnd.Float64()
		}
		return out
	}
	b := draw(m, 0)
	b[m/2] = math.NaN()
	xu, err := tables.FromColumns(tables.Numbers("x", draw(n, 0)), tables.Numbers("u", draw(n, 0)), tables.Numbers("w", weights(n)))
	if err != nil {
		t.Fatal(err)
	}
	uy, err = tables.FromColumns(tables.Numbers("u", draw(m, 0)), tables.Numbers("a", draw(m, 1e3)), tables.Numbers("b", b), tables.Numbers("v", weights(m)))
	if err != nil {
		t.Fatal(err)
	}
	return xu, uy
}

var weightedRoles = tables.RoleOptions{X: []string{"x"}, U: []string{"u"}, Y: []string{"a", "b"}, WeightsXU: "w", WeightsUY: "v"}

// TestNormalEquationsAreThoseOfSums: of random weighted tables, products, right sides, means and deviations of all training sets are those of the sums of the problem and of the problem without each fold.
func TestNormalEquationsAreThoseOfSums(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(r *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1))
		xu, uy := weightedTables(t, rnd, rapid.IntRange(20, 60).Draw(r, "n"), rapid.IntRange(20, 60).Draw(r, "m"))
		spec := features.Spec{Size: 6}
		s := problem.Setup{Phi: spec, Psi: spec, Roles: weightedRoles, Folds: rapid.IntRange(0, 3).Draw(r, "folds"), NoIntercept: rapid.Bool().Draw(r, "no intercept")}
		p := problemtest.Prepared(t, s, xu, uy)
		room := 0.
		if rapid.Bool().Draw(r, "held") {
			room = 1e9
		}
		e, err := p.NormalEquations(ctx, problem.TableUY, p.SidePsi(), p.Y(), false, room)
		if err != nil {
			r.Fatal(err)
		}
		v, got := mat.NewDense(6, 4*e.Sets(), nil), mat.NewDense(6, 4*e.Sets(), nil) // twice the columns of the right side
		for i := range v.RawMatrix().Data {
			v.RawMatrix().Data[i] = rnd.NormFloat64()
		}
		if err := e.MultiplyTo(ctx, got, v); err != nil {
			r.Fatal(err)
		}
		for set := range e.Sets() {
			sums := p.UY()
			if set > 0 {
				without, err := p.Without(set - 1)
				if err != nil {
					r.Fatal(err)
				}
				sums = without.UY()
			}
			var a mat.SymDense
			var cross, product mat.Dense
			var second mat.SymDense
			sums.LeftTo(&a, !s.NoIntercept)
			sums.CrossTo(&cross, !s.NoIntercept)
			sums.RightTo(&second, true)
			for j := range 2 {
				c := 2*set + j
				for _, at := range []int{c, c + 2*e.Sets()} {
					product.Reset()
					product.Mul(&a, v.Slice(0, 6, at, at+1))
					if !mat.EqualApprox(&product, got.Slice(0, 6, at, at+1), 1e-12) {
						r.Fatalf("set %d: product %d differs", set, at)
					}
				}
				// Of b with mean 1e3 sums of squares have a relative error of 1e-16 · 1e6, unless they are centred.
				if !mat.EqualApprox(cross.Slice(0, 6, j, j+1), e.Cross.Slice(0, 6, c, c+1), 1e-11) {
					r.Fatalf("set %d: right side %d differs", set, j)
				}
				if d := math.Abs(math.Sqrt(second.At(j, j)) - e.Deviations[c]); d > 1e-9 {
					r.Fatalf("set %d: deviation %d differs by %g", set, j, d)
				}
				if d := math.Abs(sums.MeanB()[j] - e.MeanRight[c]); !s.NoIntercept && d > 1e-10 {
					r.Fatalf("set %d: mean %d differs by %g", set, j, d)
				}
			}
		}
	})
}

// TestNormalEquationsOfFolds have a right side for each set, and the same bytes for any number of threads, held or read again.
func TestNormalEquationsOfFolds(t *testing.T) {
	ctx := context.Background()
	xu, uy := weightedTables(t, rand.New(rand.NewPCG(1, 1)), 3000, 50)
	spec := features.Spec{Size: 40}
	p := problemtest.Prepared(t, problem.Setup{Phi: spec, Psi: features.Spec{Size: 6}, Roles: weightedRoles, Folds: 2}, xu, uy)
	var want *mat.Dense
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, threads := range []int{1, 3} {
		runtime.GOMAXPROCS(threads)
		for _, room := range []float64{0, 8 * 40 * 2000, 1e9} {
			e, err := p.NormalEquations(ctx, problem.TableXU, p.SidePhi(), p.SidePsi(), true, room) // 6 = 3 sets of 2
			if err != nil {
				t.Fatal(err)
			}
			product := mat.NewDense(40, 6, nil)
			if err := e.MultiplyTo(ctx, product, e.Cross); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = product
			}
			if !mat.Equal(product, want) {
				t.Errorf("%d threads and room for %g bytes: another product", threads, room)
			}
		}
	}
	without, err := p.Without(1)
	if err != nil {
		t.Fatal(err)
	}
	e, err := p.NormalEquations(ctx, problem.TableXU, p.SidePhi(), p.SidePsi(), true, 0)
	if err != nil {
		t.Fatal(err)
	}
	var cross mat.Dense
	without.XU().CrossTo(&cross, true)
	if !mat.EqualApprox(e.Cross.Slice(0, 40, 4, 6), cross.Slice(0, 40, 4, 6), 1e-12) {
		t.Error("the right side of the set without fold 1 is not that of columns 4 and 5")
	}
}

func TestNormalEquationsRefuse(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	xu, uy := weightedTables(t, rand.New(rand.NewPCG(1, 1)), 30, 50)
	p := problemtest.Prepared(t, problem.Setup{Phi: features.Spec{Size: 6}, Psi: features.Spec{Size: 6}, Roles: weightedRoles}, xu, uy)
	e, err := p.NormalEquations(ctx, problem.TableUY, p.SidePsi(), p.Y(), false, 0)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := e.MultiplyTo(ctx, mat.NewDense(6, 2, nil), mat.NewDense(6, 2, nil)); err == nil {
		t.Error("no error of a context that is done")
	}
	if _, err := p.NormalEquations(ctx, problem.TableXU, p.SidePhi(), p.Constant(), false, 0); err == nil {
		t.Error("no error of a context that is done")
	}
	e, err = p.NormalEquations(context.Background(), problem.TableUY, p.SidePsi(), p.Y(), false, 1e9)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.MultiplyTo(ctx, mat.NewDense(6, 2, nil), mat.NewDense(6, 2, nil)); err == nil {
		t.Error("held rows: no error of a context that is done")
	}
}
