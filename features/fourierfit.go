package features

import (
	"fmt"

	"mediant/kernels"
)

// checkFourierSpec returns an error unless size and distribution of the frequencies go with each other and with the kernel.
func checkFourierSpec(s Spec) error {
	switch {
	case s.Orthogonal && !s.radial():
		return fmt.Errorf("features: orthogonal frequencies with %s, want Fourier features of a radial kernel", s)
	case s.Quasi && !s.radial():
		return fmt.Errorf("features: quasi-Monte-Carlo frequencies with %s, want Fourier features of a radial kernel", s)
	case s.Independent && s.Orthogonal:
		return fmt.Errorf("features: frequencies both independent and orthogonal")
	case s.Quasi && (s.Independent || s.Orthogonal):
		return fmt.Errorf("features: frequencies both quasi-Monte-Carlo and of another distribution")
	case s.Size > 0:
		return checkFourierSize(s.Size)
	}
	return nil
}

// radial reports whether the kernel has the distributions of frequencies that radial ones have.
func (s Spec) radial() bool {
	k, err := kernels.ByName(s.kernelName(), 1)
	if err != nil {
		return false
	}
	_, ok := k.(SpectralRadial)
	return ok
}

func (f *specFit) fourier() (Map, error) {
	k, err := f.kernel()
	if err != nil {
		return nil, err
	}
	_, in := f.rows.Dims()
	size := f.Estimate(in)
	radial, ok := k.(SpectralRadial)
	switch {
	case !ok || f.Independent:
		return NewFourier(k.(kernels.Spectral), in, size, f.seed, f.purpose)
	case f.Quasi, !f.Orthogonal && in <= quasiColumns:
		return NewQuasi(radial, in, size, f.seed, f.purpose)
	case f.structured(in, size):
		return NewStructured(radial, in, size, f.seed, f.purpose)
	}
	return NewOrthogonal(radial, in, size, f.seed, f.purpose)
}

// quasiColumns is the number of columns up to which quasi-Monte-Carlo frequencies are the default. docs/measurements.md has the
// measurement that decided it.
const quasiColumns = 3

// Structured frequencies are the default from these sizes on. There the features of a row, sines and
// cosines included, are faster than by dense frequencies: 129 columns -> 256 features 1.3 to 1.5 times,
// 200 -> 512 3 times, 784 -> 256 2.3 times, 784 -> 4,096 11 times, 33,000 -> 256 1.4 times (one thread,
// AVX-512).
// Below, moments take most of a fit. The bias, some 1e-5 for blocks of 256, is far below the
// standard error of any number of features whose moments fit in memory.
const (
	structuredColumns     = 129
	structuredFrequencies = 128
)

// structured reports whether frequencies are structured, for so many columns and features, where the kernel is radial.
func (s Spec) structured(in, size int) bool {
	return !s.Independent && !s.Orthogonal && !s.Quasi && in >= structuredColumns && size/2 >= structuredFrequencies
}

// fourierBytes is the size of the frequencies.
func fourierBytes(s Spec, z Size) float64 {
	in, p := float64(z.In), float64(z.Features)
	if s.structured(z.In, z.Features) {
		width := float64(blockWidth(z.In))
		return 8 * ((p/(2*width)+1)*hadamards*width + p)
	}
	return 8 * 2 * in * p / 2 // once as they are, once packed
}
