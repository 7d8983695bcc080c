package kernels

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var _ Kernel = Scale{}

func init() {
	Register(Registration[Scale]{
		Name:     "scale",
		Describe: func(k Scale) (Desc, error) { return Desc{Factor: k.factor}, checkParts("scale", []Kernel{k.part}) },
		Restore: func(d Desc) (Scale, error) {
			parts, err := d.restoreParts()
			if err != nil {
				return Scale{}, err
			}
			if len(parts) != 1 {
				return Scale{}, fmt.Errorf("kernels: scale: %d parts, must be one", len(parts))
			}
			return NewScale(d.Factor, parts[0])
		},
	})
}

// Scale is the kernel c·k(x, x'). The zero value is not usable; use NewScale.
type Scale struct {
	factor float64
	part   Kernel
}

// NewScale returns part times a positive, finite factor.
func NewScale(factor float64, part Kernel) (Scale, error) {
	if !(factor > 0) || math.IsInf(factor, 0) {
		return Scale{}, fmt.Errorf("kernels: scale: factor is %v, must be positive and finite", factor)
	}
	if err := checkParts("scale", []Kernel{part}); err != nil {
		return Scale{}, err
	}
	return Scale{factor, part}, nil
}

// Factor returns c.
func (k Scale) Factor() float64 { return k.factor }

// Part returns the kernel that is scaled.
func (k Scale) Part() Kernel { return k.part }

// GramTo implements Kernel, at the cost of its part.
func (k Scale) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	mustBeSet("Scale", k.part != nil)
	k.part.GramTo(dst, x, y)
	dst.Scale(k.factor, dst)
}

// DiagTo implements Kernel.
func (k Scale) DiagTo(dst []float64, x mat.Matrix) {
	mustBeSet("Scale", k.part != nil)
	k.part.DiagTo(dst, x)
	floats.Scale(k.factor, dst)
}
