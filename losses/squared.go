package losses

// Squared is |y - f|², of the potential |y|².
type Squared struct{}

var _ Canonical = Squared{}

// Name implements Loss.
func (Squared) Name() string { return "squared" }

// Potential implements Loss.
func (Squared) Potential(y []float64) float64 {
	sum := 0.0
	for _, v := range y {
		sum += float64(v * v)
	}
	return sum
}

// GradientTo implements Loss.
func (Squared) GradientTo(dst, f []float64) {
	for j, v := range f {
		dst[j] = 2 * v
	}
}

// MeanTo implements Canonical.
func (Squared) MeanTo(dst, eta []float64) {
	for j, v := range eta {
		dst[j] = v / 2
	}
}

// Conjugate implements Canonical: |eta|²/4.
func (Squared) Conjugate(eta []float64) float64 { return Squared{}.Potential(eta) / 4 }

// CurvatureTo implements Canonical: half the unit matrix.
func (Squared) CurvatureTo(dst, f []float64) { diagonal(dst, f, func(float64) float64 { return .5 }) }

// diagonal stores a diagonal matrix of the elements of f.
func diagonal(dst, f []float64, of func(float64) float64) {
	clear(dst)
	for j, v := range f {
		dst[j*len(f)+j] = of(v)
	}
}
