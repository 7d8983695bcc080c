package check

import (
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
)

// spectra are the Fourier coefficients of a basis, with zeros behind so that sums over all lags are one product.
type spectra struct {
	n   int
	fft *fourier.FFT
	of  [][]complex128
}

func (b basis) spectra(n int) *spectra {
	length := 1
	for length < 2*n {
		length *= 2
	}
	s := &spectra{n: n, fft: fourier.NewFFT(length)}
	for _, q := range b {
		s.of = append(s.of, s.coefficients(q))
	}
	return s
}

func (s *spectra) coefficients(v []float64) []complex128 {
	return s.fft.Coefficients(nil, append(slices.Clone(v), make([]float64, s.fft.Len()-s.n)...))
}

// scan returns for each lag from 0 to n-1, in a circle, the share of y that the basis explains in the rows that are so much below, and the product of y with what
// coefficients own by the basis say there, which is about a normal variable where there is no dependence.
func (s *spectra) scan(y, own []float64) (shares, directed []float64) {
	shares, directed = make([]float64, s.n), make([]float64, s.n)
	of := conjugate(s.coefficients(y), s.fft.Len())
	product, lags := make([]complex128, len(of)), make([]float64, s.fft.Len())
	scale := math.Sqrt(float64(s.n)) / floats.Norm(own, 2)
	for j, q := range s.of {
		for i, c := range of {
			product[i] = c * q[i]
		}
		lags = s.fft.Sequence(lags, product)
		for k := range shares {
			c := lags[k]
			if k > 0 {
				c += lags[len(lags)-s.n+k]
			}
			shares[k] += c * c
			directed[k] += own[j] * c * scale
		}
	}
	return shares, directed
}

// conjugate makes coefficients those of a factor of a sum over lags: conjugate, and divided by the length of the transform.
func conjugate(c []complex128, length int) []complex128 {
	for i, v := range c {
		c[i] = cmplx.Conj(v) * complex(1/float64(length), 0)
	}
	return c
}

// nearLength is that of the transforms of stretches of rows by which near lags are looked at.
const nearLength = 1024

// nearSpectra are the Fourier coefficients of a basis in stretches of rows, with as many rows before and behind each as the farthest lag has, so that the sums over
// near lags are one product for each stretch and one transform for all.
type nearSpectra struct {
	n, lags int
	fft     *fourier.FFT
	of      [][]complex128 // of each function, those of all stretches
}

func (b basis) nearSpectra(n, lags int) *nearSpectra {
	s := &nearSpectra{n: n, lags: lags, fft: fourier.NewFFT(nearLength)}
	for _, q := range b {
		s.of = append(s.of, s.coefficients(func(stretch []float64, first int) {
			for i := range stretch {
				stretch[i] = q[(first-lags+i+n)%n]
			}
		}))
	}
	return s
}

// coefficients are those of all stretches, which fill makes from the first row of each.
func (s *nearSpectra) coefficients(fill func(stretch []float64, first int)) []complex128 {
	var all []complex128
	stretch := make([]float64, nearLength)
	for first := 0; first < s.n; first += nearLength - 2*s.lags {
		fill(stretch, first)
		all = append(all, s.fft.Coefficients(nil, stretch)...)
	}
	return all
}

// scan returns what that of spectra does, for the lags 1, -1, 2, -2 and so on.
func (s *nearSpectra) scan(y, own []float64) (shares, directed []float64) {
	shares, directed = make([]float64, 2*s.lags), make([]float64, 2*s.lags)
	of := conjugate(s.coefficients(func(stretch []float64, first int) {
		clear(stretch[copy(stretch[:nearLength-2*s.lags], y[first:]):])
	}), nearLength)
	product, lags := make([]complex128, nearLength/2+1), make([]float64, nearLength)
	scale := math.Sqrt(float64(s.n)) / floats.Norm(own, 2)
	for j, q := range s.of {
		clear(product)
		for start := 0; start < len(of); start += len(product) {
			part := q[start : start+len(product)]
			for i, c := range of[start : start+len(product)] {
				product[i] += c * part[i]
			}
		}
		lags = s.fft.Sequence(lags, product)
		for i := range shares {
			lag := 1 + i/2
			if i%2 == 1 {
				lag = -lag
			}
			c := lags[s.lags+lag]
			shares[i] += c * c
			directed[i] += own[j] * c * scale
		}
	}
	return shares, directed
}
