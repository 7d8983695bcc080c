package check

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	fast "mediant/internal/blas"
	"mediant/internal/parallel"
)

// keep samples rows of numbers.
func (f *overlapFinder) keep(numbers [][]float64, i, times int) {
	if len(numbers) == 0 {
		return
	}
	f.sample.offer(func(row *sampledRow) {
		row.num, row.weight = row.num[:0], float64(times)
		for _, values := range numbers {
			row.num = append(row.num, values[i])
		}
	})
}

// calibrate finds the limits of columns and of distances.
func (f *overlapFinder) calibrate() {
	all, rows := true, f.sample.heap
	for j, c := range f.numbers {
		c.calibrate(j, rows, len(f.numbers))
		all = all && c.values != nil
		if c.scale > 0 {
			f.measured = append(f.measured, j)
		}
	}
	if all || len(f.measured) == 0 {
		f.measured = nil
		return
	}
	d := len(f.measured)
	times := make([]int, len(rows))
	standardised := make([]float64, len(rows)*d)
	for i, row := range rows {
		times[i] = int(row.weight)
		for k, j := range f.measured {
			standardised[i*d+k] = f.numbers[j].standardised(row.num[j])
		}
	}
	half := f.sample.most / 2
	f.sample = rowSample{}
	// Which row of the heap is first is a matter of priorities, and so of chance.
	references := min(len(rows), half)
	f.references = blas64.General{Rows: references, Cols: d, Stride: d, Data: standardised[:references*d]}
	f.norms = make([]float64, references)
	for i := range f.norms {
		f.norms[i] = squareOf(standardised[i*d : (i+1)*d])
	}
	f.threshold = f.distances(blas64.General{Rows: len(rows), Cols: d, Stride: d, Data: standardised}, times)
}

func squareOf(row []float64) float64 { return floats.Dot(row, row) }

// distances is the limit of the distance of a row to its nearest reference, from rows of S_Y, of which the first are the references.
func (f *overlapFinder) distances(rows blas64.General, times []int) float64 {
	var near counted
	const part = 128 // rows at a time
	out := blas64.General{Cols: f.references.Rows, Stride: f.references.Rows, Data: make([]float64, part*f.references.Rows)}
	for lo := 0; lo < rows.Rows; lo += part {
		own := rows
		own.Rows = min(part, rows.Rows-lo)
		own.Data = rows.Data[lo*rows.Stride:]
		out.Rows = own.Rows
		fast.Gemm(blas.NoTrans, blas.Trans, 1, own, f.references, 0, out)
		for i := range own.Rows {
			norm := squareOf(own.Data[i*own.Stride : i*own.Stride+own.Cols])
			least := math.Inf(1)
			for k, p := range out.Data[i*out.Stride : (i+1)*out.Stride] {
				if k != lo+i {
					least = min(least, norm+f.norms[k]-2*p)
				}
			}
			if times[lo+i] > 1 {
				least = 0
			}
			near.add(math.Sqrt(max(least, 0)), times[lo+i])
		}
	}
	if rows.Rows < 2 {
		return math.Inf(1)
	}
	near.sort()
	return max(1.5*near.quantile(.999), .5)
}

// near finds the rows of a batch that are inside as far as their columns go and far from all references.
func (f *overlapFinder) near(start int, numbers [][]float64, times []int, reasons []OverlapReason, scores []float32) {
	d := len(f.measured)
	if d == 0 {
		return
	}
	var left []int
	for i, r := range reasons {
		if r == Inside {
			left = append(left, i)
		}
	}
	rows := make([]float64, len(left)*d)
	least := make([]float64, len(left))
	nearest := make([]int, len(left))
	for n, i := range left {
		for k, j := range f.measured {
			rows[n*d+k] = f.numbers[j].standardised(numbers[j][i])
		}
		least[n] = math.Inf(1)
	}
	const part = 128 // rows at a time, several parts at once
	parallel.Blocks(len(left), part, func(lo, hi int) {
		open := make([]int, 0, hi-lo)
		for n := lo; n < hi; n++ {
			open = append(open, n)
		}
		f.nearestTo(rows, d, open, least, nearest)
	})
	for n, i := range left {
		distance := math.Sqrt(max(least[n], 0))
		if distance <= f.threshold {
			continue
		}
		scores[i] = max(scores[i], float32(distance/f.threshold))
		if f.far.add(start+i, times[i]); distance > certainDistance*f.threshold {
			reasons[i] = FarAway
		}
		f.distance[f.measured[farthest(rows[n*d:(n+1)*d], f.references.Data[nearest[n]*d:(nearest[n]+1)*d])]] += times[i]
	}
}

// farthest is the column in which two rows differ most.
func farthest(a, b []float64) int {
	at, most := 0, -1.0
	for j, v := range a {
		if gap := math.Abs(v - b[j]); gap > most {
			at, most = j, gap
		}
	}
	return at
}

// nearestTo finds for the open rows the least squared distance to a reference, or one that is near enough, and the reference.
func (f *overlapFinder) nearestTo(rows []float64, d int, open []int, least []float64, nearest []int) {
	limit := f.threshold * f.threshold
	own := make([]float64, len(open)*d)
	norms := make([]float64, len(open))
	products := make([]float64, len(open)*nearReferences)
	for first := 0; first < f.references.Rows && len(open) > 0; first += nearReferences {
		count := min(nearReferences, f.references.Rows-first)
		for k, n := range open {
			copy(own[k*d:(k+1)*d], rows[n*d:(n+1)*d])
			norms[k] = squareOf(rows[n*d : (n+1)*d])
		}
		out := blas64.General{Rows: len(open), Cols: count, Stride: count, Data: products}
		part := blas64.General{Rows: count, Cols: d, Stride: d, Data: f.references.Data[first*d:]}
		fast.Gemm(blas.NoTrans, blas.Trans, 1, blas64.General{Rows: len(open), Cols: d, Stride: d, Data: own}, part, 0, out)
		still := open[:0]
		for k, n := range open {
			for r, p := range products[k*count : (k+1)*count] {
				if square := norms[k] + f.norms[first+r] - 2*p; square < least[n] {
					least[n], nearest[n] = square, first+r
				}
			}
			if least[n] > limit {
				still = append(still, n)
			}
		}
		open = still
	}
}
