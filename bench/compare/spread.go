package main

import (
	"fmt"
	"math"
	"slices"
)

// A spread is the median of a sample and its quartiles.
type spread struct{ low, median, high float64 }

// spreadOf summarises values, at least one, and leaves them as they are.
func spreadOf(values []float64) spread {
	sorted := slices.Sorted(slices.Values(values))
	return spread{quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)}
}

// quantile interpolates between the values next to (n-1)p, counted from 0.
func quantile(sorted []float64, p float64) float64 {
	at := float64(len(sorted)-1) * p
	below := math.Floor(at)
	lo, hi := sorted[int(below)], sorted[int(math.Ceil(at))]
	return lo + (at-below)*(hi-lo)
}

// ratios divides round by round, so that what slows both sides for a while does not count.
func ratios(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return out
}

func (s spread) String() string { return fmt.Sprintf("%.2f [%.2f, %.2f]", s.median, s.low, s.high) }
