package kernels

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var _ Kernel = Tensor{}

func init() {
	Register(Registration[Tensor]{
		Name:     "tensor",
		Describe: func(k Tensor) (Desc, error) { return Desc{Groups: k.Groups()}, checkParts("tensor", k.parts) },
		Restore: func(d Desc) (Tensor, error) {
			parts, err := d.restoreGroups()
			if err != nil {
				return Tensor{}, err
			}
			return NewTensor(d.Groups, parts)
		},
	})
}

// Tensor is the tensor product kernel
//
//	k(x, x') = Π_g k_g(x_g, x'_g)
//
// where x_g are the columns of group g, such as a periodic kernel of the hour times a Gaussian one of the
// place: rows are alike if they are so in every group. The zero value is not usable; use NewTensor.
type Tensor struct{ groups }

// NewTensor returns the product of one kernel for each group of columns. Without groups (nil), part i is
// for column i alone. Groups hold distinct columns and may overlap each other.
func NewTensor(groups [][]int, parts []Kernel) (Tensor, error) {
	g, err := newGroups("tensor", groups, parts)
	return Tensor{g}, err
}

// Groups returns the columns of each part.
func (k Tensor) Groups() [][]int { return k.clone() }

// Parts returns the kernel of each group.
func (k Tensor) Parts() []Kernel { return slices.Clone(k.parts) }

// GramTo implements Kernel, at the cost of each part on its columns; sparse rows are unpacked. It
// panics if x has fewer columns than Width(k).
func (k Tensor) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	mustBeSet("Tensor", len(k.parts) > 0)
	k.gramTo(dst, x, y, (*mat.Dense).MulElem)
}

// DiagTo implements Kernel. It panics if x has fewer columns than Width(k).
func (k Tensor) DiagTo(dst []float64, x mat.Matrix) {
	mustBeSet("Tensor", len(k.parts) > 0)
	k.diagTo(dst, x, floats.Mul)
}
