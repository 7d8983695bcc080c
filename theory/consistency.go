package theory

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/moments"
	"mediant/report"
	"mediant/solvers"
)

// Claim 4, [Yamane21] on the consistency of 2Step-RR and, in section 3, of naive; here for the paper's
// synthetic distribution in one dimension, U = X³ + V,
// Y = U² + e, with f in the polynomials of degree 6 and h in those of degree 2, both containing the
// truth:
//
//	f*(x) = E[Y|x] = x⁶ + 1/12;   naive tends to h*(E[U|x]) = x⁶, whose squared error is 1/144
//
// With n and m rows and lambda of order 1/n, the first-order expansion of the normal equations (the
// delta method) gives for 2Step-RR
//
//	E (fhat-f*)² = K_X/n + K_Y/m + o(1/n),
//	K_X = E [phi'A⁻¹phi Var(h*(U)|X)],   K_Y = Var(e) tr(A⁻¹B D⁻¹B')
//
// where phi and psi include constants: slope -1 in n = m on log-log axes. Naive and Joint-RR at fixed w
// approach limits other than f*, at the same rate. The limit of Joint-RR is known where X and U are normal
// with correlation rho: h* = Σ b_k He_k(u) gives f* = Σ b_k rho^k He_k(x), and
//
//	f_w = Σ rho^k b_k / (1 + c (1 - rho^2k)) He_k(x),   c = (1-w)/w,
//
// because E[E[He_k(U)|X]|U] = rho^2k He_k(U).
//
// Measured by fits of package solvers to samples, with squared errors by exact quadrature; and to the
// distribution's own moments, without ridge, for the limits.

// A consistency holds the formulas of claim 4.
type consistency struct {
	best     func(x float64) float64            // f*
	naive    func(x float64) float64            // limit of naive
	gap      float64                            // squared error of that limit
	lambda   func(n int) float64                // ridge
	rate     float64                            // slope of the squared error
	risk     func(kx, ky, n, m float64) float64 // of 2Step-RR, first order
	variance func(x float64) float64            // Var(h*(U)|x)
	joint    func(w, rhoK float64) float64      // limit of Joint-RR: factor of rho^k b_k, rhoK = rho^k
}

var rightConsistency = consistency{
	best:     func(x float64) float64 { return math.Pow(x, 6) + 1./12 },
	naive:    func(x float64) float64 { return math.Pow(x, 6) },
	gap:      1. / 144,
	lambda:   func(n int) float64 { return 1 / float64(n) },
	rate:     -1,
	risk:     func(kx, ky, n, m float64) float64 { return kx/n + ky/m },
	variance: func(x float64) float64 { return math.Pow(x, 6)/3 + 1./180 },
	joint:    func(w, rhoK float64) float64 { return 1 / (1 + (1-w)/w*(1-rhoK*rhoK)) },
}

func (k consistency) claim() Claim {
	return Claim{
		Name:      "2Step-RR is consistent, naive and Joint-RR at fixed w are not",
		Reference: "[Yamane21, section 5.2; section 3 for naive; section 5.3 for Joint-RR]; docs/theory.md, 9.4",
		Statement: "The error of 2Step-RR falls as 1/n. The naive chain tends to h* at the mean of U, and Joint-RR at a fixed w to a function that is not f*, each at the rate 1/n.",
		Formulas: []string{
			`E(\hat{f}-f^*)^2 \approx \frac{K_X+K_Y}{n}`,
			`\hat{f}_{\text{naive}} \to h^*(E[U|X]) = f^* - \frac{1}{12}`,
		},
		Assumptions: "The paper's synthetic distribution in one dimension, noise variance 0.1; f and h polynomials that contain f* and h*; lambda = 1/n. For the limit of Joint-RR also correlated normal X and U.",
		Method:      "Monte Carlo over independent samples of each size; squared errors by exact quadrature; limits from the distribution's own moments without ridge. Seven standard errors are allowed.",
		Run:         k.run,
	}
}

// jointW is the fixed weight of Joint-RR here.
const jointW = .5

func (k consistency) run(ctx context.Context, o Options) (Result, error) {
	distribution := polynomialDistribution{noise: .1}
	limits, err := k.fit(distribution.population())
	if err != nil {
		return Result{}, err
	}
	data, err := k.measure(ctx, o, distribution, limits)
	if err != nil {
		return Result{}, err
	}
	return Result{
		Checks: append(k.limitChecks(limits, o), k.checks(distribution, data)...),
		Tables: []report.Table{curveTable(data.own), k.limitTable(distribution)}, Charts: []report.Chart{data.chart()},
	}, nil
}

// A consistencyData is what samples showed: mean squared distances of 2Step-RR to f*, and of naive and
// Joint-RR to their limits, at several n = m; of the latter two to f*; and of 2Step-RR to f* at n = 4m,
// m being an eighth of the largest.
type consistencyData struct {
	own, excess []*curve
	uneven      *curve
}

// checks compares the curves with the formulas.
func (k consistency) checks(distribution polynomialDistribution, data consistencyData) []Check {
	var checks []Check
	for _, c := range data.own {
		slope, stdErr := c.slope()
		// The next term of the expansion is C/n relative to the first, which moves the slope by less
		// than C/n at the smallest n; 0.03 stands for C = 15 to 30, twice the number of coefficients.
		checks = append(checks, near(fmt.Sprintf("%s: slope of the log mean over log n (95%% interval %.3f to %.3f)", c.name, slope-1.96*stdErr, slope+1.96*stdErr),
			slope, k.rate, stdErr, .03))
	}
	kx, ky := k.traces(distribution)
	// Relative to the first term the next is of the order of the number of coefficients over n, here 50/n.
	n, mean, stdErr := data.own[0].last()
	want := k.risk(kx, ky, n, n)
	checks = append(checks, near(fmt.Sprintf("n E (fhat-f*)² at n = m = %g, K_X + K_Y", n), n*mean, n*want, n*stdErr, 50*want))
	m, mean, stdErr := data.uneven.last()
	want = k.risk(kx, ky, 4*m, m)
	return append(checks, near(fmt.Sprintf("m E (fhat-f*)² at n = 4m = %g, K_X/4 + K_Y", 4*m), m*mean, m*want, m*stdErr, 50*want))
}

// A fitted has the predictions of the three methods.
type fitted struct{ twoStep, naive, joint func(x float64) float64 }

// fit fits all methods, with intercepts, with the ridge of as many rows; moments of a population, whose
// weight is 1, get none.
func (k consistency) fit(xu, uy *moments.CoMoments) (fitted, error) {
	lambda := 0.0
	if xu.Weight() > 2 {
		lambda = k.lambda(xu.Rows())
	}
	system, err := solvers.NewSystem(xu, uy, true)
	if err != nil {
		return fitted{}, fmt.Errorf("consistency: %w", err)
	}
	two := system.Solve(solvers.Params{W: 1, LambdaF: lambda, LambdaH: lambda})
	joint := system.Solve(solvers.Params{W: jointW, LambdaF: lambda, LambdaH: lambda})
	g, err := solvers.Ridge(xu, lambda, true)
	if err != nil {
		return fitted{}, fmt.Errorf("consistency: %w", err)
	}
	toU := polynomial(mat.Col(nil, 0, g.Coef), g.Intercept[0])
	return fitted{
		twoStep: polynomial(mat.Col(nil, 0, two.Alpha), two.InterceptF[0]),
		joint:   polynomial(mat.Col(nil, 0, joint.Alpha), joint.InterceptF[0]),
		naive: func(x float64) float64 {
			u := toU(x)
			return two.InterceptH[0] + two.Beta.At(0, 0)*u + two.Beta.At(1, 0)*u*u
		},
	}, nil
}

// polynomial returns x -> intercept + Σ coef_k P_k(x).
func polynomial(coef []float64, intercept float64) func(x float64) float64 {
	return func(x float64) float64 {
		var p [degree]float64
		legendre(p[:], x)
		sum := intercept
		for i, c := range coef {
			sum += c * p[i]
		}
		return sum
	}
}

// measure fits samples of several sizes.
func (k consistency) measure(ctx context.Context, o Options, distribution polynomialDistribution, limits fitted) (consistencyData, error) {
	joint := fmt.Sprintf("Joint-RR, w = %g, ", jointW)
	data := consistencyData{
		own:    []*curve{{name: "2Step-RR to f*"}, {name: "naive to its limit"}, {name: joint + "to its limit"}},
		excess: []*curve{{name: "naive to f*"}, {name: joint + "to f*"}},
		uneven: &curve{name: "2Step-RR to f*, n = 4m"},
	}
	smallest, largest := 1000, 16000
	if o.Quick {
		smallest, largest = 500, 4000
	}
	for n := smallest; n <= largest; n *= 2 {
		fits, err := k.fits(ctx, o, distribution, n, n)
		if err != nil {
			return data, err
		}
		two, naive, joint := fits.distances(k.best)
		_, naiveOwn, _ := fits.distances(limits.naive)
		_, _, jointOwn := fits.distances(limits.joint)
		for i, values := range [][]float64{two, naiveOwn, jointOwn} {
			data.own[i].add(n, values)
		}
		data.excess[0].add(n, naive)
		data.excess[1].add(n, joint)
	}
	fits, err := k.fits(ctx, o, distribution, largest/2, largest/8)
	if err != nil {
		return data, err
	}
	two, _, _ := fits.distances(k.best)
	data.uneven.add(largest/8, two)
	return data, nil
}

// repetitions is the number of samples of each size.
func (o Options) repetitions() int {
	if o.Quick {
		return 600
	}
	return 1000
}

type fits []fitted

// fits fits samples of n and m rows.
func (k consistency) fits(ctx context.Context, o Options, distribution polynomialDistribution, n, m int) (fits, error) {
	out := make(fits, o.repetitions())
	for i := range out {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		if out[i], err = k.fit(distribution.sample(draw.Rand(o.Seed, fmt.Sprintf("theory/consistency/%d/%d", n, m), i), n, m)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// distances returns the mean squared distances of each fit to a function.
func (f fits) distances(to func(x float64) float64) (two, naive, joint []float64) {
	for _, fit := range f {
		two, naive, joint = append(two, meanSquare(fit.twoStep, to)), append(naive, meanSquare(fit.naive, to)), append(joint, meanSquare(fit.joint, to))
	}
	return two, naive, joint
}

// curveTable is a table of means and standard errors.
func curveTable(curves []*curve) report.Table {
	t := report.Table{Caption: "Mean squared distances and their standard errors", Columns: []string{"n = m"}}
	for _, c := range curves {
		t.Columns = append(t.Columns, c.name, "s.e.")
	}
	for i, n := range curves[0].n {
		row := []report.Cell{{Value: &n}}
		for _, c := range curves {
			row = append(row, report.Cell{Value: &c.mean[i]}, report.Cell{Value: &c.err[i]})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (d consistencyData) chart() report.Chart {
	c := report.Chart{
		Name: "consistency", Title: "Squared error against rows, paper's synthetic distribution in one dimension", XLabel: "n = m", YLabel: "E (fhat - f*)²", LogX: true, LogY: true,
		Series: []report.Series{d.own[0].series()},
	}
	for _, e := range d.excess {
		c.Series = append(c.Series, e.series())
	}
	return c
}
