package features

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/rowops"
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
	landmarks mat.Matrix // *mat.Dense or *CSR
	id        lazyID
}

var _ stored = (*Sections)(nil)

func init() {
	register[*Sections](kind{
		name: "sections", read: (*reader).sections,
	})
}

// NewSections returns the sections of k at the rows of landmarks, which are copied, sparse ones (a
// mat.RowNonZeroDoer) by their nonzeros. The error says that a landmark is not finite, has too few columns for
// k, or that k cannot be described.
func NewSections(k kernels.Kernel, landmarks mat.Matrix) (*Sections, error) {
	n, in := landmarks.Dims()
	if n < 1 || in < 1 {
		panic(mat.ErrZeroLength)
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return newSections(k, rowops.Pick(landmarks, all))
}

// newSections takes over z, a *mat.Dense that is not a part of another, or a *CSR.
func newSections(k kernels.Kernel, z mat.Matrix) (*Sections, error) {
	if !rowops.Finite(elements(z)) {
		return nil, fmt.Errorf("features: sections: a landmark is not finite")
	}
	if _, cols := z.Dims(); cols < kernels.Width(k) {
		return nil, fmt.Errorf("features: sections: %d columns, the kernel needs %d", cols, kernels.Width(k))
	}
	if err := kernels.CheckRows(k, z); err != nil {
		return nil, fmt.Errorf("features: sections: a landmark: %w", err)
	}
	desc, err := kernels.Describe(k)
	if err != nil {
		return nil, fmt.Errorf("features: sections: %w", err)
	}
	return &Sections{kernel: k, desc: desc, landmarks: z}, nil
}

// Dims returns the number of columns of x and of landmarks.
func (m *Sections) Dims() (in, out int) {
	out, in = m.landmarks.Dims()
	return in, out
}

// ID returns the map's identity.
func (m *Sections) ID() moments.ID { return m.id.of(m) }

// Kernel returns the kernel.
func (m *Sections) Kernel() kernels.Kernel { return m.kernel }

// Landmarks returns the landmarks, one a row: a *CSR if they are sparse, else a copy.
func (m *Sections) Landmarks() mat.Matrix {
	if z, ok := m.landmarks.(*mat.Dense); ok {
		return mat.DenseCopyOf(z)
	}
	return m.landmarks
}

// MapTo stores the kernel of the rows of x and the landmarks in dst.
func (m *Sections) MapTo(dst *mat.Dense, x mat.Matrix) {
	if prepare(m, dst, x) > 0 {
		m.kernel.GramTo(dst, x, m.landmarks)
	}
}

// elements are the stored elements of landmarks.
func elements(z mat.Matrix) []float64 {
	if c, ok := z.(*rowops.CSR); ok {
		_, _, values := c.Raw()
		return values
	}
	return z.(*mat.Dense).RawMatrix().Data
}

// Arrays of sparse landmarks: values and columns of the elements, and the place of each row's first one and the
// end of the last. Such columns and places are below 2^53.
const (
	landmarkValues  = "landmark values"
	landmarkColumns = "landmark columns"
	landmarkStarts  = "landmark starts"
)

func (m *Sections) header() header {
	in, out := m.Dims()
	h := header{Kind: "sections", In: in, Out: out, Kernel: &m.desc}
	if c, ok := m.landmarks.(*rowops.CSR); ok {
		n := len(elements(c))
		h.Arrays = []array{{Name: landmarkValues, Rows: 1, Cols: n}, {Name: landmarkColumns, Rows: 1, Cols: n}, {Name: landmarkStarts, Rows: 1, Cols: out + 1}}
	} else {
		h.Arrays = []array{{Name: "landmarks", Rows: out, Cols: in}}
	}
	return h
}

func (m *Sections) appendWeights(dst []float64) []float64 {
	c, ok := m.landmarks.(*rowops.CSR)
	if !ok {
		return append(dst, elements(m.landmarks)...)
	}
	start, columns, values := c.Raw()
	dst = append(dst, values...)
	for _, list := range [][]int{columns, start} {
		for _, v := range list {
			dst = append(dst, float64(v))
		}
	}
	return dst
}

// String names the map for people, by the Nystrom that folds into it.
func (m *Sections) String() string {
	_, landmarks := m.Dims()
	return fmt.Sprintf("nystrom: %s, %d landmarks", describeKernel(m.kernel), landmarks)
}

// landmarks takes the landmarks of a header, dense in one array or sparse in three, and counts the arrays.
func (r *reader) landmarks(h header) (z mat.Matrix, arrays int, err error) {
	if len(h.Arrays) >= 3 && h.Arrays[0].Name == landmarkValues {
		z, err = r.sparseLandmarks(h)
		return z, 3, err
	}
	if len(h.Arrays) == 0 {
		return nil, 0, fmt.Errorf("no arrays")
	}
	dense, err := r.matrix(h.Arrays[0], "landmarks", h.Out, h.In)
	if err != nil {
		return nil, 1, err
	}
	return rowops.View(dense), 1, nil
}

func (r *reader) sparseLandmarks(h header) (mat.Matrix, error) {
	var lists [3][]float64
	for i, name := range []string{landmarkValues, landmarkColumns, landmarkStarts} {
		a, err := r.matrix(h.Arrays[i], name, 1, -1)
		if err != nil {
			return nil, err
		}
		lists[i] = a.Data
	}
	start, err := places(lists[2])
	if err != nil {
		return nil, err
	}
	columns, err := places(lists[1])
	if err != nil {
		return nil, err
	}
	return rowops.NewCSR(h.Out, h.In, start, columns, lists[0])
}

// places are numbers that must be integers from 0 on.
func places(values []float64) ([]int, error) {
	out := make([]int, len(values))
	for i, v := range values {
		if out[i] = int(v); v < 0 || v > maxColumns || float64(out[i]) != v {
			return nil, fmt.Errorf("%g is no place in a sparse matrix", v)
		}
	}
	return out, nil
}

func (r *reader) sections(h header) (Map, error) {
	z, arrays, err := r.landmarks(h)
	if err != nil {
		return nil, err
	}
	k, err := h.kernel(arrays)
	if err != nil {
		return nil, err
	}
	return newSections(k, z)
}
