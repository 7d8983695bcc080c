package losses_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"mediant/losses"
)

// TestJoinBins: runs are in order, have all rows, and ten each unless there are fewer in all.
func TestJoinBins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Map(rapid.SampledFrom([]int{0, 0, 1, 4, 9, 10, 50}), func(n int) float64 { return float64(n) }), 10, 10).Draw(t, "rows")
		total, before := 0., 0
		runs := losses.JoinBins(rows)
		for _, run := range runs {
			if run[0] < before || run[1] <= run[0] || run[1] > 10 {
				t.Fatalf("runs %v of %v", runs, rows)
			}
			before = run[1]
			sum := floats.Sum(rows[run[0]:run[1]])
			total += sum
			if sum < 10 && len(runs) > 1 {
				t.Fatalf("%g rows in the run %v of %v", sum, run, rows)
			}
		}
		if total != floats.Sum(rows) {
			t.Fatalf("%g rows in the runs %v, want those of %v", total, runs, rows)
		}
	})
}

// TestBinOfSums: bins are ratios of sums, and their gradients central differences.
func TestBinOfSums(t *testing.T) {
	means := make([]float64, 30)
	for i := range means {
		means[i] = .02 + .01*math.Abs(math.Sin(float64(i)))
	}
	run := [2]int{2, 4}
	bin, right, gap := losses.BinOfSums(means, run)
	if want := (means[6] + means[9]) / (means[7] + means[10]); math.Abs(bin.Right-want) > 1e-15 {
		t.Errorf("right %g, want %g", bin.Right, want)
	}
	for i := range means {
		at := func(by float64) losses.CalibrationBin {
			moved := slices.Clone(means)
			moved[i] += by
			b, _, _ := losses.BinOfSums(moved, run)
			return b
		}
		const step = 1e-6 // third derivatives are some 1e5
		up, down := at(step), at(-step)
		if slope := (up.Right - down.Right) / (2 * step); math.Abs(slope-right[i]) > 1e-5 {
			t.Errorf("by %d: right has the slope %g, want %g", i, right[i], slope)
		}
		if slope := (up.Right - up.Mean - down.Right + down.Mean) / (2 * step); math.Abs(slope-gap[i]) > 1e-5 {
			t.Errorf("by %d: the gap has the slope %g, want %g", i, gap[i], slope)
		}
	}
}

// TestBinOf: of two classes the second counts, of more the largest, and 1 is in the last bin.
func TestBinOf(t *testing.T) {
	for _, c := range []struct {
		of          []float64
		output, bin int
	}{{[]float64{.9, .1}, 1, 1}, {[]float64{0, 1}, 1, 9}, {[]float64{.2, .5, .3}, 1, 5}, {[]float64{.55, .25, .2}, 0, 5}} {
		if output, bin := losses.BinOf(c.of); output != c.output || bin != c.bin {
			t.Errorf("%v is in bin %d of output %d", c.of, bin, output)
		}
	}
}
