package check

import (
	"cmp"
	"math"
	"slices"
)

// hitRows are rows of S_X that may lack overlap.
type hitRows struct {
	set  []uint64
	rows int // that they stand for
}

func (h *hitRows) add(row, times int) {
	for len(h.set) <= row/64 {
		h.set = append(h.set, 0)
	}
	h.set[row/64] |= 1 << (row % 64)
	h.rows += times
}

func (h *hitRows) has(row int) bool { return row/64 < len(h.set) && h.set[row/64]&(1<<(row%64)) != 0 }

// hitCounts count rows by column.
type hitCounts []int

// conclude decides which of the rows count, and counts by reason and column.
func (f *overlapFinder) conclude(o *Overlap) {
	n := float64(f.rowsXU)
	// So many rows are no chance.
	enough := math.Log(chanceOfRows/float64(2*max(len(f.wanted), 1))) / math.Log(n/(n+float64(f.rows)))
	expected := func(single int) float64 { return 3 * n * float64(single) / float64(max(f.rows, 1)) }
	counts := func(h *hitRows, chance float64) bool {
		return h.rows > 0 && float64(h.rows) >= chance+enough
	}
	put := func(h *hitRows, reason OverlapReason) {
		for i := range o.Reasons {
			if h.has(i) && (o.Reasons[i] == Inside || reason < o.Reasons[i]) {
				o.Reasons[i] = reason
			}
		}
	}
	column := func(name string, reason OverlapReason, rows int, levels map[string]int) {
		if rows > 0 {
			o.Columns = append(o.Columns, OverlapColumn{Column: name, Reason: reason, Rows: rows, Levels: mostOf(levels)})
		}
	}
	for _, c := range f.texts {
		if c.levels != nil && !free(len(c.levels), c.cells) && !free(len(c.unknown), c.lacks.rows) && counts(c.lacks, expected(singles(c.levels))) {
			put(c.lacks, NewLevel)
			column(c.name, NewLevel, c.lacks.rows, c.unknown)
		}
		if counts(c.lost, 0) {
			put(c.lost, NewMissing)
			column(c.name, NewMissing, c.lost.rows, nil)
		}
	}
	for _, c := range f.numbers {
		if counts(c.lacks, 0) {
			put(c.lacks, NewMissing)
			column(c.name, NewMissing, c.lacks.rows, nil)
		}
	}
	if counts(f.missing, expected(singles(f.patterns))) {
		put(f.missing, NewPattern)
	}
	for _, c := range f.numbers {
		for _, side := range []*hitRows{c.under, c.over} {
			if counts(side, 0) {
				put(side, BeyondRange)
			}
		}
	}
	if counts(f.far, 0) {
		put(f.far, FarAway)
	}
	f.count(o, column)
}

// count counts the rows of each reason, and names columns beyond whose range or far away they are.
func (f *overlapFinder) count(o *Overlap, column func(name string, reason OverlapReason, rows int, levels map[string]int)) {
	for i, r := range o.Reasons {
		o.ByReason[r]++
		switch {
		case r == Inside:
			o.Scores[i] = min(o.Scores[i], 1)
			continue
		case r <= NewPattern:
			o.Scores[i] = float32(math.Inf(1))
		}
		o.Without++
	}
	for j, c := range f.numbers {
		column(c.name, BeyondRange, f.among(o, BeyondRange, c.under)+f.among(o, BeyondRange, c.over), nil)
		if o.ByReason[FarAway] > 0 {
			column(c.name, FarAway, f.distance[j], nil)
		}
	}
	column("", NewPattern, f.among(o, NewPattern, f.missing), nil)
	slices.SortStableFunc(o.Columns, func(a, b OverlapColumn) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Column, b.Column))
	})
}

// among counts the hits among the rows of a reason.
func (f *overlapFinder) among(o *Overlap, reason OverlapReason, h *hitRows) int {
	rows := 0
	for i, r := range o.Reasons {
		switch {
		case r != reason || !h.has(i):
		case f.timesXU != nil:
			rows += int(f.timesXU[i])
		default:
			rows++
		}
	}
	return rows
}

// mostOf are the ten levels of most rows.
func mostOf(levels map[string]int) []string {
	var names []string
	for name := range levels {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(levels[b], levels[a]), cmp.Compare(a, b)) })
	return names[:min(len(names), 10)]
}

// singles is the number of levels, or of other things that are counted, that are there once.
func singles[K comparable](counts map[K]int) int {
	n := 0
	for _, c := range counts {
		if c == 1 {
			n++
		}
	}
	return n
}

// free reports whether so many levels among so many cells are free text.
func free(levels, cells int) bool {
	return levels > textLevels && float64(levels) > textShare*float64(cells)
}
