package copies

import (
	"cmp"
	"math"
	"slices"

	"mediant/tables"
)

// ties are distinct rows, to find what makes others equal by chance.
type ties struct {
	columns  []tiedColumn
	rows     int
	repeated int       // rows of which there are equal ones
	often    []tiedRow // those of them that are there manyTimes
}

// A tiedColumn has the cells of a column as hashes, and as numbers, if they are.
type tiedColumn struct {
	kind   tables.Kind
	hashes []uint64
	values []float64
	length int // of all cells
}

func (t *ties) add(b tables.Batch, places []columnAt, cells [][]uint64, i int) {
	t.rows++
	for j := range t.columns {
		c, p := &t.columns[j], places[j]
		c.kind = p.kind
		c.hashes = append(c.hashes, cells[j][i])
		switch p.kind {
		case tables.Numeric:
			c.values = append(c.values, b.Num.At(i, p.index))
		case tables.Text:
			c.length += len(b.Text[p.index][i])
		case tables.Vector:
			places, _ := b.Sparse[p.index].Row(i)
			c.length += len(places)
		}
	}
}

// unlike reports whether cells are so long that chance does not make them equal.
func (c tiedColumn) unlike(rows int) bool {
	return c.kind == tables.Text && c.length >= longText*rows || c.kind == tables.Vector && c.length >= longRow*rows
}

// copies reports whether more rows are repeated than chance explains; share is that of the rows that are here.
func (t *ties) copies(share float64) bool {
	if t.singular(t.often) {
		return true
	}
	key, sums := t.key()
	if len(key) == 0 {
		return false
	}
	most, sum := 0.0, 0.0
	if len(key) == 1 {
		most = t.alone(key[0])
	} else {
		for _, j := range key {
			pairs := t.columns[j].chance(sums)
			most = max(most, pairs)
			sum += pairs
		}
	}
	// Each column alone says how many pairs chance makes equal, too few where columns depend on each other. Of two rows both are here with probability share², of
	// one it is share.
	return float64(t.repeated)/share > max(3*most, 1.5*sum)/(share*share)+3
}

// key returns columns that tell the rows apart, none of which the others can do without, and the sum of their hashes of each row. Those with
// the most values stay.
func (t *ties) key() ([]int, []uint64) {
	all, distinct := make([]int, len(t.columns)), make([]int, len(t.columns))
	sums := make([]uint64, t.rows)
	for j, c := range t.columns {
		all[j] = j
		distinct[j] = different(c.hashes)
		for i, h := range c.hashes {
			sums[i] += h
		}
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(distinct[a], distinct[b]) })
	rows := different(sums)
	var key []int
	rest := make([]uint64, t.rows)
	for _, j := range all {
		for i, h := range t.columns[j].hashes {
			rest[i] = sums[i] - h
		}
		if different(rest) == rows {
			copy(sums, rest)
			continue
		}
		key = append(key, j)
	}
	return key, sums
}

// different counts the values.
func different(hashes []uint64) int {
	sorted := slices.Clone(hashes)
	slices.Sort(sorted)
	return len(slices.Compact(sorted))
}

// alone is the number of pairs that chance makes equal where one column tells the rows apart: the most of all numeric columns that do, since
// one may be a function of another.
func (t *ties) alone(key int) float64 {
	if t.columns[key].unlike(t.rows) {
		return 0
	}
	pairs := math.Inf(1) // of levels no other column says how many they could be
	for _, c := range t.columns {
		if c.kind == tables.Numeric && different(c.hashes) == t.rows {
			near, _ := c.pairs(make([]uint64, t.rows))
			if math.IsInf(pairs, 1) || near/2 > pairs {
				pairs = near / 2
			}
		}
	}
	return pairs
}

// chance is the number of pairs of rows that would agree in the column by chance where they agree in the others of a key.
func (c tiedColumn) chance(sums []uint64) float64 {
	n := len(sums)
	if c.unlike(n) {
		return 0
	}
	rest := make([]uint64, n)
	for i := range rest {
		rest[i] = sums[i] - c.hashes[i]
	}
	near, pairs := c.pairs(rest)
	same := c.collision()
	if same >= 1 {
		return near / 2
	}
	// Of values on a lattice twice as many pairs are a step apart as are equal.
	return max(near/2, pairs*same/(1-same))
}

// pairs counts the pairs of rows that agree in the rest, and of these the pairs whose numbers are next to each other, at the smallest step of the column.
func (c tiedColumn) pairs(rest []uint64) (near, all float64) {
	n := len(rest)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if by := cmp.Compare(rest[a], rest[b]); by != 0 || c.kind != tables.Numeric {
			return by
		}
		return cmp.Compare(c.values[a], c.values[b])
	})
	step := c.step() * (1 + 1e-6)
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && rest[order[hi]] == rest[order[lo]] {
			if c.kind == tables.Numeric && c.values[order[hi]]-c.values[order[hi-1]] <= step {
				near++
			}
			hi++
		}
		all += float64(hi-lo) * float64(hi-lo-1) / 2
		lo = hi
	}
	return near, all
}

// step is the smallest difference of two values.
func (c tiedColumn) step() float64 {
	sorted := slices.Clone(c.values)
	slices.Sort(sorted) // NaN first
	step := math.Inf(1)
	for i := 1; i < len(sorted); i++ {
		if gap := sorted[i] - sorted[i-1]; gap > 0 && gap < step {
			step = gap
		}
	}
	return step
}

// collision is the probability that two of the rows agree in the column.
func (c tiedColumn) collision() float64 {
	n := float64(len(c.hashes))
	if n < 2 {
		return 0
	}
	sorted := slices.Clone(c.hashes)
	slices.Sort(sorted)
	same := 0.0
	for lo := 0; lo < len(sorted); {
		hi := lo + 1
		for hi < len(sorted) && sorted[hi] == sorted[lo] {
			hi++
		}
		same += float64(hi-lo) * float64(hi-lo-1)
		lo = hi
	}
	return same / (n * (n - 1))
}
