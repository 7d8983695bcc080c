package crossfit

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/moments"
)

// noisy is raw sums of rows of S with noise n in each of several folds: a has the mean first in its first column and nothing else, b likewise, so that co-moments are the noise alone.
func noisy(rnd *rand.Rand, p, q, folds int, first float64, n Noise) *moments.CoMoments {
	const weight = 1e9
	raw := moments.Raw{Rows: weight, Weight: weight, A: make([]float64, p), B: make([]float64, q), AA: mat.NewSymDense(p, nil), BB: mat.NewSymDense(q, nil), AB: mat.NewDense(p, q, nil)}
	raw.A[0], raw.B[0] = weight*first, weight*first
	raw.AA.SetSym(0, 0, weight*first*first)
	raw.BB.SetSym(0, 0, weight*first*first)
	raw.AB.Set(0, 0, weight*first*first)
	root := math.Sqrt(float64(folds))
	side := func(sums []float64, squares *mat.SymDense, of SideNoise) {
		for i := range sums {
			sums[i] += root * of.First * rnd.NormFloat64()
			for j := i; j < len(sums); j++ {
				deviation := of.Second
				if i != j {
					deviation /= math.Sqrt2
				}
				squares.SetSym(i, j, squares.At(i, j)+root*deviation*rnd.NormFloat64())
			}
		}
	}
	side(raw.A, raw.AA, n.Left)
	side(raw.B, raw.BB, n.Right)
	for i := range p {
		for j := range q {
			raw.AB.Set(i, j, raw.AB.At(i, j)+root*math.Sqrt(n.Left.Second*n.Right.Second/2)*rnd.NormFloat64())
		}
	}
	return moments.FromRaw(moments.ID{1}, moments.ID{2}, raw)
}

// leastEigenvalue of the matrix of products of both sides.
func leastEigenvalue(m *moments.CoMoments) float64 {
	p, q := m.Dims()
	var a, b mat.SymDense
	var ab mat.Dense
	m.LeftTo(&a, true)
	m.RightTo(&b, true)
	m.CrossTo(&ab, true)
	all := mat.NewSymDense(p+q, nil)
	for i := range p {
		for j := i; j < p; j++ {
			all.SetSym(i, j, a.At(i, j))
		}
		for j := range q {
			all.SetSym(i, p+j, ab.At(i, j))
		}
	}
	for i := range q {
		for j := i; j < q; j++ {
			all.SetSym(p+i, p+j, b.At(i, j))
		}
	}
	var eigen mat.EigenSym
	eigen.Factorize(all, false)
	return eigen.Values(nil)[0]
}

// TestFloorExceedsTheNoise: with the floor the products of both sides are positive definite, and with half of it they are not. A draw fails with a probability of exp(-25/2) where the mean is 0, and
// the seed is fixed.
func TestFloorExceedsTheNoise(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	side := SideNoise{First: 2, Second: 3, Norm: 1}
	n := Noise{side, side}
	for _, c := range []struct {
		p, q, folds int
		first       float64
	}{{1, 1, 1, 0}, {3, 2, 4, 0}, {20, 30, 5, 0}, {20, 30, 4, 1}, {40, 20, 1, .5}, {60, 60, 4, 1}} {
		below := 0
		for range 20 {
			m := noisy(rnd, c.p, c.q, c.folds, c.first, n)
			if least := leastEigenvalue(n.Solvable(m, c.folds)); !(least > 0) {
				t.Errorf("%+v: the least eigenvalue is %g", c, least)
			}
			left, right := n.Floor(m, c.folds)
			if leastEigenvalue(m.PlusDiagonal(left/2, right/2)) < 0 {
				below++
			}
		}
		if c.p >= 20 && below == 0 {
			t.Errorf("%+v: half of the floor is enough in 20 of 20 draws", c)
		}
	}
}

// TestFloorOfManyFeatures: where features are many and their mean is long, the noise of Σa counts, as that of private sums is, and the mean counts as no longer than a feature vector can be.
func TestFloorOfManyFeatures(t *testing.T) {
	n := Noise{Left: SideNoise{First: 3 * math.Sqrt2, Second: 3, Norm: 1}}
	rnd := rand.New(rand.NewPCG(1, 2))
	m := noisy(rnd, 400, 1, 1, 1, n)
	var a mat.SymDense
	n.Solvable(m, 1).LeftTo(&a, true)
	var eigen mat.EigenSym
	eigen.Factorize(&a, false)
	if least := eigen.Values(nil)[0]; !(least > 0) {
		t.Errorf("the least eigenvalue is %g", least)
	}
	at, _ := n.Floor(m, 1)
	if beyond, _ := n.Floor(noisy(rnd, 400, 1, 1, 50, n), 1); math.Abs(beyond-at) > 1e-6*at {
		t.Errorf("the floor is %g at the bound of the norm and %g beyond", at, beyond)
	}
}

// TestFloorOfYIsNone: nothing is solved of Y, which is no part of the order either.
func TestFloorOfYIsNone(t *testing.T) {
	n := Noise{Left: SideNoise{First: 0, Second: 3, Norm: 1}}
	m := noisy(rand.New(rand.NewPCG(1, 2)), 4, 7, 1, 0, Noise{})
	left, right := n.Floor(m, 9)
	if want := 3 * 3 * (math.Sqrt(8) + 5); math.Abs(left-want) > 1e-12*want || right != 0 {
		t.Errorf("%g and %g, want %g and 0", left, right, want)
	}
}

// TestSplitsOfNoise: training sets have the floor of their folds, held-out sets a standard deviation, and sums without noise stay what they are.
func TestSplitsOfNoise(t *testing.T) {
	n := Noise{Left: SideNoise{First: 1, Second: 2, Norm: 1}, Right: SideNoise{First: 1, Second: 4, Norm: 1}}
	rnd := rand.New(rand.NewPCG(1, 2))
	var folds []*moments.CoMoments
	for range 3 {
		folds = append(folds, noisy(rnd, 2, 2, 1, .5, n))
	}
	plain, err := Splitter{}.Split(t.Context(), folds)
	if err != nil {
		t.Fatal(err)
	}
	with, err := Splitter{Noise: map[[2]moments.ID]Noise{{{1}, {2}}: n}}.Split(t.Context(), folds)
	if err != nil {
		t.Fatal(err)
	}
	diagonal := func(m *moments.CoMoments) (left, right float64) {
		var a, b mat.SymDense
		m.LeftTo(&a, true)
		m.RightTo(&b, true)
		return a.At(1, 1) * m.Weight(), b.At(1, 1) * m.Weight()
	}
	for k := range folds {
		if plain.Held[k] != folds[k] {
			t.Error("sums without noise are not what they were")
		}
		wantLeft, wantRight := n.Floor(plain.Train[k], 2)
		for _, c := range []struct {
			plain, with *moments.CoMoments
			left, right float64
		}{{plain.Train[k], with.Train[k], wantLeft, wantRight}, {plain.Held[k], with.Held[k], 2, 4}} {
			left, right := diagonal(c.plain)
			moreLeft, moreRight := diagonal(c.with)
			// The products are of size 1e9·eps.
			if math.Abs(moreLeft-left-c.left) > 1e-6 || math.Abs(moreRight-right-c.right) > 1e-6 {
				t.Errorf("fold %d: %g and %g more, want %g and %g", k, moreLeft-left, moreRight-right, c.left, c.right)
			}
		}
	}
	one, err := Splitter{Noise: map[[2]moments.ID]Noise{{{1}, {2}}: n}}.SplitOrWhole(t.Context(), folds[:1])
	if err != nil {
		t.Fatal(err)
	}
	left, _ := diagonal(folds[0])
	if more, _ := diagonal(one.Train[0]); more < left+10 || one.Held[0] != folds[0] {
		t.Error("a single fold has no floor")
	}
}
