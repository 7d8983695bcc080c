package features

import "math"

// NormBound returns a bound of the Euclidean norms of m's features, the same for all rows: 1 for Fourier features, which are pairs of a sine and a cosine, the root of the
// number of groups for additive ones, and what follows from the parts for maps of maps. It is +Inf for maps that have none. A map of another module has one if it has a method
// NormBound() float64.
func NormBound(m Map) float64 {
	if b, ok := m.(interface{ NormBound() float64 }); ok {
		return b.NormBound()
	}
	return math.Inf(1)
}

// NormBound is 1.
func (m *Fourier) NormBound() float64 { return 1 }

// NormBound is the root of the number of groups.
func (m *Additive) NormBound() float64 { return math.Sqrt(float64(len(m.w))) }

// NormBound is 1.
func (m *Bias) NormBound() float64 { return 1 }

// NormBound is that of the features of the last map.
func (m *Chain) NormBound() float64 { return NormBound(m.then) }

// NormBound is that of the part.
func (m *Columns) NormBound() float64 { return NormBound(m.part) }

// NormBound is the root of the sum of the squares of those of the parts.
func (m *Concat) NormBound() float64 {
	sum := 0.
	for _, part := range m.parts {
		b := NormBound(part)
		sum += b * b
	}
	return math.Sqrt(sum)
}
