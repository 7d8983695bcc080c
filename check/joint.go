package check

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"mediant/internal/draw"
	"mediant/internal/parallel"
	"mediant/tables"
)

// A JointTest, made by CompareU, is the permutation test that U has one distribution in both tables. Its statistic is the largest of squared
// distances of mean features, each brought to the scale of a normal variable: of each column alone, of where it is missing, of
// each pair of columns (products of functions of their ranks or levels), of three columns (likewise), and of all columns together (random features of Gaussian
// kernels of three bandwidths: the maximum mean discrepancy of Gretton, Borgwardt, Rasch, Schölkopf and Smola, JMLR 13, 2012).
// With equal distributions and independent rows P(PValue <= a) <= a for every a. Sparse rows are not compared; of free text the
// sums of its words are.
type JointTest struct {
	Statistic    float64  `json:"statistic"`
	PValue       float64  `json:"p_value"`
	Permutations int      `json:"permutations"` // fewer than 499 where it is clear sooner that the tables are alike
	RowsXU       int      `json:"rows_xu"`      // compared
	RowsUY       int      `json:"rows_uy"`
	Columns      []string `json:"columns"` // of U, the one that differs most, by itself or in a pair, first

	together bool // that all columns differ together says more than any of them, two or three
}

// CompareU tests whether the columns u, which both tables have, are of one distribution in both, by 2,000 rows of each at most
// that are drawn by their sampling weights. The test is nil without enough rows or columns. The error is one of reading.
func CompareU(ctx context.Context, xu, uy tables.Source, u []string, seed uint64) (*JointTest, error) {
	var looks [2]*tableLook
	sources, errs := []tables.Source{xu, uy}, make([]error, 2)
	parallel.Blocks(2, 1, func(t, _ int) {
		looks[t], errs[t] = lookAt(ctx, sources[t], seed, lookOptions{runs: true, columns: u})
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	for t := range sources {
		for _, name := range u {
			if looks[t].of(name) == nil {
				return nil, fmt.Errorf("check: a table has no column %q", name)
			}
		}
	}
	for _, name := range u {
		if k, l := looks[0].of(name).column.Kind, looks[1].of(name).column.Kind; k != l {
			return nil, fmt.Errorf("check: column %q is %v in one table and %v in the other", name, k, l)
		}
	}
	rows := sampleU(looks[0], looks[1], [2]string{}, draw.Rand(seed, "check rows", 0))
	return testJoint(ctx, rows.columns(u), true, draw.Rand(seed, "check joint", 0))
}

const (
	// jointDegree is the greatest number of functions of a column in a pair.
	jointDegree = 4
	// allFeatures bounds the features of all columns, and those of all pairs: with more columns, each has fewer functions, and at last
	// only some pairs, drawn at random, are compared.
	allFeatures = 3200
	// tripleFeatures bounds the number of triples of columns that are compared: all of 19 columns, or some at random.
	tripleFeatures = 1000
	// blockFeatures are made at a time.
	blockFeatures = 256
	// frequencies of a Gaussian kernel make twice as many features.
	frequencies = 64
	// columnLevels of a column have a coordinate in the space of all columns.
	columnLevels = 8
)

// bandwidths of the kernels of all columns together, in medians of the distance of two rows.
var bandwidths = []float64{.25, .5, 1}

// testJoint compares all columns together and their pairs, and each by itself if asked for; nil if there is nothing to compare.
func testJoint(ctx context.Context, columns []*uColumn, alone bool, rnd *rand.Rand) (*JointTest, error) {
	columns = shortened(columns)
	if len(columns) == 0 || columns[0].rows(0) < fewestRows || columns[0].rows(1) < fewestRows {
		return nil, nil
	}
	var blocks []block
	if alone {
		blocks = append(blocks, marginalBlock(columns))
		if b, ok := missingBlock(columns); ok {
			blocks = append(blocks, b)
		}
	}
	blocks = append(blocks, pairBlocks(columns, rnd)...)
	blocks = append(blocks, tripleBlocks(columns, rnd)...)
	blocks = append(blocks, togetherBlock(columns, rnd))
	nx, ny := columns[0].rows(0), columns[0].rows(1)
	c, err := compareMeans(ctx, nx, ny, blocks, rnd)
	if err != nil {
		return nil, err
	}
	t := &JointTest{Statistic: floats.Max(c.scores), Permutations: len(c.maxima), RowsXU: nx, RowsUY: ny}
	t.PValue = c.pValue(t.Statistic)
	t.Columns = contributions(columns, c)
	for g, of := range c.groups {
		t.together = t.together || len(of.columns) > 3 && c.scores[g] == t.Statistic
	}
	return t, nil
}

// shortened are columns of as many rows as are compared.
func shortened(columns []*uColumn) []*uColumn {
	var all []*uColumn
	for _, u := range columns {
		all = append(all, u.first(comparedRows))
	}
	return all
}

// contributions are the names of the columns in the order of the highest score of a group of one to three columns that they are in,
// and where several are such, of the next one, so that a column that makes several pairs differ is before those that it is paired with.
func contributions(columns []*uColumn, c *comparison) []string {
	scores := make([][]float64, len(columns))
	for g, of := range c.groups {
		if len(of.columns) <= 3 {
			for _, j := range of.columns {
				scores[j] = append(scores[j], c.scores[g])
			}
		}
	}
	order := make([]int, len(columns))
	for j := range order {
		order[j] = j
		slices.SortFunc(scores[j], func(a, b float64) int { return cmp.Compare(b, a) })
	}
	slices.SortStableFunc(order, func(i, j int) int { return slices.Compare(scores[j], scores[i]) })
	names := make([]string, len(order))
	for k, j := range order {
		names[k] = columns[j].name
	}
	return names
}
