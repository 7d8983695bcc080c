package features

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/internal/rowops"
	"mediant/kernels"
)

// frequencyBlock is the number of frequencies that share a random stream.
const frequencyBlock = 64

// drawFrequencies returns count independent frequencies in the columns of an in × count matrix.
func drawFrequencies(k kernels.Spectral, in, count int, seed uint64, purpose string) blas64.General {
	w := rowops.New(in, count)
	for lo := 0; lo < count; lo += frequencyBlock {
		rows := mat.NewDense(min(frequencyBlock, count-lo), in, nil)
		k.FrequenciesTo(rows, draw.Rand(seed, purpose+"/frequencies", lo/frequencyBlock))
		for t := range rows.RawMatrix().Rows {
			setColumn(w, lo+t, rows.RawRowView(t))
		}
	}
	return w
}

// drawOrthogonal returns count frequencies in the columns of an in × count matrix: blocks of in
// orthonormal directions, uniformly rotated, times the length of a Gaussian vector,
// times the scale of the mixture. But for its sign, each column has the distribution of an independent frequency.
func drawOrthogonal(mixture kernels.ScaleMixture, in, count int, seed uint64, purpose string) blas64.General {
	w := rowops.New(in, count)
	for lo := 0; lo < count; lo += in {
		// Lengths have a stream of their own, so that a last block of fewer directions begins like a
		// whole one.
		lengths := draw.Rand(seed, purpose+"/lengths", lo/in)
		q := rowops.Block(w, 0, lo, in, min(in, count-lo))
		rotation(q, draw.Rand(seed, purpose+"/frequencies", lo/in))
		for j := range q.Cols {
			length := mixture.Draw(lengths) * chi(in, lengths)
			for i := range in {
				rowops.Row(q, i)[j] *= length
			}
		}
	}
	return w
}

// rotation fills q with the first columns of a Haar-distributed rotation up to their signs: the Q of
// a Gaussian matrix. Signs would need those of R's diagonal [Mezzadri, How to generate random
// matrices from the classical compact groups, Notices of the AMS 54, 2007], but products of features
// do not see them: cos(-a) cos(-b) + sin(-a) sin(-b) is the same.
func rotation(q blas64.General, rnd *rand.Rand) {
	for j := range q.Cols {
		for i := range q.Rows {
			rowops.Row(q, i)[j] = rnd.NormFloat64()
		}
	}
	tau, work := make([]float64, q.Cols), make([]float64, 1)
	lapack64.Geqrf(q, tau, work, -1)
	work = make([]float64, max(int(work[0]), q.Cols))
	lapack64.Geqrf(q, tau, work, len(work))
	lapack64.Orgqr(q, tau, work, len(work))
}

// chi draws the length of a standard Gaussian vector of d elements.
func chi(d int, rnd *rand.Rand) float64 {
	var sum float64
	for range d {
		v := rnd.NormFloat64()
		sum += v * v
	}
	return math.Sqrt(sum)
}

func setColumn(a blas64.General, j int, v []float64) {
	for i := range v {
		rowops.Row(a, i)[j] = v[i]
	}
}

// gather copies the named columns of x to dst.
func gather(dst, x blas64.General, columns []int) {
	for i := range dst.Rows {
		from, to := rowops.Row(x, i), rowops.Row(dst, i)
		for t, j := range columns {
			to[t] = from[j]
		}
	}
}
