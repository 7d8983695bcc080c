package features

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/internal/parallel"
	"mediant/internal/rowops"
)

const (
	// maxBins bounds the thresholds of a column: a step between two of 256 quantiles is misplaced for at most 1/512 of the rows.
	maxBins = 256
	// warpTrees and warpRows, of each tree, are enough for shares of thresholds: more moved errors by less than a tenth of their standard errors.
	warpTrees, warpRows = 64, 2000
	// mostTries bounds the columns that a split is looked for in.
	mostTries = 128
	// leafRows is the least number of rows of a cell of a tree.
	leafRows = 5
	// evenShare is the weight that a learned Warp spreads evenly over the rows: without any, rows of columns that no split helps could not be told apart.
	evenShare = 0.15
)

// QuantileWarp returns the Warp with a threshold between any two neighbouring values of a column, or at 256 quantiles, of the weight of the share of the rows between them: a row moves to its quantiles. The error says
// that no column varies.
func QuantileWarp(rows mat.Matrix) (*Warp, error) {
	b := newBinned(rows)
	return NewWarp(b.thresholds, b.even)
}

// LearnWarp returns a Warp whose weights follow a random forest of y (n×k) on x (n×d), both with weights w (nil: 1): the weight of a threshold is .85 times what the splits
// of 64 trees take off the squared error there, or 0 if they add to it, as a share of that of all thresholds, plus .15 times that of QuantileWarp. Each tree grows on at most 2,000 rows drawn with replacement, by the best of its splits in half of the columns, at most 128, drawn at random
// for each split, to cells of at least 5 rows [Breiman, Random forests, Machine Learning 45, 2001]. The error is that of at most 2,000 of the other rows, so that splits that follow noise add nothing in the mean. Of several outputs, times the roots of scale (nil: 1), each tree has a
// sum with random signs, whose gains are in the mean the sums of those of the outputs. Random streams are "purpose/tree" of the seed. The error says that no column varies.
func LearnWarp(x, y *mat.Dense, w, scale []float64, seed uint64, purpose string) (*Warp, error) {
	n, d := x.Dims()
	if rows, _ := y.Dims(); rows != n || w != nil && len(w) != n {
		panic(mat.ErrShape)
	}
	b := newBinned(x)
	gains := make([][][]float64, warpTrees)
	parallel.Blocks(warpTrees, 1, func(lo, hi int) {
		for t := lo; t < hi; t++ {
			g := newGrower(b, draw.Rand(seed, purpose+"/tree", t))
			g.target(y, w, scale)
			g.grow()
			gains[t] = g.gains
		}
	})
	total := 0.
	sums := b.zeros()
	for j := range sums {
		for _, g := range gains {
			floats.Add(sums[j], g[j])
		}
		for i, sum := range sums[j] {
			sums[j][i] = max(0, sum)
			total += sums[j][i]
		}
	}
	if !(total > 0) || math.IsInf(total, 1) {
		return NewWarp(b.thresholds, b.even)
	}
	for j := range sums {
		for i, even := range b.even[j] {
			sums[j][i] = (1-evenShare)*float64(d)*sums[j][i]/total + evenShare*even
		}
	}
	return NewWarp(b.thresholds, sums)
}

// WarpFlops estimates the operations of LearnWarp for rows of so many columns: a row of a split counts in each column that is tried, and each of its bins.
func WarpFlops(rows, columns float64) float64 {
	n, tries := min(rows, warpRows), min((columns+1)/2, mostTries)
	depth, splits := math.Log2(max(2, n/leafRows)), n/leafRows
	return warpTrees * tries * (10*n*depth + 10*splits*min(maxBins, rows))
}

// WarpBytes estimates what LearnWarp takes, with its arguments: two copies of the rows, their bins, and a target for each goroutine.
func WarpBytes(rows, columns, outputs float64) float64 {
	return rows * (columns*(3*8+1) + 8*(outputs+1) + 2*8*float64(runtime.GOMAXPROCS(0)))
}

// binned holds the bins of rows between thresholds of each column.
type binned struct {
	bins       [][]uint8 // by column
	thresholds [][]float64
	even       [][]float64 // the share of the rows between the middle of a bin and that of the next
}

func newBinned(rows mat.Matrix) *binned {
	n, d := rows.Dims()
	dense := mat.NewDense(n, d, nil)
	rowops.DenseTo(dense, rows)
	b := &binned{make([][]uint8, d), make([][]float64, d), make([][]float64, d)}
	parallel.Blocks(d, 1, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			values := mat.Col(nil, j, dense)
			sorted := slices.Clone(values)
			slices.Sort(sorted)
			b.thresholds[j], b.even[j] = quantileThresholds(sorted)
			b.bins[j] = make([]uint8, n)
			for i, v := range values {
				b.bins[j][i] = uint8(sort.SearchFloat64s(b.thresholds[j], v))
			}
		}
	})
	return b
}

// quantileThresholds returns at most maxBins-1 thresholds between distinct values of a sorted column, and the mean of the shares of the rows in the bins on both sides of each.
func quantileThresholds(sorted []float64) (thresholds, even []float64) {
	n := len(sorted)
	var ends []int // of bins, in sorted
	for i := 1; i < n; i++ {
		if sorted[i-1] < sorted[i] {
			ends = append(ends, i)
		}
	}
	if len(ends) >= maxBins {
		all := ends
		ends = nil
		for q := 1; q < maxBins; q++ {
			// The first value that ends at the quantile or above.
			at := min(sort.SearchInts(all, q*n/maxBins), len(all)-1)
			if len(ends) == 0 || all[at] > ends[len(ends)-1] {
				ends = append(ends, all[at])
			}
		}
	}
	for i, end := range ends {
		before, after := 0, n
		if i > 0 {
			before = ends[i-1]
		}
		if i+1 < len(ends) {
			after = ends[i+1]
		}
		t := sorted[end-1] + (sorted[end]-sorted[end-1])/2
		if !(t >= sorted[end-1] && t < sorted[end]) { // rounded, or beyond the largest number
			t = sorted[end-1]
		}
		thresholds, even = append(thresholds, t), append(even, float64(after-before)/float64(2*n))
	}
	return thresholds, even
}

func (b *binned) zeros() [][]float64 {
	out := make([][]float64, len(b.thresholds))
	for j := range out {
		out[j] = make([]float64, len(b.thresholds[j]))
	}
	return out
}

// A grower grows one tree.
type grower struct {
	*binned
	rnd    *rand.Rand
	rows   []int     // drawn with replacement
	others []int     // not among them
	y, w   []float64 // of each of all rows; y is times w
	gains  [][]float64
	tries  []int // columns, of which the first are tried
	weight [maxBins]float64
	sum    [maxBins]float64
	count  [maxBins]int
}

func newGrower(b *binned, rnd *rand.Rand) *grower {
	g := &grower{binned: b, rnd: rnd, gains: b.zeros()}
	for j, t := range b.thresholds {
		if len(t) > 0 {
			g.tries = append(g.tries, j)
		}
	}
	return g
}

// target draws the rows, and the signs of the outputs.
func (g *grower) target(y *mat.Dense, w, scale []float64) {
	n, k := y.Dims()
	signs := make([]float64, k)
	for c := range signs {
		signs[c] = 1
		if k > 1 && g.rnd.Uint64()>>63 == 1 {
			signs[c] = -1
		}
		if scale != nil {
			signs[c] *= math.Sqrt(scale[c])
		}
	}
	g.y, g.w = make([]float64, n), make([]float64, n)
	mean, total := 0., 0.
	for i := range n {
		g.w[i] = rowops.WeightAt(w, i)
		g.y[i] = floats.Dot(signs, y.RawRowView(i))
		mean, total = mean+g.w[i]*g.y[i], total+g.w[i]
	}
	for i := range n { // centred, so that squares of sums keep their digits
		g.y[i] = g.w[i] * (g.y[i] - mean/max(total, math.SmallestNonzeroFloat64))
	}
	g.rows = make([]int, min(n, warpRows))
	drawn := make([]bool, n)
	for i := range g.rows {
		g.rows[i] = g.rnd.IntN(n)
		drawn[g.rows[i]] = true
	}
	for _, i := range g.rnd.Perm(n) {
		if !drawn[i] && len(g.others) < warpRows {
			g.others = append(g.others, i)
		}
	}
}

// A cell of a tree has rows that it is grown on, and others.
type cell struct{ rows, others []int }

// grow splits all rows, and parts of them, while there are enough.
func (g *grower) grow() {
	for open := []cell{{g.rows, g.others}}; len(open) > 0; {
		c := open[len(open)-1]
		open = open[:len(open)-1]
		if len(c.rows) < 2*leafRows {
			continue
		}
		column, bin, gain := g.best(c.rows)
		if !(gain > 0) {
			continue
		}
		isLeft := func(i int) bool { return int(g.bins[column][i]) <= bin }
		row, other := partitionBy(c.rows, isLeft), partitionBy(c.others, isLeft)
		left, right := cell{c.rows[:row], c.others[:other]}, cell{c.rows[row:], c.others[other:]}
		all := g.mean(c.rows)
		g.gains[column][bin] += g.gain(left, all) + g.gain(right, all)
		open = append(open, left, right)
	}
}

// mean is that of y over rows.
func (g *grower) mean(rows []int) float64 {
	sum, weight := 0., 0.
	for _, i := range rows {
		sum, weight = sum+g.y[i], weight+g.w[i]
	}
	return sum / weight
}

// gain is what the mean over the rows of a cell, in the place of another one, takes off the sum of squares of its other rows.
func (g *grower) gain(c cell, instead float64) (gain float64) {
	mean := g.mean(c.rows)
	for _, i := range c.others {
		gain += 2*g.y[i]*(mean-instead) + g.w[i]*(instead*instead-mean*mean) // w (v - instead)² - w (v - mean)², where y is w v
	}
	return gain
}

// best returns the split that takes most off the sum of squares, after which bin, of a random half of the columns.
func (g *grower) best(rows []int) (column, bin int, gain float64) {
	some := min((len(g.tries)+1)/2, mostTries)
	for t := range some {
		k := t + g.rnd.IntN(len(g.tries)-t)
		g.tries[t], g.tries[k] = g.tries[k], g.tries[t]
		j := g.tries[t]
		if b, v := g.bestOf(rows, j); v > gain {
			column, bin, gain = j, b, v
		}
	}
	return column, bin, gain
}

// bestOf is best of one column.
func (g *grower) bestOf(rows []int, j int) (bin int, gain float64) {
	bins := len(g.thresholds[j]) + 1
	weight, sum, count := g.weight[:bins], g.sum[:bins], g.count[:bins]
	clear(weight)
	clear(sum)
	clear(count)
	of := g.bins[j]
	allWeight, all := 0., 0.
	for _, i := range rows {
		b := of[i]
		weight[b] += g.w[i]
		sum[b] += g.y[i]
		count[b]++
		allWeight, all = allWeight+g.w[i], all+g.y[i]
	}
	leftWeight, left, n := 0., 0., 0
	for b := range bins - 1 {
		leftWeight, left, n = leftWeight+weight[b], left+sum[b], n+count[b]
		if count[b] == 0 || n < leafRows || len(rows)-n < leafRows {
			continue
		}
		rightWeight, right := allWeight-leftWeight, all-left
		if !(leftWeight > 0 && rightWeight > 0) {
			continue
		}
		if v := left*left/leftWeight + right*right/rightWeight - all*all/allWeight; v > gain {
			bin, gain = b, v
		}
	}
	return bin, gain
}

// partitionBy puts the indices for which is is true in front and returns their number.
func partitionBy(rows []int, is func(i int) bool) int {
	front := 0
	for at, i := range rows {
		if is(i) {
			rows[front], rows[at] = i, rows[front]
			front++
		}
	}
	return front
}
