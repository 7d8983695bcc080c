package check

import (
	"fmt"
	"slices"

	"mediant/tables"
)

// swapped finds two columns of U, by their places, of which each is in one table what the other is in the other.
func (m *comparer) swapped(places []int, are func(i, j int) bool) {
	for k, i := range places {
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
	return len(x) > 0 && len(y) > 0 && alike(distance(x, y), len(x), len(y))
}

// levelsSwapped reports whether two columns of levels have no level in common with themselves in the other table, and nearly all with
// each other.
func (m *comparer) levelsSwapped(i, j int) bool {
	a, b := m.columns[i], m.columns[j]
	if a.kind != tables.Text || b.kind != tables.Text || a.free || b.free {
		return false
	}
	ax, ay, bx, by := countCells(a.cells[0]), countCells(a.cells[1]), countCells(b.cells[0]), countCells(b.cells[1])
	return sharedRows(ax, ay) == 0 && sharedRows(bx, by) == 0 && mostlyIn(ax, by) && mostlyIn(bx, ay)
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
