package losses

import "math"

// Log is the log loss -Σ_k y_k log f_k of probabilities f of k classes, y being an indicator of one class or probabilities itself; then it is
// the Kullback-Leibler divergence of f from y. Its potential is Σ_k y_k log y_k on the simplex.
type Log struct{}

var _ Canonical = Log{}

// Name implements Loss.
func (Log) Name() string { return "log" }

// Potential implements Loss.
func (Log) Potential(y []float64) float64 {
	sum := 0.0
	for _, v := range y {
		sum += xLogX(v)
	}
	return sum
}

// xLogX is x log x, continuous at 0.
func xLogX(x float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log(x)
}

// GradientTo implements Loss: log f + 1.
func (Log) GradientTo(dst, f []float64) {
	for j, v := range f {
		dst[j] = math.Log(v) + 1
	}
}

// MeanTo implements Canonical: exp(eta_k) / Σ exp(eta).
func (Log) MeanTo(dst, eta []float64) {
	largest := maximum(eta)
	sum := 0.0
	for j, v := range eta {
		dst[j] = math.Exp(v - largest)
		sum += dst[j]
	}
	for j := range dst {
		dst[j] /= sum
	}
}

// Conjugate implements Canonical: log Σ exp(eta) on the simplex.
func (Log) Conjugate(eta []float64) float64 {
	largest := maximum(eta)
	sum := 0.0
	for _, v := range eta {
		sum += math.Exp(v - largest)
	}
	return largest + math.Log(sum)
}

func maximum(v []float64) float64 {
	largest := math.Inf(-1)
	for _, x := range v {
		largest = max(largest, x)
	}
	return largest
}

// CurvatureTo implements Canonical: diag(f) - ff'.
func (Log) CurvatureTo(dst, f []float64) {
	for i, a := range f {
		row := dst[i*len(f) : (i+1)*len(f)]
		for j, b := range f {
			row[j] = -float64(a * b)
		}
		row[i] += a
	}
}
