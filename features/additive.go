package features

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/internal/parallel"
	"mediant/internal/rowops"
	"mediant/kernels"
	"mediant/moments"
)

// Additive holds random Fourier features of an additive kernel, a sum over groups g of columns of
// kernels that see their group alone,
//
//	k(x, y) = Σ_g k_g(x_g, y_g)
//
// k_g is a kernels.Spectral, or a tensor product of them: that of two columns in the maps of Spec.Pairs.
// Each group has Fourier features of its own, D_g of the D, as even a split as D/2 frequencies
// allow. phi(x)'phi(y) is unbiased for the sum (not the mean) of the kernels; the variances of the
// groups add. The features of a group are adjacent, its cosines before its sines. The zero value is
// not usable; use NewAdditive.
type Additive struct {
	kernel  kernels.Additive
	desc    kernels.Desc
	groups  [][]int
	w       []projection // one a group, columns of the group × frequencies
	in, out int
	id      lazyID
}

var _ stored = (*Additive)(nil)

func init() {
	register[*Additive](kind{
		name: "additive", read: (*reader).additive,
		made: &maker{
			kind: AdditiveFeatures, heads: []string{"additive", "pairs"},
			names: func() []string { return []string{"additive:KERNEL", "pairs:KERNEL"} },
			parse: func(head, rest string, _ bool) (Spec, bool) {
				return Spec{Kind: AdditiveFeatures, Kernel: rest, Pairs: head == "pairs"}, rest != ""
			},
			write: func(s Spec) string {
				if s.Pairs {
					return "pairs:" + s.kernelName()
				}
				return writeWithKernel(s)
			},
			takes: isSpectral, least: Spec.AdditiveSize,
			validate: func(s Spec) error {
				if s.Size == 0 {
					return nil
				}
				return checkFourierSize(s.Size)
			},
			fit: (*specFit).additive,
		},
	})
}

// AdditiveSize returns the fewest additive features for rows of so many encoded columns, two a group.
func (s Spec) AdditiveSize(columns int) int {
	if s.Among != nil {
		columns = len(*s.Among)
	}
	if s.Pairs && columns > 1 {
		return columns * (columns - 1)
	}
	return 2 * columns
}

// NewAdditive draws size/2 independent frequencies for rows of in columns, group g's from the
// streams "purpose/group g/frequencies" of the seed. It panics if in < 1. The error says that size
// is odd or less than two a group, that a part of k is not a kernels.Spectral, or that a group names
// a column that x does not have.
func NewAdditive(k kernels.Additive, in, size int, seed uint64, purpose string) (*Additive, error) {
	groups, parts := k.Groups(), k.Parts()
	if err := checkFourierSize(size); err != nil {
		return nil, err
	}
	if size/2 < len(groups) {
		return nil, fmt.Errorf("features: additive: size %d for %d groups, want at least 2 for each", size, len(groups))
	}
	w := make([]blas64.General, len(groups))
	for g, part := range parts {
		spectral, ok := spectralOf(part)
		if !ok {
			return nil, fmt.Errorf("features: additive: group %d: a %T has no spectral distribution to draw from", g, part)
		}
		count := size / 2 / len(groups)
		if g < size/2%len(groups) {
			count++
		}
		w[g] = drawFrequencies(spectral, len(groups[g]), count, seed, fmt.Sprintf("%s/group %d", purpose, g))
	}
	return newAdditive(k, in, w)
}

// A spectralProduct is a tensor product of spectral kernels, which is one: the frequencies of its groups are independent.
type spectralProduct struct{ kernels.Tensor }

// spectralOf returns the kernel as a spectral one, if it is.
func spectralOf(k kernels.Kernel) (kernels.Spectral, bool) {
	product, ok := k.(kernels.Tensor)
	if !ok {
		s, ok := k.(kernels.Spectral)
		return s, ok
	}
	for _, part := range product.Parts() {
		if !isSpectral(part) {
			return nil, false
		}
	}
	return spectralProduct{product}, true
}

// FrequenciesTo implements kernels.Spectral.
func (p spectralProduct) FrequenciesTo(dst *mat.Dense, rnd *rand.Rand) {
	n, _ := dst.Dims()
	parts := p.Parts()
	for g, columns := range p.Groups() {
		own := mat.NewDense(n, len(columns), nil)
		parts[g].(kernels.Spectral).FrequenciesTo(own, rnd)
		for j, c := range columns {
			dst.SetCol(c, mat.Col(nil, j, own))
		}
	}
}

// newAdditive assembles the map of k from the frequencies of its groups.
func newAdditive(k kernels.Additive, in int, w []blas64.General) (*Additive, error) {
	if in < 1 {
		panic(mat.ErrZeroLength)
	}
	if need := kernels.Width(k); in < need {
		return nil, fmt.Errorf("features: additive: %d columns, the kernel needs %d", in, need)
	}
	desc, err := kernels.Describe(k)
	if err != nil {
		return nil, fmt.Errorf("features: additive: %w", err)
	}
	m := &Additive{kernel: k, desc: desc, groups: k.Groups(), in: in}
	for _, own := range w {
		m.w = append(m.w, newProjection(own))
		m.out += 2 * own.Cols
	}
	return m, nil
}

// Dims returns the number of columns of x and D.
func (m *Additive) Dims() (in, out int) { return m.in, m.out }

// ID returns the map's identity.
func (m *Additive) ID() moments.ID { return m.id.of(m) }

// Kernel returns the additive kernel.
func (m *Additive) Kernel() kernels.Kernel { return m.kernel }

// Sizes returns the numbers of features D_g of the groups, in the order in which they stand.
func (m *Additive) Sizes() []int {
	sizes := make([]int, len(m.w))
	for g, w := range m.w {
		sizes[g] = 2 * w.Cols
	}
	return sizes
}

// MapTo stores the features of each row of x in dst, as Fourier does for each group.
func (m *Additive) MapTo(dst *mat.Dense, x mat.Matrix) {
	n := prepare(m, dst, x)
	to := dst.RawMatrix()
	parallel.Blocks(n, rowops.BlockRows, func(lo, hi int) {
		s, own := rowops.Scratches.Get().(*rowops.Scratch), rowops.Scratches.Get().(*rowops.Scratch)
		defer rowops.Scratches.Put(s)
		defer rowops.Scratches.Put(own)
		from := rowops.Dense(x, lo, hi, s)
		at := 0
		for g, columns := range m.groups {
			count := m.w[g].Cols
			group := own.Matrix(hi-lo, len(columns))
			gather(group, from, columns)
			m.w[g].to(rowops.Block(to, lo, at+count, hi-lo, count), group)
			waves(rowops.Block(to, lo, at, hi-lo, 2*count))
			at += 2 * count
		}
	})
}

func (m *Additive) header() header {
	h := header{Kind: "additive", In: m.in, Out: m.out, Kernel: &m.desc, Distribution: independent}
	for _, w := range m.w {
		h.Arrays = append(h.Arrays, array{Name: "frequencies", Rows: w.Rows, Cols: w.Cols})
	}
	return h
}

func (m *Additive) appendWeights(dst []float64) []float64 {
	for _, w := range m.w {
		dst = append(dst, w.Data...)
	}
	return dst
}

// String names the map for people.
func (m *Additive) String() string { return "fourier: " + describeKernel(m.kernel) }

func (f *specFit) additive() (Map, error) {
	_, in := f.rows.Dims()
	bandwidths, err := f.bandwidths()
	if err != nil {
		return nil, err
	}
	of := make([]kernels.Kernel, in)
	for j, b := range bandwidths {
		if of[j], err = kernels.ByName(f.kernelName(), b); err != nil {
			return nil, fmt.Errorf("features: column %d: %w", j, err)
		}
	}
	groups, err := f.groups(in)
	if err != nil {
		return nil, err
	}
	parts := make([]kernels.Kernel, len(groups))
	for g, columns := range groups {
		if parts[g] = of[columns[0]]; len(columns) > 1 {
			if parts[g], err = kernels.NewTensor(nil, []kernels.Kernel{of[columns[0]], of[columns[1]]}); err != nil {
				return nil, err
			}
		}
	}
	k, err := kernels.NewAdditive(groups, parts)
	if err != nil {
		return nil, err
	}
	return NewAdditive(k, in, f.Estimate(in), f.seed, f.purpose)
}

// groups are the columns, or pairs of them, that have features.
func (f *specFit) groups(in int) ([][]int, error) {
	columns := make([]int, in)
	for j := range columns {
		columns[j] = j
	}
	if f.Among != nil {
		columns = *f.Among
	}
	if len(columns) == 0 || slices.Min(columns) < 0 || slices.Max(columns) >= in {
		return nil, fmt.Errorf("features: %s among columns %v, want some of %d", f.Spec, columns, in)
	}
	var groups [][]int
	for i, a := range columns {
		if !f.Pairs || len(columns) == 1 {
			groups = append(groups, []int{a})
			continue
		}
		for _, b := range columns[i+1:] {
			groups = append(groups, []int{a, b})
		}
	}
	return groups, nil
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

func (r *reader) additive(h header) (Map, error) {
	k, err := h.kernel(len(h.Arrays))
	if err != nil {
		return nil, err
	}
	additive, ok := k.(kernels.Additive)
	if !ok {
		return nil, fmt.Errorf("a %T is not additive", k)
	}
	if h.Distribution != independent {
		return nil, fmt.Errorf("unknown distribution %q of frequencies", h.Distribution)
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
