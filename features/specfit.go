package features

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/kernels"
)

// Estimate returns the number of features of the map that Fit makes for rows of in columns, for
// memory estimates. It is an upper bound for Nyström features, whose landmarks may depend on each
// other, and MaxMonomials+1 for polynomials that Fit refuses.
func (s Spec) Estimate(in int) int {
	m := s.maker()
	switch {
	case m.size != nil:
		return m.size(s, in)
	case s.LandmarkRows != nil:
		rows, _ := s.LandmarkRows.Dims()
		return rows
	case s.Size > 0:
		return s.Size
	case m.least != nil:
		return max(defaultSize, m.least(s, in))
	}
	return defaultSize
}

// Fit makes the map for encoded rows: a sample from which bandwidths and landmarks are chosen, or
// only its width if nothing is. A bandwidth that is set is used exactly; otherwise the default rule of the kernel selects it (kernels.Bandwidth),
// for additive features one for each column (kernels.Bandwidths). Random
// choices come from the seed's streams for purpose: "phi" and "psi" do not influence each other. The
// zero value is a linear kernel at landmarks if the rows are sparse (mat.RowNonZeroDoer). The notes report fallbacks, such as fewer rows than
// landmarks or equal rows. The error is Validate's, or names the entry of rows at fault.
func (s Spec) Fit(rows mat.Matrix, seed uint64, purpose string) (Map, []string, error) {
	return s.FitContext(context.Background(), rows, seed, purpose)
}

// FitContext is Fit until ctx is done, whose error it then returns.
func (s Spec) FitContext(ctx context.Context, rows mat.Matrix, seed uint64, purpose string) (Map, []string, error) {
	if err := s.Validate(); err != nil {
		return nil, nil, err
	}
	_, sparse := rows.(mat.RowNonZeroDoer)
	f := specFit{s.Resolve(sparse), ctx, rows, seed, purpose, nil}
	m, err := f.maker().fit(&f)
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

// kernel makes the kernel, with the bandwidth of its default rule if none is set.
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

// DefaultBandwidth returns the bandwidth that Fit would choose for rows, without the multiple, so that specs that differ in the multiple alone, or in Fourier features and landmarks, can share it (Spec.Bandwidth): of 1,000 rows it takes longer than all else in fitting
// Fourier features. It is 0 where Fit chooses none, or several as for additive features, or would fail.
func (s Spec) DefaultBandwidth(rows mat.Matrix, seed uint64, purpose string) float64 {
	if s.Bandwidth != 0 || !s.hasBandwidth() || s.Kind == MetricFeatures && s.Metric == nil || s.Kind != FourierFeatures && s.Kind != NystromFeatures && s.Kind != MetricFeatures {
		return 0
	}
	if s.Kind == MetricFeatures {
		_, width := rows.Dims()
		if in, _ := s.Metric.Dims(); in != width {
			return 0
		}
		var moved mat.Dense
		s.Metric.MapTo(&moved, rows)
		rows = &moved
	}
	bandwidth, note, err := kernels.Bandwidth(s.kernelName(), rows, draw.Source(seed, purpose+"/bandwidth", 0))
	if err != nil || note != "" || !(bandwidth > 0) {
		return 0
	}
	return bandwidth
}

// check returns an error that names the entry of the rows that k cannot take.
func (f *specFit) check(k kernels.Kernel) error { return f.refused(kernels.CheckRows(k, f.rows)) }

// refused adds the name of the features to an error about an entry of the rows.
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
