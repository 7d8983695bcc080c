package check

import (
	"math"
	"slices"
	"testing"

	"mediant/tables"
)

// TestNothingKnown: X or Y that is missing in all rows is said, and nothing else. One column of X may be; one of Y would cost all rows,
// and is left out, or refused where a flag names it.
func TestNothingKnown(t *testing.T) {
	const n = 60
	some := func(i int) float64 { return float64(i * i % 23) }
	none := func(int) float64 { return math.NaN() }
	none2 := func(int) string { return "" }
	for _, c := range []struct {
		x, y []tables.ColumnData
		want []string
	}{
		{[]tables.ColumnData{numbers("x", n, some)}, []tables.ColumnData{numbers("y", n, none)}, []string{"error nothing-known y"}},
		{[]tables.ColumnData{numbers("x", n, some)}, []tables.ColumnData{text("y", n, none2)}, []string{"error nothing-known y"}},
		{[]tables.ColumnData{numbers("x", n, none)}, []tables.ColumnData{numbers("y", n, some)}, []string{"error nothing-known x"}},
		{[]tables.ColumnData{numbers("x", n, some), numbers("x2", n, none)}, []tables.ColumnData{numbers("y", n, some)}, nil},
		{[]tables.ColumnData{numbers("x", n, some)}, []tables.ColumnData{numbers("y", n, none), numbers("z", n, some)}, []string{"note nothing-known y"}},
		{[]tables.ColumnData{numbers("x", n, some)}, []tables.ColumnData{text("y", n, none2), numbers("z", n, some)}, []string{"note nothing-known y"}},
	} {
		u := numbers("u", n, func(i int) float64 { return float64(i*7%n) / 8 })
		if got := found(t, table(t, append(c.x, u)...), table(t, append(c.y, u)...), Options{}); !slices.Equal(got, c.want) {
			t.Errorf("%d columns of X, %d of Y: %q, want %q", len(c.x), len(c.y), got, c.want)
		}
	}
	u := numbers("u", n, func(i int) float64 { return float64(i*7%n) / 8 })
	xu, uy := table(t, numbers("x", n, some), u), table(t, u, numbers("y", n, none), numbers("z", n, some))
	opt := Options{Roles: tables.RoleOptions{Y: []string{"y", "z"}}}
	if got := found(t, xu, uy, opt); !slices.Equal(got, []string{"error nothing-known y"}) {
		t.Errorf("with --y y,z: %q", got)
	}
}
