package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

var _ Spectral = Periodic{}

func init() {
	Register(Registration[Periodic]{
		Name:       "periodic",
		Parameters: []string{"PERIOD"},
		// The length is a share of the period, whatever the rows are.
		Bandwidth: func(mat.Matrix, rand.Source) (float64, string) { return 1, "" },
		New:       func(p []float64, length float64) (Periodic, error) { return NewPeriodic(p[0], length) },
		Describe: func(k Periodic) (Desc, error) {
			_, err := NewPeriodic(k.period, k.Length())
			return Desc{Period: k.period, Length: k.Length()}, err
		},
		Restore: func(d Desc) (Periodic, error) { return NewPeriodic(d.Period, d.Length) },
	})
}

const (
	// minLength bounds the length of a periodic kernel from below: Poisson variables of 1/(2 length²), 5e11,
	// are integers that float64 holds, and the kernel is 0 beyond 1e-6 of a period.
	minLength = 1e-6
	// maxLength is where the kernel is 1 to rounding.
	maxLength = 1e9
)

// Periodic is the kernel
//
//	k(x, x') = exp(-2 Σ_j sin²(pi (x_j - x'_j)/p)/l²)
//
// of period p, in the units of x, and length l, which has none [RasmussenWilliams06, eq. 4.31]: the
// Gaussian kernel of bandwidth l of points on circles, (cos 2 pi x_j/p, sin 2 pi x_j/p). It is a product
// over columns; its frequencies are the integers N - N' times 2 pi/p with independent Poisson variables
// of mean 1/(2 l²), since E exp(i t (N - N')) = exp((cos t - 1)/l²). The zero value is not usable; use
// NewPeriodic.
type Periodic struct {
	period float64
	circle Gaussian
}

// NewPeriodic returns the periodic kernel of a period between 1e-150 and 1e150 and a length from 1e-6 to
// 1e9.
func NewPeriodic(period, length float64) (Periodic, error) {
	if !(period >= minBandwidth && period <= maxBandwidth) {
		return Periodic{}, fmt.Errorf("kernels: periodic: period is %v, must be from %v to %v", period, minBandwidth, maxBandwidth)
	}
	if !(length >= minLength && length <= maxLength) {
		return Periodic{}, fmt.Errorf("kernels: periodic: length is %v, must be from %v to %v", length, minLength, maxLength)
	}
	return Periodic{period, Gaussian{length}}, nil
}

// Period returns p.
func (k Periodic) Period() float64 { return k.period }

// Length returns l.
func (k Periodic) Length() float64 { return k.circle.bandwidth }

// GramTo implements Kernel, at twice the cost of a Gaussian kernel, and a sine and a cosine an element of
// x and y; sparse rows are unpacked. Remainders are exact, so that rows far from the origin lose nothing.
func (k Periodic) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	mustBeSet("Periodic", k.period > 0)
	n, m, _ := prepare(dst, x, y)
	var all, some mat.Dense
	k.circlesTo(&all, y, 0, m)
	for lo := 0; lo < n; lo += spanRows {
		hi := min(lo+spanRows, n)
		k.circlesTo(&some, x, lo, hi)
		k.circle.GramTo(dst.Slice(lo, hi, 0, m).(*mat.Dense), &some, &all)
	}
}

// circlesTo resizes dst to hold the points of rows lo to hi of x: cosines, then sines.
func (k Periodic) circlesTo(dst *mat.Dense, x mat.Matrix, lo, hi int) {
	_, width := x.Dims()
	var unpacked scratch
	rows := rowsOf(&unpacked, x, lo, hi)
	dst.Reset()
	dst.ReuseAs(hi-lo, 2*width)
	for i := range hi - lo {
		point := dst.RawRowView(i)
		for j, v := range line(rows, i) {
			point[width+j], point[j] = math.Sincos(2 * math.Pi * (math.Remainder(v, k.period) / k.period))
		}
	}
}

// DiagTo stores 1 in all of dst.
func (k Periodic) DiagTo(dst []float64, x mat.Matrix) { onesTo(dst, x) }

// FrequenciesTo fills dst with independent differences of Poisson variables times 2 pi/p.
func (k Periodic) FrequenciesTo(dst *mat.Dense, rnd *rand.Rand) {
	length := k.circle.bandwidth
	count := distuv.Poisson{Lambda: 1 / (2 * length * length), Src: rnd}
	to := dst.RawMatrix()
	for i := range to.Rows {
		row := line(to, i)
		for j := range row {
			row[j] = (count.Rand() - count.Rand()) * (2 * math.Pi / k.period)
		}
	}
}

// String names k for people.
func (k Periodic) String() string {
	return fmt.Sprintf("periodic of period %.4g (length %.4g)", k.period, k.Length())
}
