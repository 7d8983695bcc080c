package baselines

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/problem"
	"mediant/tables"
)

// noisy has X uniform on [-1, 1] and U = X + N(0, 0.09), n rows.
func noisy(n int, seed uint64) (x, u *mat.Dense) {
	rnd := rand.New(rand.NewPCG(seed, 8))
	x, u = mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, 2*rnd.Float64()-1)
		u.Set(i, 0, x.At(i, 0)+.3*rnd.NormFloat64())
	}
	return x, u
}

// kernelAt is the unnormalised Gaussian kernel.
func kernelAt(a, b, bandwidth float64) float64 {
	return math.Exp(-(a - b) * (a - b) / (2 * bandwidth * bandwidth))
}

func TestLeastSquaresMinimisesItsCriterion(t *testing.T) {
	// All from the definition in one dimension, with integrals by sums over a fine grid: (H + lambda I) alpha = h with the
	// true H and h, negative parts dropped.
	x, u := noisy(40, 1)
	weights := make([]float64, 40)
	for i := range weights {
		weights[i] = float64(i%4) / 2 // some 0
	}
	d := newLeastSquares(x, u, weights, 6, 3)
	const bx, bu, ridge = .5, .25, .02
	got, err := d.fit(densityChoice{x: bx, u: bu, lambda: ridge})
	if err != nil {
		t.Fatal(err)
	}
	const b = 6
	h, linear := mat.NewSymDense(b, nil), mat.NewVecDense(b, nil)
	var total float64
	for _, w := range weights {
		total += w
	}
	overlap := func(l, m int) float64 {
		sum, step := 0.0, .005 // the rule of trapezoids is exact to rounding for Gaussians this wide
		for v := -5.0; v < 5; v += step {
			sum += step * kernelAt(v, d.centresU.At(l, 0), bu) * kernelAt(v, d.centresU.At(m, 0), bu)
		}
		return sum
	}
	for i, w := range weights {
		for l := range b {
			linear.SetVec(l, linear.AtVec(l)+w/total*kernelAt(x.At(i, 0), d.centresX.At(l, 0), bx)*kernelAt(u.At(i, 0), d.centresU.At(l, 0), bu))
			for m := l; m < b; m++ {
				h.SetSym(l, m, h.At(l, m)+w/total*kernelAt(x.At(i, 0), d.centresX.At(l, 0), bx)*kernelAt(x.At(i, 0), d.centresX.At(m, 0), bx)*overlap(l, m))
			}
		}
	}
	diagonal := mat.Trace(h) / b
	for l := range b {
		h.SetSym(l, l, h.At(l, l)+ridge*diagonal)
	}
	var alpha mat.VecDense
	if err := alpha.SolveVec(h, linear); err != nil {
		t.Fatal(err)
	}
	at := 0
	ratio := 0.0 // of our unnormalised H to the true one: a common factor of alpha
	for l := range b {
		if alpha.AtVec(l) <= 0 {
			continue
		}
		if got.X.At(at, 0) != d.centresX.At(l, 0) || got.U.At(at, 0) != d.centresU.At(l, 0) {
			t.Fatalf("component %d is another centre than %d", at, l)
		}
		if ratio == 0 {
			ratio = got.Alpha[at] / alpha.AtVec(l)
		}
		// Condition below 1e4 by the ridge: 1e-10 allows for that of both.
		if v := got.Alpha[at] / alpha.AtVec(l); math.Abs(v/ratio-1) > 1e-10 {
			t.Errorf("alpha %d is %g of the true one, others %g", l, v, ratio)
		}
		at++
	}
	if at != len(got.Alpha) || at == 0 || at == b {
		t.Errorf("%d components, want %d, some but not all of %d", len(got.Alpha), at, b)
	}
	if want := math.Sqrt(math.Pi) * bu; math.Abs(ratio/want-1) > 1e-10 {
		t.Errorf("H is 1/%g of the true one, want 1/%g", ratio, want)
	}
}

func TestScoreIsTheLikelihoodOfRowsHeldOut(t *testing.T) {
	x, u := noisy(60, 2)
	weights := make([]float64, 60)
	for i := range weights {
		weights[i] = 1 + float64(i%2)
	}
	d := newLeastSquares(x, u, weights, 8, 1)
	c := densityChoice{x: .5, u: .3, lambda: .05}
	grams, kernel := d.grams(c.x, densityFolds)
	systems := d.systems(grams, kernel, c.u)
	want := 0.0
	for f := range systems {
		q := d.density(otherFolds(systems, f).solve(c.lambda), c)
		lo, hi := foldRows(60, densityFolds, f)
		for i := lo; i < hi; i++ {
			var top, bottom float64
			for l, a := range q.Alpha {
				k := a * kernelAt(d.x.At(i, 0), q.X.At(l, 0), c.x)
				top += k * kernelAt(d.u.At(i, 0), q.U.At(l, 0), c.u) / (c.u * math.Sqrt(2*math.Pi))
				bottom += k
			}
			want += d.shares[i] * math.Log(top/bottom)
		}
	}
	if got := d.score(systems, c); math.Abs(got-want) > 1e-11 { // 60 terms of size 1
		t.Errorf("score %g, want %g", got, want)
	}
}

func TestDensityIsNearTheTruth(t *testing.T) {
	// N(x, 0.09) from 2,000 rows of 5 % noise or so: the mean over x of ∫|q - true| du is at most 2; a tenth of
	// that is what a density that ignored x, or had twice the width, would exceed several times.
	x, u := noisy(2000, 3)
	l := newLeastSquares(x, u, nil, 200, 1)
	c, err := l.choose(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	d, err := l.fit(c)
	if err != nil {
		t.Fatal(err)
	}
	at := mat.NewDense(5, 1, []float64{-.8, -.4, 0, .4, .8})
	grid := mat.NewDense(601, 1, nil)
	for j := range 601 {
		grid.Set(j, 0, float64(j-300)/100)
	}
	var q mat.Dense
	d.ProbTo(&q, at, grid)
	off := 0.0
	for i := range 5 {
		mass := 0.0
		for j := range 601 {
			z := (grid.At(j, 0) - at.At(i, 0)) / .3
			off += .01 / 5 * math.Abs(q.At(i, j)-math.Exp(-z*z/2)/(.3*math.Sqrt(2*math.Pi)))
			mass += .01 * q.At(i, j)
		}
		if math.Abs(mass-1) > 1e-3 { // the grid ends 2 from the outermost x
			t.Errorf("mass %g at x = %g", mass, at.At(i, 0))
		}
	}
	if off > .2 {
		t.Errorf("mean distance in L1 %g", off)
	}
}

func TestManyColumnsNeitherOverflowNorVanish(t *testing.T) {
	// In 400 dimensions (2 pi s²)^-200 is outside float64's range; the choice must not be.
	rnd := rand.New(rand.NewPCG(1, 1))
	x, u := mat.NewDense(50, 1, nil), mat.NewDense(50, 400, nil)
	for i := range u.RawMatrix().Data {
		u.RawMatrix().Data[i] = rnd.NormFloat64()
	}
	for i := range 50 {
		x.Set(i, 0, rnd.NormFloat64())
	}
	d := newLeastSquares(x, u, nil, 20, 1)
	c, err := d.choose(context.Background(), 1)
	if err != nil || math.IsInf(c.score, 0) || math.IsNaN(c.score) {
		t.Fatalf("score %g, %v", c.score, err)
	}
}

func TestWatsonLeavesRowsOut(t *testing.T) {
	x, u := noisy(150, 4) // two blocks
	weights := make([]float64, 150)
	h := mat.NewDense(150, 1, nil)
	for i := range 150 {
		weights[i] = float64(i % 3)
		h.Set(i, 0, u.At(i, 0)*u.At(i, 0))
	}
	d, err := nadarayaWatson(context.Background(), x, u, weights, h, 5)
	if err != nil {
		t.Fatal(err)
	}
	slow := func(bandwidth float64) float64 {
		sum := 0.0
		for i := range 150 {
			var top, bottom float64
			for j := range 150 {
				if j != i {
					k := weights[j] * kernelAt(x.At(i, 0), x.At(j, 0), bandwidth)
					top, bottom = top+k*h.At(j, 0), bottom+k
				}
			}
			e := top/bottom - h.At(i, 0)
			sum += weights[i] * e * e
		}
		return sum
	}
	candidates := bandwidths(d.X, d.Alpha, watsonX, 5, "integral/x")
	values := pick(h, weighted(weights, sequence(150)))
	errors, err := leftOut(context.Background(), d, values, candidates)
	if err != nil {
		t.Fatal(err)
	}
	best := 0
	for i, b := range candidates {
		if want := slow(b); math.Abs(errors[i]/want-1) > 1e-9 {
			t.Errorf("bandwidth %g: %g, want %g", b, errors[i], want)
		}
		if errors[i] < errors[best] {
			best = i
		}
	}
	if d.BandwidthX != candidates[best] || rowsOf(d.X) != 100 {
		t.Errorf("bandwidth %g of %d rows, want %g of 100", d.BandwidthX, rowsOf(d.X), candidates[best])
	}
}

func TestDensitiesNeedRows(t *testing.T) {
	x, u := noisy(3, 1)
	ctx := context.Background()
	if _, err := nadarayaWatson(ctx, x, u, []float64{0, 1, 0}, u, 1); err == nil || !strings.Contains(err.Error(), "1 rows of positive weight") {
		t.Errorf("one row: %v", err)
	}
	if _, err := nadarayaWatson(ctx, x, u, nil, mat.NewDense(3, 1, []float64{1, math.NaN(), 0}), 1); err == nil || !strings.Contains(err.Error(), "not finite") {
		t.Errorf("h not a number: %v", err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := nadarayaWatson(gone, x, u, nil, u, 1); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := newLeastSquares(x, u, nil, 3, 1).choose(gone, 1); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	// All U alike but one row held out far away: nothing is gained on rows held out where there is but one row.
	if _, err := newLeastSquares(x.Slice(0, 1, 0, 1).(*mat.Dense), u.Slice(0, 1, 0, 1).(*mat.Dense), nil, 3, 1).choose(ctx, 1); err == nil || !strings.Contains(err.Error(), "want more rows") {
		t.Errorf("one row: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("points have a density")
		}
	}()
	(&Density{}).ProbTo(new(mat.Dense), x, u)
}

// TestBandwidthKnowsNoUnits: the bandwidth that Nadaraya-Watson weights choose does not depend on what one of several outputs of h is
// measured in.
func TestBandwidthKnowsNoUnits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 1))
	x, u, h := mat.NewDense(200, 1, nil), mat.NewDense(200, 1, nil), mat.NewDense(200, 2, nil)
	for i := range 200 {
		a := 2*rnd.Float64() - 1
		x.Set(i, 0, a)
		u.Set(i, 0, a)
		h.SetRow(i, []float64{math.Sin(9 * a), rnd.NormFloat64()}) // one output wants a small bandwidth, one a large
	}
	var chosen []float64
	for _, factor := range []float64{1, 1e-3, 1e3} {
		var scaled mat.Dense
		scaled.Apply(func(_, j int, v float64) float64 { return v * math.Pow(factor, float64(j)) }, h)
		standardise(&scaled, nil)
		d, err := nadarayaWatson(context.Background(), x, u, nil, &scaled, 5)
		if err != nil {
			t.Fatal(err)
		}
		chosen = append(chosen, d.BandwidthX)
	}
	if chosen[0] != chosen[1] || chosen[0] != chosen[2] {
		t.Errorf("bandwidths %v, want the same", chosen)
	}
}

// TestBandwidthsCountWeights: what both estimators choose among, and in what units h is compared, is that of the rows written out.
func TestBandwidthsCountWeights(t *testing.T) {
	x, u := noisy(60, 4)
	weights := make([]float64, 60)
	var order []int
	for i := range weights {
		if x.At(i, 0) > 0 { // so that weights move the median
			weights[i] = float64(i % 4)
		}
		if i%9 == 0 {
			weights[i] = 5
		}
		for range int(weights[i]) {
			order = append(order, i)
		}
	}
	want := bandwidths(pick(x, order), nil, watsonX, 5, "integral/x")
	for name, got := range map[string][]float64{
		"least squares": bandwidths(newLeastSquares(x, u, weights, 6, 5).x, newLeastSquares(x, u, weights, 6, 5).weights, watsonX, 5, "integral/x"),
		"all rows":      bandwidths(x, weights, watsonX, 5, "integral/x"),
	} {
		if math.Abs(got[0]/want[0]-1) > 1e-14 { // centred by other means
			t.Errorf("%s: %g, want %g", name, got[0], want[0])
		}
	}
	watson, err := nadarayaWatson(context.Background(), x, u, weights, u, 5)
	if err != nil || !slices.Contains(want, watson.BandwidthX) {
		t.Errorf("Nadaraya-Watson: %v, %v, want one of %v", watson, err, want)
	}
	var both mat.Dense
	both.Augment(x, u)
	written := pick(&both, order)
	standardise(&both, weights)
	standardise(written, nil)
	for i, r := range order {
		if d := both.At(r, 1) - written.At(i, 1); math.Abs(d) > 1e-12 {
			t.Fatalf("h of row %d differs by %g", r, d)
		}
	}
}

// TestWatsonStandardisesByWeights: outputs of h count by the variance of the rows with their weights. One light row that is far off would
// otherwise make an output of noise count for nothing, and the bandwidth small.
func TestWatsonStandardisesByWeights(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 1))
	x, h, weights := mat.NewDense(150, 1, nil), mat.NewDense(150, 2, nil), make([]float64, 150)
	for i := range weights {
		a := 2*rnd.Float64() - 1
		x.Set(i, 0, a)
		h.SetRow(i, []float64{math.Sin(9 * a), rnd.NormFloat64()})
		weights[i] = 1000
	}
	h.Set(0, 1, 100)
	weights[0] = 1
	bandwidth := func(by []float64) float64 {
		values := mat.DenseCopyOf(h)
		standardise(values, by)
		d, err := nadarayaWatson(context.Background(), x, h, weights, values, 5)
		if err != nil {
			t.Fatal(err)
		}
		return d.BandwidthX
	}
	want := bandwidth(weights)
	if bandwidth(nil) == want {
		t.Fatal("weights make no difference: nothing to see")
	}
	xu, err := tables.FromColumns(tables.Numbers("x", []float64{1, 2}), tables.Numbers("u", []float64{1, 2}))
	if err != nil {
		t.Fatal(err)
	}
	uy, err := tables.FromColumns(tables.Numbers("u", []float64{1, 2}), tables.Numbers("y", []float64{1, 2}))
	if err != nil {
		t.Fatal(err)
	}
	e, err := problem.ReadRows(context.Background(), problem.Setup{}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	e.X, e.UX, e.Y, e.WeightsX = x, h, h, weights
	d, err := Integral{Estimator: NadarayaWatson, seed: 5}.density(context.Background(), e, itself{}, false)
	if err != nil || d.BandwidthX != want {
		t.Errorf("bandwidth %g, %v, want %g", d.BandwidthX, err, want)
	}
}

// itself predicts a row by itself.
type itself struct{}

func (itself) PredictTo(dst *mat.Dense, x mat.Matrix) { dst.CloneFrom(x) }
