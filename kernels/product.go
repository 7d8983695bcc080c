package kernels

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var _ Kernel = Product{}

func init() {
	Register(Registration[Product]{
		Name:     "product",
		Describe: func(k Product) (Desc, error) { return Desc{}, checkParts("product", k.parts) },
		Restore: func(d Desc) (Product, error) {
			parts, err := d.restoreParts()
			if err != nil {
				return Product{}, err
			}
			return NewProduct(parts...)
		},
	})
}

// Product is the kernel k(x, x') = Π_i k_i(x, x') of its parts. The zero value is not usable; use
// NewProduct.
type Product struct{ parts []Kernel }

// NewProduct returns the product of one kernel or more.
func NewProduct(parts ...Kernel) (Product, error) {
	if err := checkParts("product", parts); err != nil {
		return Product{}, err
	}
	return Product{slices.Clone(parts)}, nil
}

// Parts returns the kernels that are multiplied.
func (k Product) Parts() []Kernel { return slices.Clone(k.parts) }

// GramTo implements Kernel, at the cost of its parts.
func (k Product) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	mustBeSet("Product", len(k.parts) > 0)
	foldTo(dst, x, y, k.parts, (*mat.Dense).MulElem)
}

// DiagTo implements Kernel.
func (k Product) DiagTo(dst []float64, x mat.Matrix) {
	mustBeSet("Product", len(k.parts) > 0)
	foldDiagTo(dst, x, k.parts, floats.Mul)
}
