package moments

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// rawOf sums products about 0, one by one.
func rawOf(a, b *mat.Dense, weights []float64) Raw {
	n, p := a.Dims()
	_, q := b.Dims()
	r := Raw{Rows: n, A: make([]float64, p), B: make([]float64, q), AA: mat.NewSymDense(p, nil), BB: mat.NewSymDense(q, nil), AB: mat.NewDense(p, q, nil)}
	for i := range n {
		w := weights[i]
		r.Weight += w
		for j := range p {
			r.A[j] += w * a.At(i, j)
			for k := j; k < p; k++ {
				r.AA.SetSym(j, k, r.AA.At(j, k)+w*a.At(i, j)*a.At(i, k))
			}
			for k := range q {
				r.AB.Set(j, k, r.AB.At(j, k)+w*a.At(i, j)*b.At(i, k))
			}
		}
		for j := range q {
			r.B[j] += w * b.At(i, j)
			for k := j; k < q; k++ {
				r.BB.SetSym(j, k, r.BB.At(j, k)+w*b.At(i, j)*b.At(i, k))
			}
		}
	}
	return r
}

// TestFromRaw: raw sums give the co-moments of the rows. Columns are of size 10 at most, so that 50 rows lose 50·100·eps or so.
func TestFromRaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, p, q := rapid.IntRange(1, 50).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "p"), rapid.IntRange(1, 4).Draw(t, "q")
		s := drawSample(t, n, p, q)
		size := 0.
		for _, m := range []*mat.Dense{s.a, s.b} {
			for _, v := range m.RawMatrix().Data {
				size = max(size, math.Abs(v))
			}
		}
		weights := make([]float64, n)
		for i := range weights {
			weights[i] = float64(1 + i%3)
		}
		want := NewCoMoments(ID{1}, ID{2})
		want.Add(s.a, s.b, weights)
		centred := mat.DenseCopyOf(s.b)
		centre := make([]float64, q)
		for j := range centre {
			centre[j] = float64(j)
			for i := range n {
				centred.Set(i, j, centred.At(i, j)-centre[j])
			}
		}
		raw := rawOf(s.a, centred, weights)
		raw.CentreB = centre
		got := FromRaw(ID{1}, ID{2}, raw)
		if got.Left() != want.Left() || got.Right() != want.Right() {
			t.Fatal("other identities")
		}
		if d := differ(got, want); d > 1e-13*float64(n)*(1+size*size) {
			t.Fatalf("sums differ by %g", d)
		}
	})
}

func TestFromRawPanics(t *testing.T) {
	one := mat.NewDense(1, 1, []float64{1})
	for name, spoil := range map[string]func(*Raw){
		"no weight":   func(r *Raw) { r.Weight = 0 },
		"other AB":    func(r *Raw) { r.AB = mat.NewDense(2, 1, nil) },
		"other AA":    func(r *Raw) { r.AA = mat.NewSymDense(2, nil) },
		"other BB":    func(r *Raw) { r.BB = mat.NewSymDense(2, nil) },
		"not a count": func(r *Raw) { r.Weight = math.NaN() },
	} {
		r := rawOf(one, one, []float64{1})
		spoil(&r)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", name)
				}
			}()
			FromRaw(ID{}, ID{}, r)
		}()
	}
}

func TestPlusDiagonal(t *testing.T) {
	a, b := mat.NewDense(3, 2, []float64{1, 2, 3, 5, 4, 1}), mat.NewDense(3, 1, []float64{1, 0, 2})
	m := NewCoMoments(ID{1}, ID{2})
	m.Add(a, b, nil)
	more := m.PlusDiagonal(3, 6)
	var before, after mat.SymDense
	m.LeftTo(&before, true)
	more.LeftTo(&after, true)
	for i := range 2 {
		for j := range 2 {
			want := before.At(i, j)
			if i == j {
				want++ // 3 over 3 rows
			}
			if after.At(i, j) != want {
				t.Errorf("element %d, %d is %g, want %g", i, j, after.At(i, j), want)
			}
		}
	}
	var rightBefore, rightAfter mat.SymDense
	m.RightTo(&rightBefore, true)
	more.RightTo(&rightAfter, true)
	if math.Abs(rightAfter.At(0, 0)-rightBefore.At(0, 0)-2) > 1e-15 {
		t.Errorf("right %g and %g", rightBefore.At(0, 0), rightAfter.At(0, 0))
	}
	if more.Rows() != 3 || more.Weight() != 3 || more.Left() != m.Left() || more.Right() != m.Right() || &more.MeanA()[0] != &m.MeanA()[0] {
		t.Error("something else has changed")
	}
}

// TestTotalsBelowZero: a sum of squares that noise has made negative stays so, and one that rounding has made negative is 0.
func TestTotalsBelowZero(t *testing.T) {
	grid := &Grid{[]float64{0}, []float64{0}, []int{0}, []int{0}}
	raw := func() *Total {
		return NewTotal(grid, FromRaw(ID{}, ID{}, Raw{Rows: 4, Weight: 4, A: []float64{1}, B: []float64{2}, AA: mat.NewSymDense(1, []float64{-3}), BB: mat.NewSymDense(1, []float64{1}), AB: mat.NewDense(1, 1, nil)}))
	}
	sum, err := raw().Plus(raw())
	if err != nil {
		t.Fatal(err)
	}
	var left, right mat.SymDense
	sum.CoMoments().LeftTo(&left, false)
	sum.CoMoments().RightTo(&right, true)
	if left.At(0, 0) != -.75 || right.At(0, 0) != 0 { // 1 - 2²/4 about the mean
		t.Errorf("%g and %g, want -0.75 and 0", left.At(0, 0), right.At(0, 0))
	}
	if notNegative(-1e-15, 1) != 0 || notNegative(-1e-10, 1) != -1e-10 || notNegative(2, 3) != 2 {
		t.Error("rounding is taken for noise")
	}
}
