package kernels

import (
	"errors"
	"fmt"
	"math"
)

// Bandwidths are squared; between these limits their squares and the inverses of those are normal
// numbers.
const (
	minBandwidth = 1e-150
	maxBandwidth = 1e150
)

// checkBandwidth returns an error unless the bandwidth of a kernel of the given kind is usable.
func checkBandwidth(kind string, bandwidth float64) error {
	if !(bandwidth > 0) || math.IsInf(bandwidth, 0) {
		return fmt.Errorf("kernels: %s: bandwidth is %v, must be positive and finite", kind, bandwidth)
	}
	if bandwidth < minBandwidth || bandwidth > maxBandwidth {
		return fmt.Errorf("kernels: %s: bandwidth is %v, must be from %v to %v", kind, bandwidth, minBandwidth, maxBandwidth)
	}
	return nil
}

// checkParts returns an error unless a combination of the given kind has parts, none of them nil.
func checkParts(kind string, parts []Kernel) error {
	if len(parts) == 0 {
		return errors.New("kernels: " + kind + ": no parts, must have at least one")
	}
	for i, part := range parts {
		if part == nil {
			return fmt.Errorf("kernels: %s: part %d is nil", kind, i)
		}
	}
	return nil
}

// mustBeSet panics for the zero value of a type that has none to use.
func mustBeSet(kind string, ok bool) {
	if !ok {
		panic("kernels: zero " + kind + ", make it with New" + kind)
	}
}
