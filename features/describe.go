package features

import (
	"fmt"

	"mediant/kernels"
)

// Describe names a map for people, by its method String: "fourier: gaussian (bandwidth 3.42)".
func Describe(m Map) string {
	if named, ok := m.(fmt.Stringer); ok {
		return named.String()
	}
	return fmt.Sprintf("%T", m)
}

// describeKernel names a kernel for people: what its method String says, or its name.
func describeKernel(k kernels.Kernel) string {
	if named, ok := k.(fmt.Stringer); ok {
		return named.String()
	}
	d, _ := kernels.Describe(k) // as was done when the map was made
	return d.Kind
}
