package kernels

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var _ Kernel = Additive{}

// Additive is the kernel
//
//	k(x, x') = Σ_g k_g(x_g, x'_g)
//
// where x_g are the columns of group g [Kandasamy15, eq. 3]. A function in its space is a sum of
// functions of few columns each, which is what data of many columns can afford. The zero value is
// not usable; use NewAdditive.
type Additive struct{ groups }

// NewAdditive returns the sum of one kernel for each group of columns. Without groups (nil), part i
// is for column i alone. Groups hold distinct columns and may overlap each other.
func NewAdditive(groups [][]int, parts []Kernel) (Additive, error) {
	g, err := newGroups("additive", groups, parts)
	return Additive{g}, err
}

// Groups returns the columns of each part.
func (k Additive) Groups() [][]int { return k.clone() }

// Parts returns the kernel of each group.
func (k Additive) Parts() []Kernel { return slices.Clone(k.parts) }

// GramTo implements Kernel, at the cost of each part on its columns; sparse rows are unpacked. It
// panics if x has fewer columns than Width(k).
func (k Additive) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	mustBeSet("Additive", len(k.parts) > 0)
	k.gramTo(dst, x, y, (*mat.Dense).Add)
}

// DiagTo implements Kernel. It panics if x has fewer columns than Width(k).
func (k Additive) DiagTo(dst []float64, x mat.Matrix) {
	mustBeSet("Additive", len(k.parts) > 0)
	k.diagTo(dst, x, floats.Add)
}

// Width returns the least number of columns that rows must have for k: 1, or more if an Additive or
// Tensor kernel within it names more.
func Width(k Kernel) int {
	switch k := k.(type) {
	case Sum:
		return widest(k.parts)
	case Product:
		return widest(k.parts)
	case Scale:
		return Width(k.part)
	case Additive:
		return k.width()
	case Tensor:
		return k.width()
	}
	return 1
}

func widest(parts []Kernel) int {
	width := 1
	for _, part := range parts {
		width = max(width, Width(part))
	}
	return width
}
