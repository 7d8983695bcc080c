package moments

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// in sums rows in blocks of at most so many.
func (s sample) in(a Arithmetic, block int) *CoMoments {
	m := a.NewCoMoments(ID{1}, ID{2})
	n, p := s.a.Dims()
	_, q := s.b.Dims()
	for lo := 0; lo < n; lo += block {
		hi := min(n, lo+block)
		var w []float64
		if s.weights != nil {
			w = s.weights[lo:hi]
		}
		m.Add(s.a.Slice(lo, hi, 0, p).(*mat.Dense), s.b.Slice(lo, hi, 0, q).(*mat.Dense), w)
	}
	return m
}

// relative returns the errors of elements of Saa, Sab and Sbb relative to the roots of their diagonals, and those of the spectral norms of Saa and Sbb
// to their traces.
func relative(got, want *CoMoments) (elements, norms []float64) {
	p, q := want.Dims()
	element := func(got, want, left, right float64) {
		if size := math.Sqrt(left * right); size > 0 {
			elements = append(elements, math.Abs(got-want)/size)
		}
	}
	symmetric := func(got, want *mat.SymDense) {
		d := mat.NewSymDense(want.SymmetricDim(), nil)
		for i := range want.SymmetricDim() {
			for j := i; j < want.SymmetricDim(); j++ {
				element(got.At(i, j), want.At(i, j), want.At(i, i), want.At(j, j))
				d.SetSym(i, j, got.At(i, j)-want.At(i, j))
			}
		}
		var values mat.EigenSym
		values.Factorize(d, false)
		of := values.Values(nil)
		if trace := mat.Trace(want); trace > 0 {
			norms = append(norms, max(-of[0], of[len(of)-1])/trace)
		}
	}
	symmetric(got.aa, want.aa)
	symmetric(got.bb, want.bb)
	for i := range p {
		for j := range q {
			element(got.ab.At(i, j), want.ab.At(i, j), want.aa.At(i, i), want.bb.At(j, j))
		}
	}
	return elements, norms
}

// inFloat64 bounds the errors of sums in float64, of which those in mixed arithmetic have the means: n additions, and means of 1e4
// standard deviations.
func inFloat64(n int) float64 { return 1e4 * float64(n+8) * 0x1p-53 }

func TestMixedSumsAreWithinTheirErrors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 600).Draw(t, "n")
		s := drawSample(t, n, rapid.IntRange(1, 5).Draw(t, "p"), rapid.IntRange(1, 4).Draw(t, "q"))
		// Columns in units of their own, which float32s of other units could not hold.
		for j, unit := range []float64{1, 1e-30, 1e30} {
			if _, p := s.a.Dims(); j < p {
				column := mat.Col(nil, j, s.a)
				floats.Scale(unit, column)
				s.a.SetCol(j, column)
			}
		}
		worst, _ := MixedErrors(n)
		got, want := s.in(Mixed, rapid.IntRange(1, 600).Draw(t, "block")), s.in(Float64, n)
		elements, norms := relative(got, want)
		for _, e := range append(elements, norms...) {
			if !(e <= worst+inFloat64(n)) {
				t.Fatalf("%d rows: an error of %g, at most %g", n, e, worst)
			}
		}
		if d := floats.Distance(got.MeanA(), want.MeanA(), math.Inf(1)); d > inFloat64(n)*floats.Norm(want.MeanA(), math.Inf(1)) {
			t.Errorf("means differ by %g", d)
		}
	})
}

// TestWorstMixedErrorIsNear: of values whose squares are a little above 1, sums of more than 2^k of which drop what is above, all roundings go down. Columns of
// two signs have the same squares.
func TestWorstMixedErrorIsNear(t *testing.T) {
	const n = 2048
	s := sample{a: mat.NewDense(n, 2, nil), b: mat.NewDense(n, 1, nil)}
	for i := range n {
		v := math.Sqrt(1 + 0x1.fcp-18)
		s.a.Set(i, 0, v*float64(1-2*(i%2)))
		s.a.Set(i, 1, v*float64(1-2*(i/2%2)))
		s.b.Set(i, 0, float64(i))
	}
	worst, _ := MixedErrors(n)
	elements, norms := relative(s.in(Mixed, n), s.in(Float64, n))
	if e := elements[0]; !(e <= worst && e >= worst/10) {
		t.Errorf("an error of %g, want it between a tenth of %g and that", e, worst)
	}
	if e := norms[0]; !(e <= worst && e >= worst/20) {
		t.Errorf("norm of the error %g of the trace, want it between a 20th of %g and that", e, worst)
	}
}

// TestTypicalMixedErrors: of random rows errors are below the bound on their root mean square, and not far below.
func TestTypicalMixedErrors(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{100, 256, 5000} {
		s := sample{a: mat.NewDense(n, 30, nil), b: mat.NewDense(n, 20, nil)}
		for _, x := range []*mat.Dense{s.a, s.b} {
			data := x.RawMatrix().Data
			for i := range data {
				data[i] = rnd.Float64()
			}
		}
		_, typical := MixedErrors(n)
		got, want := s.in(Mixed, 1024), s.in(Float64, n)
		elements, norms := relative(got, want)
		var diagonal []float64
		for i := range 30 {
			diagonal = append(diagonal, math.Abs(got.aa.At(i, i)/want.aa.At(i, i)-1))
		}
		rms := func(x []float64) float64 { return floats.Norm(x, 2) / math.Sqrt(float64(len(x))) }
		for name, e := range map[string]float64{"elements": rms(elements), "diagonal": rms(diagonal), "norms": floats.Max(norms)} {
			if !(e <= typical && e >= typical/100) {
				t.Errorf("%d rows: %s are off by %g, want between a 100th of %g and that", n, name, e, typical)
			}
		}
	}
}

func TestMixedErrors(t *testing.T) {
	for _, c := range []struct {
		n              int
		worst, typical float64 // in units of 2^-24
	}{{1, 3, math.Sqrt(5)}, {256, 258, math.Sqrt(260)}, {100 * 256, 258, math.Sqrt(2.6)}} {
		worst, typical := MixedErrors(c.n)
		if math.Abs(worst*0x1p24/c.worst-1) > 1e-4 || math.Abs(typical*0x1p24/c.typical-1) > 1e-12 {
			t.Errorf("%d rows: errors %g and %g, want %g and %g", c.n, worst*0x1p24, typical*0x1p24, c.worst, c.typical)
		}
	}
}

func TestThreadsDoNotChangeMixedSums(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	rnd := rand.New(rand.NewPCG(7, 8))
	s := sample{a: mat.NewDense(700, 130, nil), b: mat.NewDense(700, 101, nil), weights: make([]float64, 700)}
	for _, data := range [][]float64{s.a.RawMatrix().Data, s.b.RawMatrix().Data, s.weights} {
		for i := range data {
			data[i] = rnd.Float64()
		}
	}
	var want []byte
	for _, threads := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(threads)
		got := encode(t, s.in(Mixed, 300))
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d threads give other bytes", threads)
		}
	}
}

func TestArithmeticIsPartOfSums(t *testing.T) {
	rows := func(a Arithmetic) *CoMoments {
		m := a.NewCoMoments(ID{1}, ID{2})
		m.Add(mat.NewDense(2, 2, []float64{1, 2, 3, 5}), mat.NewDense(2, 1, []float64{4, 8}), nil)
		return m
	}
	grid := NewGrid(mat.NewDense(2, 2, []float64{1, 2, 3, 5}), mat.NewDense(2, 1, []float64{4, 8}))
	const says = "sums are in float64 arithmetic, want mixed"
	if err := rows(Mixed).Merge(rows(Float64)); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("merged with sums in float64: %v", err)
	}
	if _, err := Sum(rows(Mixed), rows("")); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("added to sums in float64: %v", err)
	}
	if _, err := NewTotal(&grid, rows(Mixed)).Plus(NewTotal(&grid, rows(Float64))); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("total with sums in float64: %v", err)
	}
	for _, a := range []Arithmetic{Float64, Mixed} {
		m := rows(a)
		sum, err := Sum(m, m)
		if err != nil {
			t.Fatal(err)
		}
		kept := map[string]Arithmetic{
			"a sum": sum.Arithmetic(), "swapped": m.Swapped().Arithmetic(), "plus a diagonal": m.PlusDiagonal(1, 1).Arithmetic(),
			"composed":   m.Composed(mat.NewDense(1, 1, []float64{2}), []float64{0}, ID{3}).Arithmetic(),
			"columns":    m.RightColumns([]int{0}, ID{3}).Arithmetic(),
			"orthogonal": m.Orthogonal(mat.NewDense(2, 1, []float64{1, 0}), nil).Arithmetic(),
		}
		if read, err := Read(bytes.NewReader(encode(t, m))); err != nil {
			t.Error(err)
		} else {
			kept["read"] = read.Arithmetic()
		}
		one := NewTotal(&grid, m)
		two, err := one.Plus(one)
		if err != nil {
			t.Fatal(err)
		}
		for name, total := range map[string]*Total{"one part": one, "two parts": two} {
			var file bytes.Buffer
			if _, err := total.WriteTo(&file); err != nil {
				t.Fatal(err)
			}
			read, err := ReadTotal(&file, &grid)
			if err != nil {
				t.Fatal(err)
			}
			kept["total of "+name] = total.Arithmetic()
			kept["read total of "+name] = read.Arithmetic()
			kept["moments of "+name] = read.CoMoments().Arithmetic()
		}
		for name, got := range kept {
			if got != a {
				t.Errorf("%s of %s is %s", name, a, got)
			}
		}
	}
}

func TestArithmeticNames(t *testing.T) {
	for a, want := range map[Arithmetic]string{"": "auto", Auto: "auto", Float64: "float64", Mixed: "mixed"} {
		if err := a.Validate(); err != nil || fmt.Sprint(a) != want {
			t.Errorf("%q is named %s (%v), want %s", string(a), a, err, want)
		}
	}
	if err := Arithmetic("float16").Validate(); err == nil || !strings.Contains(err.Error(), `"float16"`) {
		t.Errorf("float16: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("sums in float16 were made")
		}
	}()
	Arithmetic("float16").NewCoMoments(ID{}, ID{})
}

func BenchmarkAddMixed(b *testing.B) {
	for _, p := range []int{512, 2048} {
		b.Run(fmt.Sprint(p), func(b *testing.B) {
			a := mat.NewDense(1024, p, nil)
			for i := range a.RawMatrix().Data {
				a.RawMatrix().Data[i] = float64(i%7) - 3
			}
			m := Mixed.NewCoMoments(ID{}, ID{})
			for b.Loop() {
				m.Add(a, a, nil)
			}
		})
	}
}

// ridge solves (A + lambda I) alpha = b about means.
func ridge(m *CoMoments, lambda float64) *mat.Dense {
	var a mat.SymDense
	var b, alpha mat.Dense
	m.LeftTo(&a, true)
	m.CrossTo(&b, true)
	for i := range a.SymmetricDim() {
		a.SetSym(i, i, a.At(i, i)+lambda)
	}
	if err := alpha.Solve(&a, &b); err != nil {
		panic(err)
	}
	return &alpha
}

// TestMixedMoves: of rows whose covariances have eigenvalues of all sizes, with targets that need the small ones, ridge regressions are moved by less than the typical bound, and not far less.
func TestMixedMoves(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	const p = 30
	for _, n := range []int{300, 3000} {
		s := sample{a: mat.NewDense(n, p, nil), b: mat.NewDense(n, 2, nil)}
		for i := range n {
			x := rnd.Float64()
			for j := range p {
				s.a.Set(i, j, math.Cos(float64(j)*x)/math.Sqrt(p))
			}
			s.b.Set(i, 0, math.Sin(9*x)+.1*rnd.NormFloat64())
			s.b.Set(i, 1, x)
		}
		exact, mixed := s.in(Float64, n), s.in(Mixed, 1024)
		for _, lambda := range []float64{1e-2, 1e-4, 1e-5} {
			want, got := ridge(exact, lambda), ridge(mixed, lambda)
			worst, typical := exact.MixedMoves(want, lambda)
			var d mat.Dense
			d.Sub(got, want)
			for j := range 2 {
				move := math.Sqrt(mat.Inner(d.ColView(j), exact.aa, d.ColView(j)) / exact.bb.At(j, j))
				if !(move <= typical[j] && move >= typical[j]/500 && typical[j] < worst[j]) {
					t.Errorf("%d rows, lambda %g, output %d: predictions are moved by %g, want between a 500th of %g and that, and %g at most", n, lambda, j, move, typical[j], worst[j])
				}
			}
		}
		worst, typical := exact.MixedMoves(ridge(exact, 1), 1e-7)
		if !math.IsInf(worst[0], 1) || !math.IsInf(typical[0], 1) && n < 1000 {
			t.Errorf("%d rows: a penalty below the error of sums moves predictions by %g and %g", n, worst, typical)
		}
	}
}

func TestMixedMovesByHand(t *testing.T) {
	m := NewCoMoments(ID{}, ID{})
	m.Add(mat.NewDense(2, 1, []float64{-1, 1}), mat.NewDense(2, 2, []float64{2, 7, -2, 7}), nil) // variances 1, 4 and 0
	worst, typical := m.MixedMoves(mat.NewDense(1, 2, []float64{3, 0}), .25)
	const u = 0x1p-24
	certain, likely := 4*u/(1-4*u), u*math.Sqrt(6)
	if want := certain * 2.5 / (1 - 4*certain); math.Abs(worst[0]/want-1) > 1e-14 {
		t.Errorf("at worst %g, want %g", worst[0], want)
	}
	if want := (likely*2.5 + math.Sqrt2*u*1.5) / (1 - 4*likely); math.Abs(typical[0]/want-1) > 1e-14 {
		t.Errorf("typically %g, want %g", typical[0], want)
	}
	if !math.IsInf(worst[1], 1) || !math.IsInf(typical[1], 1) {
		t.Errorf("a constant output is moved by %g and %g", worst[1], typical[1])
	}
	for name, call := range map[string]func(){
		"shape": func() { m.MixedMoves(mat.NewDense(2, 1, nil), 1) },
		"empty": func() { NewCoMoments(ID{}, ID{}).MixedMoves(mat.NewDense(1, 1, nil), 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}
