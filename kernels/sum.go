package kernels

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var _ Kernel = Sum{}

func init() {
	Register(Registration[Sum]{
		Name:     "sum",
		Describe: func(k Sum) (Desc, error) { return Desc{}, checkParts("sum", k.parts) },
		Restore: func(d Desc) (Sum, error) {
			parts, err := d.restoreParts()
			if err != nil {
				return Sum{}, err
			}
			return NewSum(parts...)
		},
	})
}

// Sum is the kernel k(x, x') = Σ_i k_i(x, x') of its parts. The zero value is not usable; use NewSum.
type Sum struct{ parts []Kernel }

// NewSum returns the sum of one kernel or more.
func NewSum(parts ...Kernel) (Sum, error) {
	if err := checkParts("sum", parts); err != nil {
		return Sum{}, err
	}
	return Sum{slices.Clone(parts)}, nil
}

// Parts returns the kernels that are added.
func (k Sum) Parts() []Kernel { return slices.Clone(k.parts) }

// GramTo implements Kernel, at the cost of its parts.
func (k Sum) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	mustBeSet("Sum", len(k.parts) > 0)
	foldTo(dst, x, y, k.parts, (*mat.Dense).Add)
}

// DiagTo implements Kernel.
func (k Sum) DiagTo(dst []float64, x mat.Matrix) {
	mustBeSet("Sum", len(k.parts) > 0)
	foldDiagTo(dst, x, k.parts, floats.Add)
}
