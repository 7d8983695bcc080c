package moments

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// gridBits is the number of bits of a Total behind the point, in units of its Grid, and so in front of it.
const gridBits = 64

// ErrGridRange reports sums that a Grid has no room for: not finite, or above 2^63 units, as where most rows are far from those that the grid was made of.
var ErrGridRange = errors.New("moments: sums are too large for the grid that was agreed on")

// A Total, made by NewTotal, ReadTotal or Plus, is the sum of the co-moments of any number of parts, which is the same to the bit in whatever order they are merged. A total of one part
// has its co-moments as they are; for more, sums are integers in units of a Grid,
//
//	Σ w   Σ w (a-c)   Σ w (a-c)(a-c)'   Σ w (a-c)(b-c)'   Σ w (b-c)(b-c)'
//
// of 128 bits each, twice the memory of CoMoments. The rounding of a part, 2^-65 units of each sum and eps of it, does not depend on the other parts.
type Total struct {
	grid        *Grid
	left, right ID
	mixed       bool       // the arithmetic
	one         *CoMoments // nil: the integers below
	rows        int
	weight      int128
	a, b        []int128
	aa, ab, bb  []int128 // symmetric ones by rows of their upper triangle
}

// NewTotal returns the total of one part, which it keeps. The grid has as many columns, or it panics.
func NewTotal(grid *Grid, m *CoMoments) *Total {
	if p, q := m.Dims(); p > 0 && (p != len(grid.CentreA) || q != len(grid.CentreB)) {
		panic(mat.ErrShape)
	}
	return &Total{grid: grid, left: m.left, right: m.right, mixed: m.mixed, one: m, rows: m.rows}
}

// Left returns the identity of a.
func (t *Total) Left() ID { return t.left }

// Right returns the identity of b.
func (t *Total) Right() ID { return t.right }

// Arithmetic returns how the rows of all parts were summed.
func (t *Total) Arithmetic() Arithmetic { return arithmetic(t.mixed) }

// Rows returns the number of rows of all parts.
func (t *Total) Rows() int { return t.rows }

// Merged reports whether the total is of more than one part.
func (t *Total) Merged() bool { return t.one == nil }

// Plus returns the total of the parts of both, which stay as they are. Other identities, another arithmetic or another grid are an error, and so is a sum without room (ErrGridRange).
func (t *Total) Plus(o *Total) (*Total, error) {
	switch {
	case t.left != o.left:
		return nil, fmt.Errorf("moments: total: left map is %s, want %s", o.left, t.left)
	case t.right != o.right:
		return nil, fmt.Errorf("moments: total: right map is %s, want %s", o.right, t.right)
	case t.grid != o.grid && t.grid.ID() != o.grid.ID():
		return nil, fmt.Errorf("moments: total: grid is %s, want %s", o.grid.ID(), t.grid.ID())
	}
	if err := sameArithmetic("total", o.mixed, t.mixed); err != nil {
		return nil, err
	}
	sum, err := t.integers()
	if err != nil {
		return nil, err
	}
	other, err := o.integers()
	if err != nil {
		return nil, err
	}
	sum.rows += other.rows
	fits := sum.rows >= 0
	add := func(to, from []int128) {
		for i := range to {
			var ok bool
			to[i], ok = to[i].plus(from[i])
			fits = fits && ok
		}
	}
	var ok bool
	sum.weight, ok = sum.weight.plus(other.weight)
	fits = fits && ok
	add(sum.a, other.a)
	add(sum.b, other.b)
	add(sum.aa, other.aa)
	add(sum.ab, other.ab)
	add(sum.bb, other.bb)
	if !fits {
		return nil, ErrGridRange
	}
	return sum, nil
}

// Scaled returns the total with all weights multiplied by a factor in (0, 1], which stays as it is; its rows are still counted as rows. Sums are rounded
// to 2^-64 units. Another factor panics.
func (t *Total) Scaled(factor float64) (*Total, error) {
	if !(factor > 0 && factor <= 1) {
		panic(fmt.Sprintf("moments: factor %g of a Total is not above 0 and at most 1", factor))
	}
	out, err := t.integers()
	if err != nil {
		return nil, err
	}
	out.weight = out.weight.times(factor)
	for _, v := range [][]int128{out.a, out.b, out.aa, out.ab, out.bb} {
		for i := range v {
			v[i] = v[i].times(factor)
		}
	}
	return out, nil
}

// integers returns a total of its own memory in units of the grid.
func (t *Total) integers() (*Total, error) {
	out := &Total{grid: t.grid, left: t.left, right: t.right, mixed: t.mixed, rows: t.rows, weight: t.weight}
	p, q := len(t.grid.CentreA), len(t.grid.CentreB)
	out.a, out.b = make([]int128, p), make([]int128, q)
	out.aa, out.ab, out.bb = make([]int128, p*(p+1)/2), make([]int128, p*q), make([]int128, q*(q+1)/2)
	if t.one == nil {
		for _, v := range [][2][]int128{{out.a, t.a}, {out.b, t.b}, {out.aa, t.aa}, {out.ab, t.ab}, {out.bb, t.bb}} {
			copy(v[0], v[1])
		}
		return out, nil
	}
	m := t.one
	fits := true
	round := func(v float64, unit int) int128 {
		n, ok := toInt128(v, gridBits-unit)
		fits = fits && ok
		return n
	}
	out.weight = round(m.weight, 0)
	if m.weight == 0 {
		return out, nil
	}
	da, db := difference(m.meanA, t.grid.CentreA), difference(m.meanB, t.grid.CentreB)
	sums := func(to []int128, d []float64, unit []int) {
		for j := range to {
			to[j] = round(m.weight*d[j], unit[j])
		}
	}
	sums(out.a, da, t.grid.UnitA)
	sums(out.b, db, t.grid.UnitB)
	// Products about the centre are those about the mean and those of the difference of both.
	products := func(to []int128, row []float64, d float64, other []float64, unit int, others []int) {
		for j := range to {
			to[j] = round(row[j]+float64(float64(m.weight*d)*other[j]), unit+others[j])
		}
	}
	eachTriangle(out.aa, p, func(i int, to []int128) {
		products(to, upperRow(m.aa, i), da[i], da[i:], t.grid.UnitA[i], t.grid.UnitA[i:])
	})
	for i := range p {
		products(out.ab[i*q:(i+1)*q], m.ab.RawRowView(i), da[i], db, t.grid.UnitA[i], t.grid.UnitB)
	}
	eachTriangle(out.bb, q, func(i int, to []int128) {
		products(to, upperRow(m.bb, i), db[i], db[i:], t.grid.UnitB[i], t.grid.UnitB[i:])
	})
	if !fits {
		return nil, ErrGridRange
	}
	return out, nil
}

func difference(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return d
}

// eachTriangle calls do for each row of an upper triangle of order n.
func eachTriangle(packed []int128, n int, do func(i int, row []int128)) {
	for i := range n {
		do(i, packed[:n-i])
		packed = packed[n-i:]
	}
}

// upperRow is row i of s from its diagonal on.
func upperRow(s *mat.SymDense, i int) []float64 {
	r := s.RawSymmetric()
	return r.Data[i*r.Stride+i : i*r.Stride+r.N]
}

// CoMoments returns the co-moments of all rows, which the caller must not change.
func (t *Total) CoMoments() *CoMoments {
	if t.one != nil {
		return t.one
	}
	m := t.Arithmetic().NewCoMoments(t.left, t.right)
	p, q := len(t.a), len(t.b)
	m.shape(p, q)
	m.rows, m.weight = t.rows, t.weight.float(gridBits)
	if m.weight == 0 {
		return m
	}
	da, db := make([]float64, p), make([]float64, q)
	means := func(mean, d []float64, sums []int128, centre []float64, unit []int) {
		for j := range d {
			d[j] = sums[j].float(gridBits-unit[j]) / m.weight
			mean[j] = centre[j] + d[j]
		}
	}
	means(m.meanA, da, t.a, t.grid.CentreA, t.grid.UnitA)
	means(m.meanB, db, t.b, t.grid.CentreB, t.grid.UnitB)
	products := func(row []float64, from []int128, d float64, other []float64, unit int, others []int) {
		for j := range row {
			row[j] = from[j].float(gridBits-unit-others[j]) - float64(float64(m.weight*d)*other[j])
		}
	}
	eachTriangle(t.aa, p, func(i int, from []int128) {
		products(upperRow(m.aa, i), from, da[i], da[i:], t.grid.UnitA[i], t.grid.UnitA[i:])
		m.aa.SetSym(i, i, notNegative(m.aa.At(i, i), from[0].float(gridBits-2*t.grid.UnitA[i])))
	})
	for i := range p {
		products(m.ab.RawRowView(i), t.ab[i*q:(i+1)*q], da[i], db, t.grid.UnitA[i], t.grid.UnitB)
	}
	eachTriangle(t.bb, q, func(i int, from []int128) {
		products(upperRow(m.bb, i), from, db[i], db[i:], t.grid.UnitB[i], t.grid.UnitB[i:])
		m.bb.SetSym(i, i, notNegative(m.bb.At(i, i), from[0].float(gridBits-2*t.grid.UnitB[i])))
	})
	return m
}

// notNegative is v, the sum of squares less a product of the same size, or 0 where v is below it by rounding alone: a few eps of the sum. Sums with noise for privacy (package problem)
// may be far below 0, where they have to stay, since without them the mean of the noise would not be 0.
func notNegative(v, sum float64) float64 {
	if v < 0 && -v <= 0x1p-45*math.Abs(sum) {
		return 0
	}
	return v
}
