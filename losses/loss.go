package losses

// A Loss is the Bregman divergence of a potential F of k outputs. Predictions are in the interior of F's domain, where it has a gradient; outcomes may be on
// its boundary.
type Loss interface {
	// Name is that of the loss in results.
	Name() string
	// Potential returns F(y), which is +Inf or NaN for a y outside the domain.
	Potential(y []float64) float64
	// GradientTo stores in dst the k elements of F'(f); dst may be f. It is not finite at the boundary.
	GradientTo(dst, f []float64)
}

// A Canonical loss has an inverse of F', the canonical link, with which f = MeanTo(eta) has convex losses in eta: d(y, f) = F(y) + F*(eta) - <eta, y>.
type Canonical interface {
	Loss
	// MeanTo stores in dst the f at which F' is eta, or, where F' is the same for all that differ by a constant, one such f; dst may be eta.
	MeanTo(dst, eta []float64)
	// Conjugate returns F*(eta) = sup_f <eta, f> - F(f), the maximum being at MeanTo.
	Conjugate(eta []float64) float64
	// CurvatureTo stores in dst the k×k second derivatives of F* by rows, at the eta whose mean is f.
	CurvatureTo(dst, f []float64)
}

// Divergence returns d(y, f). It is +Inf or NaN where y or f are outside the domain.
func Divergence(l Loss, y, f []float64) float64 {
	g := make([]float64, len(f))
	l.GradientTo(g, f)
	d := l.Potential(y) - l.Potential(f)
	for j := range g {
		if gap := y[j] - f[j]; gap != 0 {
			d -= float64(g[j] * gap)
		}
	}
	return d
}

// ByName returns the loss of this package with a name: squared, log or poisson.
func ByName(name string) (Canonical, bool) {
	for _, l := range []Canonical{Squared{}, Log{}, Poisson{}} {
		if l.Name() == name {
			return l, true
		}
	}
	return nil, false
}
