package risk

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/crossfit"
	"mediant/internal/weighted"
	"mediant/moments"
)

// A finite is a distribution of (X, U, Y) on finitely many atoms, Y of k outputs, and a second distribution of U. psi are
// the indicators of the values of U and phi those of X, so that every function is affine in them.
type finite struct {
	nx, nu, ny, k int
	p             [][]float64   // P(x, u)
	q             []float64     // distribution of U in S_Y
	y             [][][]float64 // values of Y at u, by index
	py            [][]float64   // P(y index | u), the same for every x under CMI
	tilt          [][][]float64 // P(y index | u, x) without it
}

func simplex(rnd *rand.Rand, n int) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = .2 + rnd.Float64()
	}
	floats.Scale(1/floats.Sum(p), p)
	return p
}

// drawFinite draws a distribution; with shifted U has another distribution in S_Y, with cmi Y depends on U alone.
func drawFinite(t *rapid.T, shifted, cmi bool) finite {
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 9))
	f := finite{nx: 4, nu: 3, ny: 3, k: 2}
	flat := simplex(rnd, f.nx*f.nu)
	f.q = make([]float64, f.nu)
	for x := range f.nx {
		f.p = append(f.p, flat[x*f.nu:(x+1)*f.nu])
		floats.Add(f.q, f.p[x])
	}
	for range f.nu {
		f.py = append(f.py, simplex(rnd, f.ny))
		values := make([][]float64, f.ny)
		for i := range values {
			values[i] = []float64{2 * rnd.NormFloat64(), 1 + rnd.NormFloat64()}
		}
		f.y = append(f.y, values)
	}
	for u := range f.nu {
		f.tilt = append(f.tilt, nil)
		for range f.nx {
			if cmi {
				f.tilt[u] = append(f.tilt[u], f.py[u])
			} else {
				f.tilt[u] = append(f.tilt[u], simplex(rnd, f.ny))
			}
		}
	}
	if !cmi { // the distribution of Y given U alone
		for u := range f.nu {
			f.py[u] = make([]float64, f.ny)
			for x := range f.nx {
				floats.AddScaled(f.py[u], f.p[x][u]/f.q[u], f.tilt[u][x])
			}
		}
	}
	if shifted {
		f.q = simplex(rnd, f.nu)
	}
	return f
}

// function draws a function of n values with k outputs, as an affine of their indicators.
func function(rnd *rand.Rand, n, k int) crossfit.Affine {
	a := crossfit.Affine{Coef: mat.NewDense(n, k, nil), Intercept: make([]float64, k)}
	for j := range k {
		a.Intercept[j] = rnd.NormFloat64()
		for i := range n {
			a.Coef.Set(i, j, rnd.NormFloat64())
		}
	}
	return a
}

func at(f crossfit.Affine, i, j int) float64 { return f.Coef.At(i, j) + f.Intercept[j] }

func indicator(n, i int) *mat.Dense {
	d := mat.NewDense(1, n, nil)
	d.Set(0, i, 1)
	return d
}

// score runs a scorer over the atoms, with their probabilities as weights, in tables of mass n and m.
func (f finite) score(g crossfit.Affine, n nuisances, shifted, classes bool) *scorer {
	s := newScorer([]nuisances{n}, crossfit.Units{}, shifted, classes)
	var fx mat.Dense
	for x := range f.nx {
		g.ApplyTo(&fx, indicator(f.nx, x))
		for u := range f.nu {
			s.addXU(0, &fx, indicator(f.nu, u), moments.Weights{Frequency: []float64{3}, Factor: []float64{f.p[x][u]}})
		}
	}
	for u := range f.nu {
		for i, p := range f.py[u] {
			s.addUY(0, indicator(f.nu, u), mat.NewDense(1, f.k, f.y[u][i]), moments.Weights{Frequency: []float64{7}, Factor: []float64{f.q[u] * p}})
		}
	}
	return s
}

// sums are the same tables as pairs.
func (f finite) sums() (xu, uy, squares crossfit.Splits) {
	x, y, y2 := moments.NewCoMoments(moments.ID{}, moments.ID{}), moments.NewCoMoments(moments.ID{}, moments.ID{}), moments.NewCoMoments(moments.ID{}, moments.ID{})
	for i := range f.nx {
		for u := range f.nu {
			x.Add(indicator(f.nx, i), indicator(f.nu, u), []float64{3 * f.p[i][u]})
		}
	}
	for u := range f.nu {
		for i, p := range f.py[u] {
			row := mat.NewDense(1, f.k, f.y[u][i])
			var square mat.Dense
			square.MulElem(row, row)
			y.Add(indicator(f.nu, u), row, []float64{7 * f.q[u] * p})
			y2.Add(indicator(f.nu, u), &square, []float64{7 * f.q[u] * p})
		}
	}
	one := func(p *moments.CoMoments) crossfit.Splits { return crossfit.Splits{Held: []*moments.CoMoments{p}} }
	return one(x), one(y), one(y2)
}

// truth is E (f_j(X) - Y_j)² over the distribution of S_X, by outputs.
func (f finite) truth(g crossfit.Affine) []float64 {
	out := make([]float64, f.k)
	f.each(func(x, u int, y []float64, p float64) {
		for j := range out {
			d := at(g, x, j) - y[j]
			out[j] += p * d * d
		}
	})
	return out
}

func (f finite) each(do func(x, u int, y []float64, p float64)) {
	for x := range f.nx {
		for u := range f.nu {
			for i, p := range f.tilt[u][x] {
				do(x, u, f.y[u][i], f.p[x][u]*p)
			}
		}
	}
}

// best are the nuisances that are right: E[Y|U], E[Y²|U], the ratio of the distributions of U, and that ratio
// times E[g|U].
func (f finite) best(g func(x, j int) float64) nuisances {
	n := nuisances{h: f.zero(f.k), v: f.zero(f.k), omega: f.zero(1), r: f.zero(f.k)}
	for u := range f.nu {
		pu := 0.0
		for x := range f.nx {
			pu += f.p[x][u]
		}
		n.omega.Coef.Set(u, 0, pu/f.q[u])
		for j := range f.k {
			h, v, r := 0.0, 0.0, 0.0
			for i, p := range f.py[u] {
				h += p * f.y[u][i][j]
				v += p * f.y[u][i][j] * f.y[u][i][j]
			}
			for x := range f.nx {
				r += f.p[x][u] / f.q[u] * g(x, j)
			}
			n.h.Coef.Set(u, j, h)
			n.v.Coef.Set(u, j, v)
			n.r.Coef.Set(u, j, r)
		}
	}
	return n
}

func (f finite) zero(k int) crossfit.Affine {
	return crossfit.Affine{Coef: mat.NewDense(f.nu, k, nil), Intercept: make([]float64, k)}
}

// product is E_SY (a - a*)(b - b*), by outputs.
func (f finite) product(a, aBest, b, bBest crossfit.Affine) []float64 {
	out := make([]float64, len(b.Intercept))
	for j := range out {
		i := min(j, len(a.Intercept)-1)
		for u := range f.nu {
			out[j] += f.q[u] * (at(a, u, i) - at(aBest, u, i)) * (at(b, u, j) - at(bBest, u, j))
		}
	}
	return out
}

// finiteTol: sums of a few dozen terms of size up to 1e2.
const finiteTol = 1e-11

func equal(t *rapid.T, name string, got, want float64) {
	t.Helper()
	if d := math.Abs(got - want); !(d <= finiteTol) {
		t.Errorf("%s is %g, want %g: off by %g", name, got, want, d)
	}
}

// TestBiasIsAProductOfErrors: on a whole distribution, without sampling error, form 1 is the true MSE plus
// 2 E (r-r*)(h-h*) for any r and h, per output and summed, from rows and from sums.
func TestBiasIsAProductOfErrors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFinite(t, false, true)
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "functions"), 2))
		g := function(rnd, f.nx, f.k)
		best := f.best(func(i, j int) float64 { return at(g, i, j) })
		n := nuisances{h: function(rnd, f.nu, f.k), r: function(rnd, f.nu, f.k)}
		want := f.truth(g)
		floats.AddScaled(want, 2, f.product(n.r, best.r, n.h, best.h))
		a, err := f.score(g, n, false, false).assessment()
		if err != nil {
			t.Fatal(err)
		}
		xu, uy, _ := f.sums()
		sums := crossfit.FoldRisk(xu, uy, []crossfit.Affine{g}, []crossfit.Affine{n.h}, []crossfit.Affine{n.r})
		for j, w := range want {
			equal(t, "output", a.Risk.Outputs[j].MSE, w)
			equal(t, "output from sums", sums[j], w)
		}
		equal(t, "sum", a.Risk.MSE, floats.Sum(want))
	})
}

// TestBiasUnderShift: form 2 is the true MSE over the population of S_X plus
// 2 E_SY (r-r*)(h-h*) - E_SY (omega-omega*)(v-v*), whatever the distribution of U in S_Y.
func TestBiasUnderShift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFinite(t, true, true)
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "functions"), 3))
		g := function(rnd, f.nx, f.k)
		best := f.best(func(i, j int) float64 { return at(g, i, j) })
		n := nuisances{h: function(rnd, f.nu, f.k), r: function(rnd, f.nu, f.k), v: function(rnd, f.nu, f.k), omega: function(rnd, f.nu, 1)}
		want := f.truth(g)
		floats.AddScaled(want, 2, f.product(n.r, best.r, n.h, best.h))
		floats.AddScaled(want, -1, f.product(n.omega, best.omega, n.v, best.v))
		a, err := f.score(g, n, true, false).assessment()
		if err != nil {
			t.Fatal(err)
		}
		xu, uy, squares := f.sums()
		sums := foldRiskShifted(xu, uy, squares, []crossfit.Affine{g}, []crossfit.Affine{n.h}, []crossfit.Affine{n.r}, []crossfit.Affine{n.v}, []crossfit.Affine{n.omega})
		for j, w := range want {
			equal(t, "output", a.Risk.Outputs[j].MSE, w)
			equal(t, "output from sums", sums[j], w)
		}
		equal(t, "sum", a.Risk.MSE, floats.Sum(want))
		if a.Bracket != nil || a.Tight != nil {
			t.Error("there is a bracket although the distributions of U differ")
		}
	})
}

// TestAccuracyBias: with one-hot Y, the estimated accuracy is P(c(X) = Y) - E Σ (r_c - r_c*)(h_c - h_c*).
func TestAccuracyBias(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFinite(t, rapid.Bool().Draw(t, "shifted"), true)
		for u := range f.y {
			for i := range f.y[u] {
				f.y[u][i] = []float64{float64(i % 2), float64(1 - i%2)}
			}
		}
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "functions"), 4))
		g := function(rnd, f.nx, f.k)
		hit := func(x, j int) float64 {
			if (at(g, x, 1) > at(g, x, 0)) == (j == 1) {
				return 1
			}
			return 0
		}
		best := f.best(hit)
		n := nuisances{h: function(rnd, f.nu, f.k), r: function(rnd, f.nu, f.k), hit: function(rnd, f.nu, f.k)}
		want := -floats.Sum(f.product(n.hit, best.r, n.h, best.h))
		f.each(func(x, u int, y []float64, p float64) {
			want += p * (hit(x, 0)*y[0] + hit(x, 1)*y[1])
		})
		a, err := f.score(g, n, false, true).assessment()
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "accuracy", a.Accuracy.Value, want)
	})
}

// TestBracketsHoldWithoutCMI: both brackets contain the truth for any distribution of the same U, any h, any r,
// though Y depends on X given U.
func TestBracketsHoldWithoutCMI(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFinite(t, false, false)
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "functions"), 5))
		g := function(rnd, f.nx, f.k)
		n := nuisances{h: function(rnd, f.nu, f.k), r: function(rnd, f.nu, f.k)}
		a, err := f.score(g, n, false, false).assessment()
		if err != nil {
			t.Fatal(err)
		}
		truth := floats.Sum(f.truth(g))
		for name, b := range map[string]*Bracket{"simple": a.Bracket, "tight": a.Tight} {
			if truth < b.Lo-finiteTol || truth > b.Hi+finiteTol {
				t.Errorf("the %s bracket is %g to %g, the MSE %g", name, b.Lo, b.Hi, truth)
			}
			if b.Lower > b.Lo || b.Upper < b.Hi {
				t.Errorf("the %s bracket %v is not moved outwards", name, *b)
			}
		}
		// With r = h the tight bracket is the simple one.
		n.r = n.h
		if a, err = f.score(g, n, false, false).assessment(); err != nil {
			t.Fatal(err)
		}
		equal(t, "lower end", a.Tight.Lo, a.Bracket.Lo)
		equal(t, "upper end", a.Tight.Hi, a.Bracket.Hi)
	})
}

// TestBracketEndsAreReached: f - h = 2 and h - y = ±1 give an MSE of 9 or 1, the ends of the bracket, which
// have no sampling error because all rows agree.
func TestBracketEndsAreReached(t *testing.T) {
	for _, c := range []struct{ y, mse float64 }{{-1, 9}, {1, 1}} {
		s := newScorer([]nuisances{{h: crossfit.Affine{Coef: mat.NewDense(1, 1, nil), Intercept: []float64{0}}, r: crossfit.Affine{Coef: mat.NewDense(1, 1, nil), Intercept: []float64{0}}}}, crossfit.Units{}, false, false)
		psi := mat.NewDense(2, 1, []float64{5, 6})
		s.addXU(0, mat.NewDense(2, 1, []float64{2, 2}), psi, moments.Weights{})
		s.addUY(0, psi, mat.NewDense(2, 1, []float64{c.y, c.y}), moments.Weights{})
		a := assessed(t, s)
		end := a.Bracket.Hi
		if c.mse == 1 {
			end = a.Bracket.Lo
		}
		if end != c.mse || a.Bracket.Lower != a.Bracket.Lo || a.Bracket.Upper != a.Bracket.Hi {
			t.Errorf("y = %g: bracket %v, want an end of %g", c.y, *a.Bracket, c.mse)
		}
	}
}

// TestBracketIntervals: the moved ends are those of numerical derivatives of the ends by the four
// means, with their sample variances.
func TestBracketIntervals(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 8))
	const n, m = 300, 500
	s := newScorer([]nuisances{{h: crossfit.Affine{Coef: mat.NewDense(1, 1, []float64{.4}), Intercept: []float64{.1}}, r: crossfit.Affine{Coef: mat.NewDense(1, 1, []float64{.5}), Intercept: []float64{.2}}}}, crossfit.Units{}, false, false)
	var psiX, f, psiY, y mat.Dense
	for _, d := range []struct {
		to   *mat.Dense
		rows int
		mean float64
	}{{&psiX, n, 1}, {&f, n, 6}, {&psiY, m, 1}, {&y, m, 1}} {
		d.to.ReuseAs(d.rows, 1)
		for i := range d.rows {
			d.to.Set(i, 0, d.mean+rnd.NormFloat64())
		}
	}
	s.addXU(0, &f, &psiX, moments.Weights{})
	s.addUY(0, &psiY, &y, moments.Weights{})
	a := assessed(t, s)
	// Jackknife: leave a row out, the other way to a standard error of a smooth function of means.
	leave := func(end func(*Assessment) float64) float64 {
		sum := 0.0
		for _, table := range []int{n, m} {
			values := make([]float64, table)
			for out := range table {
				one := newScorer(s.folds, crossfit.Units{}, false, false)
				wx, wy := ones(n), ones(m)
				if table == n {
					wx[out] = 0
				} else {
					wy[out] = 0
				}
				one.addXU(0, &f, &psiX, moments.Weights{Factor: wx})
				one.addUY(0, &psiY, &y, moments.Weights{Factor: wy})
				values[out] = end(assessed(t, one))
			}
			mean := floats.Sum(values) / float64(table)
			for _, v := range values {
				sum += (v - mean) * (v - mean) * float64(table-1) / float64(table)
			}
		}
		return math.Sqrt(sum)
	}
	for _, c := range []struct {
		name    string
		end     func(*Assessment) float64
		moved   float64
		reverse float64
	}{
		{"root of the lower end", func(a *Assessment) float64 { return math.Sqrt(a.Bracket.Lo) }, math.Sqrt(a.Bracket.Lower), -1},
		{"root of the upper end", func(a *Assessment) float64 { return math.Sqrt(a.Bracket.Hi) }, math.Sqrt(a.Bracket.Upper), 1},
		{"tight lower end", func(a *Assessment) float64 { return a.Tight.Lo }, a.Tight.Lower, -1},
		{"tight upper end", func(a *Assessment) float64 { return a.Tight.Hi }, a.Tight.Upper, 1},
		{"risk", func(a *Assessment) float64 { return a.Risk.MSE }, a.Risk.Hi, 1},
	} {
		if c.moved == 0 {
			t.Fatalf("%s is cut at 0: another case is needed", c.name)
		}
		// The two differ by terms of the order 1/n of the standard error, and t of some 90 degrees of freedom is 1.99: a tenth is plenty.
		got, want := c.reverse*(c.moved-c.end(a))/weighted.Normal95, leave(c.end)
		if math.Abs(got-want) > .1*want {
			t.Errorf("%s: standard error %g, jackknife %g", c.name, got, want)
		}
	}
}

func ones(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}
