package moments

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// A sample is rows of both sides with their weights (nil: all 1).
type sample struct {
	a, b    *mat.Dense
	weights []float64
	mean    float64 // of each column
}

// drawSample draws n rows of p and q columns, with means up to 1e4 from 0.
func drawSample(t *rapid.T, n, p, q int) sample {
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	offset := rapid.SampledFrom([]float64{0, 1, 1e4}).Draw(t, "offset")
	fill := func(c int) *mat.Dense {
		d := mat.NewDense(n, c, nil)
		for i := range d.RawMatrix().Data {
			d.RawMatrix().Data[i] = offset + rnd.NormFloat64()
		}
		return d
	}
	s := sample{a: fill(p), b: fill(q), mean: offset}
	if rapid.Bool().Draw(t, "weighted") {
		s.weights = make([]float64, n)
		for i := range s.weights {
			s.weights[i] = max(0, rnd.Float64()*3-.5)
		}
	}
	return s
}

func (s sample) rows(lo, hi int) *CoMoments {
	m := NewCoMoments(ID{1}, ID{2})
	if lo == hi {
		return m
	}
	var w []float64
	if s.weights != nil {
		w = s.weights[lo:hi]
	}
	_, p := s.a.Dims()
	_, q := s.b.Dims()
	m.Add(s.a.Slice(lo, hi, 0, p).(*mat.Dense), s.b.Slice(lo, hi, 0, q).(*mat.Dense), w)
	return m
}

// slow returns the weighted mean of (a-ā)(b-b̄)', or of ab', by definition.
func slow(a, b *mat.Dense, weights []float64, centred bool) *mat.Dense {
	n, p := a.Dims()
	_, q := b.Dims()
	w := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	total, ma, mb := 0.0, make([]float64, p), make([]float64, q)
	for i := range n {
		total += w(i)
	}
	if centred {
		for i := range n {
			for j := range p {
				ma[j] += w(i) * a.At(i, j) / total
			}
			for j := range q {
				mb[j] += w(i) * b.At(i, j) / total
			}
		}
	}
	out := mat.NewDense(p, q, nil)
	for i := range n {
		for j := range p {
			for l := range q {
				out.Set(j, l, out.At(j, l)+w(i)*(a.At(i, j)-ma[j])*(b.At(i, l)-mb[l])/total)
			}
		}
	}
	return out
}

// far returns the largest difference of two matrices.
func far(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return mat.Max(absolute(&d))
}

func absolute(d *mat.Dense) *mat.Dense {
	d.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, d)
	return d
}

// tolerance bounds the rounding of n centred products of size 1 whose means are up to 1e4: a mean
// of size 1e4 is off by n·eps·1e4, its square and its product with a residual of size 1 follow.
func tolerance(n int, mean float64) float64 {
	e := 0x1p-52 * float64(n+8)
	return 20 * (e + e*e*mean*mean + e*mean)
}

func TestMomentsAreTheirDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		s := drawSample(t, n, rapid.IntRange(1, 6).Draw(t, "p"), rapid.IntRange(1, 5).Draw(t, "q"))
		m := NewCoMoments(ID{1}, ID{2})
		for lo := 0; lo < n; { // blocks of drawn lengths
			hi := min(n, lo+rapid.IntRange(1, 20).Draw(t, "block"))
			_, p := s.a.Dims()
			_, q := s.b.Dims()
			var w []float64
			if s.weights != nil {
				w = s.weights[lo:hi]
			}
			m.Add(s.a.Slice(lo, hi, 0, p).(*mat.Dense), s.b.Slice(lo, hi, 0, q).(*mat.Dense), w)
			lo = hi
		}
		if m.Rows() != n {
			t.Fatalf("%d rows, want %d", m.Rows(), n)
		}
		if m.Weight() == 0 {
			return
		}
		for _, centred := range []bool{true, false} {
			var aa, bb mat.SymDense
			var ab mat.Dense
			m.LeftTo(&aa, centred)
			m.CrossTo(&ab, centred)
			m.RightTo(&bb, centred)
			tol := tolerance(n, 1e4)
			if !centred {
				tol = 1e-14 * 1e8 * float64(n+8) // entries are up to 1e8
			}
			for _, c := range []struct {
				name string
				got  mat.Matrix
				want *mat.Dense
			}{{"left", &aa, slow(s.a, s.a, s.weights, centred)}, {"cross", &ab, slow(s.a, s.b, s.weights, centred)}, {"right", &bb, slow(s.b, s.b, s.weights, centred)}} {
				if d := far(c.got, c.want); d > tol {
					t.Errorf("%s, centred %v: off by %g, tolerance %g", c.name, centred, d, tol)
				}
			}
		}
	})
}

func TestMergeIsAddition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		s := drawSample(t, n, 4, 3)
		i := rapid.IntRange(0, n).Draw(t, "first cut")
		j := rapid.IntRange(i, n).Draw(t, "second cut")
		got, err := Sum(s.rows(0, i), s.rows(i, j), s.rows(j, n))
		if err != nil {
			t.Fatal(err)
		}
		want := s.rows(0, n)
		if got.Rows() != n || math.Abs(got.Weight()-want.Weight()) > 1e-12*want.Weight() {
			t.Fatalf("%d rows of weight %g, want %d and %g", got.Rows(), got.Weight(), n, want.Weight())
		}
		if want.Weight() == 0 {
			return
		}
		tol := tolerance(n, 1e4) * float64(n)
		for _, c := range [][2]mat.Matrix{{got.aa, want.aa}, {got.ab, want.ab}, {got.bb, want.bb}} {
			if d := far(c[0], c[1]); d > tol {
				t.Errorf("merged sums differ by %g, tolerance %g", d, tol)
			}
		}
	})
}

// TestOthers: the sums of all parts but one are bit by bit what Sum gives, also of parts without rows, and a part of another width is refused.
func TestOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		s := drawSample(t, n, 70, 3)
		parts := []*CoMoments{s.rows(0, 0)}
		for lo := 0; lo < n; {
			hi := rapid.IntRange(lo, n).Draw(t, "cut")
			parts = append(parts, s.rows(lo, hi))
			lo = max(lo+1, hi)
		}
		got, err := Others(parts)
		if err != nil {
			t.Fatal(err)
		}
		for k, sum := range got {
			want, err := Sum(Without(parts, k)...)
			if err != nil {
				t.Fatal(err)
			}
			if sum.Rows() != want.Rows() || sum.Weight() != want.Weight() || !slices.Equal(sum.MeanA(), want.MeanA()) || !slices.Equal(sum.MeanB(), want.MeanB()) {
				t.Fatalf("without part %d: %d rows of weight %g, want %d and %g, or other means", k, sum.Rows(), sum.Weight(), want.Rows(), want.Weight())
			}
			if want.aa != nil && !(mat.Equal(sum.aa, want.aa) && mat.Equal(sum.ab, want.ab) && mat.Equal(sum.bb, want.bb)) {
				t.Errorf("without part %d the sums are not those of Sum", k)
			}
		}
	})
	one, other := NewCoMoments(ID{}, ID{}), NewCoMoments(ID{}, ID{})
	one.Add(mat.NewDense(1, 2, nil), mat.NewDense(1, 1, nil), nil)
	other.Add(mat.NewDense(1, 3, nil), mat.NewDense(1, 1, nil), nil)
	if _, err := Others([]*CoMoments{one, other, NewCoMoments(ID{}, ID{})}); err == nil {
		t.Error("parts of two widths are summed")
	}
}

func TestMergeKeepsDigitsOfTheSmallFold(t *testing.T) {
	// A fold with values 1e6 times larger, left out by summing the others, must leave no trace.
	rnd := rand.New(rand.NewPCG(1, 2))
	fold := func(scale float64) *CoMoments {
		a := mat.NewDense(50, 3, nil)
		for i := range a.RawMatrix().Data {
			a.RawMatrix().Data[i] = scale * rnd.NormFloat64()
		}
		m := NewCoMoments(ID{}, ID{})
		m.Add(a, a, nil)
		return m
	}
	small, other, large := fold(1), fold(1), fold(1e6)
	all, _ := Sum(small, other, large)
	others, err := Sum(small, other)
	if err != nil {
		t.Fatal(err)
	}
	if others.aa.At(0, 0) > 1e3 || all.aa.At(0, 0) < 1e12 {
		t.Errorf("sums are %g without and %g with the large fold", others.aa.At(0, 0), all.aa.At(0, 0))
	}
	again, _ := Sum(small, other)
	if !mat.Equal(again.aa, others.aa) {
		t.Error("the same folds sum to other bytes")
	}
}

func TestMergeRefuses(t *testing.T) {
	one := func(left, right ID, p, q int) *CoMoments {
		m := NewCoMoments(left, right)
		m.Add(mat.NewDense(1, p, nil), mat.NewDense(1, q, nil), nil)
		return m
	}
	m := one(ID{1}, ID{2}, 2, 2)
	before := encode(t, m)
	for name, o := range map[string]*CoMoments{
		"left identity":  one(ID{3}, ID{2}, 2, 2),
		"right identity": one(ID{1}, ID{3}, 2, 2),
		"left width":     one(ID{1}, ID{2}, 3, 2),
		"right width":    one(ID{1}, ID{2}, 2, 1),
	} {
		if err := m.Merge(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if !bytes.Equal(before, encode(t, m)) {
		t.Error("a refused merge changed the sums")
	}
}

func TestAddPanics(t *testing.T) {
	for name, add := range map[string]func(m *CoMoments){
		"rows":       func(m *CoMoments) { m.Add(mat.NewDense(2, 1, nil), mat.NewDense(3, 1, nil), nil) },
		"weights":    func(m *CoMoments) { m.Add(mat.NewDense(2, 1, nil), mat.NewDense(2, 1, nil), []float64{1}) },
		"negative":   func(m *CoMoments) { m.Add(mat.NewDense(1, 1, nil), mat.NewDense(1, 1, nil), []float64{-1}) },
		"not finite": func(m *CoMoments) { m.Add(mat.NewDense(1, 1, nil), mat.NewDense(1, 1, nil), []float64{math.NaN()}) },
		"width": func(m *CoMoments) {
			m.Add(mat.NewDense(1, 1, nil), mat.NewDense(1, 1, nil), nil)
			m.Add(mat.NewDense(1, 2, nil), mat.NewDense(1, 1, nil), nil)
		},
		"empty": func(m *CoMoments) { m.LeftTo(new(mat.SymDense), true) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			add(NewCoMoments(ID{}, ID{}))
		})
	}
}

func TestAddAllocatesNothing(t *testing.T) {
	if raced {
		t.Skip("the race detector makes pools allocate")
	}
	a, b := mat.NewDense(100, 8, nil), mat.NewDense(100, 5, nil)
	weights := make([]float64, 100)
	weights[0] = 1
	for _, arithmetic := range []Arithmetic{Float64, Mixed} {
		m := arithmetic.NewCoMoments(ID{}, ID{})
		m.Add(a, b, weights)
		if n := testing.AllocsPerRun(10, func() { m.Add(a, b, weights) }); n > 0 {
			t.Errorf("%s: %g allocations a block", arithmetic, n)
		}
	}
}

func ExampleCoMoments() {
	morning, evening := NewCoMoments(ID{}, ID{}), NewCoMoments(ID{}, ID{})
	morning.Add(mat.NewDense(2, 1, []float64{1, 2}), mat.NewDense(2, 1, []float64{10, 20}), nil)
	evening.Add(mat.NewDense(1, 1, []float64{3}), mat.NewDense(1, 1, []float64{30}), nil)
	if err := morning.Merge(evening); err != nil {
		panic(err)
	}
	var cross mat.Dense
	morning.CrossTo(&cross, true)
	fmt.Printf("%d rows, means %g and %g, covariance %.4f\n", morning.Rows(), morning.MeanA()[0], morning.MeanB()[0], cross.At(0, 0))
	// Output: 3 rows, means 2 and 20, covariance 6.6667
}

func BenchmarkAdd(b *testing.B) {
	a := mat.NewDense(1024, 512, nil)
	m := NewCoMoments(ID{}, ID{})
	for b.Loop() {
		m.Add(a, a, nil)
	}
}
