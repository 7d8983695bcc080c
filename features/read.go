package features

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/rowops"
	"mediant/kernels"
)

// matrix takes a matrix of the given name and number of rows.
func (r *reader) matrix(a array, name string, rows, cols int) (blas64.General, error) {
	values, err := r.take(a, array{Name: name, Rows: rows, Cols: cols})
	if err != nil {
		return blas64.General{}, err
	}
	return blas64.General{Rows: rows, Cols: a.Cols, Stride: a.Cols, Data: values}, nil
}

// kernel makes the kernel of the header, and refuses a number of arrays other than the given one.
func (h header) kernel(arrays int) (kernels.Kernel, error) {
	if h.Kernel == nil {
		return nil, fmt.Errorf("no kernel")
	}
	if len(h.Arrays) != arrays {
		return nil, fmt.Errorf("%d arrays, want %d", len(h.Arrays), arrays)
	}
	return h.Kernel.New()
}

func (r *reader) fourier(h header) (stored, error) {
	arrays, read := 1, r.projection
	switch h.Law {
	case independent, orthogonal, quasi:
	case structured:
		arrays, read = 2, r.product
	default:
		return nil, fmt.Errorf("unknown distribution %q of frequencies", h.Law)
	}
	k, err := h.kernel(arrays)
	if err != nil {
		return nil, err
	}
	spectral, ok := k.(kernels.Spectral)
	if !ok {
		return nil, fmt.Errorf("a %T has no spectral distribution", k)
	}
	if _, ok := k.(SpectralRadial); !ok && h.Law != independent {
		return nil, fmt.Errorf("%s frequencies for a %T, which is not radial", h.Law, k)
	}
	w, err := read(h)
	if err != nil {
		return nil, err
	}
	_, count := w.dims()
	return newFourier(spectral, h.Law, h.In, 2*count, func(int) frequencies { return w })
}

func (r *reader) projection(h header) (frequencies, error) {
	w, err := r.matrix(h.Arrays[0], "frequencies", h.In, -1)
	if err != nil {
		return nil, err
	}
	return newProjection(w), nil
}

func (r *reader) product(h header) (frequencies, error) {
	if h.In > maxColumns/2 {
		return nil, fmt.Errorf("%d columns cannot be filled up to a power of two", h.In)
	}
	count, width := h.Out/2, blockWidth(h.In)
	diagonals, err := r.matrix(h.Arrays[0], "diagonals", (count+width-1)/width*hadamards, width)
	if err != nil {
		return nil, err
	}
	scales, err := r.matrix(h.Arrays[1], "scales", 1, count)
	return product{h.In, diagonals, scales.Data}, err
}

func (r *reader) additive(h header) (stored, error) {
	k, err := h.kernel(len(h.Arrays))
	if err != nil {
		return nil, err
	}
	additive, ok := k.(kernels.Additive)
	if !ok {
		return nil, fmt.Errorf("a %T is not additive", k)
	}
	if h.Law != independent {
		return nil, fmt.Errorf("unknown distribution %q of frequencies", h.Law)
	}
	groups := additive.Groups()
	if len(groups) != len(h.Arrays) {
		return nil, fmt.Errorf("%d arrays for %d groups", len(h.Arrays), len(groups))
	}
	w := make([]blas64.General, len(groups))
	for g, columns := range groups {
		if w[g], err = r.matrix(h.Arrays[g], "frequencies", len(columns), -1); err != nil {
			return nil, err
		}
	}
	return newAdditive(additive, h.In, w)
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

func (r *reader) sections(h header) (stored, error) {
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

func (r *reader) nystrom(h header) (stored, error) {
	z, arrays, err := r.landmarks(h)
	if err != nil {
		return nil, err
	}
	k, err := h.kernel(arrays + 1)
	if err != nil {
		return nil, err
	}
	packed, err := r.take(h.Arrays[arrays], array{Name: "whitening", Rows: h.Out, Cols: h.Out, Packed: "upper"})
	if err != nil {
		return nil, err
	}
	sections, err := newSections(k, z)
	if err != nil {
		return nil, err
	}
	return newNystrom(sections, unpackUpper(packed, h.Out))
}

func (r *reader) chiSquared(h header) (stored, error) {
	if err := h.none(); err != nil {
		return nil, err
	}
	return NewChiSquared(h.In, h.Steps)
}

func (r *reader) concat(h header, depth int) (stored, error) {
	if len(h.Parts) == 0 {
		return nil, fmt.Errorf("no parts")
	}
	if err := h.none(); err != nil {
		return nil, err
	}
	parts := make([]Map, len(h.Parts))
	for i, text := range h.Parts {
		part, err := r.read(text, depth+1)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i, err)
		}
		if in, _ := part.Dims(); in != h.In {
			return nil, fmt.Errorf("part %d has %d columns, want %d", i, in, h.In)
		}
		parts[i] = part
	}
	return NewConcat(parts...)
}
