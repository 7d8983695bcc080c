package check

import (
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"strconv"

	"mediant/tables"
)

const (
	// A column of two to mostVisits values may say which of several measurements of a person a row is. Neighbours that are such measurements agree in
	// all columns that do not change in at least sameVisits of all cases, leastVisits of them at least, and other neighbours do so less often:
	// by Fisher's exact test at visitAlarm.
	mostVisits, leastVisits, sameVisits, visitAlarm = 12, 20, .99, 1e-6
)

// longForm finds rows that are repeated measurements: those that follow each other, or stand below each other in parts of equal length, agree in all
// columns beside U and one that goes through its values in each such group.
func (c *checker) longForm(table Table, look *tableLook) {
	names := c.roles.Y
	if table == XU {
		names = c.roles.X
		if c.opt.Treatment != "" {
			names = slices.Concat(names, c.baseline())
		}
	}
	if len(names) < 2 {
		return
	}
	rows := look.runs.all()
	all := make([]uint64, len(rows)) // hashes of all columns
	for _, name := range names {
		for i, h := range hashesOf(rows, look.of(name)) {
			all[i] += h
		}
	}
	for _, name := range names {
		visit := look.of(name)
		if name == c.opt.Treatment || visit.column.Kind == tables.Vector || visit.distinct.count() < 2 || visit.distinct.count() > mostVisits {
			continue
		}
		v := newVisits(rows, visit, all)
		if !v.adjacent() && (len(rows) < look.rows || !v.stacked()) || v.design(look, namesBut(names, []string{name})) {
			continue
		}
		each := float64(len(rows)) / float64(max(1, v.groups))
		last := v.order[len(v.order)-1]
		c.add(Finding{Code: GroupedRows, Severity: Warning, Table: table, Columns: []string{name}, Rows: look.rows, Of: look.rows, gravity: causeFirst + 1,
			What: fmt.Sprintf("%q goes through its %d values in groups of rows of %s that agree in all columns beside it and U: repeated measurements in long form, one row each",
				name, len(v.order), table.words()),
			Effect: fmt.Sprintf("measurements of all times are taken for one U, and %s", c.groupsEffect(each)),
			Remedy: fmt.Sprintf("keep the rows of one value of %q (%.40q, say), that at which the other table has U; --accept %s:%q if they are rows of their own", name, last, GroupedRows, name)})
		return
	}
}

// visits are rows by what a column says of them and by what they have in the others.
type visits struct {
	rows   []sampledRow
	of     []int    // the place of each row's value in the order in which values come first
	order  []string // values
	keys   []uint64 // hashes of the others
	groups int
}

// newVisits looks at a column, of rows with the sums of the hashes of all columns.
func newVisits(rows []sampledRow, visit *columnLook, all []uint64) *visits {
	v := &visits{rows: rows}
	own := hashesOf(rows, visit)
	for i, row := range rows {
		word := row.word(visit)
		at := slices.Index(v.order, word)
		if at < 0 {
			at = len(v.order)
			v.order = append(v.order, word)
		}
		v.of, v.keys = append(v.of, at), append(v.keys, all[i]-own[i])
	}
	return v
}

// hashesOf are hashes of a column in some rows.
func hashesOf(rows []sampledRow, c *columnLook) []uint64 {
	hashes := make([]uint64, len(rows))
	for i, row := range rows {
		h := fnv.New64a()
		io.WriteString(h, c.column.Name+"\x00"+row.word(c))
		hashes[i] = h.Sum64()
	}
	return hashes
}

// design reports whether all combinations of the values of other columns are there, equally often, as in an experiment with several factors.
func (v *visits) design(look *tableLook, others []string) bool {
	counts := make(map[uint64]int)
	for _, key := range v.keys {
		counts[key]++
	}
	combinations := 1.
	for _, name := range others {
		combinations *= float64(max(1, look.of(name).distinct.count()))
	}
	for _, n := range counts {
		if n != counts[v.keys[0]] {
			return false
		}
	}
	return float64(len(counts)) == combinations
}

// word is the value of a column as a word, "" where there is none.
func (r sampledRow) word(c *columnLook) string {
	switch c.column.Kind {
	case tables.Text:
		return r.text[c.place]
	case tables.Numeric:
		if v := r.num[c.place]; !math.IsNaN(v) {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	return ""
}

// adjacent reports whether rows of a group follow each other: the values ascend in a group, in their order, and the next group begins anew.
func (v *visits) adjacent() bool {
	var within, between, alike int
	var agree [2]int
	for i := 1; i < len(v.rows); i++ {
		if v.rows[i].number != v.rows[i-1].number+1 { // of another run
			continue
		}
		same := 0
		if v.keys[i] == v.keys[i-1] {
			same = 1
		}
		if v.of[i] > v.of[i-1] {
			within++
			agree[0] += same
			continue
		}
		between++
		agree[1] += same
		if v.of[i] == v.of[i-1] {
			alike += same
		}
	}
	v.groups = between + 1
	// Rows of one value that agree are no measurements of a person: the table is sorted by the others, and then by this one.
	return 2*alike <= between && v.surely(agree, [2]int{within, between})
}

// stacked reports whether the table is one part for each value, of the same persons in the same order.
func (v *visits) stacked() bool {
	n, k := len(v.rows), len(v.order)
	part := n / max(1, k)
	if k < 2 || part*k != n {
		return false
	}
	var agree, of [2]int
	for i := range n {
		if v.of[i] != i/part {
			return false
		}
		for far := range 2 { // the row of the next part, and the one after
			if j := i + part + far; j < n && v.of[j] == v.of[i]+1 {
				of[far]++
				if v.keys[i] == v.keys[j] {
					agree[far]++
				}
			}
		}
	}
	v.groups = part
	return v.surely(agree, of)
}

// surely reports whether nearly all rows of a group agree, and others less often by more than chance.
func (v *visits) surely(agree, of [2]int) bool {
	return of[0] >= leastVisits && of[1] >= leastVisits && float64(agree[0]) >= sameVisits*float64(of[0]) &&
		exactTest(agree[0], of[0], agree[1], of[1]) < visitAlarm && float64(agree[1])/float64(of[1]) < float64(agree[0])/float64(of[0])
}
