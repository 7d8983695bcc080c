package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mediant/tables"
)

// TestKindsOfTables: an identifier or a date of one table that the other has measured is refused, and what is one in both is left out.
func TestKindsOfTables(t *testing.T) {
	const n, m = 400, 300
	rnd := rand.New(rand.NewPCG(1, 2))
	normal := func(int) float64 { return rnd.NormFloat64() }
	tenths := func(int) float64 { return math.Round(10*(130+12*rnd.NormFloat64())) / 10 }
	whole := func(int) float64 { return math.Round(130 + 12*rnd.NormFloat64()) }
	running := func(i int) float64 { return float64(i + 1) }
	clock := func(i int) string { return fmt.Sprintf("%d:%02d", 2+i%2, i%60) }
	day := func(i int) string { return fmt.Sprintf("2019-%02d-%02d", 1+i%12, 1+i%28) }
	for _, c := range []struct {
		what string
		x, y tables.ColumnData
		want string
	}{
		{"ranks and decimals", numbers("bp", n, tenths), numbers("bp", m, running), "error kinds-differ bp"},
		{"decimals and ranks", numbers("bp", n, running), numbers("bp", m, tenths), "error kinds-differ bp"},
		{"whole numbers and ranks", numbers("bp", n, whole), numbers("bp", m, running), "error kinds-differ bp"},
		{"levels and ranks", text("bp", n, func(i int) string { return []string{"low", "high"}[i%2] }), numbers("bp", m, running), "error kinds-differ bp"},
		{"durations and numbers", numbers("bp", n, tenths), text("bp", m, clock), "error kinds-differ bp"},
		{"dates and numbers", text("bp", n, day), numbers("bp", m, tenths), "error kinds-differ bp"},
		{"running numbers", numbers("bp", n, running), numbers("bp", m, running), "note identifier bp"},
		{"rows of each", numbers("bp", n, func(i int) float64 { return float64(i * m / n) }), numbers("bp", m, running), "note identifier bp"},
		{"days", numbers("bp", n, func(i int) float64 { return 43000 + float64(i%50) }), text("bp", m, day), "note date bp"},
		{"dates", text("bp", n, day), text("bp", m, day), "note date bp"},
		{"codes and numbers of them", text("bp", n, func(i int) string { return fmt.Sprintf("P%04d", i) }), numbers("bp", m, func(i int) float64 { return float64(i % 150) }), "note identifier bp"},
	} {
		xu := table(t, numbers("x", n, normal), numbers("u", n, normal), c.x)
		uy := table(t, numbers("u", m, normal), c.y, numbers("y", m, normal))
		if all := found(t, xu, uy, Options{}); !slices.Equal(all, []string{c.want}) {
			t.Errorf("%s: %q, want %q", c.what, all, c.want)
		}
	}
}
