package check

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mediant/tables"
)

// TestGapAt: the gap at a value is one of those of which distance is the largest, with ties and without.
func TestGapAt(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		var samples [2][]float64
		for k := range samples {
			for range 1 + rnd.IntN(12) {
				samples[k] = append(samples[k], float64(rnd.IntN(6)))
			}
			slices.Sort(samples[k])
		}
		x, y := samples[0], samples[1]
		most := 0.
		for _, v := range slices.Concat(x, y) {
			most = max(most, gapAt(v, x, y))
		}
		if d := distance(x, y); most != d {
			t.Fatalf("%v, %v: the largest gap is %g, the distance %g", x, y, most, d)
		}
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
