package check

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"mediant/internal/draw"
	"mediant/tables"
)

const (
	// sampleRows of a table are kept for quantiles and for joint comparisons.
	sampleRows = 4096
	// countedLevels bounds the levels of a column of text that are counted one by one.
	countedLevels = 10_000
	// levelBytes bounds what they take.
	levelBytes = 1 << 20
)

// A tableLook is what one pass over a table keeps.
type tableLook struct {
	columns []tables.Column
	looks   []columnLook
	places  map[string]int // among the looks, by name and by canonical name
	rows    int
	sample  rowSample
	equal   distinct // hashes of whole rows, less columns that number them
	whole   []int    // the columns that these are of
}

// look reads a table once.
func look(ctx context.Context, src tables.Source, seed uint64) (*tableLook, error) {
	return lookAt(ctx, src, seed, lookOptions{})
}

// lookOptions say what of a table is looked at; zero: all of it.
type lookOptions struct {
	columns  []string           // nil: all
	distinct int                // how many distinct values are counted one by one; 0: distinctKeys
	rows     int                // how many are sampled; 0: sampleRows
	each     func(tables.Batch) // sees every batch; nil: nothing does
}

func lookAt(ctx context.Context, src tables.Source, seed uint64, opt lookOptions) (*tableLook, error) {
	guard := tables.NewGuard("", src)
	t := &tableLook{columns: guard.Columns(), sample: rowSample{rnd: draw.Rand(seed, "check", 0), most: opt.rows}}
	at := [3]int{}
	for _, c := range t.columns {
		if opt.columns == nil || slices.Contains(opt.columns, c.Name) {
			look := columnLook{column: c, place: at[c.Kind], distinct: distinct{most: opt.distinct}}
			if c.Kind == tables.Text {
				look.levels = map[string]int{}
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
	if strings.ContainsRune(strings.TrimSpace(cell), ' ') {
		c.lines++
	}
	if c.levels == nil {
		return
	}
	if _, ok := c.levels[cell]; !ok {
		if len(c.levels) == countedLevels || c.bytes+len(cell) > levelBytes {
			c.levels = nil
			return
		}
		c.bytes += len(cell)
		cell = strings.Clone(cell) // which may be part of a large buffer
	}
	c.levels[cell]++
}

// hashText is FNV-1a, mixed so that its lowest bits depend on all of the text.
func hashText(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// mixed spreads the bits of a key (the finaliser of SplitMix64).
func mixed(h uint64) uint64 {
	h ^= h >> 30
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 27
	h *= 0x94d049bb133111eb
	return h ^ h>>31
}

// present is the number of rows that have a value.
func (c *columnLook) present() int { return c.rows - c.missing }

// distinctKeys is how many distinct values of a column are counted one by one.
const distinctKeys = 1 << 14

// distinct counts distinct values, and how often each occurs: exactly up to most of them, and then among those whose
// hash ends in level zeros, 1 in 2^level.
type distinct struct {
	of    map[uint64]int
	level uint
	most  int // 0: distinctKeys
}

func (d *distinct) add(key uint64) {
	h := mixed(key)
	if h&(1<<d.level-1) != 0 {
		return
	}
	if d.of == nil {
		d.of = map[uint64]int{}
	}
	d.of[h]++
	for len(d.of) > cmp.Or(d.most, distinctKeys) {
		d.level++
		for h := range d.of {
			if h&(1<<d.level-1) != 0 {
				delete(d.of, h)
			}
		}
	}
}

// count is the number of distinct values, exact at level 0.
func (d *distinct) count() int { return len(d.of) << d.level }

// repeated is the share of rows whose value occurs more than once, among those counted.
func (d *distinct) repeated() float64 {
	rows, more := 0, 0
	for _, n := range d.of {
		rows += n
		if n > 1 {
			more += n
		}
	}
	return float64(more) / float64(max(rows, 1))
}

// extremeValues is how many distinct values are kept at either end.
const extremeValues = 4

// extremes are the least and the greatest distinct values of a column with their counts, outermost first.
type extremes struct{ low, high []valueCount }

type valueCount struct {
	value float64
	rows  int
}

func (e *extremes) add(v float64) {
	if n := len(e.low); n < extremeValues || v <= e.low[n-1].value {
		e.low = keepExtreme(e.low, v, 1)
	}
	if n := len(e.high); n < extremeValues || v >= e.high[n-1].value {
		e.high = keepExtreme(e.high, v, -1)
	}
}

// keepExtreme counts v in a list of the outermost values, those with the least sign·value.
func keepExtreme(list []valueCount, v, sign float64) []valueCount {
	for i := range list {
		switch {
		case list[i].value == v:
			list[i].rows++
			return list
		case sign*v < sign*list[i].value:
			list = slices.Insert(list, i, valueCount{v, 1})
			return list[:min(len(list), extremeValues)]
		}
	}
	if len(list) < extremeValues {
		list = append(list, valueCount{v, 1})
	}
	return list
}

// A sampledRow is one row of a sample.
type sampledRow struct {
	priority uint64
	number   int
	num      []float64
	text     []string
	weight   float64
}

// rowSample keeps most rows, drawn uniformly: those of the least priorities, which are drawn in the order of the rows.
type rowSample struct {
	rnd  *rand.Rand
	heap rowHeap
	most int // 0: sampleRows
}

func (s *rowSample) add(b tables.Batch) {
	weights, most := b.Weights(), cmp.Or(s.most, sampleRows)
	for i := range b.Rows {
		priority := s.rnd.Uint64()
		if len(s.heap) == most && priority >= s.heap[0].priority {
			continue
		}
		row := sampledRow{priority: priority, number: b.Number(i), weight: 1}
		if weights != nil {
			row.weight = weights[i]
		}
		if b.Num != nil {
			row.num = slices.Clone(b.Num.RawRowView(i))
		}
		for _, cells := range b.Text {
			row.text = append(row.text, strings.Clone(cells[i]))
		}
		heap.Push(&s.heap, row)
		if len(s.heap) > most {
			heap.Pop(&s.heap)
		}
	}
}

// rowHeap has the greatest priority first.
type rowHeap []sampledRow

func (h rowHeap) Len() int           { return len(h) }
func (h rowHeap) Less(i, j int) bool { return h[i].priority > h[j].priority }
func (h rowHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *rowHeap) Push(x any)        { *h = append(*h, x.(sampledRow)) }
func (h *rowHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
