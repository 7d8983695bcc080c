// Package copies finds rows of a table that are copies of others, and makes one row of them.
package copies

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"mediant/internal/names"
	"mediant/tables"
)

// Summary is what Distinct finds of rows that are in a table several times.
type Summary struct {
	Rows     int `json:"rows"`     // that repeat an earlier one
	Distinct int `json:"distinct"` // rows that are left
	Most     int `json:"most"`     // times that a row is there
	// Times is how often each row is there if all are equally often, as in a file that was pasted so many times, and else 0.
	Times int `json:"times,omitempty"`
	// Share of the distinct rows that were looked at: some, where the table has more than four million rows. Numbers of rows are then scaled up, and
	// the copies left where they are.
	Share float64 `json:"share_looked_at"`
}

// Found reports whether there are copies.
func (c Summary) Found() bool { return c.Rows > 0 }

const (
	// distinctRows is how many rows are distinguished at most, by 8 bytes each.
	distinctRows = 1 << 22
	// looked is how many distinct rows are compared for what chance makes equal, and lookedCells how many of their cells, in 32 MB.
	looked, lookedCells = 1 << 16, 1 << 21
	// pastedRows is how many distinct rows a table must have for a number of times that divides how often each is there to be that of
	// its pastings: with ties that are due to chance 2 divides as many numbers in 1 of 2^20 tables.
	pastedRows = 20
	// longText is the mean length in bytes of cells that hardly are the same by chance, and longRow the number of places of a sparse row.
	longText, longRow = 20, 8
)

// Distinct returns the rows of src without copies of rows: those that agree in all of the given columns and in their weights. Each row that
// is left stands where it stood first and has the number of its copies as a factor (Batch.Factors), over the mean of all
// factors, so that it is one observation, or as many as its frequency says, and counts in sums as all of its copies did. If all rows
// are there equally often there are no factors, and what is computed is to the byte what the table gives
// without its copies. A Table gives a Table.
//
// Equal rows are ties, and stay, where chance makes as many: where values are few, or are rounded. They are copies
//
//   - if the numbers of times that the rows are there, of at least 20 different ones, have a divisor above 1: the whole table was pasted so many times, and every such
//     part of equal rows but one is left out, ties or not;
//   - or if more rows are repeated than three times the number that chance explains by any column, and 1.5 times what it does by all of them together, and 3. Of the columns those are looked at that are
//     needed to tell the distinct rows apart, the ones with the most values first; for each, the pairs of distinct rows that
//     differ in it alone say how many agree in it by chance: N c/(1-c) of N, c being the probability that two rows agree in it, or, for
//     numbers, half as many as there are pairs at its smallest step. A column of texts that tells all rows apart does so not by chance if they
//     are 20 bytes long on average.
//
// No copies, and a table of which not all distinct rows were looked at, are src itself. It costs one pass, and two more where rows are equal. The error
// is one of src, or names a column that is not there.
func Distinct(ctx context.Context, src tables.Source, columns []string) (tables.Source, Summary, error) {
	return Weigh.Distinct(ctx, src, columns)
}

// A Rule says what the copies of a row count as.
type Rule int

const (
	// Unset is Weigh, and doubted where that decides a result (package check).
	Unset Rule = iota
	// Weigh makes one observation of them, which has the weight of all.
	Weigh
	// One makes one row of them, which counts as any other.
	One
	// Keep takes them for rows of their own.
	Keep
)

// Distinct is the function Distinct, but for One without factors, and for Keep src itself, unread.
func (r Rule) Distinct(ctx context.Context, src tables.Source, columns []string) (tables.Source, Summary, error) {
	if r == Keep {
		return src, Summary{Most: 1, Share: 1}, nil
	}
	d := &distinct{guard: tables.NewGuard("", src)}
	if err := d.choose(columns); err != nil {
		return nil, Summary{}, err
	}
	if err := d.count(ctx); err != nil {
		return nil, Summary{}, err
	}
	found := d.copies()
	if found.Rows == 0 {
		return src, found, nil
	}
	pasted := d.divisor()
	if pasted == 1 {
		chance, err := d.chance(ctx)
		if err != nil || !chance {
			return src, Summary{Distinct: found.Distinct + found.Rows, Most: 1, Share: found.Share}, err
		}
	}
	if d.level > 0 {
		return src, found, nil
	}
	var s tables.Subset
	if pasted > 1 {
		if err := d.keepParts(ctx, pasted); err != nil {
			return nil, Summary{}, err
		}
		found.Times, found.Distinct = pasted, d.rows/pasted
		found.Rows = d.rows - found.Distinct
	} else {
		counts := d.rowCounts()
		s.Times, s.Held = counts.of, int64(12*len(counts.rows))
	}
	if r == One {
		s.Times = nil
	}
	dropped := d.dropped
	s.Rows, s.Keep = found.Distinct, func(row int) bool { return !dropped.has(row) }
	s.Held += int64(8 * len(dropped))
	left, err := s.Of(ctx, d.guard)
	return left, found, err
}

// A distinct looks for equal rows.
type distinct struct {
	guard  *tables.Guard
	places []columnAt
	rows   int

	level uint // of the hashes of rows those are looked at that end in so many zeros
	lone  int  // distinct rows that are there once
	// Those that are there several times: their places below by hash, the numbers of their first rows, and how often they are there.
	of      map[uint64]int32
	first   []int
	counts  []int32
	dropped rowSet // rows that repeat an earlier one
}

// A columnAt is where a batch has a column: among those of its kind.
type columnAt struct {
	kind  tables.Kind
	index int
}

func (d *distinct) choose(columns []string) error {
	have := d.guard.Columns()
	heads := tables.ColumnNames(have)
	at := names.NewLookup(heads)
	var want []tables.Column
	for _, name := range columns {
		i := at.Find(name)
		if i < 0 {
			return fmt.Errorf("copies: %w", names.Missing(heads, name))
		}
		want = append(want, have[i])
	}
	sel, err := tables.Select(have, want)
	if err != nil {
		return err
	}
	for i := range want {
		kind, index := sel.Place(i)
		d.places = append(d.places, columnAt{kind, index})
	}
	return nil
}

// count finds the hashes of equal rows.
func (d *distinct) count(ctx context.Context) error {
	hashes := make([]uint64, 0, min(tables.FactsOf(d.guard).Rows, distinctRows))
	var h rowHashes
	for b, err := range d.guard.Batches(ctx) {
		if err != nil {
			return err
		}
		d.rows += b.Rows
		h.read(b, d.places)
		for _, key := range h.rows {
			if !thinned(key, d.level) {
				continue
			}
			hashes = append(hashes, key)
			for len(hashes) > distinctRows && d.level < 64 {
				d.level++
				hashes = slices.DeleteFunc(hashes, func(key uint64) bool { return !thinned(key, d.level) })
			}
		}
	}
	slices.Sort(hashes)
	d.of = make(map[uint64]int32)
	for lo := 0; lo < len(hashes); {
		hi := lo + 1
		for hi < len(hashes) && hashes[hi] == hashes[lo] {
			hi++
		}
		if hi == lo+1 {
			d.lone++
		} else {
			d.of[hashes[lo]] = int32(len(d.counts))
			d.counts = append(d.counts, int32(hi-lo))
		}
		lo = hi
	}
	return nil
}

// thinned reports whether a hash is among those of a level.
func thinned(key uint64, level uint) bool { return key&(1<<level-1) == 0 }

// different is the number of distinct rows that were looked at.
func (d *distinct) different() int { return d.lone + len(d.counts) }

// copies counts equal rows as if all were copies.
func (d *distinct) copies() Summary {
	c := Summary{Distinct: d.different() << d.level, Most: 1, Share: math.Ldexp(1, -int(d.level))}
	for _, n := range d.counts {
		c.Rows += int(n) - 1
		c.Most = max(c.Most, int(n))
	}
	c.Rows <<= d.level
	if d.lone == 0 && len(d.counts) > 0 && int(slices.Min(d.counts)) == c.Most {
		c.Times = c.Most
	}
	return c
}

// divisor is the largest number that divides all numbers of equal rows, 1 where these are few.
func (d *distinct) divisor() int {
	if d.lone > 0 || len(d.counts) < pastedRows {
		return 1
	}
	g := int(d.counts[0])
	for _, n := range d.counts {
		for m := int(n); m != 0; {
			g, m = m, g%m
		}
	}
	return g
}

// keepParts drops all but 1 of so many parts of every set of equal rows, the last ones.
func (d *distinct) keepParts(ctx context.Context, parts int) error {
	left := make([]int32, len(d.counts))
	for at, n := range d.counts {
		left[at] = n / int32(parts)
	}
	var h rowHashes
	for b, err := range d.guard.Batches(ctx) {
		if err != nil {
			return err
		}
		h.read(b, d.places)
		for i, key := range h.rows {
			if at := d.of[key]; left[at] > 0 {
				left[at]--
			} else {
				d.dropped.add(b.Start + i)
			}
		}
	}
	return nil
}

// rowCounts are the first rows of those that are there several times.
func (d *distinct) rowCounts() rowCounts {
	order := make([]int, len(d.first))
	for at := range order {
		order[at] = at
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(d.first[a], d.first[b]) })
	var c rowCounts
	for _, at := range order {
		c.rows, c.counts = append(c.rows, d.first[at]), append(c.counts, d.counts[at])
	}
	return c
}

// chance finds the rows that repeat others, and reports whether they are more than chance explains, by the distinct rows or some of them.
func (d *distinct) chance(ctx context.Context) (bool, error) {
	columns := len(d.places)
	level := d.level
	for d.different()>>(level-d.level) > min(looked, max(1, lookedCells/max(columns, 1))) {
		level++
	}
	t := &ties{columns: make([]tiedColumn, columns)}
	d.first = slices.Repeat([]int{-1}, len(d.counts))
	var h rowHashes
	for b, err := range d.guard.Batches(ctx) {
		if err != nil {
			return false, err
		}
		h.read(b, d.places)
		for i, key := range h.rows {
			if at, tied := d.of[key]; tied {
				if d.first[at] >= 0 {
					d.dropped.add(b.Start + i)
					continue
				}
				d.first[at] = b.Start + i
				if thinned(key, level) {
					t.repeated++
					if d.counts[at] >= manyTimes {
						t.often = append(t.often, tiedRow{t.rows, int(d.counts[at])})
					}
				}
			}
			if thinned(key, level) {
				t.add(b, d.places, h.cells, i)
			}
		}
	}
	return t.copies(math.Ldexp(1, -int(level-d.level))), nil
}

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

// rowHashes are hashes of the cells of a batch, and their sums over the columns and the weights.
type rowHashes struct {
	cells [][]uint64
	rows  []uint64
}

func (h *rowHashes) read(b tables.Batch, places []columnAt) {
	h.rows = slices.Grow(h.rows[:0], b.Rows)[:b.Rows]
	clear(h.rows)
	weights := b.Frequencies()
	if weights == nil {
		weights = b.Factors()
	}
	for i, v := range weights {
		h.rows[i] = hashed(hashed(0, 1), math.Float64bits(v))
	}
	for len(h.cells) < len(places) {
		h.cells = append(h.cells, nil)
	}
	for j, p := range places {
		cells := slices.Grow(h.cells[j][:0], b.Rows)[:b.Rows]
		h.cells[j] = cells
		for i := range cells {
			cells[i] = hashCell(hashed(uint64(j), 2), b, p, i)
			h.rows[i] += cells[i]
		}
	}
}

// hashCell is the hash of a cell; -0 is 0, and all missing numbers are equal.
func hashCell(seed uint64, b tables.Batch, p columnAt, i int) uint64 {
	switch p.kind {
	case tables.Numeric:
		v := b.Num.At(i, p.index)
		if math.IsNaN(v) {
			return hashed(seed, math.MaxUint64)
		}
		return hashed(seed, math.Float64bits(v+0))
	case tables.Text:
		return hashText(seed, b.Text[p.index][i])
	}
	places, values := b.Sparse[p.index].Row(i)
	for t, at := range places {
		seed = hashed(hashed(seed, uint64(at)), math.Float64bits(values[t]+0))
	}
	return hashed(seed, uint64(len(places)))
}

// hashed adds a word to a hash, by the folded product of wyhash (github.com/wangyi-fudan/wyhash).
func hashed(h, word uint64) uint64 {
	hi, lo := bits.Mul64(h^word^0xa0761d6478bd642f, bits.RotateLeft64(word, 29)^h^0xe7037ed1a0b428db)
	return hi ^ lo ^ h
}

func hashText(h uint64, s string) uint64 {
	n := len(s)
	for ; len(s) >= 8; s = s[8:] {
		h = hashed(h, uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)
	}
	var last uint64
	for i := range len(s) {
		last |= uint64(s[i]) << (8 * i)
	}
	return hashed(hashed(h, last), uint64(n))
}
