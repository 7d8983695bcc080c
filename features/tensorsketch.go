package features

import (
	"fmt"
	"sync"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/parallel"
	"mediant/internal/rowops"
	"mediant/kernels"
	"mediant/moments"
)

// TensorSketch holds D random features of the polynomial kernel,
//
//	phi(x)'phi(y) unbiased for (x'y + 1)^degree
//
// the count sketch of the tensor power of (x, 1) whose bucket is the sum of the buckets of degree count sketches
// modulo D and whose sign is the product of theirs. It is their circular convolution, a product of discrete
// Fourier transforms [Pham and Pagh, Fast and scalable polynomial kernels via explicit feature maps, KDD
// 2013]: a row costs degree·(columns + D log D) instead of columns^degree. With independent buckets the
// variance is at most (2 + 3^degree)/D (|x|²+1)^degree (|y|²+1)^degree [Avron, Nguyen and Woodruff, Subspace
// embeddings for the polynomial kernel, NIPS 2014]; here columns of a sketch share out the buckets (CountSketch), so that monomials that
// differ in one factor never meet, and it is smaller. Polynomial is exact and preferable where its number of features is affordable. The zero value is not usable; use NewTensorSketch.
type TensorSketch struct {
	degree, in, size int
	buckets          []bucket // in+1 for each factor, the constant's last
	transforms       sync.Pool
	id               lazyID
}

var _ stored = (*TensorSketch)(nil)

func init() {
	register[*TensorSketch](kind{
		name: "tensor sketch", read: (*reader).tensorSketch,
		made: &maker{
			kind: TensorSketchFeatures, heads: []string{"tensorsketch"}, names: alone("tensorsketch:DEGREE"),
			parse: parseWithDegree(TensorSketchFeatures), write: writeWithDegree, degree: true, bytes: sketchBytes,
			fit: func(f *specFit) (Map, error) {
				_, in := f.rows.Dims()
				return NewTensorSketch(in, f.Degree, f.Estimate(in), f.seed, f.purpose)
			},
		},
	})
}

// NewTensorSketch draws the buckets and signs of factor k from block k of the stream "purpose/buckets" of the seed. D is fast where its
// prime factors are small. It panics if in < 1. The error says that degree is not
// from 1 to 64 or size is not positive.
func NewTensorSketch(in, degree, size int, seed uint64, purpose string) (*TensorSketch, error) {
	if in < 1 {
		panic(mat.ErrZeroLength)
	}
	if _, err := kernels.NewPolynomial(degree); err != nil {
		return nil, fmt.Errorf("features: tensor sketch: %w", err)
	}
	if err := checkSketchSize("tensor sketch", size); err != nil {
		return nil, err
	}
	var buckets []bucket
	for factor := range degree {
		buckets = append(buckets, drawBuckets(in+1, size, seed, purpose+"/buckets", factor)...)
	}
	return newTensorSketch(in, degree, size, buckets), nil
}

func newTensorSketch(in, degree, size int, buckets []bucket) *TensorSketch {
	m := &TensorSketch{degree: degree, in: in, size: size, buckets: buckets}
	m.transforms.New = func() any { return newConvolution(size) }
	return m
}

// Dims returns the number of columns of x and D.
func (m *TensorSketch) Dims() (in, out int) { return m.in, m.size }

// Degree returns the degree.
func (m *TensorSketch) Degree() int { return m.degree }

// ID returns the map's identity.
func (m *TensorSketch) ID() moments.ID { return m.id.of(m) }

// MapTo stores the features of each row of x in dst. Sparse rows are gone through by their nonzeros.
func (m *TensorSketch) MapTo(dst *mat.Dense, x mat.Matrix) {
	n := prepare(m, dst, x)
	to := dst.RawMatrix()
	parallel.Blocks(n, rowops.BlockRows, func(lo, hi int) {
		rows := rowops.Open(x, lo, hi)
		defer rows.Close()
		c := m.transforms.Get().(*convolution)
		defer m.transforms.Put(c)
		for i := lo; i < hi; i++ {
			m.mapRow(rowops.Row(to, i), rows, i, c)
		}
	})
}

// mapRow stores the convolution of the sketches of row i in phi.
func (m *TensorSketch) mapRow(phi []float64, rows rowops.Reader, i int, c *convolution) {
	for factor := range m.degree {
		own := m.buckets[factor*(m.in+1) : (factor+1)*(m.in+1)]
		clear(phi)
		rows.Each(i, func(j int, v float64) { own[j].add(phi, v) })
		own[m.in].add(phi, 1)
		if m.degree > 1 {
			c.factor(phi, factor == 0)
		}
	}
	if m.degree > 1 {
		c.productTo(phi)
	}
}

// A convolution multiplies transforms. It is one goroutine's.
type convolution struct {
	fft          *fourier.FFT
	product, own []complex128
}

func newConvolution(size int) *convolution {
	return &convolution{fourier.NewFFT(size), make([]complex128, size/2+1), make([]complex128, size/2+1)}
}

// factor multiplies the product by the transform of v, which is the first factor or a further one.
func (c *convolution) factor(v []float64, first bool) {
	if first {
		c.fft.Coefficients(c.product, v)
		return
	}
	c.fft.Coefficients(c.own, v)
	for k, f := range c.own {
		c.product[k] *= f
	}
}

// productTo stores the convolution of the factors in dst.
func (c *convolution) productTo(dst []float64) {
	c.fft.Sequence(dst, c.product)
	scale := 1 / float64(len(dst))
	for i := range dst {
		dst[i] *= scale
	}
}

func (m *TensorSketch) header() header {
	return header{Kind: "tensor sketch", In: m.in, Out: m.size, Degree: m.degree,
		Arrays: []array{{Name: "buckets", Rows: m.degree, Cols: m.in + 1}}}
}

func (m *TensorSketch) appendWeights(dst []float64) []float64 { return appendBuckets(dst, m.buckets) }

func (r *reader) tensorSketch(h header) (Map, error) {
	if _, err := kernels.NewPolynomial(h.Degree); err != nil {
		return nil, err
	}
	buckets, err := r.buckets(h, h.Degree, h.In+1)
	if err != nil {
		return nil, err
	}
	return newTensorSketch(h.In, h.Degree, h.Out, buckets), nil
}

// String names the map for people.
func (m *TensorSketch) String() string {
	return fmt.Sprintf("sketch of the polynomial kernel of degree %d", m.degree)
}
