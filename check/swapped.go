package check

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mediant/tables"
)

// swapped finds two columns of U, by their places, of which each is in one table what the other is in the other. The error is that of
// ctx: of many columns there are very many pairs.
func (m *comparer) swapped(ctx context.Context, places []int, are func(i, j int) bool) error {
	for k, i := range places {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, j := range places[:k] {
			a, b := m.columns[j].name, m.columns[i].name
			if m.settled[a] || m.settled[b] || !are(i, j) {
				continue
			}
			m.say(Finding{Code: ColumnsSwapped, Severity: Error, Columns: []string{a, b}, gravity: 1,
				What:   fmt.Sprintf("%q of the first table is like %q of the second, and the other way round: their names seem to be swapped in one table", a, b),
				Effect: "Y is learned from one and asked of the other",
				Remedy: fmt.Sprintf("swap the names in the table that is wrong, or --accept %s:%q", ColumnsSwapped, a)})
		}
	}
	return nil
}

// numbersSwapped compares the distributions of two columns of numbers that differ between the tables, in any arm.
func (m *comparer) numbersSwapped(i, j int) bool {
	if m.columns[i].kind == tables.Text || m.columns[j].kind == tables.Text {
		return false
	}
	return slices.ContainsFunc(m.arms, func(arm []*uColumn) bool { return looksLike(arm[i], arm[j]) && looksLike(arm[j], arm[i]) })
}

// looksLike reports whether a column in the first table is distributed as another one in the second.
func looksLike(a, b *uColumn) bool {
	x, y := a.present(0), b.present(1)
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	return alike(gapAt(x[len(x)/2], x, y), len(x), len(y)) && alike(distance(x, y), len(x), len(y))
}

// gapAt is the gap of the distribution functions of two sorted samples at a value, which tells most columns apart by itself.
func gapAt(v float64, x, y []float64) float64 {
	upTo := func(of []float64) float64 {
		n, _ := slices.BinarySearchFunc(of, v, func(have, v float64) int {
			if have <= v {
				return -1
			}
			return 1
		})
		return float64(n) / float64(len(of))
	}
	return math.Abs(upTo(x) - upTo(y))
}

// ownLevels are those places of columns of levels that have no level in common with themselves in the other table.
func (m *comparer) ownLevels(places []int) []int {
	return slices.DeleteFunc(places, func(i int) bool {
		u := m.columns[i]
		return u.kind != tables.Text || u.free || sharedRows(u.levels(0), u.levels(1)) > 0
	})
}

// levelsSwapped reports whether two columns of ownLevels have nearly all levels in common with each other.
func (m *comparer) levelsSwapped(i, j int) bool {
	a, b := m.columns[i], m.columns[j]
	return mostlyIn(a.levels(0), b.levels(1)) && mostlyIn(b.levels(0), a.levels(1))
}

// sharedRows counts the rows of levels that other has too.
func sharedRows(counts, other map[string]int) int {
	n := 0
	for level, rows := range counts {
		if other[level] > 0 {
			n += rows
		}
	}
	return n
}

func mostlyIn(counts, other map[string]int) bool {
	n := total(counts)
	return n > 0 && 10*sharedRows(counts, other) >= 9*n
}
