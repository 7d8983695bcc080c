package features

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/asm"
	"mediant/internal/parallel"
	"mediant/internal/rowops"
	"mediant/kernels"
	"mediant/moments"
)

// Fourier holds D random Fourier features of a kernel k(x, y) = E cos(omega'(x-y)), in pairs of one
// frequency each,
//
//	phi(x) = sqrt(2/D) [cos(W'x); sin(W'x)],   W in × D/2
//
// so that phi(x)'phi(y) is the mean of D/2 cosines: unbiased for k, with the variance
//
//	(1 + k(2(x-y)) - 2 k(x-y)²) / D
//
// for independent frequencies [Rahimi and Recht, Random features for large-scale kernel machines,
// NIPS 2007; Sutherland and Schneider, On the error of random Fourier features, UAI 2015]. The D/2
// cosines come first, then the sines. The zero value is not usable; use NewFourier, NewOrthogonal,
// NewStructured or NewQuasi.
type Fourier struct {
	kernel       kernels.Kernel
	desc         kernels.Desc
	distribution string // of the frequencies: independent, orthogonal, structured or quasi
	w            frequencies
	id           lazyID
}

var _ stored = (*Fourier)(nil)

func init() {
	register[*Fourier](kind{
		name: "fourier", read: (*reader).fourier,
		made: &maker{
			kind: FourierFeatures, heads: []string{auto, quasi}, takes: isSpectral, validate: checkFourierSpec,
			names: func() []string { return append(kernels.Names(isSpectral), auto, quasi+":KERNEL") },
			parse: func(head, rest string, more bool) (Spec, bool) {
				if head == auto {
					return Spec{}, !more
				}
				return Spec{Kernel: rest, Quasi: true}, rest != ""
			},
			write: func(s Spec) string {
				switch {
				case s.Quasi:
					return quasi + ":" + s.kernelName()
				case s.Kernel == "":
					return auto
				}
				return s.Kernel
			},
			bytes:    fourierBytes,
			useBytes: func(s Spec, z Size) float64 { return useBytes(z, !s.Independent) },
			fit:      (*specFit).fourier,
		},
	})
}

const (
	independent = "independent"
	orthogonal  = "orthogonal"
	structured  = "structured"
	quasi       = "quasi"
)

// The frequencies of a map know how to multiply rows by them.
type frequencies interface {
	dims() (in, count int)
	// phasesTo stores in dst the products of the rows of x from lo on with each frequency.
	phasesTo(dst blas64.General, x mat.Matrix, lo int)
	arrays() []array
	appendWeights(dst []float64) []float64
}

// NewFourier draws size/2 independent frequencies for rows of in columns from the streams "purpose/
// frequencies" of the seed. A larger size extends a smaller one. It panics if in < 1. The error
// says that size is not positive and even, or that the kernel cannot be described.
func NewFourier(k kernels.Spectral, in, size int, seed uint64, purpose string) (*Fourier, error) {
	return newFourier(k, independent, in, size, func(count int) frequencies {
		return newProjection(drawFrequencies(k, in, count, seed, purpose))
	})
}

// A SpectralRadial kernel is shift-invariant and a function of the Euclidean distance.
type SpectralRadial interface {
	kernels.Spectral
	kernels.Radial
}

// NewOrthogonal is NewFourier with frequencies in blocks of in orthogonal directions, uniformly
// rotated, with the lengths of independent ones: still unbiased, and with a smaller variance for
// the Gaussian kernel [Yu et al., Orthogonal random features, NIPS 2016]. It costs in² flops a
// frequency.
func NewOrthogonal(k SpectralRadial, in, size int, seed uint64, purpose string) (*Fourier, error) {
	return newFourier(k, orthogonal, in, size, func(count int) frequencies {
		return newProjection(drawOrthogonal(k.Mixture(), in, count, seed, purpose))
	})
}

func newFourier(k kernels.Spectral, distribution string, in, size int, draw func(count int) frequencies) (*Fourier, error) {
	if in < 1 {
		panic(mat.ErrZeroLength)
	}
	if err := checkFourierSize(size); err != nil {
		return nil, err
	}
	desc, err := kernels.Describe(k)
	if err != nil {
		return nil, fmt.Errorf("features: fourier: %w", err)
	}
	return &Fourier{kernel: k, desc: desc, distribution: distribution, w: draw(size / 2)}, nil
}

// checkFourierSize refuses odd sizes rather than rounding them: a size that is set is used exactly.
func checkFourierSize(size int) error {
	if size < 2 || size%2 != 0 {
		return fmt.Errorf("features: fourier: size %d, want a positive even number (a cosine and a sine for each frequency)", size)
	}
	return nil
}

// Dims returns the number of columns of x and D.
func (m *Fourier) Dims() (in, out int) {
	in, count := m.w.dims()
	return in, 2 * count
}

// ID returns the map's identity.
func (m *Fourier) ID() moments.ID { return m.id.of(m) }

// Kernel returns the kernel whose spectral distribution the frequencies were drawn from.
func (m *Fourier) Kernel() kernels.Kernel { return m.kernel }

// MapTo stores the features of each row of x in dst: in 2·in·D/2 flops, or 3·log2(n) additions a
// frequency where they are structured, and D/2 pairs of sine and cosine. It needs no memory beside
// dst when x is dense or sparse; with structured frequencies a row, and a block of rows if x is not
// dense, for each thread.
func (m *Fourier) MapTo(dst *mat.Dense, x mat.Matrix) {
	n := prepare(m, dst, x)
	to := dst.RawMatrix()
	_, count := m.w.dims()
	parallel.Blocks(n, rowops.BlockRows, func(lo, hi int) {
		// The phases take the place of the sines until waves replaces them.
		m.w.phasesTo(rowops.Block(to, lo, count, hi-lo, count), x, lo)
		waves(rowops.Block(to, lo, 0, hi-lo, 2*count))
	})
}

// waves replaces phases, the right half of the columns of phi, by scaled cosines and sines.
func waves(phi blas64.General) {
	count := phi.Cols / 2
	scale := 1 / math.Sqrt(float64(count))
	for i := range phi.Rows {
		cosines, phases := rowops.Row(phi, i)[:count], rowops.Row(phi, i)[count:]
		asm.Sincos(phases, cosines, phases, scale)
	}
}

func (m *Fourier) header() header {
	in, out := m.Dims()
	return header{Kind: "fourier", In: in, Out: out, Kernel: &m.desc, Distribution: m.distribution, Arrays: m.w.arrays()}
}

func (m *Fourier) appendWeights(dst []float64) []float64 { return m.w.appendWeights(dst) }

// bytes is the size of the frequencies, of which dense ones are packed as well.
func (m *Fourier) bytes() float64 {
	numbers := sizeOfArrays(m.w.arrays())
	if _, dense := m.w.(projection); dense {
		numbers *= 2
	}
	return 8 * numbers
}

// String names the map for people.
func (m *Fourier) String() string {
	text := "fourier: " + describeKernel(m.kernel)
	if m.distribution == structured || m.distribution == quasi {
		text += ", " + m.distribution + " frequencies"
	}
	return text
}

func (r *reader) fourier(h header) (Map, error) {
	arrays, read := 1, r.projection
	switch h.Distribution {
	case independent, orthogonal, quasi:
	case structured:
		arrays, read = 2, r.product
	default:
		return nil, fmt.Errorf("unknown distribution %q of frequencies", h.Distribution)
	}
	k, err := h.kernel(arrays)
	if err != nil {
		return nil, err
	}
	spectral, ok := k.(kernels.Spectral)
	if !ok {
		return nil, fmt.Errorf("a %T has no spectral distribution", k)
	}
	if _, ok := k.(SpectralRadial); !ok && h.Distribution != independent {
		return nil, fmt.Errorf("%s frequencies for a %T, which is not radial", h.Distribution, k)
	}
	w, err := read(h)
	if err != nil {
		return nil, err
	}
	_, count := w.dims()
	return newFourier(spectral, h.Distribution, h.In, 2*count, func(int) frequencies { return w })
}
