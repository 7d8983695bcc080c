package features

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
	"mediant/moments"
)

const (
	// defaultSteps gives seven features a column and an error of 0.0122.
	defaultSteps = 3
	// maxSteps is where the error has long been lost in rounding.
	maxSteps = 1000
)

// ChiSquared holds features of the additive chi-squared kernel k(x, y) = Σ_j 2 x_j y_j/(x_j + y_j), 2n+1 for
// each column: with the step L = 1/sqrt(n+1) and kappa(v) = 1/cosh(pi v),
//
//	sqrt(x L),  sqrt(2 x L kappa(l L)) [cos(l L log x), sin(l L log x)],   l = 1..n
//
// the sum that samples the spectrum of k/sqrt(xy) = 1/cosh(log(y/x)/2) [Vedaldi and Zisserman, Efficient
// additive kernels via explicit feature maps, IEEE PAMI 34, 2012, eq. 18]. They are not random, and
//
//	|phi(x)'phi(y) - k(x, y)| <= Error() Σ_j max(x_j, y_j)
//
// Rows must not have negative entries. The zero value is not usable; use NewChiSquared.
type ChiSquared struct {
	in    int
	step  float64   // L
	sizes []float64 // roots of L kappa(l L), twice that but for the first
	id    lazyID
}

var _ stored = (*ChiSquared)(nil)

func init() {
	register[*ChiSquared](kind{
		name: "chi2",
		read: func(_ *reader, h header) (Map, error) {
			if err := h.none(); err != nil {
				return nil, err
			}
			return NewChiSquared(h.In, h.Steps)
		},
		made: &maker{
			kind: ChiSquaredFeatures, heads: []string{"chi2"}, names: alone("chi2"), parse: parseAlone(ChiSquaredFeatures),
			size: func(_ Spec, in int) int { return in * (2*defaultSteps + 1) },
			fit:  (*specFit).chiSquared,
		},
	})
}

// NewChiSquared returns the map of in columns and n = steps frequencies above 0, from 1 to 1,000. It panics
// if in < 1. The error says that steps are out of range, or that there would be more than 2^20 features.
func NewChiSquared(in, steps int) (*ChiSquared, error) {
	if in < 1 {
		panic(mat.ErrZeroLength)
	}
	if steps < 1 || steps > maxSteps {
		return nil, fmt.Errorf("features: chi2: %d steps, want from 1 to %d", steps, maxSteps)
	}
	if in > maxFeatures/(2*steps+1) {
		return nil, fmt.Errorf("features: chi2: %d columns with %d steps have more than %d features", in, steps, maxFeatures)
	}
	m := &ChiSquared{in: in, step: 1 / math.Sqrt(float64(steps+1)), sizes: make([]float64, steps+1)}
	for l := range m.sizes {
		m.sizes[l] = math.Sqrt(2 * m.step / math.Cosh(math.Pi*float64(l)*m.step))
	}
	m.sizes[0] = math.Sqrt(m.step)
	return m, nil
}

// Error bounds the error of a column's kernel relative to the larger of its entries: what the sum leaves out
// of the spectrum, and its period 2 pi/L, whose copies of the kernel add to it (docs/theory.md, section 7),
//
//	4 L exp(-pi (n+1) L)/(1 - exp(-pi L)) + 4/(exp(pi/L) - 1)
//
// 0.085 for one step, 0.0122 for three.
func (m *ChiSquared) Error() float64 {
	left := 4 * m.step * math.Exp(-math.Pi*float64(len(m.sizes))*m.step) / -math.Expm1(-math.Pi*m.step)
	return left + 4/math.Expm1(math.Pi/m.step)
}

// Dims returns the number of columns of x and of features.
func (m *ChiSquared) Dims() (in, out int) { return m.in, m.in * (2*len(m.sizes) - 1) }

// Steps returns n.
func (m *ChiSquared) Steps() int { return len(m.sizes) - 1 }

// ID returns the map's identity.
func (m *ChiSquared) ID() moments.ID { return m.id.of(m) }

// Kernel returns the kernel that is approximated.
func (m *ChiSquared) Kernel() kernels.Kernel { return kernels.ChiSquared{} }

// MapTo stores the features of each row of x in dst, in a logarithm, a root, and n sines and cosines for each
// entry but 0. A negative entry panics with the *kernels.RowError of CheckRows.
func (m *ChiSquared) MapTo(dst *mat.Dense, x mat.Matrix) {
	if err := kernels.CheckRows(m.Kernel(), x); err != nil {
		panic(err)
	}
	mapRows(m, dst, x, func(phi, x []float64) {
		for _, v := range x {
			phi = phi[m.mapEntry(phi, v):]
		}
	})
}

// mapEntry stores the features of one entry in the first of phi, and returns their number.
func (m *ChiSquared) mapEntry(phi []float64, x float64) int {
	own := phi[:2*len(m.sizes)-1]
	if x == 0 {
		clear(own)
		return len(own)
	}
	root, angle := math.Sqrt(x), m.step*math.Log(x)
	own[0] = root * m.sizes[0]
	for l := 1; l < len(m.sizes); l++ {
		sine, cosine := math.Sincos(float64(l) * angle)
		own[2*l-1], own[2*l] = root*m.sizes[l]*cosine, root*m.sizes[l]*sine
	}
	return len(own)
}

func (m *ChiSquared) header() header {
	in, out := m.Dims()
	return header{Kind: "chi2", In: in, Out: out, Steps: m.Steps()}
}

func (m *ChiSquared) appendWeights(dst []float64) []float64 { return dst }

// chiSquared makes the map if the rows have no negative entries.
func (f *specFit) chiSquared() (Map, error) {
	if err := f.check(kernels.ChiSquared{}); err != nil {
		return nil, err
	}
	_, in := f.rows.Dims()
	return NewChiSquared(in, defaultSteps)
}

// String names the map for people.
func (m *ChiSquared) String() string { return fmt.Sprintf("chi2 (%d steps)", m.Steps()) }
