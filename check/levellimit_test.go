package check

import (
	"context"
	"fmt"
	"math"
	"testing"

	"mediant/tables"
)

// TestLevelsAreBounded: the levels that are counted of all columns are no more than a bound, but for a few of each, and few columns have what they had.
func TestLevelsAreBounded(t *testing.T) {
	for _, columns := range []int{0, 1, 64, 65, 104, 300, 5000, 100_000} {
		l := levelLimitOf(columns)
		if l.levels*columns > allLevels && l.levels > leastOf || l.bytes*columns > allLevelBytes && l.bytes > leastLevelBytes {
			t.Errorf("%d columns: %+v each", columns, l)
		}
		if columns <= 64 && l != (levelLimit{countedLevels, levelBytes}) {
			t.Errorf("%d columns: %+v each, want all", columns, l)
		}
	}
	const rows, wide = 4000, 400
	cells := make([]string, rows)
	for i := range cells {
		cells[i] = fmt.Sprint("level ", i%3000)
	}
	columns := make([]tables.ColumnData, wide)
	for j := range columns {
		columns[j] = tables.Strings(fmt.Sprint("u", j), cells)
	}
	src := table(t, columns...)
	look, err := look(context.Background(), src, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range look.looks {
		if l.levels != nil || l.bytes > l.limit.bytes {
			t.Fatalf("%d levels of %d columns are counted, in %d bytes", len(l.levels), wide, l.bytes)
		}
	}
	f := &overlapFinder{}
	if err := f.choose(src.Columns(), []string{"u0", "u1"}); err != nil {
		t.Fatal(err)
	}
	f.limit = levelLimit{levels: 2999, bytes: levelBytes}
	if err := f.readUY(context.Background(), src, nil); err != nil {
		t.Fatal(err)
	}
	if f.texts[0].levels != nil {
		t.Errorf("%d levels are counted, want none", len(f.texts[0].levels))
	}
}

// TestOverlapIsBounded: the rows of very many columns that distances are measured to take no more memory than those of some, new levels of S_X
// no more than those of S_Y, and sets of missing columns are not counted without end.
func TestOverlapIsBounded(t *testing.T) {
	columns := make([]tables.Column, 100_000)
	names := make([]string, len(columns))
	for j := range columns {
		names[j] = fmt.Sprint("u", j)
		columns[j] = tables.Column{Name: names[j]}
	}
	var f overlapFinder
	if err := f.choose(columns[:100], names[:100]); err != nil || f.sample.most != 2*overlapReferences {
		t.Errorf("%d rows of 100 columns are kept, want %d (%v)", f.sample.most, 2*overlapReferences, err)
	}
	f = overlapFinder{}
	if err := f.choose(columns, names); err != nil || f.sample.most != leastOf {
		t.Errorf("%d rows of %d columns are kept, want %d (%v)", f.sample.most, len(columns), leastOf, err)
	}
	c := levelSet{levels: map[string]int{"a": 1}, unknown: map[string]int{}, lacks: &hitRows{}, lost: &hitRows{}}
	for i := range 100 {
		c.look(i, fmt.Sprint("level ", i), 1, levelLimit{levels: 1000, bytes: 70})
	}
	if len(c.unknown) != 10 || c.lacks.rows != 100 {
		t.Errorf("%d new levels are kept of %d rows, want 10 of 100", len(c.unknown), c.lacks.rows)
	}
	src := table(t, tables.Numbers("u0", []float64{1, math.NaN(), 3}))
	f = overlapFinder{}
	if err := f.choose(src.Columns(), names[:1]); err != nil {
		t.Fatal(err)
	}
	for i := range countedPatterns + 1 {
		f.patterns[uint64(i)<<20+12345] = 1
	}
	if err := f.readUY(context.Background(), src, nil); err != nil || f.patterns != nil {
		t.Errorf("%d sets of missing columns are counted (%v)", len(f.patterns), err)
	}
	var o Overlap
	sel, err := tables.Select(src.Columns(), f.wanted)
	if err != nil {
		t.Fatal(err)
	}
	f.calibrate()
	if err := f.readXU(context.Background(), src, sel, &o); err != nil || f.missing.rows != 0 {
		t.Errorf("%d rows have a new set of missing columns (%v)", f.missing.rows, err)
	}
}
