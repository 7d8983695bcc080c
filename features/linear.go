package features

import (
	"gonum.org/v1/gonum/mat"

	"mediant/internal/rowops"
	"mediant/moments"
)

// Linear is the identity map, phi(x) = x, of the linear kernel x'y. The zero value is not usable; use
// NewLinear.
type Linear struct {
	in int
	id lazyID
}

var _ stored = (*Linear)(nil)

func init() {
	register[*Linear](kind{
		name: "linear",
		read: func(_ *reader, h header) (Map, error) { return NewLinear(h.In), h.none() },
		made: &maker{
			kind: LinearFeatures, heads: []string{"linear"}, names: alone("linear"), parse: parseAlone(LinearFeatures),
			size:     func(_ Spec, in int) int { return in },
			useBytes: func(_ Spec, z Size) float64 { return useBytes(z, false) },
			fit: func(f *specFit) (Map, error) {
				_, in := f.rows.Dims()
				return NewLinear(in), nil
			},
		},
	})
}

// NewLinear returns the identity map of in columns. It panics if in < 1.
func NewLinear(in int) *Linear {
	if in < 1 {
		panic(mat.ErrZeroLength)
	}
	return &Linear{in: in}
}

// Dims returns the number of columns for both in and out.
func (m *Linear) Dims() (in, out int) { return m.in, m.in }

// ID returns the map's identity.
func (m *Linear) ID() moments.ID { return m.id.of(m) }

// MapTo copies x to dst.
func (m *Linear) MapTo(dst *mat.Dense, x mat.Matrix) {
	prepare(m, dst, x)
	rowops.DenseTo(dst, x)
}

func (m *Linear) header() header { return header{Kind: "linear", In: m.in, Out: m.in} }

func (m *Linear) appendWeights(dst []float64) []float64 { return dst }

// String names the map for people.
func (m *Linear) String() string { return "linear" }
