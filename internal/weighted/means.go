// Package weighted estimates means of weighted rows with their standard errors and intervals.
package weighted

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/moments"
)

// A Means is the weighted means of some columns, row by row, and what the standard errors of smooth
// functions of the means need. With frequencies m, N = Σ m, factors g and W = Σ m g,
//
//	mean = Σ m g t / W,   cov(mean) = N/(N-1) Σ m g² (t - mean)(t - mean)' / W²
//
// which is the sample covariance, of denominator N-1, over N where all factors are equal. The
// squares are summed about the mean under the weights m g² by Welford's recurrence, and moved. Of rows in clusters the covariance is that of
// sums over clusters (see clusterSums). The zero value is not usable; use New.
type Means struct {
	Count       float64 // N
	Weight      float64
	Mean        []float64
	squares     float64 // Σ m g²
	meanSquares []float64
	Cross       *mat.SymDense // Σ m g² (t - meanSquares)(t - meanSquares)'
	gap         []float64
	clusters    *clusterSums // nil: each row is a cluster of its own
}

func New(columns int) *Means {
	return &Means{
		Mean: make([]float64, columns), meanSquares: make([]float64, columns),
		Cross: mat.NewSymDense(columns, nil), gap: make([]float64, columns),
	}
}

// Add adds row i of a block that w is of; a factor of 0 changes nothing.
func (s *Means) Add(w moments.Weights, i int, values ...float64) {
	count, factor := w.FrequencyOf(i), w.FactorOf(i)
	if factor == 0 {
		return
	}
	weight, square := count*factor, count*factor*factor
	s.Count += count
	s.Weight += weight
	s.squares += square
	for j, v := range values {
		s.Mean[j] += (v - s.Mean[j]) * (weight / s.Weight)
		s.gap[j] = v - s.meanSquares[j]
		s.meanSquares[j] += s.gap[j] * (square / s.squares)
	}
	raw := s.Cross.RawSymmetric()
	if w.Cluster != nil {
		if s.clusters == nil {
			s.clusters = &clusterSums{columns: len(values)}
		}
		s.clusters.add(int(w.Cluster[i]), weight, values)
	}
	for i, gap := range s.gap {
		for j := i; j < len(values); j++ {
			raw.Data[i*raw.Stride+j] += square * gap * (values[j] - s.meanSquares[j])
		}
	}
}

// Variance returns the variance of gradient'mean, NaN below two observations or clusters.
func (s *Means) Variance(gradient ...float64) float64 {
	if s.clusters != nil {
		return SumVariance(Term{Of: s, Gradient: gradient}).Variance
	}
	if s.Count < 2 {
		return math.NaN()
	}
	sum, shift := 0.0, 0.0
	for i, a := range gradient {
		shift += a * (s.meanSquares[i] - s.Mean[i])
		for j, b := range gradient {
			sum += a * b * s.Cross.At(i, j)
		}
	}
	sum += s.squares * shift * shift
	return max(sum, 0) / (s.Weight * s.Weight) * s.Count / (s.Count - 1)
}

// Covariance returns the covariance of the means, NaN below two observations or clusters.
func (s *Means) Covariance() *mat.SymDense {
	n := len(s.Mean)
	if s.clusters != nil {
		return s.clusterCovariance()
	}
	cov := mat.NewSymDense(n, nil)
	scale := math.NaN()
	if s.Count >= 2 {
		scale = s.Count / (s.Count - 1) / (s.Weight * s.Weight)
	}
	for i := range n {
		for j := i; j < n; j++ {
			cov.SetSym(i, j, scale*(s.Cross.At(i, j)+s.squares*(s.meanSquares[i]-s.Mean[i])*(s.meanSquares[j]-s.Mean[j])))
		}
	}
	return cov
}

// Averages are weighted means of some columns, by Welford's recurrence.
type Averages struct {
	Weight float64
	Mean   []float64
}

func NewAverages(columns int) *Averages { return &Averages{Mean: make([]float64, columns)} }

// Add adds a row of values; weight 0 changes nothing.
func (m *Averages) Add(weight float64, values []float64) {
	if weight == 0 {
		return
	}
	m.Weight += weight
	for j, v := range values {
		m.Mean[j] += (v - m.Mean[j]) * (weight / m.Weight)
	}
}
