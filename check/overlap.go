package check

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	fast "mediant/internal/blas"
	"mediant/internal/draw"
	"mediant/internal/parallel"
	"mediant/tables"
)

// An OverlapReason says why S_Y has no such U as a row of S_X.
type OverlapReason uint8

const (
	// Inside is that of rows that S_Y has the like of.
	Inside OverlapReason = iota
	// NewLevel is a level of a column of text that S_Y lacks.
	NewLevel
	// NewMissing is a missing value in a column in which S_Y has none.
	NewMissing
	// NewPattern is a set of missing columns that S_Y lacks.
	NewPattern
	// BeyondRange is a number beyond the range of S_Y.
	BeyondRange
	// FarAway is a row of numbers that no row of S_Y is near to.
	FarAway

	overlapReasons
)

// String names the reason.
func (r OverlapReason) String() string {
	return []string{"inside", "new level", "missing", "new pattern of missing values", "beyond the range", "far from all rows"}[r]
}

// An OverlapColumn counts the rows of S_X, one of frequency k as k, whose value in one column S_Y lacks, for one reason. Of FarAway it is the column that contributes
// most to the distance; NewPattern has no column.
type OverlapColumn struct {
	Column string
	Reason OverlapReason
	Rows   int
	// Levels that S_Y lacks, those of most rows first, at most ten.
	Levels []string
}

// An Overlap says of each row of S_X whether S_Y has such U.
type Overlap struct {
	// Reasons and Scores have an element for each row of S_X, in the order of a pass. A score is 0 well inside, 1 at the edge, above 1
	// without overlap, and infinite for levels and missing values.
	Reasons []OverlapReason
	Scores  []float32
	// Without is the number of rows without overlap, ByReason that of each reason, the first in the order of the constants.
	Without  int
	ByReason [overlapReasons]int
	Columns  []OverlapColumn // the ones of most rows first
	RowsUY   int             // rows of S_Y that have Y, which alone count
}

// Rows is the number of rows of S_X.
func (o *Overlap) Rows() int { return len(o.Reasons) }

// Lacks reports whether row i of S_X is without overlap.
func (o *Overlap) Lacks(i int) bool { return o.Reasons[i] != Inside }

// OverlapOptions are those of FindOverlap. The zero value is usable.
type OverlapOptions struct {
	// Y names the columns of which a row of S_Y must have all to count.
	Y    []string
	Seed uint64
}

const (
	// overlapReferences rows of S_Y are what distances are measured to, and as many more what they are calibrated by; of more than 4,096 columns of
	// numbers fewer are (newRowSample).
	overlapReferences = 2000
	// tailValues is the number of largest values that a tail is extrapolated from, at most.
	tailValues = 100
	// textLevels is the number of levels up to which a column of text never is free text, and textShare the share of cells that
	// differ from there on.
	textLevels, textShare = 100, .5
	// chanceOfRows bounds the probability that what S_X has in so many rows more than S_Y in some column, which has it in none, is chance.
	chanceOfRows = .01
	// Single rows are without overlap that are beyond the range by certainRange times its width, and so far that a row would be there with probability
	// certain/n, or at certainDistance times the limit of distances.
	certain, certainRange, certainDistance = 1e-4, 100, 10.
	// codeValues is the number of distinct whole numbers up to which a column is one of codes.
	codeValues = 50
	// squashed is where standardised values begin to count by their logarithm, so that one long tail does not hide all else.
	squashed = 3
	// countedPatterns bounds the sets of missing columns. Where they are more, a new one is no news.
	countedPatterns = 1 << 18
	// nearReferences are compared at once; most rows are near one of the first of them.
	nearReferences = 128
)

// FindOverlap looks for rows of S_X whose U, the columns of the given names, S_Y has nothing like:
//
//   - levels that S_Y lacks, of columns of text that are not free text (more than 100 levels, and more than half of the cells differ);
//   - values missing where S_Y has none missing, or a set of columns missing that S_Y lacks;
//   - numbers beyond the range of S_Y by more than half a standard deviation (from quartiles);
//   - rows of numbers whose distance to the nearest of 2,000 rows of S_Y is above 1.5 times the 99.9 % quantile of that among rows of S_Y, and half a standard
//     deviation: standardised columns of numbers, missing ones at their medians. Not where all columns are codes, whole numbers of at most 50 values, whose
//     combinations may be new.
//
// Few such rows of a column are chance: were both tables of one distribution, that k rows have what S_Y has in none, or are all beyond its
// range, has probability (n/(n+m))^k at most. They count where that is below 0.01 over all columns, or very far away. Of levels and sets of missing columns three times
// the number is taken off that those which S_Y has once lead one to expect (Good and Turing).
//
// A row of frequency k counts as k rows. Sparse rows are not looked at. Each table is read once, in memory of some 5 bytes a row of S_X and a few thousand rows of S_Y, at n(20 + d) flops a
// reference for rows that are near none. The same tables and seed give the same result. The error is that of a source, or names a column that is in one table only or of
// another kind there; that no row of S_Y has Y is no error: nothing has overlap then.
func FindOverlap(ctx context.Context, xu, uy tables.Source, u []string, opt OverlapOptions) (*Overlap, error) {
	f := &overlapFinder{seed: opt.Seed}
	if err := f.choose(uy.Columns(), u); err != nil {
		return nil, err
	}
	if err := f.readUY(ctx, uy, opt.Y); err != nil {
		return nil, err
	}
	f.calibrate()
	sel, err := tables.Select(xu.Columns(), f.wanted)
	if err != nil {
		return nil, err
	}
	o := &Overlap{RowsUY: f.rows}
	if err := f.readXU(ctx, xu, sel, o); err != nil {
		return nil, err
	}
	f.conclude(o)
	return o, nil
}

// An overlapFinder knows U of S_Y.
type overlapFinder struct {
	seed     uint64
	wanted   []tables.Column
	numbers  []*numberRange
	texts    []*levelSet
	patterns map[uint64]int // nil: too many to be looked at
	rows     int            // with Y; of weight k, a row is k rows here and below
	rowsXU   int
	timesXU  []int32 // of each row of S_X, nil for 1 each

	sample     rowSample // of the numbers of S_Y; the weight of a row is how many it stands for
	limit      levelLimit
	measured   []int // the numbers that distances are of
	references blas64.General
	norms      []float64
	threshold  float64 // of distances

	missing  *hitRows // with a pattern that S_Y lacks
	far      *hitRows
	distance hitCounts // of those, by column
}

// A numberRange is what is known of a column of numbers in S_Y.
type numberRange struct {
	name          string
	at            int // among the wanted columns
	missing, rows int
	whole         bool
	values        map[float64]bool // as long as they are codes
	low, high     tail             // the largest of -v and of v
	centre, scale float64
	least, most   float64 // the range, and beyond
	// The limits, and those from which on a single row is without overlap.
	below, above       float64
	farBelow, farAbove float64
	lacks              *hitRows
	under, over        *hitRows // below and above the limits
}

// A levelSet is what is known of a column of text in S_Y.
type levelSet struct {
	name    string
	at      int
	levels  map[string]int // nil: not looked at
	bytes   int
	cells   int
	missing int
	lacks   *hitRows
	unknown map[string]int // of S_X, the first ones if they are too many
	lost    *hitRows       // missing

	unknownBytes int
}

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

func (f *overlapFinder) choose(have []tables.Column, u []string) error {
	places := make(map[string]int, len(have))
	for i, c := range have {
		places[c.Name] = i
	}
	for _, name := range u {
		i, ok := places[name]
		if !ok {
			i = columnIndex(have, name)
		}
		if i < 0 {
			return fmt.Errorf("check: the table of U and Y has no column %q", name)
		}
		at := len(f.wanted)
		switch have[i].Kind {
		case tables.Numeric:
			f.numbers = append(f.numbers, &numberRange{name: name, at: at, whole: true, values: map[float64]bool{}, lacks: &hitRows{}, under: &hitRows{}, over: &hitRows{}})
		case tables.Text:
			f.texts = append(f.texts, &levelSet{name: name, at: at, levels: map[string]int{}, unknown: map[string]int{}, lacks: &hitRows{}, lost: &hitRows{}})
		default:
			continue
		}
		f.wanted = append(f.wanted, have[i])
	}
	f.sample, f.limit = newRowSample(2*overlapReferences, len(f.numbers), draw.Rand(f.seed, "overlap", 0)), levelLimitOf(len(f.texts))
	f.patterns, f.missing, f.far, f.distance = map[uint64]int{}, &hitRows{}, &hitRows{}, make(hitCounts, len(f.numbers))
	return nil
}

// columnIndex finds a column by its name, exactly or else in canonical form, as package tables matches them.
func columnIndex(columns []tables.Column, name string) int {
	if i := slices.IndexFunc(columns, func(c tables.Column) bool { return c.Name == name }); i >= 0 {
		return i
	}
	name = tables.CanonicalName(name)
	return slices.IndexFunc(columns, func(c tables.Column) bool { return tables.CanonicalName(c.Name) == name })
}

// readUY reads the rows of S_Y that have Y.
func (f *overlapFinder) readUY(ctx context.Context, uy tables.Source, y []string) error {
	sel, err := tables.Select(uy.Columns(), f.wanted)
	if err != nil {
		return err
	}
	var ofY []tables.Column
	for _, c := range uy.Columns() {
		if slices.Contains(y, c.Name) && c.Kind != tables.Vector {
			ofY = append(ofY, c)
		}
	}
	selY, err := tables.Select(uy.Columns(), ofY)
	if err != nil {
		return err
	}
	var block overlapBlock
	for b, err := range tables.NewGuard("", uy).Batches(ctx) {
		if err != nil {
			return err
		}
		block.read(b, sel, f)
		has := complete(b, selY)
		for i := range b.Rows {
			if !has[i] {
				continue
			}
			times := timesOf(b, i)
			f.rows += times
			if f.patterns != nil {
				f.patterns[block.patterns[i]] += times
			}
			for j, c := range f.numbers {
				c.add(block.numbers[j][i], times)
			}
			for j, c := range f.texts {
				c.add(block.texts[j][i], times, f.limit)
			}
			f.keep(block.numbers, i, times)
		}
		if len(f.patterns) > countedPatterns {
			f.patterns = nil
		}
	}
	return nil
}

// timesOf is how many rows a row of a batch stands for.
func timesOf(b tables.Batch, i int) int {
	if f := b.Frequencies(); f != nil {
		return int(f[i])
	}
	return 1
}

// complete reports which rows of a batch have all of the selected columns.
func complete(b tables.Batch, sel *tables.Selection) []bool {
	has := make([]bool, b.Rows)
	for i := range has {
		has[i] = true
	}
	values := make([]float64, b.Rows)
	for k := range sel.Len() {
		switch kind, _ := sel.Place(k); kind {
		case tables.Numeric:
			sel.NumericTo(values, b, k)
			for i, v := range values {
				has[i] = has[i] && !math.IsNaN(v)
			}
		case tables.Text:
			for i, cell := range sel.Text(b, k) {
				has[i] = has[i] && cell != ""
			}
		}
	}
	return has
}

// An overlapBlock has the wanted columns of a batch, and which of them each row lacks, as a hash.
type overlapBlock struct {
	numbers  [][]float64
	texts    [][]string
	patterns []uint64
}

func (k *overlapBlock) read(b tables.Batch, sel *tables.Selection, f *overlapFinder) {
	k.patterns = slices.Grow(k.patterns[:0], b.Rows)[:b.Rows]
	clear(k.patterns)
	k.numbers, k.texts = slices.Grow(k.numbers, len(f.numbers))[:len(f.numbers)], slices.Grow(k.texts, len(f.texts))[:len(f.texts)]
	for j, c := range f.numbers {
		k.numbers[j] = slices.Grow(k.numbers[j][:0], b.Rows)[:b.Rows]
		sel.NumericTo(k.numbers[j], b, c.at)
		for i, v := range k.numbers[j] {
			if math.IsNaN(v) {
				k.patterns[i] += mixed(uint64(c.at) + 1)
			}
		}
	}
	for j, c := range f.texts {
		k.texts[j] = sel.Text(b, c.at)
		for i, cell := range k.texts[j] {
			if cell == "" {
				k.patterns[i] += mixed(uint64(c.at) + 1)
			}
		}
	}
}

func (c *numberRange) add(v float64, times int) {
	c.rows += times
	if math.IsNaN(v) {
		c.missing += times
		return
	}
	c.whole = c.whole && v == math.Trunc(v)
	if c.values != nil {
		if c.values[v] = true; len(c.values) > codeValues || !c.whole {
			c.values = nil
		}
	}
	c.low.add(-v)
	c.high.add(v)
}

func (c *levelSet) add(cell string, times int, limit levelLimit) {
	if cell == "" {
		c.missing += times
		return
	}
	c.cells += times
	c.levels = limit.add(c.levels, &c.bytes, cell, times)
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

// keep samples rows of numbers.
func (f *overlapFinder) keep(numbers [][]float64, i, times int) {
	if len(numbers) == 0 {
		return
	}
	f.sample.offer(func(row *sampledRow) {
		row.num, row.weight = row.num[:0], float64(times)
		for _, values := range numbers {
			row.num = append(row.num, values[i])
		}
	})
}

// calibrate finds the limits of columns and of distances.
func (f *overlapFinder) calibrate() {
	all, rows := true, f.sample.heap
	for j, c := range f.numbers {
		c.calibrate(j, rows, len(f.numbers))
		all = all && c.values != nil
		if c.scale > 0 {
			f.measured = append(f.measured, j)
		}
	}
	if all || len(f.measured) == 0 {
		f.measured = nil
		return
	}
	d := len(f.measured)
	times := make([]int, len(rows))
	standardised := make([]float64, len(rows)*d)
	for i, row := range rows {
		times[i] = int(row.weight)
		for k, j := range f.measured {
			standardised[i*d+k] = f.numbers[j].standardised(row.num[j])
		}
	}
	half := f.sample.most / 2
	f.sample = rowSample{}
	// Which row of the heap is first is a matter of priorities, and so of chance.
	references := min(len(rows), half)
	f.references = blas64.General{Rows: references, Cols: d, Stride: d, Data: standardised[:references*d]}
	f.norms = make([]float64, references)
	for i := range f.norms {
		f.norms[i] = squareOf(standardised[i*d : (i+1)*d])
	}
	f.threshold = f.distances(blas64.General{Rows: len(rows), Cols: d, Stride: d, Data: standardised}, times)
}

// calibrate finds the range and the limits of a column, one of so many, from its values in sampled rows.
func (c *numberRange) calibrate(j int, rows []sampledRow, columns int) {
	c.least, c.most = -c.low.largest(), c.high.largest()
	n := c.rows - c.missing
	var values counted
	for _, row := range rows {
		if v := row.num[j]; !math.IsNaN(v) {
			values.add(v, int(row.weight))
		}
	}
	if values.total == 0 {
		return
	}
	values.sort()
	c.centre = values.quantile(.5)
	if c.scale = (values.quantile(.75) - values.quantile(.25)) / 1.349; c.scale == 0 {
		c.scale = values.deviation()
	}
	c.below, c.above = c.least-.5*c.scale, c.most+.5*c.scale
	c.farBelow, c.farAbove = math.Inf(-1), math.Inf(1)
	if c.scale > 0 {
		margin, p := certainRange*(c.most-c.least), certain/2/float64(columns)
		c.farBelow, c.farAbove = c.least-max(margin, c.low.beyond(-c.centre, n, p)), c.most+max(margin, c.high.beyond(c.centre, n, p))
	}
}

// counted are values that stand for several rows each.
type counted struct {
	of []struct {
		value float64
		times int
	}
	total int
}

func (c *counted) add(v float64, times int) {
	c.of = append(c.of, struct {
		value float64
		times int
	}{v, times})
	c.total += times
}

func (c *counted) sort() {
	slices.SortFunc(c.of, func(a, b struct {
		value float64
		times int
	}) int {
		return cmp.Compare(a.value, b.value)
	})
}

// quantile is that of the sorted values.
func (c *counted) quantile(p float64) float64 {
	at := int(p*float64(c.total-1) + .5)
	for _, v := range c.of {
		if at -= v.times; at < 0 {
			return v.value
		}
	}
	return math.NaN()
}

func (c *counted) deviation() float64 {
	mean, square := 0.0, 0.0
	for _, v := range c.of {
		mean += v.value * float64(v.times) / float64(c.total)
	}
	for _, v := range c.of {
		square += (v.value - mean) * (v.value - mean) * float64(v.times)
	}
	return math.Sqrt(square / float64(c.total))
}

// standardised is a value in standard deviations from the median, by its logarithm beyond three of them; a missing one is 0.
func (c *numberRange) standardised(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	z := (v - c.centre) / c.scale
	if a := math.Abs(z); a > squashed {
		return math.Copysign(squashed+math.Log(a-squashed+1), z)
	}
	return z
}

func squareOf(row []float64) float64 { return floats.Dot(row, row) }

// distances is the limit of the distance of a row to its nearest reference, from rows of S_Y, of which the first are the references.
func (f *overlapFinder) distances(rows blas64.General, times []int) float64 {
	var near counted
	const part = 128 // rows at a time
	out := blas64.General{Cols: f.references.Rows, Stride: f.references.Rows, Data: make([]float64, part*f.references.Rows)}
	for lo := 0; lo < rows.Rows; lo += part {
		own := rows
		own.Rows = min(part, rows.Rows-lo)
		own.Data = rows.Data[lo*rows.Stride:]
		out.Rows = own.Rows
		fast.Gemm(blas.NoTrans, blas.Trans, 1, own, f.references, 0, out)
		for i := range own.Rows {
			norm := squareOf(own.Data[i*own.Stride : i*own.Stride+own.Cols])
			least := math.Inf(1)
			for k, p := range out.Data[i*out.Stride : (i+1)*out.Stride] {
				if k != lo+i {
					least = min(least, norm+f.norms[k]-2*p)
				}
			}
			if times[lo+i] > 1 {
				least = 0
			}
			near.add(math.Sqrt(max(least, 0)), times[lo+i])
		}
	}
	if rows.Rows < 2 {
		return math.Inf(1)
	}
	near.sort()
	return max(1.5*near.quantile(.999), .5)
}

// readXU looks at the rows of S_X.
func (f *overlapFinder) readXU(ctx context.Context, xu tables.Source, sel *tables.Selection, o *Overlap) error {
	var block overlapBlock
	for b, err := range tables.NewGuard("", xu).Batches(ctx) {
		if err != nil {
			return err
		}
		block.read(b, sel, f)
		start := len(o.Reasons)
		o.Reasons = append(o.Reasons, make([]OverlapReason, b.Rows)...)
		o.Scores = append(o.Scores, make([]float32, b.Rows)...)
		reasons, scores := o.Reasons[start:], o.Scores[start:]
		times := make([]int, b.Rows)
		for i := range times {
			times[i] = timesOf(b, i)
			f.rowsXU += times[i]
			if b.Frequencies() != nil {
				f.timesXU = append(f.timesXU, int32(times[i]))
			}
		}
		for j, c := range f.texts {
			for i, cell := range block.texts[j] {
				c.look(start+i, cell, times[i], f.limit)
			}
		}
		for i, pattern := range block.patterns {
			if f.patterns != nil && f.patterns[pattern] == 0 {
				f.missing.add(start+i, times[i])
			}
		}
		for j, c := range f.numbers {
			for i, v := range block.numbers[j] {
				switch score, sure := c.look(start+i, v, times[i]); {
				case sure:
					reasons[i] = BeyondRange
					fallthrough
				default:
					scores[i] = max(scores[i], float32(score))
				}
			}
		}
		f.near(start, block.numbers, times, reasons, scores)
	}
	return nil
}

// look notes what is new about a cell.
func (c *levelSet) look(row int, cell string, times int, limit levelLimit) {
	if cell == "" {
		if c.missing == 0 {
			c.lost.add(row, times)
		}
		return
	}
	if c.levels == nil || c.levels[cell] > 0 {
		return
	}
	c.lacks.add(row, times)
	limit.add(c.unknown, &c.unknownBytes, cell, times)
}

// look returns the score of a number, and whether it is beyond the range whatever others are.
func (c *numberRange) look(row int, v float64, times int) (score float64, sure bool) {
	switch {
	case math.IsNaN(v):
		if c.missing == 0 {
			c.lacks.add(row, times)
		}
	case c.rows == c.missing: // no range
	case v > c.most:
		if score = (v - c.most) / (c.above - c.most); score > 1 {
			c.over.add(row, times)
		}
	case v < c.least:
		if score = (c.least - v) / (c.least - c.below); score > 1 {
			c.under.add(row, times)
		}
	}
	return score, v > c.farAbove || v < c.farBelow
}

// near finds the rows of a batch that are inside as far as their columns go and far from all references.
func (f *overlapFinder) near(start int, numbers [][]float64, times []int, reasons []OverlapReason, scores []float32) {
	d := len(f.measured)
	if d == 0 {
		return
	}
	var left []int
	for i, r := range reasons {
		if r == Inside {
			left = append(left, i)
		}
	}
	rows := make([]float64, len(left)*d)
	least := make([]float64, len(left))
	nearest := make([]int, len(left))
	for n, i := range left {
		for k, j := range f.measured {
			rows[n*d+k] = f.numbers[j].standardised(numbers[j][i])
		}
		least[n] = math.Inf(1)
	}
	const part = 128 // rows at a time, several parts at once
	parallel.Blocks(len(left), part, func(lo, hi int) {
		open := make([]int, 0, hi-lo)
		for n := lo; n < hi; n++ {
			open = append(open, n)
		}
		f.nearestTo(rows, d, open, least, nearest)
	})
	for n, i := range left {
		distance := math.Sqrt(max(least[n], 0))
		if distance <= f.threshold {
			continue
		}
		scores[i] = max(scores[i], float32(distance/f.threshold))
		if f.far.add(start+i, times[i]); distance > certainDistance*f.threshold {
			reasons[i] = FarAway
		}
		f.distance[f.measured[farthest(rows[n*d:(n+1)*d], f.references.Data[nearest[n]*d:(nearest[n]+1)*d])]] += times[i]
	}
}

// farthest is the column in which two rows differ most.
func farthest(a, b []float64) int {
	at, most := 0, -1.0
	for j, v := range a {
		if gap := math.Abs(v - b[j]); gap > most {
			at, most = j, gap
		}
	}
	return at
}

// nearestTo finds for the open rows the least squared distance to a reference, or one that is near enough, and the reference.
func (f *overlapFinder) nearestTo(rows []float64, d int, open []int, least []float64, nearest []int) {
	limit := f.threshold * f.threshold
	own := make([]float64, len(open)*d)
	norms := make([]float64, len(open))
	products := make([]float64, len(open)*nearReferences)
	for first := 0; first < f.references.Rows && len(open) > 0; first += nearReferences {
		count := min(nearReferences, f.references.Rows-first)
		for k, n := range open {
			copy(own[k*d:(k+1)*d], rows[n*d:(n+1)*d])
			norms[k] = squareOf(rows[n*d : (n+1)*d])
		}
		out := blas64.General{Rows: len(open), Cols: count, Stride: count, Data: products}
		part := blas64.General{Rows: count, Cols: d, Stride: d, Data: f.references.Data[first*d:]}
		fast.Gemm(blas.NoTrans, blas.Trans, 1, blas64.General{Rows: len(open), Cols: d, Stride: d, Data: own}, part, 0, out)
		still := open[:0]
		for k, n := range open {
			for r, p := range products[k*count : (k+1)*count] {
				if square := norms[k] + f.norms[first+r] - 2*p; square < least[n] {
					least[n], nearest[n] = square, first+r
				}
			}
			if least[n] > limit {
				still = append(still, n)
			}
		}
		open = still
	}
}

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

// A tail keeps the largest values, descending.
type tail struct{ values []float64 }

func (t *tail) add(v float64) {
	if n := len(t.values); n > tailValues && v <= t.values[n-1] {
		return
	}
	at, _ := slices.BinarySearchFunc(t.values, v, func(have, v float64) int { return cmp.Compare(v, have) })
	t.values = slices.Insert(t.values, at, v)
	t.values = t.values[:min(len(t.values), tailValues+1)]
}

func (t *tail) largest() float64 {
	if len(t.values) == 0 {
		return math.Inf(-1)
	}
	return t.values[0]
}

// beyond is by how much the value that others exceed with probability p is above the largest of n, at least 0: from the generalised
// Pareto distribution of the largest tenth, at most 100 of them, less the centre, by moments of logarithms (Dekkers, Einmahl and de Haan,
// Annals of Statistics 17, 1989). Tails that end are taken for exponential ones.
func (t *tail) beyond(centre float64, n int, p float64) float64 {
	k := min(len(t.values)-1, max(5, n/10))
	if k < 5 || t.values[k]-centre <= 0 {
		return 0
	}
	base := t.values[k] - centre
	var first, second float64
	for _, v := range t.values[:k] {
		l := math.Log((v - centre) / base)
		first += l / float64(k)
		second += l * l / float64(k)
	}
	if second == 0 || second <= first*first {
		return 0
	}
	negative := 1 - .5/(1-first*first/second)
	shape := max(first+negative, 0)
	size := base * first * (1 - min(negative, 0))
	steps := math.Log(float64(k) / (float64(n) * p))
	at := size * steps
	if shape > 1e-6 {
		at = size * math.Expm1(shape*steps) / shape
	}
	return max(base+at-(t.values[0]-centre), 0)
}
