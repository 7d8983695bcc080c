package features

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
	"mediant/moments"
)

// Sections holds the kernel sections of landmarks z_1..z_m,
//
//	phi(x) = (k(x, z_1), …, k(x, z_m))
//
// Inner products of sections are not kernel values: Nystrom whitens them. Sections serve for what a
// Nystrom map folds into, and for predictors that are given as sums of sections. The zero value is
// not usable; use NewSections.
type Sections struct {
	kernel    kernels.Kernel
	desc      kernels.Desc
	landmarks blas64.General
	id        moments.ID
}

var _ stored = (*Sections)(nil)

// NewSections returns the sections of k at the rows of landmarks, which are copied. The error says
// that a landmark is not finite, has too few columns for k, or that k cannot be described.
func NewSections(k kernels.Kernel, landmarks mat.Matrix) (*Sections, error) {
	n, in := landmarks.Dims()
	if n < 1 || in < 1 {
		panic(mat.ErrZeroLength)
	}
	z := general(n, in)
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	for i := range n {
		copy(row(z, i), denseRows(landmarks, i, i+1, s).Data[:in])
	}
	return newSections(k, z)
}

// newSections takes over z.
func newSections(k kernels.Kernel, z blas64.General) (*Sections, error) {
	if !finite(z.Data) {
		return nil, fmt.Errorf("features: sections: a landmark is not finite")
	}
	if need := kernels.Width(k); z.Cols < need {
		return nil, fmt.Errorf("features: sections: %d columns, the kernel needs %d", z.Cols, need)
	}
	desc, err := kernels.Describe(k)
	if err != nil {
		return nil, fmt.Errorf("features: sections: %w", err)
	}
	m := &Sections{kernel: k, desc: desc, landmarks: z}
	m.id = identity(m)
	return m, nil
}

// Dims returns the number of columns of x and of landmarks.
func (m *Sections) Dims() (in, out int) { return m.landmarks.Cols, m.landmarks.Rows }

// ID returns the map's identity.
func (m *Sections) ID() moments.ID { return m.id }

// Kernel returns the kernel.
func (m *Sections) Kernel() kernels.Kernel { return m.kernel }

// Landmarks returns a copy of the landmarks, one a row.
func (m *Sections) Landmarks() *mat.Dense {
	z := general(m.landmarks.Rows, m.landmarks.Cols)
	copy(z.Data, m.landmarks.Data)
	return view(z)
}

// MapTo stores the kernel of the rows of x and the landmarks in dst.
func (m *Sections) MapTo(dst *mat.Dense, x mat.Matrix) {
	if prepare(m, dst, x) > 0 {
		m.kernel.GramTo(dst, x, view(m.landmarks))
	}
}

// view is a as a *mat.Dense that shares its memory.
func view(a blas64.General) *mat.Dense {
	var d mat.Dense
	d.SetRawMatrix(a)
	return &d
}

func (m *Sections) header() header {
	in, out := m.Dims()
	return header{Kind: "sections", In: in, Out: out, Kernel: &m.desc,
		Arrays: []array{{Name: "landmarks", Rows: out, Cols: in}}}
}

func (m *Sections) appendWeights(dst []float64) []float64 { return append(dst, m.landmarks.Data...) }
