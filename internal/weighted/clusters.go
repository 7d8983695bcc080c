package weighted

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// clusterSums are the sums over clusters of the rows of a Means. With W_g and S_g the sums of weights m g and of m g t over the rows of cluster g, the
// influence of a cluster on the mean and the covariance of the mean are
//
//	psi_g = (S_g - W_g mean)/W,   cov(mean) = G/(G-1) Σ_g psi_g psi_g'
//
// [Liang and Zeger, Biometrika 73, 1986; the factor is CR1 of Cameron and Miller, Journal of Human Resources 50, 2015, section II, for a mean]. With one row a
// cluster it is the covariance of rows.
type clusterSums struct {
	columns int
	weight  []float64 // by cluster
	sums    []float64 // by cluster and column
}

func (c *clusterSums) add(cluster int, weight float64, values []float64) {
	for len(c.weight) <= cluster {
		c.weight = append(c.weight, 0)
		c.sums = append(c.sums, make([]float64, c.columns)...)
	}
	c.weight[cluster] += weight
	floats.AddScaled(c.sums[cluster*c.columns:(cluster+1)*c.columns], weight, values)
}

// count is the number of clusters with rows.
func (c *clusterSums) count() float64 {
	n := 0.0
	for _, w := range c.weight {
		if w > 0 {
			n++
		}
	}
	return n
}

// effective is the number of clusters that they are worth, fewer where their weights differ.
func (c *clusterSums) effective() float64 {
	sum, squares := 0.0, 0.0
	for _, w := range c.weight {
		sum += w
		squares += w * w
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / squares
}

// addInfluence adds gradient'psi_g, times sqrt(G/(G-1)), to dst by cluster, and returns it, perhaps longer. It is NaN below two clusters.
func (s *Means) addInfluence(dst, gradient []float64) []float64 {
	c := s.clusters
	if n := len(c.weight) - len(dst); n > 0 {
		dst = append(dst, make([]float64, n)...)
	}
	n := c.count()
	factor := math.NaN()
	if n >= 2 {
		factor = math.Sqrt(n/(n-1)) / s.Weight
	}
	mean := floats.Dot(gradient, s.Mean)
	for g, w := range c.weight {
		if w > 0 {
			dst[g] += factor * (floats.Dot(gradient, c.sums[g*c.columns:(g+1)*c.columns]) - w*mean)
		}
	}
	return dst
}

// clusterCovariance is Covariance over clusters.
func (s *Means) clusterCovariance() *mat.SymDense {
	terms := make([][]Term, len(s.Mean))
	for j := range terms {
		gradient := make([]float64, len(s.Mean))
		gradient[j] = 1
		terms[j] = []Term{{Of: s, Gradient: gradient}}
	}
	return SumCovariance(terms)
}

// Clustered reports whether rows are in clusters.
func (s *Means) Clustered() bool { return s.clusters != nil }

// CountClusters returns how many clusters the rows of some means are in, together.
func CountClusters(of ...*Means) int {
	var found []bool
	n := 0
	for _, s := range of {
		if s.clusters == nil {
			continue
		}
		for g, w := range s.clusters.weight {
			for len(found) <= g {
				found = append(found, false)
			}
			if w > 0 && !found[g] {
				found[g] = true
				n++
			}
		}
	}
	return n
}

// A Term is gradient'mean of the means of a sample. Squares says that their values are squares of errors.
type Term struct {
	Of       *Means
	Gradient []float64
	Squares  bool
}

func (t Term) variance() Variance {
	return Variance{t.Of.Variance(t.Gradient...), t.Of.freedom(t.Squares)}
}

// SumVariance is the variance of a sum of terms, and its degrees of freedom (SumFreedom). Samples are independent but for clusters that they have in common,
// whose influences are added before they are squared.
func SumVariance(terms ...Term) Variance {
	var parts, clustered []Variance
	var influence []float64
	var of []*Means
	for _, t := range terms {
		if t.Of.clusters == nil {
			parts = append(parts, t.variance())
			continue
		}
		of = append(of, t.Of)
		own := t.Of.addInfluence(nil, t.Gradient)
		clustered = append(clustered, Variance{floats.Dot(own, own), t.Of.freedom(t.Squares)})
		influence = t.Of.addInfluence(influence, t.Gradient)
	}
	if clustered != nil {
		freedom := max(min(SumFreedom(clustered...), float64(CountClusters(of...)-1)), 1)
		parts = append(parts, Variance{floats.Dot(influence, influence), freedom})
	}
	all := Variance{Freedom: SumFreedom(parts...)}
	for _, p := range parts {
		all.Variance += p.Variance
	}
	return all
}

// SumCovariance is the covariance of several such sums, whose terms are of samples of clusters.
func SumCovariance(sums [][]Term) *mat.SymDense {
	influences := make([][]float64, len(sums))
	longest := 0
	for i, terms := range sums {
		for _, t := range terms {
			influences[i] = t.Of.addInfluence(influences[i], t.Gradient)
		}
		longest = max(longest, len(influences[i]))
	}
	cov := mat.NewSymDense(len(sums), nil)
	for i, own := range influences {
		for len(own) < longest {
			own = append(own, 0)
		}
		influences[i] = own
	}
	for i := range influences {
		for j := i; j < len(influences); j++ {
			cov.SetSym(i, j, floats.Dot(influences[i], influences[j]))
		}
	}
	return cov
}
