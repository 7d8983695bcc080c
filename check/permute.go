package check

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
	"mediant/internal/parallel"
	"mediant/internal/permutation"
)

const (
	// enoughAbove permutations with a larger statistic end a test: its p-value is then known well enough (Besag and Clifford,
	// Biometrika 78, 1991).
	enoughAbove = 10
	// alarm is the level of each family of tests over all columns of U: four of them, and with the other findings at most one
	// pair of clean tables in a hundred is to get a warning.
	alarm = 1. / (permutation.Deals + 1)
)

// lots of permutations are evaluated at once; after each a test that is clearly not significant ends.
var lots = []int{49, 150, 150, permutation.Deals - 349}

// A group is some adjacent features of a block whose means are compared as one.
type group struct {
	columns []int // of U that the features are of
	width   int
}

// A block makes features of all rows, those of S_X above those of S_Y; its groups lie side by side. The features are valid until those
// of another block are made.
type block struct {
	groups   []group
	features func() *mat.Dense
}

// A comparison is a permutation test that the means of several groups of features are equal in both tables. The statistic of a
// group is the squared distance of the means, brought to a common scale for all groups; that of the test is the largest.
type comparison struct {
	groups []group
	scores []float64 // of the groups
	maxima []float64 // over the groups, of each permutation
}

// compareMeans tests nx and ny rows. Features may depend on the rows of both tables together, but not on which is of which. The
// error is that of ctx.
func compareMeans(ctx context.Context, nx, ny int, blocks []block, rnd *rand.Rand) (*comparison, error) {
	c := &comparison{}
	var scales []scale
	for _, b := range blocks {
		c.groups = append(c.groups, b.groups...)
	}
	for lot, size := range lots {
		first := lot == 0
		if first {
			size++ // the tables as they are
		}
		picks := permutation.Picks(size, nx, ny, first, rnd)
		maxima := make([]float64, size)
		for i := range maxima {
			maxima[i] = math.Inf(-1)
		}
		at := 0
		for _, b := range blocks {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			rows := b.features()
			if first {
				scales = append(scales, scalesOf(rows, b.groups, nx, ny)...)
			}
			var gaps mat.Dense
			fast.MulTo(&gaps, blas.NoTrans, picks, blas.NoTrans, rows)
			for i := range maxima {
				row := gaps.RawRowView(i)
				for j, g := range b.groups {
					z := scales[at+j].score(floats.Dot(row[:g.width], row[:g.width]))
					row = row[g.width:]
					maxima[i] = max(maxima[i], z)
					if first && i == 0 {
						c.scores = append(c.scores, z)
					}
				}
			}
			at += len(b.groups)
		}
		if first {
			maxima = maxima[1:]
		}
		c.maxima = append(c.maxima, maxima...)
		if c.above(floats.Max(c.scores)) >= enoughAbove {
			break
		}
	}
	return c, nil
}

// above counts the permutations whose statistic is at least a score.
func (c *comparison) above(score float64) int { return permutation.AtLeast(c.maxima, score) }

// pValue of a score of a group is adjusted for all groups: with equal distributions the least of all is at most a with a
// probability of at most a.
func (c *comparison) pValue(score float64) float64 {
	return float64(c.above(score)+1) / float64(len(c.maxima)+1)
}

// A scale has the mean of the statistic of a group over permutations and the freedom of the multiple of a chi-squared
// distribution that has its variance too: with C the covariance of the difference of the means, trace C and (trace C)² / trace C².
type scale struct{ mean, freedom float64 }

func scalesOf(rows *mat.Dense, groups []group, nx, ny int) []scale {
	n, width := rows.Dims()
	mean := make([]float64, width)
	for i := range n {
		floats.Add(mean, rows.RawRowView(i))
	}
	floats.Scale(1/float64(n), mean)
	factor := (1/float64(nx) + 1/float64(ny)) / float64(n-1)
	scales, starts := make([]scale, len(groups)), make([]int, len(groups))
	for k := 1; k < len(groups); k++ {
		starts[k] = starts[k-1] + groups[k-1].width
	}
	parallel.Blocks(len(groups), 1, func(k, _ int) {
		g, at := groups[k], starts[k]
		part, m := rows.Slice(0, n, at, at+g.width).(*mat.Dense), mean[at:at+g.width]
		var gram mat.Dense
		fast.MulTo(&gram, blas.Trans, part, blas.NoTrans, part)
		trace, squares, moments := 0., 0., 0.
		for i := range g.width {
			row := gram.RawRowView(i)
			moments += row[i]
			floats.AddScaled(row, -float64(n)*m[i], m)
			trace += row[i]
			squares += floats.Dot(row, row)
		}
		if trace <= 1e-12*moments { // constant but for rounding
			trace = 0
		}
		scales[k] = scale{trace * factor, trace * trace / squares}
	})
	return scales
}

// score brings a statistic to the scale of a normal variable (Wilson and Hilferty, PNAS 17, 1931): monotone, so that a test by
// permutations of it is exact whatever the approximation is worth. Features that do not vary have -Inf.
func (s scale) score(statistic float64) float64 {
	if !(s.mean > 0) {
		return math.Inf(-1)
	}
	v := 2 / (9 * s.freedom)
	return (math.Cbrt(statistic/s.mean) - 1 + v) / math.Sqrt(v)
}
