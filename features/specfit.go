package features

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/internal/rowops"
	"mediant/kernels"
)

// Estimate returns the number of features of the map that Fit makes for rows of in columns, for
// memory estimates. It is an upper bound for Nyström features, whose landmarks may depend on each
// other, and MaxMonomials+1 for polynomials that Fit refuses.
func (s Spec) Estimate(in int) int {
	switch s.Kind {
	case LinearFeatures:
		return in
	case PolynomialFeatures:
		return Monomials(in, s.Degree)
	case ChiSquaredFeatures:
		return in * (2*defaultSteps + 1)
	}
	if s.Given != nil {
		rows, _ := s.Given.Dims()
		return rows
	}
	if s.Size > 0 {
		return s.Size
	}
	if s.Kind == AdditiveFeatures {
		return max(defaultSize, 2*in)
	}
	return defaultSize
}

// Fit makes the map for encoded rows: a sample from which bandwidths and landmarks are chosen, or
// only its width if nothing is. A bandwidth given is used exactly; otherwise it is the median of the
// pairwise distances, L1 distances for laplacian, chi-squared ones for expchi2, and of each column for
// additive features. Random
// choices come from the seed's streams for purpose: "phi" and "psi" do not influence each other. The
// zero value is a linear kernel at landmarks if the rows are sparse (mat.RowNonZeroDoer). The
// notes say what was done about rows that are all equal or fewer than the landmarks. The error is
// Validate's, or says what in rows is at fault.
func (s Spec) Fit(rows mat.Matrix, seed uint64, purpose string) (Map, []string, error) {
	return s.FitContext(context.Background(), rows, seed, purpose)
}

// FitContext is Fit until ctx is done, whose error it then returns.
func (s Spec) FitContext(ctx context.Context, rows mat.Matrix, seed uint64, purpose string) (Map, []string, error) {
	if err := s.Validate(); err != nil {
		return nil, nil, err
	}
	_, in := rows.Dims()
	_, sparse := rows.(mat.RowNonZeroDoer)
	s = s.For(sparse)
	f := specFit{s, ctx, rows, seed, purpose, nil}
	var m Map
	var err error
	switch s.Kind {
	case LinearFeatures:
		m = NewLinear(in)
	case PolynomialFeatures:
		m, err = NewPolynomial(in, s.Degree)
	case TensorSketchFeatures:
		m, err = NewTensorSketch(in, s.Degree, s.Estimate(in), seed, purpose)
	case CountSketchFeatures:
		m, err = NewCountSketch(in, s.Estimate(in), seed, purpose)
	case ChiSquaredFeatures:
		m, err = f.chiSquared()
	case AdditiveFeatures:
		m, err = f.additive()
	case NystromFeatures:
		m, err = f.nystrom()
	default:
		m, err = f.fourier()
	}
	if err != nil {
		return nil, nil, err
	}
	return m, f.notes, nil
}

// specFit is one call of Fit.
type specFit struct {
	Spec
	ctx     context.Context
	rows    mat.Matrix
	seed    uint64
	purpose string
	notes   []string
}

func (f *specFit) note(text string) {
	if text != "" {
		f.notes = append(f.notes, f.purpose+": "+text)
	}
}

// kernel makes the kernel, its bandwidth by the rule that suits it if none is given.
func (f *specFit) kernel() (kernels.Kernel, error) {
	name := f.kernelName()
	if f.Bandwidth != 0 || !f.hasBandwidth() {
		return kernels.ByName(name, f.Bandwidth)
	}
	bandwidth, note, err := kernels.Bandwidth(name, f.rows, draw.Source(f.seed, f.purpose+"/bandwidth", 0))
	if err != nil {
		return nil, f.refused(err)
	}
	f.note(note)
	return kernels.ByName(name, bandwidth*f.multiple())
}

// check returns an error that names the entry of the rows that k cannot take.
func (f *specFit) check(k kernels.Kernel) error { return f.refused(kernels.CheckRows(k, f.rows)) }

// refused says of which features an error in an entry of the rows is.
func (f *specFit) refused(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("features: %s: %w; encoders centre numbers at 0, but not text", f.Spec, err)
}

func (f *specFit) multiple() float64 {
	if f.Multiple == 0 {
		return 1
	}
	return f.Multiple
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
	case !f.Orthogonal && in >= structuredColumns && size/2 >= structuredFrequencies:
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

// chiSquared makes the map if the rows have no negative entries.
func (f *specFit) chiSquared() (Map, error) {
	if err := f.check(kernels.ChiSquared{}); err != nil {
		return nil, err
	}
	_, in := f.rows.Dims()
	return NewChiSquared(in, defaultSteps)
}

// bandwidths returns one for each column.
func (f *specFit) bandwidths() ([]float64, error) {
	_, in := f.rows.Dims()
	if f.Bandwidth != 0 || !f.hasBandwidth() {
		return slices.Repeat([]float64{f.Bandwidth}, in), nil
	}
	list, note, err := kernels.Bandwidths(f.kernelName(), f.rows, draw.Source(f.seed, f.purpose+"/bandwidth", 0))
	if err != nil {
		return nil, f.refused(err)
	}
	for j := range list {
		list[j] *= f.multiple()
	}
	f.note(note)
	return list, nil
}

func (f *specFit) additive() (Map, error) {
	_, in := f.rows.Dims()
	parts := make([]kernels.Kernel, in)
	bandwidths, err := f.bandwidths()
	if err != nil {
		return nil, err
	}
	for j, b := range bandwidths {
		if parts[j], err = kernels.ByName(f.kernelName(), b); err != nil {
			return nil, fmt.Errorf("features: column %d: %w", j, err)
		}
	}
	k, err := kernels.NewAdditive(nil, parts)
	if err != nil {
		return nil, err
	}
	return NewAdditive(k, in, f.Estimate(in), f.seed, f.purpose)
}

func (f *specFit) nystrom() (Map, error) {
	k, err := f.kernel()
	if err != nil {
		return nil, err
	}
	if err := f.check(k); err != nil {
		return nil, err
	}
	landmarks, err := f.landmarks(k)
	if err != nil {
		return nil, err
	}
	m, err := newNystromOf(f.ctx, k, landmarks)
	if err != nil {
		return nil, err
	}
	asked, _ := landmarks.Dims()
	if _, rank := m.Dims(); rank < asked {
		f.note(fmt.Sprintf("%d of %d landmarks are in the span of the others to rounding and were dropped", asked-rank, asked))
	}
	return m, nil
}

// landmarks returns the landmarks given, or rows picked by the rule.
func (f *specFit) landmarks(k kernels.Kernel) (mat.Matrix, error) {
	_, in := f.rows.Dims()
	if f.Given != nil {
		if _, width := f.Given.Dims(); width != in {
			return nil, fmt.Errorf("features: nystrom: given landmarks have %d columns, want %d", width, in)
		}
		return f.Given, nil
	}
	picked, notes, err := f.Landmarks.pick(f.ctx, k, f.rows, f.Estimate(in), f.seed, f.purpose)
	if err != nil {
		return nil, err
	}
	for _, note := range notes {
		f.note(note)
	}
	if len(picked) == 0 {
		return nil, fmt.Errorf("features: nystrom: the kernel is zero on all rows")
	}
	return rowops.Pick(f.rows, picked), nil
}
