package effect

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"mediant/internal/draw"
	"mediant/internal/weighted"
	"mediant/risk"
)

// jointDraws is how many draws the joint quantile is of: its level has a standard error of sqrt(.05 · .95 / draws) = 0.0015.
const jointDraws = 20000

// jointQuantile returns the 95 % quantile of the greatest |t| of effects whose influence values have the covariance cov, up to a factor
// [Chernozhukov, Chetverikov and Kato, Annals of Statistics 41, 2013: the multiplier bootstrap]. With normal multipliers the bootstrapped sums of the influence
// values are normal with exactly this covariance, and are drawn from it. It is at least the quantile of one effect, and exactly that if there is no other.
func jointQuantile(cov *mat.SymDense, seed uint64) float64 {
	n := cov.SymmetricDim()
	if n == 1 {
		return weighted.Normal95
	}
	correlation := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			if scale := math.Sqrt(cov.At(i, i) * cov.At(j, j)); scale > 0 {
				correlation.SetSym(i, j, cov.At(i, j)/scale)
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(correlation, true) {
		return bonferroni(n)
	}
	var root mat.Dense
	eigen.VectorsTo(&root)
	for j, v := range eigen.Values(nil) {
		for i := range n {
			root.Set(i, j, root.At(i, j)*math.Sqrt(max(v, 0)))
		}
	}
	rnd := draw.Rand(seed, "effect/joint interval", 0)
	normal, t, greatest := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil), make([]float64, jointDraws)
	for b := range greatest {
		for i := range n {
			normal.SetVec(i, rnd.NormFloat64())
		}
		t.MulVec(&root, normal)
		greatest[b] = mat.Norm(t, math.Inf(1))
	}
	slices.Sort(greatest)
	return max(greatest[jointDraws*95/100-1], weighted.Normal95)
}

// bonferroni is a quantile that is never too small for n effects.
func bonferroni(n int) float64 { return distuv.UnitNormal.Quantile(1 - .025/float64(n)) }

// jointInterval is the interval of an effect whose joint quantile is that of Student's t of the same probability.
func jointInterval(single risk.Interval, freedom, quantile float64) *Range {
	margin := quantile * single.SE
	if freedom <= 1e6 {
		margin = distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(distuv.UnitNormal.CDF(quantile)) * single.SE
	}
	return &Range{Lo: min(single.Value-margin, single.Lo), Hi: max(single.Value+margin, single.Hi)}
}

// A Range is an interval by its ends.
type Range struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}
