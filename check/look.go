package check

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"mediant/internal/draw"
	"mediant/internal/literal"
	"mediant/tables"
)

const (
	// sampleRows of a table are kept for quantiles and for joint comparisons.
	sampleRows = 4096
	// sampleCells bounds their cells, in 128 MB of numbers, and distinctCounts the values of all columns that are counted one by one, in
	// some 80 MB: of more than 4,096 or 128 columns fewer are, but leastOf of each.
	sampleCells, distinctCounts, leastOf = 1 << 24, 1 << 21, 256
)

// A tableLook is what one pass over a table keeps.
type tableLook struct {
	columns []tables.Column
	looks   []columnLook
	places  map[string]int // among the looks, by name and by canonical name
	rows    int
	sample  rowSample
	runs    rowRuns
	sums    sumRows
	equal   distinct // hashes of whole rows, less columns that number them
	whole   []int    // the columns that these are of
	groups  []string // the columns that tell which rows belong together; nil: each by itself, as far as is known
}

// look reads a table once.
func look(ctx context.Context, src tables.Source, seed uint64) (*tableLook, error) {
	return lookAt(ctx, src, seed, lookOptions{runs: true})
}

// lookOptions say what of a table is looked at; zero: all of it.
type lookOptions struct {
	columns  []string           // nil: all
	distinct int                // how many distinct values are counted one by one; 0: distinctKeys
	rows     int                // how many are sampled; 0: sampleRows
	runs     bool               // runs of consecutive rows are kept
	each     func(tables.Batch) // sees every batch; nil: nothing does
}

func lookAt(ctx context.Context, src tables.Source, seed uint64, opt lookOptions) (*tableLook, error) {
	guard := tables.NewGuard("", src)
	t := &tableLook{columns: guard.Columns()}
	t.sample = newRowSample(cmp.Or(opt.rows, sampleRows), len(t.columns), draw.Rand(seed, "check", 0))
	if opt.runs {
		t.runs = newRowRuns(len(t.columns))
	}
	opt.distinct = min(cmp.Or(opt.distinct, distinctKeys), max(leastOf, distinctCounts/max(1, len(t.columns))))
	limit := levelLimitOf(len(t.columns))
	at := [3]int{}
	for _, c := range t.columns {
		if opt.columns == nil || slices.Contains(opt.columns, c.Name) {
			look := columnLook{column: c, place: at[c.Kind], distinct: distinct{most: opt.distinct}}
			if c.Kind == tables.Text {
				look.levels, look.limit = map[string]int{}, limit
			}
			t.looks = append(t.looks, look)
		}
		at[c.Kind]++
	}
	t.index()
	for b, err := range guard.Batches(ctx) {
		if err != nil {
			return nil, err
		}
		for i := range t.looks {
			t.looks[i].add(b)
		}
		t.rows += b.Rows
		t.sample.add(b)
		t.runs.add(b)
		if opt.runs {
			t.sums.add(b)
		}
		t.addRows(b)
		if opt.each != nil {
			opt.each(b)
		}
	}
	return t, nil
}

// addRows counts equal rows. Columns that by the first batch number the rows would hide them.
func (t *tableLook) addRows(b tables.Batch) {
	if t.whole == nil {
		t.whole = []int{}
		for i := range t.looks {
			if look := &t.looks[i]; look.column.Kind != tables.Vector && !look.isIdentifier() {
				t.whole = append(t.whole, i)
			}
		}
	}
	for i := range b.Rows {
		h := uint64(0)
		for _, j := range t.whole {
			look := &t.looks[j]
			if look.column.Kind == tables.Numeric {
				h = mixed(h ^ math.Float64bits(b.Num.RawMatrix().Data[i*b.Num.RawMatrix().Stride+look.place]+0))
			} else {
				h = mixed(h ^ hashText(b.Text[look.place][i]))
			}
		}
		t.equal.add(h)
	}
}

// repeats reports whether some rows are equal.
func (t *tableLook) repeats() bool { return t.equal.repeated() > 0 }

// profile turns what was kept into profiles.
func (t *tableLook) profile() TableProfile {
	p := TableProfile{Rows: t.rows}
	for i := range t.looks {
		p.Columns = append(p.Columns, t.looks[i].profile(t))
	}
	return p
}

// index finds the places of names, as they stand before in canonical form.
func (t *tableLook) index() {
	t.places = make(map[string]int, len(t.looks))
	for i := len(t.looks) - 1; i >= 0; i-- {
		t.places[tables.CanonicalName(t.looks[i].column.Name)] = i
	}
	for i := range t.looks {
		t.places[t.looks[i].column.Name] = i
	}
}

// place is that of the column of a name among the looks, and so among the profiles, -1 if there is none.
func (t *tableLook) place(name string) int {
	if i, ok := t.places[name]; ok {
		return i
	}
	if i, ok := t.places[tables.CanonicalName(name)]; ok {
		return i
	}
	return -1
}

// of returns what was seen of the column of that name, or nil.
func (t *tableLook) of(name string) *columnLook {
	if i := t.place(name); i >= 0 {
		return &t.looks[i]
	}
	return nil
}

// A columnLook is what one pass keeps of a column.
type columnLook struct {
	column  tables.Column
	place   int // among the columns of its kind
	rows    int
	missing int
	// Numbers.
	mean, m2   float64
	fraction   bool // some number is not whole
	descending bool // some number is not above the one before it
	last       float64
	numbers    extremes
	distinct   distinct
	// Text.
	levels map[string]int // nil when there are too many
	bytes  int
	lines  int // cells of several words
	keys   int // cells that are prefix and a number, as the first such cell
	prefix string
	limit  levelLimit
}

func (c *columnLook) add(b tables.Batch) {
	switch c.column.Kind {
	case tables.Numeric:
		c.addNumbers(b)
	case tables.Text:
		for _, cell := range b.Text[c.place][:b.Rows] {
			c.addText(cell)
		}
	default:
		c.rows += b.Rows
	}
}

func (c *columnLook) addNumbers(b tables.Batch) {
	x := b.Num.RawMatrix()
	for i := range b.Rows {
		v := x.Data[i*x.Stride+c.place]
		c.rows++
		if math.IsNaN(v) {
			c.missing++
			continue
		}
		n := float64(c.rows - c.missing)
		if n > 1 && v <= c.last {
			c.descending = true
		}
		c.last = v
		c.fraction = c.fraction || v != math.Trunc(v)
		gap := v - c.mean
		c.mean += gap / n
		c.m2 += gap * (v - c.mean)
		c.numbers.add(v)
		c.distinct.add(math.Float64bits(v + 0)) // -0 as 0
	}
}

func (c *columnLook) addText(cell string) {
	c.rows++
	if cell == "" {
		c.missing++
		return
	}
	c.distinct.add(hashText(cell))
	if strings.IndexByte(cell, ' ') >= 0 && strings.Contains(strings.TrimSpace(cell), " ") {
		c.lines++
	}
	if prefix := withoutDigits(cell); len(prefix) < len(cell) {
		if c.keys == 0 {
			c.prefix = strings.Clone(prefix)
		}
		if prefix == c.prefix {
			c.keys++
		}
	}
	c.levels = c.limit.add(c.levels, &c.bytes, cell, 1)
}

// withoutDigits is a cell without the digits at its end.
func withoutDigits(cell string) string {
	n := len(cell)
	for n > 0 && literal.IsDigit(cell[n-1]) {
		n--
	}
	return cell[:n]
}

// present is the number of rows that have a value.
func (c *columnLook) present() int { return c.rows - c.missing }
