package kernels

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

var _ Kernel = Polynomial{}

func init() {
	Register(Registration[Polynomial]{
		Name:       "polynomial",
		Parameters: []string{"DEGREE"},
		New: func(p []float64, _ float64) (Polynomial, error) {
			if p[0] != math.Trunc(p[0]) || math.Abs(p[0]) > math.MaxInt32 {
				return Polynomial{}, fmt.Errorf("kernels: polynomial: degree is %v, must be an integer from 1 to %d", p[0], maxDegree)
			}
			return NewPolynomial(int(p[0]))
		},
		Describe: func(k Polynomial) (Desc, error) {
			_, err := NewPolynomial(k.degree)
			return Desc{Degree: k.degree}, err
		},
		Restore: func(d Desc) (Polynomial, error) { return NewPolynomial(d.Degree) },
	})
}

// maxDegree is where (x'y + 1)^degree leaves float64 once x'y exceeds 2^16.
const maxDegree = 64

// Polynomial is the kernel
//
//	k(x, y) = (x'y + 1)^degree
//
// whose features are all monomials up to the degree. The zero value is
// not usable; use NewPolynomial.
type Polynomial struct{ degree int }

// NewPolynomial returns the polynomial kernel of a degree from 1 to 64.
func NewPolynomial(degree int) (Polynomial, error) {
	if degree < 1 || degree > maxDegree {
		return Polynomial{}, fmt.Errorf("kernels: polynomial: degree is %d, must be from 1 to %d", degree, maxDegree)
	}
	return Polynomial{degree}, nil
}

// Degree returns the degree.
func (k Polynomial) Degree() int { return k.degree }

// GramTo implements Kernel, at the cost of DotTo and degree multiplications an entry. Values that
// overflow are infinite.
func (k Polynomial) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	mustBeSet("Polynomial", k.degree > 0)
	dotTo(dst, x, y, k.fromDots)
}

// DiagTo stores (|x_i|² + 1)^degree in dst.
func (k Polynomial) DiagTo(dst []float64, x mat.Matrix) {
	sqNormsTo(dst, x)
	k.fromDots(dst)
}

// fromDots multiplies degree times: exact for small integers, which math.Pow need not be.
func (k Polynomial) fromDots(dots []float64) {
	for i, v := range dots {
		power := v + 1
		for range k.degree - 1 {
			power *= v + 1
		}
		dots[i] = power
	}
}

// String names k for people.
func (k Polynomial) String() string { return fmt.Sprintf("polynomial (degree %d)", k.degree) }
