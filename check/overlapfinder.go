package check

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/draw"
	"mediant/tables"
)

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
