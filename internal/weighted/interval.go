package weighted

import (
	"gonum.org/v1/gonum/stat/distuv"
)

// Variances of a mean of N terms are estimated from N/squaredErrors degrees of freedom where the terms are squares of normal errors: their
// kurtosis is 15, so that the sample variance has the relative variance 14/N, and that of d degrees of freedom has 2/d.
const squaredErrors = 7

// A Variance is the variance of a mean, and the degrees of freedom that it is estimated from.
type Variance struct{ Variance, Freedom float64 }

// SumFreedom is the number of degrees of freedom of a sum of independent variances (Welch, Biometrika 34, 1947; Satterthwaite, Biometrics
// Bulletin 2, 1946), at least 1. What does not vary does not count.
func SumFreedom(parts ...Variance) float64 {
	sum, squares, all := 0.0, 0.0, 0.0
	for _, p := range parts {
		sum += p.Variance
		squares += p.Variance * p.Variance / max(p.Freedom, 1e-9)
		all += p.Freedom
	}
	if sum == 0 {
		return max(all, 1)
	}
	return max(sum*sum/squares, 1)
}

// Student95 is the 97.5 % point of Student's t, for intervals of 95 %.
func Student95(freedom float64) float64 {
	if freedom > 1e6 {
		return Normal95
	}
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(.975)
}

// MeanVariance is the variance of gradient'mean, from as many degrees of freedom as that of a mean of normal terms.
func (s *Means) MeanVariance(gradient []float64) Variance {
	return Variance{s.Variance(gradient...), s.freedom(false)}
}

// freedom is the number of degrees of freedom of a variance of normal terms, or of squares of errors. Of clusters it is no more than those of their
// sums, which are nearly normal if clusters are large, nor than those of independent rows.
func (s *Means) freedom(errors bool) float64 {
	switch {
	case !errors:
		return s.Effective() - 1
	case s.clusters == nil:
		return s.Effective() / squaredErrors
	}
	return min(s.Weight*s.Weight/s.squares/squaredErrors, s.Effective()-1)
}

// Effective is the number of observations that the rows are worth, fewer than they are where their factors differ, or that of clusters, fewer
// where their weights differ.
func (s *Means) Effective() float64 {
	if s.clusters != nil {
		return s.clusters.effective()
	}
	if s.squares == 0 {
		return 0
	}
	return s.Weight * s.Weight / s.squares
}

// Normal95 is the 97.5 % point of the standard normal distribution, for intervals of 95 %.
const Normal95 = 1.959963984540054
