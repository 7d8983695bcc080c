package features

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/moments"
)

// MaxMonomials is the largest number of features of a Polynomial map. The moments of so many features would take 32 GiB; use Nystrom features of the
// polynomial kernel long before.
const MaxMonomials = 1 << 16

// Polynomial holds all monomials of the columns of x up to a degree, weighted such that
//
//	phi(x)'phi(y) = (x'y + 1)^degree
//
// exactly: the monomial x^a has the weight sqrt(degree! / (a_1! … a_d! (degree-|a|)!)). There are
// C(d+degree, degree) of them, the constant first, then by degree. The zero value is not usable; use
// NewPolynomial.
type Polynomial struct {
	in, degree int
	// Monomial t > 0 is monomial parent[t] times column factor[t] of x.
	parent, factor []int32
	weight         []float64
	id             lazyID
}

var _ stored = (*Polynomial)(nil)

func init() {
	register[*Polynomial](kind{
		name: "polynomial",
		read: func(r *reader, h header) (Map, error) {
			if r.monomials -= Monomials(h.In, h.Degree); r.monomials < 0 {
				return nil, fmt.Errorf("more than %d monomials in all", maxFeatures)
			}
			return NewPolynomial(h.In, h.Degree)
		},
		made: &maker{
			kind: PolynomialFeatures, heads: []string{"polynomial"}, names: alone("polynomial:DEGREE"),
			parse: parseWithDegree(PolynomialFeatures), write: writeWithDegree, degree: true,
			size:  func(s Spec, in int) int { return Monomials(in, s.Degree) },
			bytes: func(_ Spec, z Size) float64 { return 8 * 2 * float64(z.Features) },
			fit: func(f *specFit) (Map, error) {
				_, in := f.rows.Dims()
				return NewPolynomial(in, f.Degree)
			},
		},
	})
}

// NewPolynomial returns the map of in columns. It panics if in < 1. The error says that the degree
// is not positive, that there are more than MaxMonomials monomials, or that their weights exceed
// float64.
func NewPolynomial(in, degree int) (*Polynomial, error) {
	if in < 1 {
		panic(mat.ErrZeroLength)
	}
	if degree < 1 {
		return nil, fmt.Errorf("features: polynomial: degree %d, want at least 1", degree)
	}
	size := Monomials(in, degree)
	if size > MaxMonomials {
		return nil, fmt.Errorf("features: polynomial: degree %d in %d columns has more than %d features", degree, in, MaxMonomials)
	}
	m := &Polynomial{in: in, degree: degree}
	if err := m.enumerate(size); err != nil {
		return nil, err
	}
	return m, nil
}

// Monomials returns C(in+degree, degree), the number of monomials of in variables up to a degree, or
// MaxMonomials+1 if there are more than MaxMonomials.
func Monomials(in, degree int) int {
	// C(a+b, b) is symmetric; the smaller of the two is the number of steps, and each step at least
	// doubles the count, so that it stops within 17. Bounding the larger first keeps products small.
	a, b := max(in, degree), min(in, degree)
	if b < 1 {
		return 1
	}
	if a >= MaxMonomials {
		return MaxMonomials + 1
	}
	count := 1
	for i := 1; i <= b; i++ {
		count = count * (a + i) / i
		if count > MaxMonomials {
			return MaxMonomials + 1
		}
	}
	return count
}

// enumerate lists the monomials as ascending sequences of columns: each is made once, from the
// sequence without its last element.
func (m *Polynomial) enumerate(size int) error {
	m.parent, m.factor, m.weight = make([]int32, 1, size), make([]int32, 1, size), make([]float64, 1, size)
	power := make([]int, 1, size) // of the last column in the monomial
	m.weight[0] = 1
	from := 0
	for degree := 1; degree <= m.degree; degree++ {
		to := len(m.parent)
		for p := from; p < to; p++ {
			for j := int(m.factor[p]); j < m.in; j++ {
				times := 1
				if p > 0 && j == int(m.factor[p]) {
					times = power[p] + 1
				}
				// The multinomial coefficient of the child from its parent's. The quotient is an
				// integer: exact while below 2^53.
				m.weight = append(m.weight, m.weight[p]*float64(m.degree-degree+1)/float64(times))
				m.parent, m.factor, power = append(m.parent, int32(p)), append(m.factor, int32(j)), append(power, times)
			}
		}
		from = to
	}
	for t, w := range m.weight {
		if math.IsInf(w, 1) {
			return fmt.Errorf("features: polynomial: degree %d has weights beyond float64", m.degree)
		}
		m.weight[t] = math.Sqrt(w)
	}
	return nil
}

// Dims returns the number of columns of x and of monomials.
func (m *Polynomial) Dims() (in, out int) { return m.in, len(m.weight) }

// Degree returns the degree.
func (m *Polynomial) Degree() int { return m.degree }

// Terms returns the monomials as they are made: monomial t > 0 is monomial parent[t] times column factor[t] of x, monomial 0 is 1, and weight[t] multiplies it in the end.
func (m *Polynomial) Terms() (parent, factor []int, weight []float64) {
	parent, factor = make([]int, len(m.parent)), make([]int, len(m.factor))
	for t := range parent {
		parent[t], factor[t] = int(m.parent[t]), int(m.factor[t])
	}
	return parent, factor, slices.Clone(m.weight)
}

// ID returns the map's identity.
func (m *Polynomial) ID() moments.ID { return m.id.of(m) }

// MapTo stores the weighted monomials of each row of x in dst, in two multiplications each.
func (m *Polynomial) MapTo(dst *mat.Dense, x mat.Matrix) {
	mapRows(m, dst, x, m.mapRow)
}

func (m *Polynomial) mapRow(phi, x []float64) {
	phi[0] = 1
	for t := 1; t < len(phi); t++ {
		phi[t] = phi[m.parent[t]] * x[m.factor[t]]
	}
	for t, w := range m.weight {
		phi[t] *= w
	}
}

func (m *Polynomial) header() header {
	return header{Kind: "polynomial", In: m.in, Out: len(m.weight), Degree: m.degree}
}

func (m *Polynomial) appendWeights(dst []float64) []float64 { return dst }

// String names the map for people.
func (m *Polynomial) String() string { return fmt.Sprintf("polynomial of degree %d", m.degree) }
