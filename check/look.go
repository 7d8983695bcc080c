package check

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mediant/internal/draw"
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
	hashes  []uint64 // of the rows or the cells of a batch
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
	var numbers moments
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
			t.hashes = t.looks[i].add(b, t.hashes)
		}
		numbers.add(b)
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
	for i := range t.looks {
		if c := &t.looks[i]; c.column.Kind == tables.Numeric && numbers != nil {
			c.mean, c.m2 = numbers[c.place].mean, numbers[c.place].m2
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
	t.hashes = slices.Grow(t.hashes[:0], b.Rows)[:b.Rows]
	clear(t.hashes)
	for _, j := range t.whole {
		t.looks[j].mixInto(t.hashes, b)
	}
	counted := t.hashes[:0]
	for _, h := range t.hashes {
		if h = mixed(h); t.equal.takes(h) {
			counted = append(counted, h)
		}
	}
	t.equal.keepAll(counted)
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
	mean, m2   float64 // at the end of the pass
	fraction   bool    // some number is not whole
	descending bool    // some number is not above the one before it
	last       float64 // while none is
	numbers    extremes
	distinct   distinct
	// Text.
	recent []recentCell
	hashes []uint64       // of the cells of the last batch
	levels map[string]int // nil when there are too many
	bytes  int
	lines  int  // cells of several words
	keyed  bool // some cell is a prefix and a number
	prefix string
	keys   int // cells that are this prefix and a number
	limit  levelLimit
}

// add uses the memory of scratch, which may be nil, and returns it.
func (c *columnLook) add(b tables.Batch, scratch []uint64) []uint64 {
	switch c.column.Kind {
	case tables.Numeric:
		scratch = c.addNumbers(b, scratch)
	case tables.Text:
		c.addCells(b.Text[c.place][:b.Rows])
	}
	c.rows += b.Rows
	return scratch
}

// addNumbers uses the memory of scratch, which may be nil, and returns it.
func (c *columnLook) addNumbers(b tables.Batch, scratch []uint64) []uint64 {
	x, present := b.Num.RawMatrix(), c.present()
	counted, level := scratch[:0], c.distinct.level
	low, high := c.numbers.between()
	for at, end := c.place, b.Rows*x.Stride; at < end; at += x.Stride {
		v := x.Data[at]
		if math.IsNaN(v) {
			c.missing++
			continue
		}
		if !c.descending {
			c.descending = present > 0 && v <= c.last
			c.last = v
			present++
		}
		if !c.fraction {
			c.fraction = v != math.Trunc(v)
		}
		if v <= low || v >= high {
			c.numbers.add(v)
			low, high = c.numbers.between()
		}
		if h := mixed(math.Float64bits(v + 0)); ofLevel(h, level) { // -0 as 0
			counted = append(counted, h)
		}
	}
	c.distinct.keepAll(counted)
	return counted
}

// mixInto makes the cells of a batch that has been added part of the hashes of its rows.
func (c *columnLook) mixInto(hashes []uint64, b tables.Batch) {
	if c.column.Kind == tables.Text {
		for i, h := range c.hashes {
			hashes[i] = mixed(hashes[i] ^ h)
		}
		return
	}
	x := b.Num.RawMatrix()
	for i := range hashes {
		hashes[i] = mixed(hashes[i] ^ math.Float64bits(x.Data[i*x.Stride+c.place]+0))
	}
}

// present is the number of rows that have a value.
func (c *columnLook) present() int { return c.rows - c.missing }
