package check

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestArmsInBlocks: blocks of rows that were treated as a whole are reported where they differ in U; arms that follow each other for other reasons are not.
func TestArmsInBlocks(t *testing.T) {
	const n = 600
	for _, c := range []struct {
		name string
		rows func(i int, block []float64, rnd *rand.Rand) (arm, u float64)
		want bool
	}{
		{"blocks of 30", func(i int, b []float64, _ *rand.Rand) (float64, float64) { return float64(i / 30 % 2), b[i/30] }, true},
		{"blocks of 15", func(i int, b []float64, _ *rand.Rand) (float64, float64) { return float64(i / 15 % 2), b[i/15] }, true},
		{"blocks of 12", func(i int, b []float64, _ *rand.Rand) (float64, float64) { return float64(i / 12 % 2), b[i/12] }, true},
		{"that differ little", func(i int, b []float64, _ *rand.Rand) (float64, float64) { return float64(i / 20 % 2), .6 * b[i/20] }, true},
		{"with an effect", func(i int, b []float64, _ *rand.Rand) (float64, float64) {
			return float64(i / 20 % 2), b[i/20] + float64(i/20%2)
		}, true},
		{"blocks that are alike", func(i int, _ []float64, _ *rand.Rand) (float64, float64) { return float64(i / 30 % 2), 0 }, false},
		{"an effect alone", func(i int, _ []float64, _ *rand.Rand) (float64, float64) {
			return float64(i / 30 % 2), float64(i / 30 % 2)
		}, false},
		{"drawn by row", func(i int, b []float64, rnd *rand.Rand) (float64, float64) { return float64(rnd.IntN(2)), b[i/30] }, false},
		{"sorted by arm", func(i int, b []float64, _ *rand.Rand) (float64, float64) { return float64(i / 300), b[i/30] }, false},
		{"sites sorted by arm", func(i int, b []float64, _ *rand.Rand) (float64, float64) { return float64(i / 30 % 2), b[i/60] }, false},
		{"a trend", func(i int, _ []float64, _ *rand.Rand) (float64, float64) {
			return float64(i / 30 % 2), float64(i) / 200
		}, false},
	} {
		for seed := range uint64(2) {
			rnd := rand.New(rand.NewPCG(seed, 47))
			normal := func(int) float64 { return rnd.NormFloat64() }
			block := make([]float64, n)
			for i := range block {
				block[i] = rnd.NormFloat64()
			}
			arm, u := make([]float64, n), make([]float64, n)
			for i := range n {
				arm[i], u[i] = c.rows(i, block, rnd)
				u[i] += rnd.NormFloat64()
			}
			xu := table(t, numbers("t", n, at(arm)), numbers("u", n, at(u)), numbers("v", n, normal))
			uy := table(t, numbers("u", n, normal), numbers("v", n, normal), numbers("y", n, normal))
			got := found(t, xu, uy, Options{Treatment: "t"})
			if slices.ContainsFunc(got, func(f string) bool { return strings.HasPrefix(f, "warning grouped-rows t") }) != c.want {
				t.Errorf("%s, seed %d: %q", c.name, seed, got)
			}
		}
	}
}

// TestCopiesAreNoBlocks: rows that were drawn one by one and stand in the table several times each count once, and are no blocks.
func TestCopiesAreNoBlocks(t *testing.T) {
	const n, times = 600, 5
	rnd := rand.New(rand.NewPCG(1, 47))
	normal := func(int) float64 { return rnd.NormFloat64() }
	arm, u := make([]float64, n), make([]float64, n)
	for i := range n {
		if i%times == 0 {
			arm[i], u[i] = float64(rnd.IntN(2)), rnd.NormFloat64()
		} else {
			arm[i], u[i] = arm[i-1], u[i-1]
		}
	}
	xu := table(t, numbers("t", n, at(arm)), numbers("u", n, at(u)))
	uy := table(t, numbers("u", n, normal), numbers("y", n, normal))
	if got := found(t, xu, uy, Options{Treatment: "t"}); slices.ContainsFunc(got, func(f string) bool { return strings.Contains(f, "grouped-rows") }) {
		t.Errorf("%q", got)
	}
}
