package theory

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/kernels"
	"mediant/report"
)

// kernelCase is a kernel with the points at which its features are compared, the first being the origin.
type kernelCase struct {
	name   string
	kernel kernels.Spectral
	points *mat.Dense
	// at[j][i] is the kernel at i times the distance of point j+1, i = 1..4.
	at [][5]float64
}

// kernelCases are three kernels of length 1 in three dimensions.
func kernelCases() ([]kernelCase, error) {
	gaussian, err := kernels.NewGaussian(1)
	if err != nil {
		return nil, err
	}
	laplacian, err := kernels.NewLaplacian(1)
	if err != nil {
		return nil, err
	}
	matern, err := kernels.NewMatern(1.5, 1)
	if err != nil {
		return nil, err
	}
	cases := []kernelCase{{name: "gaussian", kernel: gaussian}, {name: "laplacian", kernel: laplacian}, {name: "matern32", kernel: matern}}
	for i := range cases {
		cases[i].points, cases[i].at = distances(cases[i].kernel, []float64{.6, -.64, .48}, []float64{.5, 1, 2})
	}
	return cases, nil
}

// distances lays points along a direction and evaluates the kernel at their multiples.
func distances(k kernels.Kernel, direction, lengths []float64) (points *mat.Dense, at [][5]float64) {
	points = mat.NewDense(1+len(lengths), len(direction), nil)
	at = make([][5]float64, len(lengths))
	for j, length := range lengths {
		multiples := mat.NewDense(5, len(direction), nil)
		for i := range 5 {
			floats.AddScaled(multiples.RawRowView(i), float64(i)*length, direction)
		}
		points.SetRow(j+1, multiples.RawRowView(1))
		var gram mat.Dense
		k.GramTo(&gram, mat.NewDense(1, len(direction), nil), multiples)
		copy(at[j][:], gram.RawRowView(0))
	}
	return points, at
}

// cumulants returns the variance of c = cos(omega'delta), its squared skewness and its excess kurtosis, from
// E cos, and cos² t, cos³ t, cos⁴ t as sums of cosines of multiples of t.
func cumulants(k [5]float64) (variance, skew2, kurtosis float64) {
	m1, m2, m3, m4 := k[1], (1+k[2])/2, (3*k[1]+k[3])/4, (3+4*k[2]+k[4])/8
	variance = m2 - m1*m1
	third := m3 - 3*m1*m2 + 2*m1*m1*m1
	fourth := m4 - 4*m1*m3 + 6*m1*m1*m2 - 3*m1*m1*m1*m1
	return variance, third * third / (variance * variance * variance), fourth/(variance*variance) - 3
}

// A kernelError tallies errors phi(x)'phi(y) - k(x, y) at each distance.
type kernelError struct{ plain, absolute, squared []tallied }

// kernelErrors draws maps of a size and tallies their errors at the points of c.
func kernelErrors(ctx context.Context, points *mat.Dense, at [][5]float64, size, draws int, seed uint64, newMap func(size int, seed uint64, purpose string) (*features.Fourier, error)) (e kernelError, err error) {
	e.plain, e.absolute, e.squared = tallies(len(at)), tallies(len(at)), tallies(len(at))
	n, _ := points.Dims()
	phi := mat.NewDense(n, size, nil)
	for i := range draws {
		if err := ctx.Err(); err != nil {
			return e, err
		}
		m, err := newMap(size, seed, fmt.Sprintf("theory/features/%d/%d", size, i))
		if err != nil {
			return e, err
		}
		m.MapTo(phi, points)
		for j := range at {
			d := floats.Dot(phi.RawRowView(0), phi.RawRowView(j+1)) - at[j][1]
			e.plain[j].add(d)
			e.absolute[j].add(math.Abs(d))
			e.squared[j].add(d * d)
		}
	}
	return e, nil
}

func tallies(n int) []tallied { return make([]tallied, n) }

func runFourier(ctx context.Context, f featureFormula, o Options) (Result, error) {
	g := &gauge{reference: "docs/theory.md, 13"}
	sizes, draws := []int{64, 256, 1024, 4096}, 3000
	if o.Quick {
		sizes, draws = []int{64, 256, 1024}, 400
	}
	cases, err := kernelCases()
	if err != nil {
		return Result{}, err
	}
	t := report.Table{Caption: fmt.Sprintf("Errors of random Fourier features over %d maps; |x-y| in bandwidths", draws),
		Columns: []string{"kernel", "|x-y|", "D", "mean absolute error", "predicted", "mean squared error times D", "predicted"}}
	chart := report.Chart{Name: "random-features", Title: "Mean absolute kernel error of random Fourier features, |x-y| = 1", XLabel: "D", YLabel: "mean absolute error", LogX: true, LogY: true}
	for _, c := range cases {
		spread := make([]report.Series, len(c.at))
		for _, size := range sizes {
			e, err := kernelErrors(ctx, c.points, c.at, size, draws, o.Seed, func(size int, seed uint64, purpose string) (*features.Fourier, error) {
				return features.NewFourier(c.kernel, 3, size, seed, purpose+c.name)
			})
			if err != nil {
				return Result{}, err
			}
			for j, k := range c.at {
				absolute := checkFourier(g, f, c.name, j, size, k, e)
				length := mat.Norm(c.points.RowView(j+1), 2)
				t.Rows = append(t.Rows, append([]report.Cell{words(c.name)}, numbers(length, float64(size), e.absolute[j].mean, absolute,
					e.squared[j].mean*float64(size), f.variance(k[1], k[2], size)*float64(size))...))
				s := &spread[j]
				s.X, s.Y, s.Err = append(s.X, float64(size)), append(s.Y, e.absolute[j].mean), append(s.Err, e.absolute[j].se())
			}
		}
		for j, s := range spread {
			_, skew2, kurtosis := cumulants(c.at[j])
			fit := logSlope(s.X, s.Y, s.Err)
			// An error of the first value by e counts at most 0.4 e in the slope; e is the correction at D =
			// 64, 32 frequencies.
			g.near(fmt.Sprintf("slope, %s, distance %d", c.name, j+1), "Slope of the log of the mean absolute error against log D.", fit.exponent, f.exponent, fit.se, .4*math.Abs(skew2-kurtosis)/(24*32))
		}
		line := spread[1]
		line.Name, line.Kind = c.name, report.LinePoints
		chart.Series = append(chart.Series, line)
	}
	return Result{Checks: g.checks, Tables: []report.Table{t}, Charts: []report.Chart{chart}}, nil
}

// checkFourier checks bias, variance and mean absolute error at one distance, and returns the
// predicted mean absolute error.
func checkFourier(g *gauge, f featureFormula, name string, j, size int, k [5]float64, e kernelError) float64 {
	where := fmt.Sprintf("%s, distance %d, D = %d", name, j+1, size)
	g.near("unbiased, "+where, "Mean error.", e.plain[j].mean, 0, e.plain[j].se(), 0)
	variance := f.variance(k[1], k[2], size)
	g.near("variance, "+where, "Mean squared error times D.", e.squared[j].mean*float64(size), variance*float64(size), e.squared[j].se()*float64(size), 0)
	// The mean of n = D/2 cosines is normal up to Edgeworth's terms, which change E|Z| by the factor 1 +
	// (skewness² - excess kurtosis)/(24n); the next order is in n^-2.
	n := float64(size) / 2
	_, skew2, kurtosis := cumulants(k)
	absolute := f.meanAbs * math.Sqrt(variance) * (1 + (skew2-kurtosis)/(24*n))
	g.near("mean absolute error, "+where, "Mean absolute error times sqrt D.", e.absolute[j].mean*math.Sqrt(float64(size)), absolute*math.Sqrt(float64(size)),
		e.absolute[j].se()*math.Sqrt(float64(size)), 1/(n*n))
	return absolute
}
