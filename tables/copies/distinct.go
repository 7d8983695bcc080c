// Package copies finds rows of a table that are copies of others and merges them into one row, a weighted observation.
package copies

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"mediant/internal/bounds"
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
	// Unset is Weigh; package check warns if the choice affects the result.
	Unset Rule = iota
	// Weigh makes the copies one observation with the weight of all of them.
	Weigh
	// One makes the copies one row with the weight of one row.
	One
	// Keep keeps the copies as separate rows.
	Keep
)

// Check returns an error that names the field of a Rule that is none.
func (r Rule) Check(field string) error {
	return bounds.Enum(field, r, "0, copies.Weigh, copies.One or copies.Keep", Unset, Weigh, One, Keep)
}

// Distinct applies the rule: it is the function Distinct, without factors for One; for Keep it returns src, unread.
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
