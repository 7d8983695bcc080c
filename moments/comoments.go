package moments

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
	"mediant/internal/parallel"
)

// CoMoments holds the sums of products of two sets of columns seen row by row, a (p wide) and b (q
// wide): the number of rows, their total weight W, the weighted means, and the centred co-moments
//
//	Saa = Σ w (a-ā)(a-ā)'   Sab = Σ w (a-ā)(b-b̄)'   Sbb = Σ w (b-b̄)(b-b̄)'
//
// which are all that any ridge fit, loss or uncoupled risk of [Yamane21] needs. Centred sums keep their digits when columns
// are far from 0; they are merged pairwise (Chan, Golub and LeVeque, 1983). p and q are fixed by the first rows added; until
// then the CoMoments is empty.
//
// The zero value is empty co-moments whose two identities are zero. CoMoments is not safe for concurrent
// use.
type CoMoments struct {
	left, right  ID
	mixed        bool // the arithmetic
	rows         int
	weight       float64
	meanA, meanB []float64
	aa, bb       *mat.SymDense
	ab           *mat.Dense

	// Scratch of Add: the block less a centre, in either arithmetic, that centre, and square roots of weights.
	blockA, blockB   []float64
	singleA, singleB fast.Single
	nextA, nextB     []float64
	roots            []float64
}

// NewCoMoments returns empty co-moments of columns with the given identities, summed in float64.
func NewCoMoments(left, right ID) *CoMoments { return &CoMoments{left: left, right: right} }

// Left returns the identity of a.
func (m *CoMoments) Left() ID { return m.left }

// Right returns the identity of b.
func (m *CoMoments) Right() ID { return m.right }

// Rows returns the number of rows added, those of weight 0 included.
func (m *CoMoments) Rows() int { return m.rows }

// Weight returns the total weight W, which is the number of rows if all weights are 1.
func (m *CoMoments) Weight() float64 { return m.weight }

// Dims returns p and q, both 0 while the CoMoments is empty.
func (m *CoMoments) Dims() (p, q int) { return len(m.meanA), len(m.meanB) }

// MeanA returns the weighted means of a, which the caller must not change.
func (m *CoMoments) MeanA() []float64 { return m.meanA }

// MeanB returns the weighted means of b, which the caller must not change.
func (m *CoMoments) MeanB() []float64 { return m.meanB }

// Add adds the rows of a (n×p) and b (n×q), row i with weight weights[i]; nil weights are 1. It
// costs n(p+q)² flops. Shapes that differ from each other or from earlier rows, and weights that
// are negative or not finite, panic. Sums of one block are formed at once, so the result depends to
// rounding on how rows are cut into blocks.
func (m *CoMoments) Add(a, b *mat.Dense, weights []float64) {
	n, p := a.Dims()
	nb, q := b.Dims()
	if n != nb || weights != nil && len(weights) != n {
		panic(mat.ErrShape)
	}
	m.shape(p, q)
	total := float64(n)
	if weights != nil {
		total = 0
		for _, w := range weights {
			if !(w >= 0) || math.IsInf(w, 1) {
				panic(fmt.Sprintf("moments: weight %g is not a finite number of at least 0", w))
			}
			total += w
		}
	}
	m.rows += n
	if total == 0 {
		return
	}
	// Chan's update adds to the products of the centred block those of the difference d of the two means,
	// times W total / (W + total). Rows that are moved by sqrt(W / (W + total)) d, each the same, have
	// them already, because a centred block has no product with a constant.
	move := move{weights: weights, total: total, share: total / (m.weight + total), lean: math.Sqrt(m.weight / (m.weight + total))}
	if m.mixed {
		m.addMixed(a.RawMatrix(), b.RawMatrix(), move)
	} else {
		ca := move.centre(&m.blockA, m.nextA, m.meanA, a.RawMatrix())
		cb := move.centre(&m.blockB, m.nextB, m.meanB, b.RawMatrix())
		fast.Syrk(1, ca, upper(m.aa))
		fast.Gemm(blas.Trans, blas.NoTrans, 1, ca, cb, 1, m.ab.RawMatrix())
		fast.Syrk(1, cb, upper(m.bb))
	}
	m.weight += total
}

// shape makes room for p and q columns, or panics if the CoMoments has others.
func (m *CoMoments) shape(p, q int) {
	if m.aa == nil {
		m.meanA, m.meanB = make([]float64, p), make([]float64, q)
		m.nextA, m.nextB = make([]float64, p), make([]float64, q)
		m.aa, m.ab, m.bb = mat.NewSymDense(p, nil), mat.NewDense(p, q, nil), mat.NewSymDense(q, nil)
	}
	if p != len(m.meanA) || q != len(m.meanB) {
		panic(mat.ErrShape)
	}
}

func upper(s *mat.SymDense) blas64.General {
	r := s.RawSymmetric()
	return blas64.General{Rows: r.N, Cols: r.N, Stride: r.Stride, Data: r.Data}
}

// Merge adds the rows of o, which is left as it was. Another identity, arithmetic or width is an error and changes nothing; an empty o
// of the same identities may be merged.
func (m *CoMoments) Merge(o *CoMoments) error {
	if err := m.mergeable(o); err != nil {
		return err
	}
	m.merge(o)
	return nil
}

// mergeable returns the error of merging o.
func (m *CoMoments) mergeable(o *CoMoments) error {
	if m.left != o.left {
		return fmt.Errorf("moments: merge: left map is %s, want %s", o.left, m.left)
	}
	if m.right != o.right {
		return fmt.Errorf("moments: merge: right map is %s, want %s", o.right, m.right)
	}
	if err := sameArithmetic("merge", o.mixed, m.mixed); err != nil {
		return err
	}
	if o.aa == nil || m.aa == nil {
		return nil
	}
	if p, q := o.Dims(); p != len(m.meanA) || q != len(m.meanB) {
		return fmt.Errorf("moments: merge: columns are %d and %d, want %d and %d", p, q, len(m.meanA), len(m.meanB))
	}
	return nil
}

// merge adds the rows of each of os, which are mergeable, one after the other.
func (m *CoMoments) merge(os ...*CoMoments) {
	mergeRows([]merging{m.merging(os)})
}

// A merging is into which the sums of products of others are still to be added, a row of all of them at a time, which stays in the processor's cache. The rows may be
// added in any order.
type merging struct {
	into  *CoMoments
	first *CoMoments // that the sums begin with, if into had none
	then  []mergence
}

// A mergence adds the sums of products o and those of the differences of means, times the square root of their weight.
type mergence struct {
	o      *CoMoments
	da, db []float64
}

// merging merges the means and weights of os, which are mergeable.
func (m *CoMoments) merging(os []*CoMoments) merging {
	all := merging{into: m}
	for _, o := range os {
		switch {
		case o.aa == nil:
			continue
		case m.aa == nil:
			m.shape(o.Dims())
			copy(m.meanA, o.meanA)
			copy(m.meanB, o.meanB)
			m.weight, all.first = o.weight, o
		case o.weight > 0:
			share := o.weight / (m.weight + o.weight)
			scale := math.Sqrt(m.weight * share)
			s := mergence{o, make([]float64, len(m.meanA)), make([]float64, len(m.meanB))}
			shift(s.da, m.meanA, o.meanA, share, scale)
			shift(s.db, m.meanB, o.meanB, share, scale)
			all.then = append(all.then, s)
			m.weight += o.weight
		}
		m.rows += o.rows
	}
	return all
}

// row merges row i of the sums, as far as they have it.
func (g merging) row(i int) {
	m, first := g.into, g.first
	if i < len(m.meanA) {
		aa, ab := rowAbove(m.aa, i), m.ab.RawRowView(i)
		if first != nil {
			copy(aa, rowAbove(first.aa, i))
			copy(ab, first.ab.RawRowView(i))
		}
		for _, s := range g.then {
			addOuter(aa, rowAbove(s.o.aa, i), s.da[i], s.da[i:])
			addOuter(ab, s.o.ab.RawRowView(i), s.da[i], s.db)
		}
	}
	if i < len(m.meanB) {
		bb := rowAbove(m.bb, i)
		if first != nil {
			copy(bb, rowAbove(first.bb, i))
		}
		for _, s := range g.then {
			addOuter(bb, rowAbove(s.o.bb, i), s.db[i], s.db[i:])
		}
	}
}

// rowAbove is row i of s from its diagonal on.
func rowAbove(s *mat.SymDense, i int) []float64 {
	r := s.RawSymmetric()
	return r.Data[i*r.Stride+i : i*r.Stride+r.N]
}

// addOuter adds o and d times e to row.
func addOuter(row, o []float64, d float64, e []float64) {
	floats.Add(row, o)
	floats.AddScaled(row, d, e)
}

// shift moves mean by share of other - mean and stores scale times that difference in d.
func shift(d, mean, other []float64, share, scale float64) {
	floats.SubTo(d, other, mean)
	floats.AddScaled(mean, share, d)
	floats.Scale(scale, d)
}

// Check returns an error if a sum is not finite, because products of rows and weights exceeded the range of float64. Such sums cannot be solved.
func (m *CoMoments) Check() error {
	finite := !math.IsInf(m.weight, 0) && (m.rows == 0 || m.weight == 0 || m.weight >= 0x1p-1000)
	see := func(row []float64) {
		for _, v := range row {
			finite = finite && !math.IsNaN(v) && !math.IsInf(v, 0)
		}
	}
	see(m.meanA)
	see(m.meanB)
	if m.aa != nil {
		eachUpper(m.aa, see)
		see(m.ab.RawMatrix().Data)
		eachUpper(m.bb, see)
	}
	if !finite {
		return fmt.Errorf("moments: sums of products are not finite: values are too large to be squared, or weights too small or too large")
	}
	return nil
}

// Without returns a new list of the co-moments without the one at index number.
func Without(pairs []*CoMoments, number int) []*CoMoments {
	return slices.Delete(slices.Clone(pairs), number, number+1)
}

// Sum returns the co-moments of the rows of all parts together. Cross-fitting sums the other folds, because subtracting one
// fold from the total loses digits when that fold has the large values.
func Sum(pairs ...*CoMoments) (*CoMoments, error) {
	total, err := sumOf(pairs)
	if err != nil {
		return nil, err
	}
	total.merge(pairs...)
	return total, nil
}

// Others returns, for each of the parts, the Sum of all the others, in one pass over their sums.
func Others(parts []*CoMoments) ([]*CoMoments, error) {
	sums, all := make([]*CoMoments, len(parts)), make([]merging, len(parts))
	for k := range parts {
		others := Without(parts, k)
		var err error
		if sums[k], err = sumOf(others); err != nil {
			return nil, err
		}
		all[k] = sums[k].merging(others)
	}
	mergeRows(all)
	return sums, nil
}

// mergeRows merges the rows of all sums.
func mergeRows(all []merging) {
	rows := 0
	for _, g := range all {
		p, q := g.into.Dims()
		rows = max(rows, p, q)
	}
	parallel.Blocks(rows, mergedRows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for _, g := range all {
				g.row(i)
			}
		}
	})
}

// mergedRows of all sums are merged by one processor at a time.
const mergedRows = 32

// sumOf returns empty co-moments for the sum of mergeable parts.
func sumOf(parts []*CoMoments) (*CoMoments, error) {
	if len(parts) == 0 {
		return new(CoMoments), nil
	}
	total := parts[0].Arithmetic().NewCoMoments(parts[0].left, parts[0].right)
	wide := total // the first with columns
	for _, o := range parts {
		if err := wide.mergeable(o); err != nil {
			return nil, err
		}
		if wide.aa == nil {
			wide = o
		}
	}
	return total, nil
}
