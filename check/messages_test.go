package check

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mediant/tables"
)

// TestRemedies: what is advised fits what the column holds, and a column that is used is not said to be left out.
func TestRemedies(t *testing.T) {
	const n = 120
	rnd := rand.New(rand.NewPCG(6, 9))
	normal := func(int) float64 { return rnd.NormFloat64() }
	for _, c := range []struct {
		name         string
		cells        func(i int) string
		only         bool // the column is all that U has
		want, never  string
		wantSeverity Severity
	}{
		{"thousands", func(i int) string { return fmt.Sprintf("%d,%03d", 1+i%40, i*37%1000) }, false, "write plain numbers", "--decimal", Error},
		{"thousands and hundreds", func(i int) string { return []string{"353", "22,353", "1,022,353"}[i%3] }, false, "write plain numbers", "--decimal", Error},
		{"decimal commas", func(i int) string { return fmt.Sprintf("%d,%d", i%40, i*37%1000) }, false, "--decimal-", "plain numbers of", Error},
		{"three decimals", func(i int) string { return fmt.Sprintf("%d,%03d", i%3, i*37%1000) }, false, "--decimal-", "plain numbers of", Error},
		{"lengths of time", func(i int) string { return fmt.Sprintf("%02d:%02d", i%24, i*37%60) }, false, "lengths of time as numbers", "--text", Note},
		{"with seconds", func(i int) string { return fmt.Sprintf("%d:%02d:%02d", i%20, i*37%60, i*7%60) }, false, "lengths of time as numbers", "--text", Note},
		{"a year of two digits", func(i int) string { return fmt.Sprintf("%02d.%02d.%02d", 1+i%28, 1+i%12, i%20) }, false, "--text", "lengths", Note},
		{"dates alone", func(i int) string { return fmt.Sprintf("2020-%02d-%02d", 1+i%12, 1+i%28) }, true, "and used, since there is no other column", "left out", Warning},
		{"identifiers alone", func(i int) string { return fmt.Sprintf("P%05d", i*37) }, true, "and used, since there is no other column", "left out", Warning},
		{"persons alone", func(i int) string { return fmt.Sprintf("P%05d", i/3) }, true, "and used, since there is no other column", "left out", Warning},
	} {
		name := "v"
		if c.name == "persons alone" {
			name = "person"
		}
		x, y := []tables.ColumnData{numbers("x", n, normal), text(name, n, c.cells)}, []tables.ColumnData{text(name, n, c.cells), numbers("y", n, normal)}
		if !c.only {
			x, y = append(x, numbers("u", n, normal)), append(y, numbers("u", n, normal))
		}
		r, err := Tables(t.Context(), table(t, x...), table(t, y...), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var text string
		for _, f := range r.Findings {
			if f.Columns != nil && f.Columns[0] == name && f.Severity == c.wantSeverity && text == "" && f.Code != GroupedRows {
				text = f.String()
			}
		}
		if !strings.Contains(text, c.want) || strings.Contains(text, c.never) {
			t.Errorf("%s: %q, want %q and not %q", c.name, text, c.want, c.never)
		}
	}
}
