package kerneltest

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A Counted is a matrix without access to its memory that counts how often At reads each element.
type Counted struct {
	of    *mat.Dense
	reads []atomic.Int32
}

// NewCounted counts reads of x.
func NewCounted(x *mat.Dense) *Counted {
	n, c := x.Dims()
	return &Counted{x, make([]atomic.Int32, n*c)}
}

// Dims implements mat.Matrix.
func (c *Counted) Dims() (rows, cols int) { return c.of.Dims() }

// At implements mat.Matrix, and counts.
func (c *Counted) At(i, j int) float64 {
	_, width := c.of.Dims()
	c.reads[i*width+j].Add(1)
	return c.of.At(i, j)
}

// T implements mat.Matrix.
func (c *Counted) T() mat.Matrix { return mat.Transpose{Matrix: c} }

// Most returns how often the element most read was read.
func (c *Counted) Most() int {
	most := 0
	for i := range c.reads {
		most = max(most, int(c.reads[i].Load()))
	}
	return most
}

// A Dense is a dense matrix that counts reads by At too, but gives access to its memory.
type Dense struct{ *Counted }

// RawMatrix implements mat.RawMatrixer.
func (d Dense) RawMatrix() blas64.General { return d.of.RawMatrix() }

const (
	// crowd is as many rows as take every path by blocks dozens of times.
	crowd = 3000
	// passes bounds how often an element is converted to memory that inner loops read: for a mean, for
	// norms and products, for exact distances of near rows, and that for a few parts of a kernel.
	passes = 16
)

// access checks that no inner loop reads elements by At.
func (s *suite) access(t *testing.T) {
	few, many := s.admissible(drawAny(24, s.dim)), s.admissible(drawAny(crowd, s.dim))
	for _, pair := range [][2]*mat.Dense{{few, many}, {many, few}} {
		x, y := NewCounted(pair[0]), NewCounted(pair[1])
		got := gramOf(s.k, x, y)
		if most := max(x.Most(), y.Most()); most > passes {
			t.Errorf("an element is read %d times by At", most)
		}
		x, y = NewCounted(pair[0]), NewCounted(pair[1])
		raw := gramOf(s.k, Dense{x}, Dense{y})
		if most := max(x.Most(), y.Most()); most > 0 {
			t.Errorf("an element in memory is read %d times by At", most)
		}
		if !slices.Equal(got.RawMatrix().Data, raw.RawMatrix().Data) {
			t.Error("the Gram matrix depends on how rows are read")
		}
	}
	x := NewCounted(many)
	s.k.DiagTo(make([]float64, crowd), x)
	if most := x.Most(); most > passes {
		t.Errorf("DiagTo reads an element %d times by At", most)
	}
}

// drawAny draws n rows with entries in [-2, 2].
func drawAny(n, dim int) *mat.Dense {
	rnd := rand.New(rand.NewPCG(20, 27))
	x := mat.NewDense(n, dim, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return 4*rnd.Float64() - 2 }, x)
	return x
}
