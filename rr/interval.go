package rr

import "gonum.org/v1/gonum/stat/distuv"

// Variances of a mean of N terms are estimated from N/squaredErrors degrees of freedom where the terms are squares of normal errors: their
// kurtosis is 15, so that the sample variance has the relative variance 14/N, and that of d degrees of freedom has 2/d.
const squaredErrors = 7

// A meanVariance is the variance of a mean, and the degrees of freedom that it is estimated from.
type meanVariance struct{ variance, freedom float64 }

// sumFreedom is the number of degrees of freedom of a sum of independent variances (Welch, Biometrika 34, 1947; Satterthwaite, Biometrics
// Bulletin 2, 1946), at least 1. What does not vary does not count.
func sumFreedom(parts ...meanVariance) float64 {
	sum, squares, all := 0.0, 0.0, 0.0
	for _, p := range parts {
		sum += p.variance
		squares += p.variance * p.variance / max(p.freedom, 1e-9)
		all += p.freedom
	}
	if sum == 0 {
		return max(all, 1)
	}
	return max(sum*sum/squares, 1)
}

// quantile95 is the 97.5 % point of Student's t, for intervals of 95 %.
func quantile95(freedom float64) float64 {
	if freedom > 1e6 {
		return z95
	}
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(.975)
}

// meanVariance is the variance of gradient'mean, from as many degrees of freedom as that of a mean of normal terms.
func (s *spread) meanVariance(gradient []float64) meanVariance {
	return meanVariance{s.variance(gradient...), s.effective() - 1}
}

// errorVariance is meanVariance for terms that are squares of errors.
func (s *spread) errorVariance(gradient []float64) meanVariance {
	return meanVariance{s.variance(gradient...), s.effective() / squaredErrors}
}

// effective is the number of observations that the rows are worth, fewer than they are where their factors differ.
func (s *spread) effective() float64 {
	if s.squares == 0 {
		return 0
	}
	return s.weight * s.weight / s.squares
}

// fewFreedom is the number of degrees of freedom below which intervals of the risk may hold less often than they say: docs/theory.md, section 15.
const fewFreedom = 25
