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

// copyOf makes an empty m what o is.
func (m *CoMoments) copyOf(o *CoMoments) {
	m.rows, m.weight = m.rows+o.rows, o.weight
	m.meanA, m.meanB = slices.Clone(o.meanA), slices.Clone(o.meanB)
	m.nextA, m.nextB = make([]float64, len(o.meanA)), make([]float64, len(o.meanB))
	m.aa, m.ab, m.bb = copyOfSym(o.aa), mat.DenseCopyOf(o.ab), copyOfSym(o.bb)
}

func copyOfSym(s *mat.SymDense) *mat.SymDense {
	r := s.RawSymmetric()
	if r.Stride == r.N {
		return mat.NewSymDense(r.N, slices.Clone(r.Data))
	}
	c := mat.NewSymDense(r.N, nil)
	c.CopySym(s)
	return c
}

func upper(s *mat.SymDense) blas64.General {
	r := s.RawSymmetric()
	return blas64.General{Rows: r.N, Cols: r.N, Stride: r.Stride, Data: r.Data}
}

// Merge adds the rows of o, which is left as it was. Another identity, arithmetic or width is an error and changes nothing; an empty o
// of the same identities may be merged.
func (m *CoMoments) Merge(o *CoMoments) error {
	if m.left != o.left {
		return fmt.Errorf("moments: merge: left map is %s, want %s", o.left, m.left)
	}
	if m.right != o.right {
		return fmt.Errorf("moments: merge: right map is %s, want %s", o.right, m.right)
	}
	if err := sameArithmetic("merge", o.mixed, m.mixed); err != nil {
		return err
	}
	if o.aa == nil {
		return nil
	}
	p, q := o.Dims()
	if m.aa != nil && (p != len(m.meanA) || q != len(m.meanB)) {
		return fmt.Errorf("moments: merge: columns are %d and %d, want %d and %d", p, q, len(m.meanA), len(m.meanB))
	}
	if m.aa == nil {
		m.copyOf(o)
		return nil
	}
	m.rows += o.rows
	if o.weight == 0 {
		return nil
	}
	share := o.weight / (m.weight + o.weight)
	scale := math.Sqrt(m.weight * share)
	da, db := make([]float64, p), make([]float64, q)
	shift(da, m.meanA, o.meanA, share, scale)
	shift(db, m.meanB, o.meanB, share, scale)
	addUpper(m.aa, o.aa, da)
	floats.Add(m.ab.RawMatrix().Data, o.ab.RawMatrix().Data)
	for i, d := range da {
		floats.AddScaled(m.ab.RawRowView(i), d, db)
	}
	addUpper(m.bb, o.bb, db)
	m.weight += o.weight
	return nil
}

// shift moves mean by share of other - mean and stores scale times that difference in d.
func shift(d, mean, other []float64, share, scale float64) {
	floats.SubTo(d, other, mean)
	floats.AddScaled(mean, share, d)
	floats.Scale(scale, d)
}

// addUpper adds o and dd' to the upper triangle of s.
func addUpper(s, o *mat.SymDense, d []float64) {
	rs, ro := s.RawSymmetric(), o.RawSymmetric()
	for i := range rs.N {
		row := rs.Data[i*rs.Stride+i : i*rs.Stride+rs.N]
		floats.Add(row, ro.Data[i*ro.Stride+i:i*ro.Stride+ro.N])
		floats.AddScaled(row, d[i], d[i:])
	}
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
	total := new(CoMoments)
	for i, o := range pairs {
		if i == 0 {
			total = o.Arithmetic().NewCoMoments(o.left, o.right)
		}
		if err := total.Merge(o); err != nil {
			return nil, err
		}
	}
	return total, nil
}
