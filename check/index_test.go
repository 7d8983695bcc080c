package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mediant/tables"
)

// TestAlongTheIndex: a treatment that changes each of eight columns of U a little, in the direction of Y, is found rows away from where it belongs, or coded the other way
// in later rows, though eight columns and their squares hide it; as it is, or where it changes nothing, it is not. Of 8 draws one may go the other way.
func TestAlongTheIndex(t *testing.T) {
	const n, columns, draws = 250, 8, 8
	moved := func(by int) func(arm []float64) { return func(arm []float64) { moveDown(arm, 0, n, by) } }
	for _, c := range []struct {
		name        string
		shift       float64
		spoil       func(arm []float64)
		code        Code
		least, most int
	}{
		{"one row down", .3, moved(1), MisalignedRows, draws - 1, draws},
		{"one row up", .3, moved(n - 1), MisalignedRows, draws - 1, draws},
		{"five rows down", .4, moved(5), MisalignedRows, draws - 1, draws},
		{"the other way in later rows", .4, func(arm []float64) {
			for i := n / 2; i < n; i++ {
				arm[i] = 1 - arm[i]
			}
		}, ArmsDiffer, draws - 1, draws},
		{"as it is", .3, func([]float64) {}, "", 0, 0},
		{"without effect", 0, func([]float64) {}, "", 0, 0},
	} {
		times := 0
		for seed := range uint64(draws) {
			rnd := rand.New(rand.NewPCG(seed, 48))
			arm, y := make([]float64, n), make([]float64, n)
			for i := range n {
				arm[i] = float64(rnd.IntN(2))
			}
			var xu, uy []tables.ColumnData
			for j := range columns {
				name := fmt.Sprint("u", j)
				xu = append(xu, numbers(name, n, func(i int) float64 { return c.shift*arm[i] + rnd.NormFloat64() }))
				u := make([]float64, n)
				for i := range n {
					u[i] = c.shift/2 + rnd.NormFloat64()
					y[i] += u[i]
				}
				uy = append(uy, numbers(name, n, at(u)))
			}
			c.spoil(arm)
			xu = append(xu, numbers("t", n, at(arm)))
			uy = append(uy, numbers("y", n, func(i int) float64 { return y[i] + rnd.NormFloat64() }))
			if slices.ContainsFunc(found(t, table(t, xu...), table(t, uy...), Options{Treatment: "t"}), func(f string) bool {
				return strings.HasPrefix(f, "warning ") && strings.HasSuffix(f, " t") && strings.Contains(f, string(c.code))
			}) {
				times++
			}
		}
		if times < c.least || times > c.most {
			t.Errorf("%s: found in %d of %d draws, want %d to %d", c.name, times, draws, c.least, c.most)
		}
	}
}
