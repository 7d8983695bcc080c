package features

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/internal/rowops"
	"mediant/kernels"
)

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

// FitSections returns the sections of the kernel of Nyström features at all rows, or at the landmarks that are given, for solvers that do not whiten them: K_ZZ is neither formed nor factored. Where some of the landmarks, at most a quarter and picked by randomly pivoted Cholesky, span the others to rounding, it returns their Nyström
// features instead, with a note, as Fit would if it looked at all. The bandwidth and the errors are those of Fit.
func (s Spec) FitSections(ctx context.Context, rows mat.Matrix, some int, seed uint64, purpose string) (Map, []string, error) {
	if s.Kind != NystromFeatures {
		return nil, nil, fmt.Errorf("features: sections of %s, want Nyström features", s)
	}
	if err := s.Validate(); err != nil {
		return nil, nil, err
	}
	f := specFit{s, ctx, rows, seed, purpose, nil}
	k, err := f.kernel()
	if err != nil {
		return nil, nil, err
	}
	if err := f.check(k); err != nil {
		return nil, nil, err
	}
	if s.LandmarkRows != nil {
		if rows, err = f.landmarks(k); err != nil {
			return nil, nil, err
		}
	}
	m, _ := rows.Dims()
	picked, _, err := RandomlyPivoted.pick(ctx, k, rows, max(1, min(some, m/4)), seed, purpose+"/some")
	if err != nil {
		return nil, nil, err
	}
	if len(picked) == 0 {
		return nil, nil, fmt.Errorf("features: nystrom: the kernel is zero on all rows")
	}
	sample, err := newNystromOf(ctx, k, rowops.Pick(rows, picked))
	if err != nil {
		return nil, nil, err
	}
	if _, rank := sample.Dims(); sample.spans(rowops.Pick(rows, draw.Indices(m, spanRows, seed, purpose+"/other landmarks"))) {
		f.note(fmt.Sprintf("%d of %d landmarks span the others to rounding", rank, m))
		return sample, f.notes, nil
	}
	sections, err := NewSections(k, rows)
	return sections, f.notes, err
}

// spanRows of which all are in a span show that 99.5 % of all rows are, but for a chance of 1 in 150.
const spanRows = 1000

// spans reports whether the kernel at rows is that of the features to the cutoff of landmarks.
func (m *Nystrom) spans(rows mat.Matrix) bool {
	n, _ := rows.Dims()
	var f mat.Dense
	m.MapTo(&f, rows)
	diagonal := make([]float64, n)
	m.Kernel().DiagTo(diagonal, rows)
	largest, left := 0., 0.
	for i, k := range diagonal {
		row := f.RawRowView(i)
		largest, left = max(largest, k), max(left, k-floats.Dot(row, row))
	}
	_, rank := m.Dims()
	return left <= residualCutoff(rank)*largest
}

// landmarks returns the landmarks given, or rows picked by the rule.
func (f *specFit) landmarks(k kernels.Kernel) (mat.Matrix, error) {
	_, in := f.rows.Dims()
	if f.LandmarkRows != nil {
		if _, width := f.LandmarkRows.Dims(); width != in {
			return nil, fmt.Errorf("features: nystrom: given landmarks have %d columns, want %d", width, in)
		}
		return f.LandmarkRows, nil
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

// nystromBytes is the size of landmarks and whitening.
func nystromBytes(_ Spec, z Size) float64 {
	p := float64(z.Features)
	return p*z.RowBytes + 8*p*p
}

// nystromFitBytes is what picking and whitening landmarks takes.
func nystromFitBytes(s Spec, z Size) float64 {
	rows, p := float64(z.Sample), float64(z.Features)
	whiten := 8 * p * p
	if s.LandmarkRows == nil && s.Landmarks != Uniform {
		factor := 8 * min(rows, maxCandidates) * p
		if s.Landmarks == RidgeLeverage {
			factor += 2 * 8 * p * p
		}
		whiten = max(whiten, factor)
	}
	return whiten + panelBytes(p*z.RowBytes)
}

// panelBytes bounds the copy of the landmarks that kernels hold at a time.
func panelBytes(landmarks float64) float64 { return min(landmarks, 1<<28) }

func (r *reader) nystrom(h header) (Map, error) {
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
