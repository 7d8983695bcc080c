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
		return "fourier: " + describeKernel(m.Kernel())
	case *Additive:
		return "fourier: " + describeKernel(m.Kernel())
	case *Nystrom:
		return "nystrom: " + describeKernel(m.Kernel())
	case *Sections:
		return "landmarks: " + describeKernel(m.Kernel())
	case *Polynomial:
		return fmt.Sprintf("polynomial of degree %d", m.Degree())
	case *Linear:
		return "linear"
	case *Bias:
		return "bias"
	case *Concat:
		var parts []string
		for _, p := range m.Parts() {
			parts = append(parts, Describe(p))
		}
		return strings.Join(parts, " + ")
	}
	return fmt.Sprintf("%T", m)
}

func describeKernel(k kernels.Kernel) string {
	d, err := kernels.Describe(k)
	switch {
	case err != nil:
		return fmt.Sprintf("%T", k)
	case d.Bandwidth != 0:
		return fmt.Sprintf("%s (bandwidth %.4g)", d.Kind, d.Bandwidth)
	case d.Degree != 0:
		return fmt.Sprintf("%s (degree %d)", d.Kind, d.Degree)
	case d.Kind == "additive" && len(d.Parts) > 0:
		return fmt.Sprintf("sum over %d columns of %s", len(d.Parts), d.Parts[0].Kind)
	}
	return d.Kind
}
