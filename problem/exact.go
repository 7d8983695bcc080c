package problem

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/blas"
	"mediant/internal/rowops"
	"mediant/moments"
	"mediant/privacy"
	"mediant/tables"
)

// Sums that get noise are exact, because what rounding does to a floating-point sum can differ between neighbouring tables by more than one row may change
// [Casacuberta, Shoemate, Vadhan and Wagaman, Widespread underestimation of sensitivity in differentially private libraries, CCS 2022]. Each side of a row is rounded to integers of
// latticeBits bits whose norm is at most 2^latticeBits, of which 1 row in a product has at most 2^36. Sums over a batch of 1,024 rows have at most 2^46 and are exact in
// float64, whatever their order; sums over blocks are int64.
const latticeBits = 18

// maxExactRows in a block leave a factor of 4 for the noise.
const maxExactRows = 1 << (61 - 2*latticeBits)

// A lattice rounds vectors of one side to integers.
type lattice struct {
	width        int
	radius       float64   // what 2^latticeBits stands for
	centre, half []float64 // of Y, clipped to centre ± half; nil: not clipped
}

// newLattice returns that of vectors whose norm is at most bound. Its radius is larger by what rounding to the nearest integer can add to a norm, so that such vectors are not shortened.
func newLattice(width int, bound float64) lattice {
	return lattice{width: width, radius: bound * (1 + math.Sqrt(float64(width))/(1<<(latticeBits+1)))}
}

// roundTo stores v in units of radius/2^latticeBits. A vector beyond the radius is shortened, and one that is not finite is 0: no map can be wrong about its bound at the cost of privacy.
func (l lattice) roundTo(dst, v []float64) {
	const most = 1 << latticeBits
	square := 0.
	for j, x := range v {
		if l.half != nil {
			x = max(-1, min((x-l.centre[j])/l.half[j], 1))
		}
		dst[j] = math.RoundToEven(x * (most / l.radius))
		square += dst[j] * dst[j]
	}
	switch {
	case math.IsNaN(square) || math.IsInf(square, 0):
		clear(dst)
	case square > most*most:
		shorter := most / math.Sqrt(square) * (1 - 0x1p-40)
		for j := range dst {
			dst[j] = math.Trunc(dst[j] * shorter)
		}
	}
}

// exactSums are sums of zz' for z = (2^latticeBits, a, b) over the rows of a block that count, by rows of their upper triangle, and the number of all its rows.
type exactSums struct {
	order int
	upper []int64
	rows  int
}

var errExactRows = errors.New("a block has too many rows for private sums: more blocks or several runs are needed")

// sum sums a table.
func (m *mechanism) sum(ctx context.Context, src tables.Source) ([]exactSums, error) {
	p, err := openPass(src, m.left, m.right)
	if err != nil {
		return nil, err
	}
	blocks := make([]exactSums, m.plan.folds()*m.plan.blocks())
	order := 1 + m.leftBits.width + m.rightBits.width
	for i := range blocks {
		blocks[i] = exactSums{order: order, upper: make([]int64, order*(order+1)/2)}
	}
	products := rowops.New(order, order)
	var memory mat.Dense
	assign := foldAssigner{folds: len(blocks), seed: m.plan.Seed}
	for batch, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return nil, err
		}
		if batch.Weights() != nil {
			return nil, errors.New("private sums are of rows without weights: a weight would say how much of the sums one row is")
		}
		if err := p.read(batch); err != nil {
			return nil, err
		}
		all := make([]int, batch.Rows)
		for i := range all {
			all[i] = i
		}
		for i, in := range assign.split(batch, all) {
			b := &blocks[i]
			if b.rows += len(in); b.rows > maxExactRows {
				return nil, errExactRows
			}
			if z := m.rowsOf(p, in, &memory); z.Rows > 0 {
				b.add(z, products)
			}
		}
	}
	return blocks, nil
}

// rowsOf are z of those of the given rows of a batch that are complete.
func (m *mechanism) rowsOf(p *pass, in []int, memory *mat.Dense) blas64.General {
	usable := make([]int, 0, len(in))
	for _, i := range in {
		if contains(p.usable, i) {
			usable = append(usable, i)
		}
	}
	if len(usable) == 0 {
		return blas64.General{}
	}
	z := rowops.First(memory, len(usable), 1+m.leftBits.width+m.rightBits.width)
	a, b, _ := p.choose(usable, 0) // maps of a plan do not depend on folds
	for i := range usable {
		row := z.RawRowView(i)
		row[0] = 1 << latticeBits
		m.leftBits.roundTo(row[1:1+m.leftBits.width], a.RawRowView(i))
		m.rightBits.roundTo(row[1+m.leftBits.width:], b.RawRowView(i))
	}
	return z.RawMatrix()
}

// add adds zz' of some rows; products is memory.
func (s *exactSums) add(z, products blas64.General) {
	clear(products.Data)
	blas.Syrk(1, z, products)
	at := 0
	for i := range s.order {
		for _, v := range rowops.Row(products, i)[i:] {
			s.upper[at] += int64(v)
			at++
		}
	}
}

// addNoise adds noise to sums whose left side has this width.
func (s *exactSums) addNoise(sampler *privacy.Sampler, n GroupNoise, width int) error {
	scale := func(deviation float64) uint64 { return uint64(math.Ceil(deviation * (1 << (2 * latticeBits)))) }
	group := func(i int) int { return min(i, 1) + min(max(0, i-width), 1) } // 0: the constant, 1: a, 2: b
	diagonal := [3]uint64{scale(n.Weight), scale(n.AA), scale(n.BB)}
	other := [3][3]uint64{{0, scale(n.A), scale(n.B)}, {0, scale(n.AA / math.Sqrt2), scale(n.AB)}, {0, 0, scale(n.BB / math.Sqrt2)}}
	at := 0
	for i := range s.order {
		for j := i; j < s.order; j++ {
			of := other[group(i)][group(j)]
			if i == j {
				of = diagonal[group(i)]
			}
			s.upper[at] += sampler.Normal(of)
			at++
		}
	}
	if err := sampler.Err(); err != nil {
		return fmt.Errorf("problem: private sums: no random numbers: %w", err)
	}
	return nil
}

// raw are sums with noise in the units of their columns.
func (m *mechanism) raw(s exactSums) moments.Raw {
	p, q := m.leftBits.width, m.rightBits.width
	r := moments.Raw{Rows: s.rows, A: make([]float64, p), B: make([]float64, q), AA: mat.NewSymDense(p, nil), BB: mat.NewSymDense(q, nil), AB: mat.NewDense(p, q, nil), CentreB: m.rightBits.centre}
	at := 0
	next := func() float64 {
		at++
		return float64(s.upper[at-1]) / (1 << (2 * latticeBits))
	}
	r.Weight = next()
	left := m.run.Left
	for j := range p {
		r.A[j] = next() * left
	}
	for j := range q {
		r.B[j] = next() * m.run.scaleOf(j)
	}
	for i := range p {
		for j := i; j < p; j++ {
			r.AA.SetSym(i, j, next()*left*left)
		}
		for j := range q {
			r.AB.Set(i, j, next()*left*m.run.scaleOf(j))
		}
	}
	for i := range q {
		for j := i; j < q; j++ {
			r.BB.SetSym(i, j, next()*m.run.scaleOf(i)*m.run.scaleOf(j))
		}
	}
	return r
}
