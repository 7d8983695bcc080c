package check

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"mediant/tables"
)

const (
	// marginalDegree is the number of functions of a column of numbers by which it is compared alone.
	marginalDegree = 8
	// marginalLevels are compared one by one, the others as one.
	marginalLevels = 20
	// wordBuckets is the number of sums of words by which free text is compared.
	wordBuckets = 64
	// fewestOfLevel rows make a level that is compared by itself.
	fewestOfLevel = 5
)

// ranks are places of numbers among those of both tables, from 0 to 1 and equal for ties, NaN where missing.
func (u *uColumn) ranks() []float64 {
	return ranksOf(slices.Concat(u.numbers[0], u.numbers[1]))
}

// functions are the first functions of a column, at most degree of them: cosines of ranks, or the most frequent levels. Both
// make any difference of distributions one of means, if there are enough of them. Rows of S_X are above those of S_Y; the functions are centred, of
// variance about 1 in all rows together, and 0 where there is no value, so that only indicators of that differ if missing values alone do.
func (u *uColumn) functions(degree int) *mat.Dense {
	if u.kind == tables.Text {
		if u.free {
			return u.words()
		}
		return u.levelFunctions(degree)
	}
	ranks := u.ranks()
	distinct := make(map[float64]bool)
	for _, r := range ranks {
		if !math.IsNaN(r) && len(distinct) <= degree {
			distinct[r] = true
		}
	}
	degree = max(1, min(degree, len(distinct)-1)) // more would say the same again
	f := mat.NewDense(len(ranks), degree, nil)
	for i, r := range ranks {
		if math.IsNaN(r) {
			continue
		}
		row := f.RawRowView(i)
		for a := range row {
			row[a] = math.Cos(math.Pi * float64(a+1) * r)
		}
	}
	centrePresent(f, func(i int) bool { return !math.IsNaN(ranks[i]) })
	return f
}

// levelFunctions are indicators of levels, scaled such that the squared distance of means is the statistic of Pearson.
func (u *uColumn) levelFunctions(degree int) *mat.Dense {
	cells := slices.Concat(u.cells[0], u.cells[1])
	counts := make(map[string]int)
	for _, cell := range cells {
		if cell != "" {
			counts[cell]++
		}
	}
	levels := make([]LevelCount, 0, len(counts))
	for level, rows := range counts {
		if rows >= fewestOfLevel {
			levels = append(levels, LevelCount{level, rows})
		}
	}
	slices.SortFunc(levels, func(a, b LevelCount) int { return cmp.Or(b.Rows-a.Rows, cmp.Compare(a.Level, b.Level)) })
	if len(levels) == 2 {
		levels = levels[:1] // the other one says the same
	}
	levels = levels[:min(len(levels), degree)]
	place := make(map[string]int, len(levels))
	for j, l := range levels {
		place[l.Level] = j
	}
	f := mat.NewDense(len(cells), max(1, len(levels)), nil)
	for i, cell := range cells {
		if j, ok := place[cell]; ok {
			f.Set(i, j, 1)
		}
	}
	centrePresent(f, func(i int) bool { return cells[i] != "" })
	return f
}

// words are sums over the words of free text, each with a sign and a place of its own by its hash.
func (u *uColumn) words() *mat.Dense {
	cells := slices.Concat(u.cells[0], u.cells[1])
	f := mat.NewDense(len(cells), wordBuckets, nil)
	for i, cell := range cells {
		row := f.RawRowView(i)
		for word := range strings.FieldsSeq(strings.ToLower(cell)) {
			h := fnv.New64a()
			h.Write([]byte(word))
			bits := mixed(h.Sum64())
			row[bits%wordBuckets] += 2*float64(bits>>63) - 1
		}
	}
	centrePresent(f, func(i int) bool { return cells[i] != "" })
	return f
}

// centrePresent brings each function to mean 0 and variance 1 over the rows that have a value, and to 0 in the others.
func centrePresent(f *mat.Dense, present func(i int) bool) {
	n, c := f.Dims()
	for j := range c {
		rows, sum, squares := 0., 0., 0.
		for i := range n {
			if present(i) {
				rows++
				sum += f.At(i, j)
			}
		}
		mean := sum / max(rows, 1)
		for i := range n {
			if present(i) {
				squares += (f.At(i, j) - mean) * (f.At(i, j) - mean)
			}
		}
		over := 0.
		if squares > 1e-12*rows {
			over = 1 / math.Sqrt(squares/rows)
		}
		for i := range n {
			v := 0.
			if present(i) {
				v = (f.At(i, j) - mean) * over
			}
			f.Set(i, j, v)
		}
	}
}

// lacks is an indicator of missing values, centred and of variance 1, or nil if all or none are missing.
func (u *uColumn) lacks() []float64 {
	f := mat.NewDense(u.rows(0)+u.rows(1), 1, nil)
	n := 0
	for t := range 2 {
		for i := range u.rows(t) {
			if u.missing(t, i) {
				f.Set(t*u.rows(0)+i, 0, 1)
				n++
			}
		}
	}
	if n == 0 || n == u.rows(0)+u.rows(1) {
		return nil
	}
	centrePresent(f, func(int) bool { return true })
	return f.RawMatrix().Data
}

// marginal are the features of a column alone, and at most so many. Those of numbers count less the faster they oscillate, as in the statistic of
// Anderson and Darling.
func (u *uColumn) marginal(most int) *mat.Dense {
	if u.kind == tables.Text {
		return u.functions(min(most, marginalLevels))
	}
	f := u.functions(min(most, marginalDegree))
	lessOscillating(f)
	return f
}

// lessOscillating divides the a-th function, a from 1, by the root of a.
func lessOscillating(f *mat.Dense) {
	n, _ := f.Dims()
	for i := range n {
		row := f.RawRowView(i)
		for a := range row {
			row[a] /= math.Sqrt(float64(a + 1))
		}
	}
}
