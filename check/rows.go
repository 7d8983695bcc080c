package check

import (
	"cmp"
	"context"
	"encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"mediant/internal/draw"
	"mediant/tables"
)

const (
	// comparedRows of each table are compared: a difference that matters to a result shows in so many.
	comparedRows = 2000
	// comparedCells of each table are compared at most: of very many columns fewer rows.
	comparedCells = 1 << 21
	// fewestRows of a table say too little to compare it.
	fewestRows = 10
	// mostArms of a treatment are compared one by one.
	mostArms = 4
)

// A uColumn is a column of U in the sampled rows of both tables.
type uColumn struct {
	name    string
	kind    tables.Kind
	free    bool         // free text
	numbers [2][]float64 // NaN where missing
	cells   [2][]string  // "" where missing

	sorted [2][]float64      // what present returns, once it has been asked for
	counts [2]map[string]int // and levels
}

// missing reports whether row i of table t, 0 or 1, has no value.
func (u *uColumn) missing(t, i int) bool {
	if u.kind == tables.Text {
		return u.cells[t][i] == ""
	}
	return math.IsNaN(u.numbers[t][i])
}

// rows is the number of sampled rows of table t.
func (u *uColumn) rows(t int) int { return len(u.numbers[t]) + len(u.cells[t]) }

// present are the numbers of table t, ascending; they are not to be changed.
func (u *uColumn) present(t int) []float64 {
	if u.sorted[t] == nil {
		u.sorted[t] = slices.DeleteFunc(slices.Clone(u.numbers[t]), math.IsNaN)
		slices.Sort(u.sorted[t])
	}
	return u.sorted[t]
}

// levels are the rows of table t that each level has.
func (u *uColumn) levels(t int) map[string]int {
	if u.counts[t] == nil {
		u.counts[t] = countCells(u.cells[t])
	}
	return u.counts[t]
}

// first is the column in at most n rows of each table.
func (u *uColumn) first(n int) *uColumn {
	short := &uColumn{name: u.name, kind: u.kind, free: u.free}
	for t := range 2 {
		short.numbers[t] = u.numbers[t][:min(n, len(u.numbers[t]))]
		short.cells[t] = u.cells[t][:min(n, len(u.cells[t]))]
	}
	return short
}

// sampledU are the independent rows of both tables that are compared.
type sampledU struct {
	looks [2]*tableLook
	rows  [2][]sampledRow
}

func sampleU(xu, uy *tableLook, weights [2]string, rnd *rand.Rand) sampledU {
	s := sampledU{looks: [2]*tableLook{xu, uy}}
	for t, look := range s.looks {
		s.rows[t] = look.independentRows(weights[t], rnd)
	}
	return s
}

// arms are the rows of each arm of a treatment, of those of fewestRows at least, and of all arms together, with all rows of the second
// table; all rows where there is no treatment.
func (s sampledU) arms(treatment string) []sampledU {
	var arms []sampledU
	for _, arm := range s.byArm(treatment) {
		if len(arm.rows) >= fewestRows && len(arms) < mostArms {
			arms = append(arms, sampledU{s.looks, [2][]sampledRow{arm.rows, s.rows[1]}})
		}
	}
	return append(arms, s)
}

// armRows are the rows of an arm.
type armRows struct {
	name string
	rows []sampledRow
}

// byArm splits the rows of the first table by the values of a treatment, in their order, rows without one apart; nil if there is no such column.
func (s sampledU) byArm(treatment string) []armRows {
	c := s.looks[0].of(treatment)
	if c == nil || c.column.Kind == tables.Vector {
		return nil
	}
	of := make(map[string][]sampledRow)
	for _, row := range s.rows[0] {
		arm := ""
		if c.column.Kind == tables.Text {
			arm = row.text[c.place]
		} else if v := row.num[c.place]; !math.IsNaN(v) {
			arm = strconv.FormatFloat(v, 'g', -1, 64)
		}
		if arm != "" {
			of[arm] = append(of[arm], row)
		}
	}
	var arms []armRows
	for _, name := range slices.Sorted(maps.Keys(of)) {
		arms = append(arms, armRows{name, of[name]})
	}
	return arms
}

// columns are those of U with these names; sparse rows are not looked at.
func (s sampledU) columns(names []string) []*uColumn {
	var columns []*uColumn
	most := max(10*fewestRows, comparedCells/max(1, len(names)))
	for _, name := range names {
		u := &uColumn{name: name, kind: s.looks[0].of(name).column.Kind}
		if u.kind == tables.Vector {
			continue
		}
		for t, look := range s.looks {
			c := look.of(name)
			if u.kind == tables.Text && c.kindOfText(look) == FreeText {
				u.free = true
			}
			for _, row := range s.rows[t][:min(most, len(s.rows[t]))] {
				if u.kind == tables.Text {
					u.cells[t] = append(u.cells[t], row.text[c.place])
				} else {
					u.numbers[t] = append(u.numbers[t], row.num[c.place])
				}
			}
		}
		columns = append(columns, u)
	}
	return columns
}

// independentRows are sampled rows, in random order, as a permutation test needs them: drawn with probabilities in the ratios of
// their weights, each once at most, and one of each group of rows, where the columns that tell groups are known.
func (t *tableLook) independentRows(weights string, rnd *rand.Rand) []sampledRow {
	rows := slices.Clone(t.sample.heap)
	slices.SortFunc(rows, func(a, b sampledRow) int { return cmp.Compare(a.priority, b.priority) })
	if c := t.of(weights); c != nil && c.column.Kind == tables.Numeric {
		for i := range rows {
			rows[i].weight = rows[i].num[c.place]
		}
	}
	largest := 0.
	for _, r := range rows {
		largest = max(largest, r.weight)
	}
	rows = slices.DeleteFunc(rows, func(r sampledRow) bool { return !(rnd.Float64()*largest < r.weight) })
	if t.groups == nil {
		return rows
	}
	seen := make(map[string]bool)
	return slices.DeleteFunc(rows, func(r sampledRow) bool {
		key, ok := t.groupOf(r)
		again := ok && seen[key]
		seen[key] = true
		return again
	})
}

// groupOf is what the rows of a group have in common; not ok where the row has none of it.
func (t *tableLook) groupOf(r sampledRow) (key string, ok bool) {
	var b []byte
	for _, name := range t.groups {
		switch c := t.of(name); c.column.Kind {
		case tables.Text:
			cell := r.text[c.place]
			b, ok = append(append(b, cell...), 0), ok || cell != ""
		case tables.Numeric:
			v := r.num[c.place]
			b, ok = binary.LittleEndian.AppendUint64(b, math.Float64bits(v+0)), ok || !math.IsNaN(v)
		}
	}
	return string(b), ok
}

// sampleAgain samples rows of the table without its copies, each as one row.
func (t *tableLook) sampleAgain(ctx context.Context, left tables.Source, seed uint64) error {
	sample := rowSample{rnd: draw.Rand(seed, "check", 0), most: t.sample.most}
	for b, err := range tables.NewGuard("", left).Batches(ctx) {
		if err != nil {
			return err
		}
		sample.add(b)
	}
	for i := range sample.heap {
		sample.heap[i].weight = 1
	}
	t.sample = sample
	return nil
}
