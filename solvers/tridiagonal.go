package solvers

import "math"

// A tridiagonal is the symmetric matrix of Lanczos that conjugate gradients compute on their way, whose eigenvalues approach those of the preconditioned matrix from within [Golub and Van Loan, Matrix Computations, 4th ed., section 11.3]. The zero value
// is empty.
type tridiagonal struct {
	diagonal, off []float64 // off[i] is beside diagonal[i] and diagonal[i+1]
	step, ratio   float64   // of the iteration before
}

func (t *tridiagonal) clear() { *t = tridiagonal{diagonal: t.diagonal[:0], off: t.off[:0]} }

// add appends an iteration with this step and this ratio of r'z after it to that before it.
func (t *tridiagonal) add(step, ratio float64) {
	d := 1 / step
	if len(t.diagonal) > 0 {
		d += t.ratio / t.step
		t.off = append(t.off, math.Sqrt(t.ratio)/t.step)
	}
	t.diagonal = append(t.diagonal, d)
	t.step, t.ratio = step, ratio
}

// extremes returns the least and the largest eigenvalue, to three digits, by bisection with Sturm counts.
func (t *tridiagonal) extremes() (least, largest float64) {
	top := 0.
	for i, d := range t.diagonal {
		radius := 0.
		if i > 0 {
			radius += t.off[i-1]
		}
		if i < len(t.off) {
			radius += t.off[i]
		}
		top = max(top, d+radius) // [Gershgorin]
	}
	return t.bisect(1, top), t.bisect(len(t.diagonal), top)
}

// bisect finds the eigenvalue below which, itself included, there are count, on a scale of logarithms.
func (t *tridiagonal) bisect(count int, top float64) float64 {
	lo, hi := top*1e-18, top // of a positive definite matrix
	for hi > 1.001*lo {
		if at := math.Sqrt(lo) * math.Sqrt(hi); t.below(at) >= count {
			hi = at
		} else {
			lo = at
		}
	}
	return hi
}

// below counts the eigenvalues below v: the negative pivots of the matrix less v I.
func (t *tridiagonal) below(v float64) (count int) {
	pivot := 1.
	for i, d := range t.diagonal {
		square := 0.
		if i > 0 {
			square = t.off[i-1] * t.off[i-1]
		}
		pivot = d - v - square/pivot
		if pivot == 0 {
			pivot = -eps * v
		}
		if pivot < 0 {
			count++
		}
	}
	return count
}
