package theory

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"mediant/report"
)

// A curve is means over repetitions at several sample sizes, with standard errors.
type curve struct {
	name         string
	n, mean, err []float64
}

// add takes the repetitions at one size.
func (c *curve) add(n int, values []float64) {
	mean, std := stat.MeanStdDev(values, nil)
	c.n, c.mean, c.err = append(c.n, float64(n)), append(c.mean, mean), append(c.err, std/math.Sqrt(float64(len(values))))
}

// last returns the mean at the largest size.
func (c *curve) last() (n, mean, err float64) {
	i := len(c.n) - 1
	return c.n[i], c.mean[i], c.err[i]
}

// slope returns the least-squares slope of log mean on log n, and its standard error from those of the
// means, which are of independent samples.
func (c *curve) slope() (slope, stdErr float64) {
	x := make([]float64, len(c.n))
	for i, n := range c.n {
		x[i] = math.Log(n)
	}
	centre, sxx, variance := stat.Mean(x, nil), 0.0, 0.0
	for i := range x {
		x[i] -= centre
		sxx += squared(x[i])
	}
	for i := range x {
		slope += x[i] * math.Log(c.mean[i]) / sxx
		variance += squared(x[i] * c.err[i] / c.mean[i] / sxx)
	}
	return slope, math.Sqrt(variance)
}

// series draws the curve.
func (c *curve) series() report.Series {
	return report.Series{Name: c.name, Kind: report.LinePoints, X: c.n, Y: c.mean, Err: c.err}
}
