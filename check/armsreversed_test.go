package check

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestArmsReversed: a treatment that is coded the other way from a row on is reported; one whose effect is 0, the same, or other in size, or that was
// given in blocks of time, is not.
func TestArmsReversed(t *testing.T) {
	const n = 500
	const warning = "warning arms-differ t"
	for _, c := range []struct {
		what   string
		arm    func(i, drawn int) float64 // the treatment as it is in the table
		effect func(i int) float64
		want   bool
	}{
		{"coded the other way", func(i, drawn int) float64 {
			if i >= 300 {
				return float64(1 - drawn)
			}
			return float64(drawn)
		}, func(int) float64 { return .7 }, true},
		{"an effect", func(_, drawn int) float64 { return float64(drawn) }, func(int) float64 { return .7 }, false},
		{"none", func(_, drawn int) float64 { return float64(drawn) }, func(int) float64 { return 0 }, false},
		{"a smaller one", func(_, drawn int) float64 { return float64(drawn) }, func(i int) float64 { return 1 - float64(i)/n }, false},
		{"an end of it", func(_, drawn int) float64 { return float64(drawn) }, func(i int) float64 { return float64(i / 250) }, false},
	} {
		rnd := rand.New(rand.NewPCG(5, 6))
		arm, u := make([]float64, n), make([]float64, n)
		for i := range n {
			drawn := rnd.IntN(2)
			arm[i], u[i] = c.arm(i, drawn), c.effect(i)*float64(drawn)+rnd.NormFloat64()
		}
		normal := func(int) float64 { return rnd.NormFloat64() }
		xu := table(t, numbers("t", n, func(i int) float64 { return arm[i] }), numbers("u", n, func(i int) float64 { return u[i] }), numbers("v", n, normal))
		uy := table(t, numbers("u", n, normal), numbers("v", n, normal), numbers("y", n, normal))
		if all := found(t, xu, uy, Options{Treatment: "t"}); slices.Contains(all, warning) != c.want {
			t.Errorf("%s: %q", c.what, all)
		}
	}
}

// TestReversalLevel: of scores that the arms do not explain, in any order, or explain alike everywhere, fewer than one in 1,000 have a probability below 0.001.
func TestReversalLevel(t *testing.T) {
	const n, tables = 200, 2000
	rnd := rand.New(rand.NewPCG(7, 8))
	for kind, of := range map[string]func(i, arm int) float64{
		"none":         func(int, int) float64 { return rnd.NormFloat64() },
		"trend":        func(i, _ int) float64 { return float64(i)/20 + rnd.NormFloat64() },
		"spread":       func(i, _ int) float64 { return float64(1+4*(i/150)) * rnd.NormFloat64() },
		"spread above": func(i, _ int) float64 { return float64(1+9*(1-min(1, i/30))) * rnd.NormFloat64() },
		"effect":       func(_, arm int) float64 { return .3*float64(arm) + rnd.NormFloat64() },
	} {
		low := 0
		for range tables {
			values, arm := make([]float64, n), make([]int, n)
			for i := range n {
				arm[i] = rnd.IntN(2)
				values[i] = of(i, arm[i])
			}
			if reversalOf(normalScores(values), arm).chance < .001 {
				low++
			}
		}
		if low > 6 { // of a mean of 2, odds of 1 in 200 at most
			t.Errorf("%s: %d of %d", kind, low, tables)
		}
	}
}

// TestInBlocks: rows of one arm that follow each other are blocks, and drawn ones, or pairs of one of either, are not.
func TestInBlocks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	var drawn, pairs, blocks []int
	for i := range 200 {
		drawn, pairs, blocks = append(drawn, rnd.IntN(2)), append(pairs, i%2), append(blocks, i/20%2)
	}
	if inBlocks(drawn) || inBlocks(pairs) || !inBlocks(blocks) {
		t.Error(inBlocks(drawn), inBlocks(pairs), inBlocks(blocks))
	}
}
