// Package distribution predicts the distribution of Y given X, from two tables without coupled (X, Y) rows: quantiles, prediction intervals and draws.
//
// [Fit] fits P(Y <= t|X) for some thresholds t, each by 2Step-RR on the features of a Problem: the thresholds are outputs, which share all factorisations. The [CDF] sorts and clips
// their predictions. [Assess] and Fit estimate, from the two tables alone, its continuous ranked probability score (CRPS) and how many Y its prediction intervals contain, and
// Assessment.Tune finds the nominal level at which the intervals contain a wanted share.
//
// All of this requires that Y is independent of X given U, in distribution and not only in mean (docs/theory.md, 9.13).
package distribution
