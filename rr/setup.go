package rr

import (
	"fmt"

	"mediant/features"
	"mediant/tables"
)

// A Setup says how tables become features; all methods share it. The zero value is usable: roles
// by column name, 512 Gaussian random Fourier features a side at the median bandwidth, standardised
// columns, intercepts, seed 0.
type Setup struct {
	// Roles names columns where the default rule (U = columns of both tables) does not do, and the
	// columns of weights, which count as tables.Weigh says.
	Roles tables.RoleOptions
	Task  features.Task
	// Phi and Psi are the feature maps of X and of U.
	Phi, Psi features.Spec
	// LandmarksX and LandmarksU are tables of rows that serve as Nyström landmarks of Phi and Psi, whatever size and rule
	// these have, with the columns of X and of U, which are encoded as all other rows are; nil: none. At most 20,000 rows.
	LandmarksX, LandmarksU tables.Source
	// Text says how columns of free text become numbers.
	Text features.TextOptions
	// NoIntercept leaves out the unpenalised intercepts, NoStandardize the scaling of numeric columns
	// to mean 0 and variance 1.
	NoIntercept, NoStandardize bool
	Seed                       uint64
	// Memory is the limit in bytes above which Prepare refuses before it allocates; 0 is none.
	Memory int64
	// Folds is the number of folds whose moments are kept apart, for the uncoupled risk and for
	// methods that choose a penalty by cross-validation; 0 and 1 mean a single one. There are never
	// more than the smaller table has rows.
	Folds int
	// Shift weighs the rows of S_Y by the ratio of the law of U in S_X to that in S_Y, so that h is fitted
	// where f will ask for it. It needs a ratio that is bounded; whatever is fitted on S_Y then is as noisy
	// as with fewer rows. The ratio is a function of psi, and so a Search chooses features without it.
	Shift bool
	// Precision weighs the rows of S_X in the fit of f by an estimate of 1/Var(h(U)|X), as generalised least
	// squares does. Where f can be E[h(U)|X] that is the same f with less noise; elsewhere f is best at other X.
	// Methods that read rows, regressors of one's own among them, have no such weights.
	Precision bool
	// Errors says which standard errors of f 2Step-RR and Joint-RR keep, at the price of one more pass
	// over both tables: see AddErrors. Other methods keep none.
	Errors Covariance

	// fold, if not nil, is the fold of each row of a table instead of one that is drawn.
	fold func(table, row int) int
}

// sampleRows is the number of rows from which bandwidths and landmarks are drawn: landmarks by
// pivoted Cholesky cost sampleRows·size² flops, so more would dominate a fit.
const sampleRows = 20000

// estimate returns the bytes that a fit with p and q features and k outputs needs at its peak: the
// moments of each fold and their sum, the normalised copies and factors that the solver works on,
// and one block of rows; with folds, also the sum and the solver of the other folds, and for the
// risk the moments of U over the other folds of each; for standard errors the sums of both tables and
// the root of each output. In floating point: widths that nobody can mean must not overflow.
func (s Setup) estimate(p, q, k float64) float64 {
	pairs, solves, others := 1., 1., 0.
	if folds := float64(s.Folds); folds > 1 {
		pairs, solves, others = folds+2, 2, folds
	}
	moments := pairs*(p*p+p*q+2*q*q+q*k) + others*q*q
	solver := solves * (3*p*p + 2*p*q + 4*q*q)
	rows := 4 * tables.BlockRows * (p + q)
	errors := 0.0
	if s.Errors != NoCovariance {
		errors = k*(2*p*p+q*q) + 3*p*p + 2*p*q
	}
	return 8 * (moments + solver + rows + errors)
}

// landmarkBytes is what choosing landmarks takes: the factor of randomly pivoted Cholesky has a column a
// landmark for each row of the sample.
func landmarkBytes(s features.Spec, e *features.Encoder) float64 {
	if s.Kind != features.NystromFeatures {
		return 0
	}
	in := e.Width()
	rows := float64(min(e.Rows(), sampleRows))
	if e.Sparse() {
		return 8 * rows * float64(s.Estimate(in)) // the rows themselves are small
	}
	return 8 * rows * float64(s.Estimate(in)+in)
}

// need estimates the bytes that a fit with the maps of the setup takes.
func (p *Problem) need() float64 {
	s := p.Setup
	phi, psi := s.Phi.Estimate(p.X.Width()), s.Psi.Estimate(p.U.Width())
	return s.estimate(float64(phi), float64(psi), float64(p.Y.Len())) + max(landmarkBytes(s.Phi, p.X), landmarkBytes(s.Psi, p.U))
}

// checkMemory refuses a fit that needs more than the limit.
func (p *Problem) checkMemory() error {
	s := p.Setup
	return s.refuseAbove(p.need(), fmt.Sprintf("%d and %d features", s.Phi.Estimate(p.X.Width()), s.Psi.Estimate(p.U.Width())))
}

// refuseAbove returns an error if need, in bytes, is above the limit.
func (s Setup) refuseAbove(need float64, what string) error {
	if s.Memory > 0 && need > float64(s.Memory) {
		return &MemoryError{Need: need, Limit: s.Memory, What: what}
	}
	return nil
}

// A MemoryError says that a fit would need more memory, in bytes, than its Setup allows.
type MemoryError struct {
	Need  float64
	Limit int64
	What  string // that is large
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("rr: this fit needs about %s for %s, above the limit of %s: ask for fewer features or raise the limit",
		bytesText(e.Need), e.What, bytesText(float64(e.Limit)))
}

// bytesText writes a number of bytes for people.
func bytesText(n float64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", n/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.0f MiB", n/(1<<20))
	default:
		return fmt.Sprintf("%.0f KiB", n/(1<<10))
	}
}
