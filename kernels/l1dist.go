package kernels

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/parallel"
)

// L1DistTo stores in dst the n×m matrix of distances
//
//	|x_i - y_j|₁ = Σ_k |x_ik - y_jk|
//
// of the n rows of x and the m rows of y, from the differences. It costs 3nm flops a column, several
// times as much as SqDistTo because it is no matrix product; sparse rows are unpacked and cost the
// same. Equal rows are at distance exactly 0. An empty dst is resized; a dst of another shape,
// different widths or no rows panic. dst must not share memory with x or y.
func L1DistTo(dst *mat.Dense, x, y mat.Matrix) { l1DistTo(dst, x, y, nil) }

// l1DistTo is L1DistTo followed by then on each stretch of each row, while it is in the cache.
func l1DistTo(dst *mat.Dense, x, y mat.Matrix, then func(d []float64)) {
	n, m, _ := prepare(dst, x, y)
	out := dst.RawMatrix()
	parallel.Blocks(n, tileRows, func(i, end int) {
		w := works.Get().(*work)
		rows := rowsOf(&w.x, x, i, end)
		for j := 0; j < m; j += tileRows {
			last := min(j+tileRows, m)
			l1Tile(view(out, i, j, end-i, last-j), rows, rowsOf(&w.y, y, j, last), then)
		}
		works.Put(w)
	})
}

func l1Tile(out, x, y blas64.General, then func(d []float64)) {
	for i := range out.Rows {
		d := line(out, i)
		for j := range d {
			d[j] = l1Dist(line(x, i), line(y, j))
		}
		if then != nil {
			then(d)
		}
	}
}

// l1Dist is |a - b|₁. Four sums at a time, because one would wait for its own addition.
func l1Dist(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	k := 0
	for ; k+4 <= len(a); k += 4 {
		s0 += math.Abs(a[k] - b[k])
		s1 += math.Abs(a[k+1] - b[k+1])
		s2 += math.Abs(a[k+2] - b[k+2])
		s3 += math.Abs(a[k+3] - b[k+3])
	}
	for ; k < len(a); k++ {
		s0 += math.Abs(a[k] - b[k])
	}
	return (s0 + s1) + (s2 + s3)
}
