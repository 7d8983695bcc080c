package check

import (
	"context"
	"fmt"
	"testing"

	"mediant/tables"
)

// TestLookIsBounded: what a look keeps of a table does not grow with the product of its columns and rows.
func TestLookIsBounded(t *testing.T) {
	const rows = 300
	values := make([]float64, rows)
	for i := range values {
		values[i] = float64(i) / 7
	}
	columns := make([]tables.ColumnData, sampleCells/leastOf+1)
	for j := range columns {
		columns[j] = tables.Numbers(fmt.Sprint("u", j), values[:3])
	}
	look, err := look(context.Background(), table(t, columns...), 0)
	if err != nil {
		t.Fatal(err)
	}
	if most := look.sample.most; most != leastOf {
		t.Errorf("%d rows of %d columns are sampled, want %d", most, len(columns), leastOf)
	}
	wide := columns[:200]
	for j := range wide {
		wide[j] = tables.Numbers(fmt.Sprint("u", j), values)
	}
	if look, err = lookAt(context.Background(), table(t, wide...), 0, lookOptions{distinct: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	counts := 0
	for i := range look.looks {
		counts += look.looks[i].distinct.most
	}
	if counts > distinctCounts || look.looks[0].distinct.count() != rows || len(look.sample.heap) != rows {
		t.Errorf("%d values may be counted, %d are, %d rows sampled", counts, look.looks[0].distinct.count(), len(look.sample.heap))
	}
}

// TestPlacesOfNames: a column is found by its name, or else by one that looks the same.
func TestPlacesOfNames(t *testing.T) {
	var look tableLook
	for _, name := range []string{"größe", " a", "a", "b\u200b"} {
		look.looks = append(look.looks, columnLook{column: tables.Column{Name: name}})
	}
	look.index()
	for _, c := range []struct {
		name string
		want int
	}{{"größe", 0}, {"gro\u0308ße", 0}, {"a", 2}, {" a", 1}, {"a ", 2}, {"b", 3}, {"c", -1}, {"", -1}} {
		if got := look.place(c.name); got != c.want {
			t.Errorf("%q is column %d, want %d", c.name, got, c.want)
		}
	}
}
