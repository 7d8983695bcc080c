package check

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
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
	for t, src := range []tables.Source{xu, uy} {
		var err error
		if looks[t], err = look(ctx, src, seed); err != nil {
			return nil, err
		}
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

// marginalBlock has a group for each column alone.
func marginalBlock(columns []*uColumn) block {
	var b block
	var parts []*mat.Dense
	most := max(1, allFeatures/len(columns))
	for j, u := range columns {
		f := u.marginal(most)
		_, width := f.Dims()
		b.groups = append(b.groups, group{[]int{j}, width})
		parts = append(parts, f)
	}
	all := beside(parts)
	b.features = func() *mat.Dense { return all }
	return b
}

// missingBlock has a group for each column that misses some values.
func missingBlock(columns []*uColumn) (b block, ok bool) {
	var parts []*mat.Dense
	for j, u := range columns {
		if f := u.lacks(); f != nil {
			b.groups = append(b.groups, group{[]int{j}, 1})
			parts = append(parts, mat.NewDense(len(f), 1, f))
		}
	}
	if parts == nil {
		return b, false
	}
	all := beside(parts)
	b.features = func() *mat.Dense { return all }
	return b, true
}

// beside puts matrices side by side.
func beside(parts []*mat.Dense) *mat.Dense {
	n, width := 0, 0
	for _, p := range parts {
		rows, c := p.Dims()
		n, width = rows, width+c
	}
	all := mat.NewDense(n, width, nil)
	at := 0
	for _, p := range parts {
		_, c := p.Dims()
		all.Slice(0, n, at, at+c).(*mat.Dense).Copy(p)
		at += c
	}
	return all
}

// pairBlocks have a group for each pair of columns: products of their functions, which say how the two depend on each other.
func pairBlocks(columns []*uColumn, rnd *rand.Rand) []block {
	pairs := somePairs(columns, rnd)
	if len(pairs) == 0 {
		return nil
	}
	degree := jointDegree
	for degree > 1 && len(pairs)*degree*degree > allFeatures {
		degree--
	}
	functions := make([]*mat.Dense, len(columns))
	for j, u := range columns {
		if !u.free {
			functions[j] = u.functions(degree)
			if u.kind != tables.Text {
				lessOscillating(functions[j])
			}
			if f := u.lacks(); f != nil {
				functions[j] = beside([]*mat.Dense{functions[j], mat.NewDense(len(f), 1, f)})
			}
		}
	}
	width := func(p [2]int) int {
		_, a := functions[p[0]].Dims()
		_, b := functions[p[1]].Dims()
		return a * b
	}
	var blocks []block
	var room mat.Dense // for the features of one block at a time
	for len(pairs) > 0 {
		n, total := 0, 0
		for n < len(pairs) && total < blockFeatures {
			total += width(pairs[n])
			n++
		}
		own := pairs[:n]
		pairs = pairs[n:]
		b := block{features: func() *mat.Dense {
			room.Reset()
			productsTo(&room, functions, own, total)
			return &room
		}}
		for _, p := range own {
			b.groups = append(b.groups, group{p[:], width(p)})
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// somePairs are all pairs of columns but those with free text, or allFeatures of them at random where there are more.
func somePairs(columns []*uColumn, rnd *rand.Rand) [][2]int {
	able := notFree(columns)
	var pairs [][2]int
	n := len(able)
	if n*(n-1)/2 <= allFeatures {
		for i := range n {
			for j := range i {
				pairs = append(pairs, [2]int{able[j], able[i]})
			}
		}
		return pairs
	}
	drawn := make(map[[2]int]bool)
	for len(pairs) < allFeatures {
		i, j := rnd.IntN(n), rnd.IntN(n)
		if p := [2]int{able[min(i, j)], able[max(i, j)]}; i != j && !drawn[p] {
			drawn[p] = true
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// tripleBlocks have a group of one feature for three columns: the product of the first function of each.
func tripleBlocks(columns []*uColumn, rnd *rand.Rand) []block {
	able := notFree(columns)
	n := len(able)
	if n < 3 {
		return nil
	}
	all := n * (n - 1) * (n - 2) / 6
	var triples [][3]int // of places in able
	if all <= tripleFeatures {
		for i := range n {
			for j := range i {
				for k := range j {
					triples = append(triples, [3]int{k, j, i})
				}
			}
		}
	}
	for all > tripleFeatures && len(triples) < tripleFeatures {
		p := rnd.Perm(n)
		triples = append(triples, [3]int{p[0], p[1], p[2]})
	}
	var functions []*mat.Dense
	for _, j := range able {
		functions = append(functions, columns[j].functions(1))
	}
	first := beside(functions)
	var blocks []block
	var room mat.Dense
	for own := range slices.Chunk(triples, blockFeatures) {
		b := block{features: func() *mat.Dense {
			room.Reset()
			rows, _ := first.Dims()
			room.ReuseAs(rows, len(own))
			for i := range rows {
				row, of := room.RawRowView(i), first.RawRowView(i)
				for k, t := range own {
					row[k] = of[t[0]] * of[t[1]] * of[t[2]]
				}
			}
			return &room
		}}
		for _, t := range own {
			b.groups = append(b.groups, group{[]int{able[t[0]], able[t[1]], able[t[2]]}, 1})
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// notFree are the places of the columns but those of free text.
func notFree(columns []*uColumn) []int {
	var places []int
	for j, u := range columns {
		if !u.free {
			places = append(places, j)
		}
	}
	return places
}

// productsTo stores in dst those of the functions of pairs of columns, total in all.
func productsTo(dst *mat.Dense, functions []*mat.Dense, pairs [][2]int, total int) {
	rows, _ := functions[pairs[0][0]].Dims()
	dst.ReuseAs(rows, total)
	for i := range rows {
		row := dst.RawRowView(i)
		at := 0
		for _, p := range pairs {
			right := functions[p[1]].RawRowView(i)
			for _, a := range functions[p[0]].RawRowView(i) {
				for _, b := range right {
					row[at] = a * b
					at++
				}
			}
		}
	}
}

// togetherBlock has a group for each bandwidth, of all columns.
func togetherBlock(columns []*uColumn, rnd *rand.Rand) block {
	points := space(columns)
	n, d := points.Dims()
	median := medianDistance(points, rnd)
	var b block
	all := make([]int, len(columns))
	for j := range all {
		all[j] = j
	}
	features := mat.NewDense(n, 2*frequencies*len(bandwidths), nil)
	for k, bandwidth := range bandwidths {
		w := mat.NewDense(d, frequencies, nil)
		for i := range d {
			row := w.RawRowView(i)
			for j := range row {
				row[j] = rnd.NormFloat64() / max(bandwidth*median, 1e-9)
			}
		}
		var angles mat.Dense
		angles.Mul(points, w)
		for i := range n {
			to := features.RawRowView(i)[2*frequencies*k:]
			for j, a := range angles.RawRowView(i) {
				to[2*j], to[2*j+1] = math.Sincos(a)
			}
		}
		b.groups = append(b.groups, group{all, 2 * frequencies})
	}
	b.features = func() *mat.Dense { return features }
	return b
}

// space has a row for each row of both tables: normal scores of numbers, indicators of levels, sums of words, each column of
// variance 1 in all, and indicators of missing values.
func space(columns []*uColumn) *mat.Dense {
	var parts []*mat.Dense
	for _, u := range columns {
		var f *mat.Dense
		if u.kind == tables.Text {
			f = u.functions(columnLevels)
			_, c := f.Dims()
			f.Scale(1/math.Sqrt(float64(c)), f)
		} else {
			ranks := u.ranks()
			f = mat.NewDense(len(ranks), 1, nil)
			for i, r := range ranks {
				if !math.IsNaN(r) {
					f.Set(i, 0, math.Sqrt2*math.Erfinv(2*r-1))
				}
			}
		}
		parts = append(parts, f)
		if lacks := u.lacks(); lacks != nil {
			parts = append(parts, mat.NewDense(len(lacks), 1, lacks))
		}
	}
	return beside(parts)
}

// medianDistance is that of pairs of rows drawn at random, of those that differ.
func medianDistance(points *mat.Dense, rnd *rand.Rand) float64 {
	n, _ := points.Dims()
	var distances []float64
	for range 1000 {
		if d := floats.Distance(points.RawRowView(rnd.IntN(n)), points.RawRowView(rnd.IntN(n)), 2); d > 0 {
			distances = append(distances, d)
		}
	}
	if distances == nil {
		return 1
	}
	slices.Sort(distances)
	return distances[len(distances)/2]
}
