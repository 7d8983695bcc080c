package problem

import (
	"context"
	"fmt"
	"io"
	"math"

	"mediant/encode"
	"mediant/features"
	"mediant/moments"
	"mediant/privacy"
	"mediant/tables"
)

// Privacy asks for sums with (Epsilon, Delta)-differential privacy. Neighbouring tables have the same number of rows and differ in one row; the number of rows
// is public, and so is the plan. Each row z = (1, a, b) changes the sums of one block by zz', where a and b have bounded norms: features by features.NormBound, one-hot classes by 1, and numbers by
// Clip. docs/privacy.md has the proof.
type Privacy struct {
	Epsilon float64 `json:"epsilon"` // 0.001 to 50
	Delta   float64 `json:"delta"`   // 1e-12 to below 0.5
	// Clip is a range for each column of Y, in its own units, to whose ends values beyond it are moved. It must not come from the rows. Classes and S_X have none.
	Clip []Range `json:"clip,omitempty"`
}

// A Range is all numbers from Lo to Hi.
type Range struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

// A PrivateRun says what noise the sums of a run have.
type PrivateRun struct {
	Privacy
	// Noise are the standard deviations in each block, for rows whose two sides are divided by the bounds of their norms.
	Noise GroupNoise `json:"noise"`
	// Left bounds the norm of a. Right is, for each column of b, what it was divided by so that the norm of b is at most 1.
	Left  float64   `json:"left"`
	Right []float64 `json:"right"`
}

// GroupNoise are standard deviations of the noise in the groups of sums: of Σ w, Σ a, Σ b, of the diagonals of Σ aa' and Σ bb', whose other elements have it over sqrt(2), and of Σ ab'.
type GroupNoise struct {
	Weight float64 `json:"weight"`
	A      float64 `json:"a"`
	B      float64 `json:"b"`
	AA     float64 `json:"aa"`
	AB     float64 `json:"ab"`
	BB     float64 `json:"bb"`
}

// The row whose products are summed is z = (k, a, v b) with |a|, |b| <= 1, so that |z|² <= k² + 1 + v² and
//
//	|zz' - z̃z̃'|² = |z|⁴ + |z̃|⁴ - 2(z'z̃)² <= 2 (k² + 1 + v²)²
//
// k and v shift noise from one group of sums to another. With k² = 1/4 the noise of Σa moves the co-moments of a by no more than that of Σaa' does. Y has v² = 1/2,
// because ΣYY' enters nothing but the value of the risk; psi in S_X has 1.
const firstShare = 1. / 4

var rightShares = [2]float64{1, 1. / 2}

// groupNoise is the noise of sums of a table for normal noise of s times the sensitivity. The number of rows that count, which changes only where a row comes or goes and zz' with it, by
// |z|⁴, half of what was allowed for, has noise of sqrt(2) s at no cost.
func groupNoise(table int, s float64) GroupNoise {
	k, v := math.Sqrt(firstShare), math.Sqrt(rightShares[table])
	sigma := math.Sqrt2 * (k*k + 1 + v*v) * s
	return GroupNoise{Weight: math.Sqrt2 * s, A: sigma / (math.Sqrt2 * k), B: sigma / (math.Sqrt2 * k * v), AA: sigma, AB: sigma / (math.Sqrt2 * v), BB: sigma / (v * v)}
}

// SumPrivately sums a table of (X, U) or of (U, Y) (TableXU, TableUY), in one pass, with noise from crypto/rand. The noise is added to exact integers, so that
// neither rounding nor the noise's own digits tell a table from its neighbour. Rows that lack a side, as those without Y do, count as zeros, and their number is part of what the noise covers.
// Rows with weights, maps whose features have no bound, and tables with too few rows for the noise are an error. Each call spends Epsilon and Delta anew, and
// no run is recognised as having been summed before.
func (p Plan) SumPrivately(ctx context.Context, table int, src tables.Source, how Privacy) (*Sums, error) {
	return p.sumPrivately(ctx, table, src, how, nil)
}

// sumPrivately has noise from random, nil for crypto/rand.
func (p Plan) sumPrivately(ctx context.Context, table int, src tables.Source, how Privacy, random io.Reader) (*Sums, error) {
	m, err := p.mechanism(table, how)
	if err != nil {
		return nil, err
	}
	blocks, err := m.sum(ctx, src)
	if err != nil {
		return nil, TableError(table, err)
	}
	return m.release(blocks, random)
}

// A mechanism makes private sums of one table.
type mechanism struct {
	plan                Plan
	table               int
	left, right         encode.Side
	leftBits, rightBits lattice
	run                 PrivateRun
}

// mechanism checks that the plan's sums of a table can be private.
func (p Plan) mechanism(table int, how Privacy) (*mechanism, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := p.has(table); err != nil {
		return nil, err
	}
	s, err := privacy.Multiplier(how.Epsilon, how.Delta)
	if err != nil {
		return nil, err
	}
	m := &mechanism{plan: p, table: table, run: PrivateRun{Privacy: how, Noise: groupNoise(table, s)}}
	phi, psi := p.sides()
	of := []features.Mapped{phi, psi}
	m.left, m.right = phi, psi
	if table == TableUY {
		of, m.left, m.right = of[1:], psi, p.Y
	}
	var bounds []float64
	for _, side := range of {
		bound := features.NormBound(side.Map)
		if math.IsInf(bound, 1) {
			return nil, fmt.Errorf("problem: private sums need features of bounded norm, as Fourier and additive ones are, and have %s", features.Describe(side.Map))
		}
		bounds = append(bounds, bound)
	}
	width, other := p.widths(table)
	m.leftBits = newLattice(width, bounds[0])
	m.run.Left = m.leftBits.radius
	if table == TableXU {
		m.rightBits = newLattice(other, bounds[1])
		m.run.Right = []float64{m.rightBits.radius}
		return m, how.noClip("S_X has no Y")
	}
	return m, m.clipY(how)
}

// clipY sets the bounds of Y.
func (m *mechanism) clipY(how Privacy) error {
	y := m.plan.Y
	k := y.Len()
	if y.Classes() != nil {
		m.rightBits = newLattice(k, 1)
		m.run.Right = []float64{m.rightBits.radius}
		return how.noClip("classes have norm 1")
	}
	if len(how.Clip) != k {
		return fmt.Errorf("problem: Privacy.Clip has %d ranges for %d columns of Y", len(how.Clip), k)
	}
	m.rightBits = newLattice(k, math.Sqrt(float64(k)))
	for j, r := range how.Clip {
		half := r.Hi/2 - r.Lo/2
		if !(half > 0) || math.IsInf(half, 1) || math.IsInf(r.Lo, 0) || math.IsInf(r.Hi, 0) {
			return fmt.Errorf("problem: Privacy.Clip of %q is %g to %g, must be finite numbers in ascending order", y.Names()[j], r.Lo, r.Hi)
		}
		m.rightBits.centre = append(m.rightBits.centre, r.Lo+half)
		m.rightBits.half = append(m.rightBits.half, half)
		m.run.Right = append(m.run.Right, half*m.rightBits.radius)
	}
	return nil
}

func (p Privacy) noClip(why string) error {
	if len(p.Clip) > 0 {
		return fmt.Errorf("problem: Privacy.Clip has no meaning: %s", why)
	}
	return nil
}

// scaleOf is what column j of b was divided by.
func (r PrivateRun) scaleOf(j int) float64 {
	if len(r.Right) == 1 { // one for all
		return r.Right[0]
	}
	return r.Right[j]
}

// release adds the noise to exact sums.
func (m *mechanism) release(blocks []exactSums, random io.Reader) (*Sums, error) {
	sampler := privacy.NewSampler(random)
	byFold := make([][]*moments.Total, m.plan.folds())
	for i, b := range blocks {
		if err := b.addNoise(sampler, m.run.Noise, m.leftBits.width); err != nil {
			return nil, err
		}
		raw := m.raw(b)
		if !(raw.Weight >= 1) {
			return nil, fmt.Errorf("problem: private sums: block %d of %d has too few rows of %s for its noise: more rows, fewer blocks or a larger epsilon are needed", i+1, len(blocks), tableNames[m.table])
		}
		left, right := m.plan.ids(m.table)
		byFold[i%m.plan.folds()] = append(byFold[i%m.plan.folds()], moments.NewTotal(m.plan.Grid(m.table), moments.FromRaw(left, right, raw)))
	}
	s := &Sums{Plan: m.plan}
	if m.table == TableXU {
		s.XU = byFold
	} else {
		s.UY = byFold
	}
	run, err := runOf(m.table, byFold)
	run.Private = &m.run
	s.Runs = []Run{run}
	return s, err
}
