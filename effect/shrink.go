package effect

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"mediant/risk"
)

// leastShrunken is the number of effects below which the variance between them is not estimated.
const leastShrunken = 3

// A Shrinkage is a random-effects model of effects (docs/theory.md, section 17): the estimates are normal about the effects with a known covariance V, and the effects
// normal about Mean with the variance Tau². Tau² is estimated by restricted maximum likelihood [Harville, JASA 72, 1977; Viechtbauer, Journal of Educational
// and Behavioral Statistics 30, 2005].
type Shrinkage struct {
	Output string `json:"y"`
	// Mean is the mean effect, with its interval.
	Mean risk.Interval `json:"mean"`
	// Tau is the standard deviation of the effects, in units of Y.
	Tau float64 `json:"tau"`
	// Q is Cochran's statistic of heterogeneity, (y - mean)' V⁻¹ (y - mean) with Tau = 0, and P the probability of a larger one if all effects are equal.
	Q float64 `json:"q"`
	P float64 `json:"p"`
	// Effects are the best linear unbiased predictions of the effects, with intervals of 95 % that contain the error of Mean but not that of Tau.
	Effects []risk.Interval `json:"-"`
}

// Shrink estimates the model from at least three estimates and their covariance V, n×n. The error says that there are fewer, that a value is not finite, or that V is not positive definite.
func Shrink(estimates []float64, v *mat.SymDense) (*Shrinkage, error) {
	n := len(estimates)
	if v.SymmetricDim() != n {
		panic(mat.ErrShape)
	}
	if n < leastShrunken {
		return nil, fmt.Errorf("effect: the variance between effects needs at least %d of them, there are %d", leastShrunken, n)
	}
	m, err := newRandom(estimates, v)
	if err != nil {
		return nil, err
	}
	tau2 := m.reml()
	mean, variance := m.mean(tau2)
	s := &Shrinkage{Mean: normalInterval(mean, variance), Tau: math.Sqrt(tau2)}
	s.Q, s.P = m.heterogeneity()
	for i := range n {
		// In the basis of V's eigenvectors q_k: theta_i = mean + sum_k q_ik b_k (y_k - x_k mean), b_k = tau²/(l_k + tau²), with the variance
		// sum_k q_ik² b_k l_k + (1 - sum_k q_ik b_k x_k)² var(mean).
		value, own, left := mean, 0., 1.
		for k, l := range m.values {
			b := tau2 / (l + tau2)
			value += m.vectors.At(i, k) * b * (m.y.AtVec(k) - m.x.AtVec(k)*mean)
			own += m.vectors.At(i, k) * m.vectors.At(i, k) * b * l
			left -= m.vectors.At(i, k) * b * m.x.AtVec(k)
		}
		s.Effects = append(s.Effects, normalInterval(value, own+left*left*variance))
	}
	return s, nil
}

// random is the model in the basis of the eigenvectors of V: y_k is normal about x_k mean with the variance values_k + tau², independently.
type random struct {
	values  []float64
	vectors mat.Dense
	y, x    *mat.VecDense
}

func newRandom(estimates []float64, v *mat.SymDense) (*random, error) {
	n := len(estimates)
	for i, y := range estimates {
		if s := y + v.At(i, i); math.IsNaN(s) || math.IsInf(s, 0) {
			return nil, fmt.Errorf("effect: estimate %d of %d, or its variance, is not finite", i+1, n)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(v, true) {
		return nil, fmt.Errorf("effect: the covariance of %d estimates has no eigendecomposition", n)
	}
	m := &random{values: eigen.Values(nil), y: mat.NewVecDense(n, nil), x: mat.NewVecDense(n, nil)}
	if least := m.values[0]; !(least > 1e-12*m.values[n-1]) {
		return nil, fmt.Errorf("effect: the covariance of %d estimates is singular: its eigenvalues are %.3g to %.3g", n, least, m.values[n-1])
	}
	eigen.VectorsTo(&m.vectors)
	ones := mat.NewVecDense(n, nil)
	for i := range n {
		ones.SetVec(i, 1)
	}
	m.y.MulVec(m.vectors.T(), mat.NewVecDense(n, slices.Clone(estimates)))
	m.x.MulVec(m.vectors.T(), ones)
	return m, nil
}

// heterogeneity is Cochran's Q with its probability among equal effects.
func (m *random) heterogeneity() (q, p float64) {
	fixed, _ := m.mean(0)
	q = m.squares(0, fixed)
	return q, distuv.ChiSquared{K: float64(len(m.values) - 1)}.Survival(q)
}

// mean is the generalised least squares estimate of the mean, and its variance.
func (m *random) mean(tau2 float64) (mean, variance float64) {
	xx, xy := 0., 0.
	for k, l := range m.values {
		xx += m.x.AtVec(k) * m.x.AtVec(k) / (l + tau2)
		xy += m.x.AtVec(k) * m.y.AtVec(k) / (l + tau2)
	}
	return xy / xx, 1 / xx
}

// squares is (y - mean)' (V + tau² I)⁻¹ (y - mean).
func (m *random) squares(tau2, mean float64) (sum float64) {
	for k, l := range m.values {
		e := m.y.AtVec(k) - m.x.AtVec(k)*mean
		sum += e * e / (l + tau2)
	}
	return sum
}

// loss is minus twice the restricted log-likelihood, up to a constant.
func (m *random) loss(tau2 float64) float64 {
	mean, variance := m.mean(tau2)
	sum := m.squares(tau2, mean) - math.Log(variance)
	for _, l := range m.values {
		sum += math.Log(l + tau2)
	}
	return sum
}

// reml is the tau² of least loss: the best of a grid from 0 to the mean square of y, a hundred times over, refined between its neighbours.
func (m *random) reml() float64 {
	top := mat.Dot(m.y, m.y)/float64(len(m.values)) + m.values[len(m.values)-1]
	grid := []float64{0}
	for s := 1e-8; s <= 1.001; s *= math.Pow(10, .1) {
		grid = append(grid, s*top)
	}
	best := 0
	for i, tau2 := range grid {
		if m.loss(tau2) < m.loss(grid[best]) {
			best = i
		}
	}
	return golden(m.loss, grid[max(best-1, 0)], grid[min(best+1, len(grid)-1)])
}

// golden returns the minimiser in [low, high] of a function with one minimum there, low itself if nothing is below its value.
func golden(f func(float64) float64, low, high float64) float64 {
	const ratio = 0.6180339887498949 // (sqrt(5) - 1)/2
	start := low
	a, b := high-ratio*(high-low), low+ratio*(high-low)
	fa, fb := f(a), f(b)
	for range 80 { // ratio^80 is 2e-17
		if fa <= fb {
			high, b, fb = b, a, fa
			a = high - ratio*(high-low)
			fa = f(a)
		} else {
			low, a, fa = a, b, fb
			b = low + ratio*(high-low)
			fb = f(b)
		}
	}
	if at := (low + high) / 2; f(at) < f(start) {
		return at
	}
	return start
}
