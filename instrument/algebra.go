package instrument

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
)

// collinear is the share of the variance of a column below which what other columns leave of it counts as nothing. Sums over n rows have relative errors of some sqrt(n) eps,
// and coefficients of what is left lose as many digits as the share has zeros.
const collinear = 1e-10

// dependent returns the first column of a positive semidefinite matrix of second moments that is a linear combination of those before it, -1 if none is: a Cholesky factor, by columns.
func dependent(m mat.Symmetric) int {
	n := m.SymmetricDim()
	l := mat.NewDense(n, n, nil)
	for j := range n {
		left := m.At(j, j)
		for k := range j {
			left -= l.At(j, k) * l.At(j, k)
		}
		if !(left > collinear*m.At(j, j)) {
			return j
		}
		l.Set(j, j, math.Sqrt(left))
		for i := j + 1; i < n; i++ {
			v := m.At(i, j)
			for k := range j {
				v -= l.At(i, k) * l.At(j, k)
			}
			l.Set(i, j, v/l.At(j, j))
		}
	}
	return -1
}

// scales are the standard deviations of columns. One that does not vary is an error.
func scales(of columns, m *mat.SymDense, means []float64, table string) ([]float64, error) {
	out := make([]float64, len(of.at))
	for i, at := range of.at {
		if !crossfit.Varies(m.At(at, at), means[i]) {
			return nil, fmt.Errorf("instrument: column %q does not vary in the %s table", of.names[i], table)
		}
		out[i] = math.Sqrt(m.At(at, at))
	}
	return out, nil
}

// scaled picks columns of second moments and divides them by scales.
func scaled(m *mat.SymDense, at []int, scale []float64) *mat.SymDense {
	out := mat.NewSymDense(len(at), nil)
	for i, a := range at {
		for j := i; j < len(at); j++ {
			out.SetSym(i, j, m.At(a, at[j])/scale[i]/scale[j])
		}
	}
	return out
}

// symmetric is the symmetric part of m.
func symmetric(m *mat.Dense) *mat.SymDense {
	n, _ := m.Dims()
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, (m.At(i, j)+m.At(j, i))/2)
		}
	}
	return out
}

func pick(values []float64, at []int) []float64 {
	out := make([]float64, len(at))
	for i, a := range at {
		out[i] = values[a]
	}
	return out
}

// ignoreCondition returns the first error that is more than a warning of a condition number, since columns that are collinear are refused before.
func ignoreCondition(errs ...error) error {
	for _, err := range errs {
		if condition := mat.Condition(0); err != nil && !errors.As(err, &condition) {
			return err
		}
	}
	return nil
}
