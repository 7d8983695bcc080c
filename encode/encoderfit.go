package encode

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"mediant/internal/literal"
	"mediant/internal/rowops"
	"mediant/tables"
)

const (
	// freeTextLevels is the number of levels beyond which a text column is free text if more than half of its values are
	// distinct, because such levels hardly occur in new rows.
	freeTextLevels = 100
	// maxLevels and maxLevelBytes bound what is held of a text column while it is read.
	maxLevels     = 10000
	maxLevelBytes = 1 << 24
	// maxPlaces bounds the width of sparse rows that a file of a model may claim, as tables does.
	maxPlaces = 1 << 24
)

// EncoderOptions are the choices of FitEncoder. The zero value is the default.
type EncoderOptions struct {
	NoStandardize bool // numbers pass as they are
	KeepConstant  bool // columns of numbers that do not vary are kept
	Text          TextOptions
}

// FitEncoder reads the named columns of every source once and returns the encoder of the pooled rows, a row of weight k as k
// rows. Memory does not grow with the number of rows. It is an error if a source fails, has no rows or lacks a column, if no
// column varies, if opt.Text is out of range, or if the square of a number does not fit float64. Text with more than 100
// levels and more than half of the values distinct, or with more than 10,000 levels, is taken as free text.
func FitEncoder(ctx context.Context, columns []tables.Column, opt EncoderOptions, sources ...tables.Source) (*Encoder, error) {
	text := opt.Text.withDefaults()
	if err := text.check(); err != nil {
		return nil, err
	}
	fits := make([]columnFit, len(columns))
	seen := make(map[string]bool, len(columns))
	for i, c := range columns {
		if seen[c.Name] || !utf8.ValidString(c.Name) {
			return nil, fmt.Errorf("encode: column %q is named twice or not UTF-8", c.Name)
		}
		seen[c.Name] = true
		fits[i] = columnFit{column: c, min: math.Inf(1), max: math.Inf(-1), levels: map[string]int{}, text: text, keep: opt.KeepConstant}
	}
	rows := make([]int, len(sources))
	for s, src := range sources {
		selection, err := tables.Select(src.Columns(), columns)
		if err != nil {
			return nil, fmt.Errorf("encode: table %d: %w", s+1, err)
		}
		for batch, err := range tables.NewGuard("", src).Batches(ctx) {
			if err != nil {
				return nil, err
			}
			rows[s] += batch.Count()
			for i := range fits {
				_, place := selection.Place(i)
				if err := fits[i].add(batch, place); err != nil {
					return nil, err
				}
			}
		}
		if rows[s] == 0 {
			return nil, fmt.Errorf("encode: table %d has no rows", s+1)
		}
	}
	fitted := make([]column, len(fits))
	for i := range fits {
		var err error
		if fitted[i], err = fits[i].result(); err != nil {
			return nil, err
		}
	}
	return newEncoder(!opt.NoStandardize, fitted, rows)
}

// columnFit gathers what a column's encoding depends on.
type columnFit struct {
	column             tables.Column
	missing            bool    // some rows have no value
	weight             float64 // of those that have one
	count              int     // of those that have text
	min, max, mean, m2 float64
	places             int            // of sparse rows
	levels             map[string]int // how often each occurs, until they are too many
	levelBytes         int
	text               TextOptions
	free               *textCount // of free text, instead of levels
	keep               bool       // numbers that do not vary
}

func (f *columnFit) add(batch tables.Batch, at int) error {
	switch f.column.Kind {
	case tables.Text:
		return f.addText(batch, batch.Text[at][:batch.Rows])
	case tables.Vector:
		f.addVectors(batch, batch.Sparse[at])
		return nil
	}
	f.addNumbers(batch, at)
	return nil
}

// addNumbers merges a block's weight, mean and sum of squared deviations [Chan, Golub and LeVeque,
// Updating formulae and a pairwise algorithm for computing sample variances, 1979]. Within the block
// deviations are taken from its first value, and then from its mean, so that columns far from 0 keep
// their digits.
func (f *columnFit) addNumbers(batch tables.Batch, j int) {
	x, weights := batch.Num.RawMatrix(), batch.Weights()
	var weight, first, sum float64
	for i := range x.Rows {
		v := rowops.Row(x, i)[j]
		if math.IsNaN(v) {
			f.missing = true
			continue
		}
		if weight == 0 {
			first = v
		}
		w := rowops.WeightAt(weights, i)
		weight += w
		sum += w * (v - first)
		f.min, f.max = min(f.min, v), max(f.max, v)
	}
	if weight == 0 {
		return
	}
	mean := first + sum/weight
	var m2 float64
	for i := range x.Rows {
		if v := rowops.Row(x, i)[j]; !math.IsNaN(v) {
			m2 += rowops.WeightAt(weights, i) * (v - mean) * (v - mean)
		}
	}
	share := weight / (f.weight + weight)
	delta := mean - f.mean
	f.mean += delta * share
	f.m2 += m2 + delta*delta*(f.weight*share)
	f.weight += weight
}

// addVectors adds the squares of sparse rows.
func (f *columnFit) addVectors(batch tables.Batch, rows tables.SparseRows) {
	f.places = max(f.places, rows.Width)
	weights := batch.Weights()
	for i := range batch.Rows {
		w := rowops.WeightAt(weights, i)
		f.weight += w
		_, values := rows.Row(i)
		for _, v := range values {
			f.m2 += w * v * v
		}
	}
}

func (f *columnFit) addText(batch tables.Batch, cells []string) error {
	weights := batch.Weights()
	for i, cell := range cells {
		if cell == "" {
			f.missing = true
			continue
		}
		times := batch.Copies(i)
		f.count += times
		f.weight += rowops.WeightAt(weights, i)
		if f.free != nil {
			if !utf8.ValidString(cell) {
				return f.notUTF8(cell)
			}
			f.free.add(cell, times)
			continue
		}
		if _, ok := f.levels[cell]; ok {
			f.levels[cell] += times
			continue
		}
		if !utf8.ValidString(cell) {
			return f.notUTF8(cell)
		}
		// A cell may be a piece of a large buffer, which must not be kept for it.
		f.levels[strings.Clone(cell)] = times
		if f.levelBytes += len(cell); len(f.levels) > maxLevels || f.levelBytes > maxLevelBytes {
			f.countTerms()
		}
	}
	return nil
}

func (f *columnFit) notUTF8(cell string) error {
	return fmt.Errorf("encode: column %q: %.40q is not UTF-8", f.column.Name, cell)
}

// countTerms takes the column as free text from now on: levels become counts of terms.
func (f *columnFit) countTerms() {
	f.free = newTextCount(f.text)
	for level, times := range f.levels { // in any order: counts are integers
		f.free.add(level, times)
	}
	f.levels = nil
}

func (f *columnFit) result() (column, error) {
	c := column{name: f.column.Name, kind: f.column.Kind, missing: f.missing}
	if f.weight == 0 {
		c.dropped = emptyColumn
		return c, nil
	}
	if c.kind == tables.Text {
		return f.textResult(c)
	}
	if c.kind == tables.Vector {
		return f.vectorResult(c)
	}
	if err := f.checkSquares(); err != nil {
		return c, err
	}
	if f.min == f.max {
		// Not by the variance, which need not come out as 0.
		c.mean, c.scale = f.min, 1
		if !f.keep {
			c.dropped = constantColumn
		}
		return c, nil
	}
	c.mean, c.scale = f.mean, math.Sqrt(f.m2/f.weight)
	if !(f.m2 >= 0x1p-1022) {
		return c, fmt.Errorf("encode: column %q varies so little, from %g to %g, that float64 cannot hold the squares; rescale the column", c.name, f.min, f.max)
	}
	return c, nil
}

// vectorResult keeps the root mean square norm of sparse rows.
func (f *columnFit) vectorResult(c column) (column, error) {
	c.places, c.scale, c.missing = f.places, math.Sqrt(f.m2/f.weight), false
	switch {
	case f.m2 == 0:
		c.places, c.scale, c.dropped = 0, 1, constantColumn
	case math.IsInf(f.m2, 0) || f.m2 < 0x1p-1022:
		return c, fmt.Errorf("encode: column %q has sparse rows whose squares sum to %g: float64 cannot hold that; rescale them", c.name, f.m2)
	}
	return c, nil
}

// checkSquares refuses values whose squares, and spreads whose sum of squares, are not finite.
func (f *columnFit) checkSquares() error {
	if most := max(-f.min, f.max); math.IsInf(most*most, 0) || math.IsInf(f.m2, 0) || math.IsNaN(f.m2) {
		return fmt.Errorf("encode: column %q has values from %g to %g: float64 cannot hold their squares; rescale the column",
			f.column.Name, f.min, f.max)
	}
	return nil
}

// textResult keeps the levels, missing text among them, in natural order.
func (f *columnFit) textResult(c column) (column, error) {
	if len(f.levels) > freeTextLevels && 2*len(f.levels) > f.count {
		f.countTerms()
	}
	if f.free != nil {
		c.text = newTextColumn(f.free.hasher, f.free.documents, f.free.frequencies)
		return c, nil
	}
	for level := range f.levels {
		c.levels = append(c.levels, level)
	}
	if f.missing {
		c.levels = append(c.levels, "")
	}
	slices.SortFunc(c.levels, literal.NaturalCompare)
	if len(c.levels) == 1 {
		c.dropped = constantColumn
	}
	return c, nil
}
