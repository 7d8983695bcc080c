package solvers

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// probes is how many columns the estimate of a norm works with at a time: as many as triangular solves
// take at the price of one. More make it better.
const probes = 8

// oneNorm returns the largest sum of sizes in a column of s.
func oneNorm(s *mat.SymDense) float64 {
	r := s.RawSymmetric()
	sums := make([]float64, r.N)
	for i := range sums {
		row := r.Data[i*r.Stride+i : i*r.Stride+r.N]
		to := sums[i:]
		sum := math.Abs(row[0])
		for j := 1; j < len(row); j++ {
			v := math.Abs(row[j])
			sum += v
			to[j] += v
		}
		to[0] += sum
	}
	return slices.Max(sums)
}

// inverseNorm estimates |M⁻¹|₁ from below, given solve, which overwrites columns X with M⁻¹X: exactly up
// to order probes, and nearly always within a factor of 3 [Higham and Tisseur, A block algorithm for
// matrix 1-norm estimation, SIAM J. Matrix Anal. Appl. 21, 2000, Algorithm 2.4, stopped after its second
// estimate, for symmetric M]. Solutions that overflow give +Inf.
func inverseNorm(n int, solve func(x *mat.Dense)) float64 {
	x := mat.NewDense(n, min(n, probes), nil)
	if n <= probes {
		for i := range n {
			x.Set(i, i, 1)
		}
		solve(x)
		return slices.Max(columnNorms(x))
	}
	startTo(x)
	solve(x)
	first := slices.Max(columnNorms(x))
	signs(x)
	solve(x)
	rows := largestRows(x)
	x.Zero()
	for j, i := range rows {
		x.Set(i, j, 1)
	}
	solve(x)
	return max(first, slices.Max(columnNorms(x)))
}

// startTo fills x with columns of norm 1: one of equal elements, and of signs without a pattern.
func startTo(x *mat.Dense) {
	n, _ := x.Dims()
	for i := range n {
		row := x.RawRowView(i)
		bits := uint64(i) * 0x9e3779b97f4a7c15 // 2⁶⁴ over the golden ratio
		for j := range row {
			row[j] = 1 / float64(n)
			if j > 0 && bits>>(64-j)&1 != 0 {
				row[j] = -row[j]
			}
		}
	}
}

// columnNorms returns the sums of sizes in the columns of x, +Inf for what is not a number.
func columnNorms(x *mat.Dense) []float64 {
	n, c := x.Dims()
	sums := make([]float64, c)
	for i := range n {
		for j, v := range x.RawRowView(i) {
			sums[j] += math.Abs(v)
		}
	}
	for j, v := range sums {
		if math.IsNaN(v) {
			sums[j] = math.Inf(1)
		}
	}
	return sums
}

// signs replaces the elements of x by their signs, of 0 by 1.
func signs(x *mat.Dense) {
	n, _ := x.Dims()
	for i := range n {
		row := x.RawRowView(i)
		for j, v := range row {
			row[j] = math.Copysign(1, v)
		}
	}
}

// largestRows returns, for each column of x, one of the rows whose largest elements are largest.
func largestRows(x *mat.Dense) []int {
	n, c := x.Dims()
	sizes, rows := make([]float64, n), make([]int, n)
	for i := range n {
		rows[i] = i
		for _, v := range x.RawRowView(i) {
			sizes[i] = max(sizes[i], math.Abs(v))
		}
	}
	slices.SortStableFunc(rows, func(i, j int) int {
		switch {
		case sizes[i] > sizes[j]:
			return -1
		case sizes[i] < sizes[j]:
			return 1
		}
		return 0
	})
	return rows[:c]
}
