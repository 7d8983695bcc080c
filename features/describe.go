package features

import (
	"fmt"
	"strings"

	"mediant/kernels"
)

// Describe names a map for people: "fourier: gaussian (bandwidth 3.42)".
func Describe(m Map) string {
	switch m := m.(type) {
	case *Fourier:
		if m.law == structured || m.law == quasi {
			return "fourier: " + describeKernel(m.Kernel()) + ", " + m.law + " frequencies"
		}
		return "fourier: " + describeKernel(m.Kernel())
	case *Additive:
		return "fourier: " + describeKernel(m.Kernel())
	case *Nystrom:
		return "nystrom: " + describeKernel(m.Kernel())
	case *Sections: // what a Nystrom folds into
		_, landmarks := m.Dims()
		return fmt.Sprintf("nystrom: %s, %d landmarks", describeKernel(m.Kernel()), landmarks)
	case *Polynomial:
		return fmt.Sprintf("polynomial of degree %d", m.Degree())
	case *TensorSketch:
		return fmt.Sprintf("sketch of the polynomial kernel of degree %d", m.Degree())
	case *CountSketch:
		return "sketch of the columns"
	case *Columns:
		return fmt.Sprintf("%s of %d columns", Describe(m.Part()), len(m.columns))
	case *ChiSquared:
		return fmt.Sprintf("chi2 (%d steps)", m.Steps())
	case *Linear:
		return "linear"
	case *Bias:
		return "bias"
	case *Patches:
		return m.describe()
	case *Chain:
		return Describe(m.first) + ", then " + Describe(m.then)
	case *Concat:
		var parts []string
		for _, p := range m.Parts() {
			parts = append(parts, Describe(p))
		}
		return strings.Join(parts, " + ")
	}
	return fmt.Sprintf("%T", m)
}

// describe names the image, the filters and what compares patches with them.
func (m *Patches) describe() string {
	by := "rectifiers"
	if m.desc != nil {
		by = describeKernel(m.kernel)
	}
	return fmt.Sprintf("patches: %d filters of %d×%d pixels of images of %d×%d×%d, %s, pooled over %d×%d",
		m.filters.Cols, m.side, m.side, m.image.Planes, m.image.Height, m.image.Width, by, m.grid, m.grid)
}

// describeKernel names a kernel for people: what its method String says, or its name.
func describeKernel(k kernels.Kernel) string {
	if named, ok := k.(fmt.Stringer); ok {
		return named.String()
	}
	d, err := kernels.Describe(k)
	if err != nil {
		return fmt.Sprintf("%T", k)
	}
	return d.Kind
}
