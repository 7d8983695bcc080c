package features

import (
	"gonum.org/v1/gonum/mat"

	"mediant/internal/rowops"
	"mediant/moments"
)

// Bias is the map phi(x) = 1 of the constant kernel. The zero value is not usable; use NewBias.
type Bias struct {
	in int
	id lazyID
}

var _ stored = (*Bias)(nil)

func init() {
	register[*Bias](kind{
		name: "bias",
		read: func(_ *reader, h header) (Map, error) { return NewBias(h.In), h.none() },
	})
}

// NewBias returns the constant map of rows of in columns. It panics if in < 1.
func NewBias(in int) *Bias {
	if in < 1 {
		panic(mat.ErrZeroLength)
	}
	return &Bias{in: in}
}

// WithBias returns m's features followed by a column of ones, the features of k + 1. A ridge
// penalises its coefficient like any other; intercepts that are not penalised are the solvers'.
func WithBias(m Map) (*Concat, error) {
	in, _ := m.Dims()
	return NewConcat(m, NewBias(in))
}

// Dims returns the number of columns of x, and 1.
func (m *Bias) Dims() (in, out int) { return m.in, 1 }

// ID returns the map's identity.
func (m *Bias) ID() moments.ID { return m.id.of(m) }

// MapTo fills dst, one column, with ones.
func (m *Bias) MapTo(dst *mat.Dense, x mat.Matrix) {
	n := prepare(m, dst, x)
	to := dst.RawMatrix()
	for i := range n {
		rowops.Row(to, i)[0] = 1
	}
}

func (m *Bias) header() header { return header{Kind: "bias", In: m.in, Out: 1} }

func (m *Bias) appendWeights(dst []float64) []float64 { return dst }

// String names the map for people.
func (m *Bias) String() string { return "bias" }
