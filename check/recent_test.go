package check

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"mediant/tables"
)

// TestTextIsCountedCellByCell: what is kept of a column of text is what counting one cell after the other gives, wherever batches end and however many cells share a place.
func TestTextIsCountedCellByCell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "b", "two words", " padded ", "P1", "P2", "Q3", "12"}), rapid.StringMatching(`[a-c]{1,4}[0-9]{0,2}`))
		c := columnLook{column: tables.Column{Name: "u", Kind: tables.Text}, levels: map[string]int{}, limit: levelLimitOf(1)}
		levels, missing, lines, keys, prefix, keyed := map[string]int{}, 0, 0, 0, "", false
		for range rapid.IntRange(1, 4).Draw(t, "batches") {
			cells := rapid.SliceOfN(cell, 0, 200).Draw(t, "cells")
			c.add(tables.Batch{Rows: len(cells), Text: [][]string{slices.Clone(cells)}}, nil)
			for i, cell := range cells {
				if c.hashes[i] != hashText(cell) {
					t.Fatalf("hash of %q", cell)
				}
				if cell == "" {
					missing++
					continue
				}
				levels[cell]++
				if strings.Contains(strings.TrimSpace(cell), " ") {
					lines++
				}
				if p := withoutDigits(cell); p != cell {
					if !keyed {
						keyed, prefix = true, p
					}
					if p == prefix {
						keys++
					}
				}
			}
		}
		if !maps.Equal(c.levels, levels) || c.missing != missing || c.lines != lines || c.keys != keys || c.prefix != prefix || c.distinct.count() != len(levels) {
			t.Fatalf("%+v, want levels %v, %d missing, %d lines, %d keys of %q", c, levels, missing, lines, keys, prefix)
		}
		for level, rows := range levels {
			if got := c.distinct.of.rows(mixed(hashText(level))); got != rows {
				t.Fatalf("%q is counted in %d rows, want %d", level, got, rows)
			}
		}
	})
}

// TestNumbersAreCounted: moments, order and distinct values of columns of a table with missing values, over more values than are counted one by one.
func TestNumbersAreCounted(t *testing.T) {
	const n, most = 3000, 256
	a, b := make([]float64, n), make([]float64, n)
	var present []float64
	for i := range n {
		a[i], b[i] = float64(i), 1e6+math.Sin(float64(i))
		if i%7 == 3 {
			b[i] = math.NaN()
		} else {
			present = append(present, b[i])
		}
	}
	look, err := lookAt(t.Context(), table(t, tables.Numbers("a", a), tables.Numbers("b", b)), 0, lookOptions{distinct: most})
	if err != nil {
		t.Fatal(err)
	}
	rising, other := look.of("a"), look.of("b")
	if rising.descending || !other.descending || rising.fraction || !other.fraction || other.missing != n-len(present) {
		t.Errorf("%+v, %+v", rising, other)
	}
	for _, c := range []struct {
		look   *columnLook
		values []float64
	}{{rising, a}, {other, present}} {
		mean, sd := stat.PopMeanStdDev(c.values, nil)
		if gotSD := math.Sqrt(c.look.m2 / float64(len(c.values))); math.Abs(c.look.mean-mean) > 1e-12*mean || math.Abs(gotSD-sd) > 1e-9*sd {
			t.Errorf("mean %g and deviation %g, want %g and %g", c.look.mean, gotSD, mean, sd)
		}
		of, level := 0, c.look.distinct.level
		for _, v := range c.values {
			if mixed(math.Float64bits(v))&(1<<level-1) == 0 {
				of++
			}
		}
		if level == 0 || c.look.distinct.of.n != of || of > most {
			t.Errorf("%d hashes of level %d, want %d", c.look.distinct.of.n, level, of)
		}
	}
	before := slices.Clone(look.sample.values(0))
	look.sample.add(tables.Batch{Rows: 1, Num: mat.NewDense(1, 2, []float64{-1, 0})})
	if after := look.sample.values(0); len(before) != n || len(after) != n+1 || after[0] != -1 {
		t.Errorf("%d values, and %d with one more", len(before), len(after))
	}
}
