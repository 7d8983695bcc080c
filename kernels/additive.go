package kernels

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var _ Kernel = Additive{}

func init() {
	Register(Registration[Additive]{
		Name:     "additive",
		Describe: func(k Additive) (Desc, error) { return Desc{Groups: k.Groups()}, checkParts("additive", k.parts) },
		Restore: func(d Desc) (Additive, error) {
			parts, err := d.restoreGroups()
			if err != nil {
				return Additive{}, err
			}
			return NewAdditive(d.Groups, parts)
		},
	})
}

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

// String names a sum of kernels of one kind, as a fit makes them, and the range of their bandwidths.
func (k Additive) String() string {
	d, err := Describe(k)
	if err != nil {
		return "additive"
	}
	of, kernels := "columns", d.Parts
	if d.Parts[0].Kind == "tensor" {
		of, kernels = "pairs of columns", nil
		for _, p := range d.Parts {
			if len(p.Parts) != 2 {
				of = "groups of columns"
			}
			kernels = append(kernels, p.Parts...)
		}
	}
	if len(kernels) == 0 {
		return "additive"
	}
	text := fmt.Sprintf("sum over %d %s of %s", len(d.Parts), of, kernels[0].Kind)
	least, most := kernels[0].Bandwidth, kernels[0].Bandwidth
	for _, p := range kernels {
		least, most = min(least, p.Bandwidth), max(most, p.Bandwidth)
	}
	switch {
	case most == 0:
		return text
	case least == most:
		return fmt.Sprintf("%s (bandwidth %.4g)", text, most)
	}
	return fmt.Sprintf("%s (bandwidths %.4g to %.4g)", text, least, most)
}
