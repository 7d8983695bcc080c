package losses

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// A Calibration compares probabilities of classes with how often they are right, in bins of a tenth, of which those of fewer than ten rows are joined to a neighbour. Of two classes the probabilities are those of the second,
// of more those of the predicted class.
type Calibration struct {
	Bins []CalibrationBin `json:"bins"`
	// Error is the mean of |Mean - Right| over the rows, the expected calibration error. Sampling alone makes it ByChance on average where all probabilities are right.
	Error    float64 `json:"expected_error"`
	ByChance float64 `json:"expected_error_by_chance"`
}

// A CalibrationBin is the rows whose probability is in [Lo, Hi).
type CalibrationBin struct {
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Share float64 `json:"share"` // of the rows, by weight
	Mean  float64 `json:"mean"`  // probability
	// Right is the share of the rows, or an estimate of it, that have the class, with its standard error and its 95 % interval. An estimate may be outside [0, 1].
	Right   float64 `json:"right"`
	SE      float64 `json:"se"`
	RightLo float64 `json:"right_lo"`
	RightHi float64 `json:"right_hi"`
}

// CalibrationBins is the number of bins.
const CalibrationBins = 10

// BinOf returns the output and the bin of a row of at least two probabilities.
func BinOf(probabilities []float64) (output, bin int) {
	output = 1
	if len(probabilities) > 2 {
		output = floats.MaxIdx(probabilities)
	}
	return output, max(0, min(int(probabilities[output]*CalibrationBins), CalibrationBins-1))
}

// leastInBin is the number of rows of a bin below which standard errors say little.
const leastInBin = 10

// JoinBins returns the first and the last bin, exclusive, of runs of bins that have at least ten rows each, if there are so many. Bins without rows at the ends are left out.
func JoinBins(rows []float64) [][2]int {
	var runs [][2]int
	from, sum := 0, 0.
	for b, n := range rows {
		if sum += n; sum == 0 {
			from = b + 1
		}
		if sum >= leastInBin {
			runs = append(runs, [2]int{from, b + 1})
			from, sum = b+1, 0
		}
	}
	if sum == 0 {
		return runs
	}
	last := len(rows)
	for rows[last-1] == 0 {
		last--
	}
	if len(runs) == 0 {
		return [][2]int{{from, last}}
	}
	runs[len(runs)-1][1] = last
	return runs
}

// Add adds bins of a run, whose Share, Mean, Right and its errors are set, and the standard error of Right - Mean.
func (c *Calibration) Add(run [2]int, b CalibrationBin, gapSE float64) {
	b.Lo, b.Hi = float64(run[0])/CalibrationBins, float64(run[1])/CalibrationBins
	c.Bins = append(c.Bins, b)
	c.Error += b.Share * math.Abs(b.Right-b.Mean)
	c.ByChance += b.Share * math.Sqrt(2/math.Pi) * gapSE // the mean size of a normal variable
}

// BinOfSums returns the share, the mean and Right of a run of bins, of which means has three elements each: the class is right, the row is in the bin, and its probability. It also returns the gradients of Right and of Right - Mean by means.
func BinOfSums(means []float64, run [2]int) (bin CalibrationBin, right, gap []float64) {
	var sums [3]float64
	for b := run[0]; b < run[1]; b++ {
		for j := range sums {
			sums[j] += means[3*b+j]
		}
	}
	bin = CalibrationBin{Share: sums[1], Mean: sums[2] / sums[1], Right: sums[0] / sums[1]}
	right, gap = make([]float64, len(means)), make([]float64, len(means))
	for b := run[0]; b < run[1]; b++ {
		right[3*b], right[3*b+1] = 1/bin.Share, -bin.Right/bin.Share
		gap[3*b], gap[3*b+1], gap[3*b+2] = 1/bin.Share, (bin.Mean-bin.Right)/bin.Share, -1/bin.Share
	}
	return bin, right, gap
}
