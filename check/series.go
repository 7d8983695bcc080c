package check

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A series is a function of a column in consecutive rows, of mean 0 and length 1, and 0 where there is no value.
type series struct {
	column string
	values []float64
}

const (
	// seriesLevels of a column of text have a function each.
	seriesLevels = 8
	// local rows are those whose mean is taken away where rows are ordered by something.
	localRows = 32
)

// steepest bounds the values of a function, in standard deviations. The sum over n rows of products of two functions within it has a
// skewness of 0.16 at most, so that its tail is near enough to that of a normal variable down to 1e-8.
func steepest(n int) float64 { return .63 * math.Pow(float64(n), .25) }

// appendSeries appends the functions of a column that are not dominated by few rows: those of its ranks up to a degree, or of its levels.
func appendSeries(to []series, u *uColumn, degree int) []series {
	f := u.functions(degree)
	n, width := f.Dims()
	for j := range width {
		values := make([]float64, n)
		for i := range values {
			values[i] = f.At(i, j)
		}
		to = appendNormal(to, series{u.name, values})
	}
	return to
}

// appendNormal appends a function that has been brought to length 1, unless it is constant or dominated by few rows.
func appendNormal(to []series, s series) []series {
	root := math.Sqrt(float64(len(s.values)))
	norm := floats.Norm(s.values, 2)
	if norm < 1e-6*root {
		return to
	}
	floats.Scale(1/norm, s.values)
	if floats.Norm(s.values, math.Inf(1))*root > steepest(len(s.values)) {
		return to
	}
	return append(to, s)
}

// products are those of each two functions of different columns.
func products(of []series) []series {
	var all []series
	for i, a := range of {
		for _, b := range of[:i] {
			if a.column == b.column {
				continue
			}
			values := make([]float64, len(a.values))
			floats.MulTo(values, a.values, b.values)
			floats.AddConst(-floats.Sum(values)/float64(len(values)), values)
			floats.Scale(math.Sqrt(float64(len(values))), values)
			all = appendNormal(all, series{a.column, values})
		}
	}
	return all
}

// localised takes the mean of each localRows rows away.
func localised(of []series) []series {
	var all []series
	for _, s := range of {
		values := make([]float64, 0, len(s.values))
		for start := 0; start < len(s.values); start += localRows {
			part := s.values[start:min(start+localRows, len(s.values))]
			mean := floats.Sum(part) / float64(len(part))
			for _, v := range part {
				values = append(values, v-mean)
			}
		}
		all = appendNormal(all, series{s.column, values})
	}
	return all
}

// lagged is the sum of a[i] b[i+lag] over rows that follow each other in a circle.
func lagged(a, b []float64, lag int) float64 {
	n := len(a)
	lag = ((lag % n) + n) % n
	return floats.Dot(a[:n-lag], b[lag:]) + floats.Dot(a[n-lag:], b[:lag])
}

// serial reports which functions are correlated with themselves in other rows, at a level of 1 % for all together.
func serial(of []series, lag int) (is []bool, some bool) { return serialTo(of, of, lag) }

// serialTo reports which functions are correlated with what stands in the same place of the second list, a lag below, at a level of 1 % for all together.
func serialTo(of, to []series, lag int) (is []bool, some bool) {
	limit := distuv.UnitNormal.Quantile(1 - .005/float64(max(1, len(of))))
	for i, s := range of {
		z := math.Abs(lagged(s.values, to[i].values, lag)) * math.Sqrt(float64(len(s.values)))
		is = append(is, z > limit)
		some = some || z > limit
	}
	return is, some
}

// crossed reports whether functions of different columns are correlated with each other a lag below, as rows in time are, at a level of 1 %.
func crossed(of, to []series, lag int) bool {
	limit := distuv.UnitNormal.Quantile(1 - .005/float64(max(1, len(of)*len(of))))
	for _, a := range of {
		for _, b := range to {
			if a.column != b.column && math.Abs(lagged(a.values, b.values, lag))*math.Sqrt(float64(len(a.values))) > limit {
				return true
			}
		}
	}
	return false
}

// normalise brings values to mean 0 and length 1.
func normalise(values []float64) {
	floats.AddConst(-floats.Sum(values)/float64(max(1, len(values))), values)
	if norm := floats.Norm(values, 2); norm > 0 {
		floats.Scale(1/norm, values)
	}
}

// unmarked are the functions that are not marked.
func unmarked(of []series, marked []bool) []series {
	var left []series
	for i, s := range of {
		if !marked[i] {
			left = append(left, s)
		}
	}
	return left
}

// A basis has orthonormal functions of the rows.
type basis [][]float64

// newBasis spans the functions, or most random sums of them if there are more.
func newBasis(of []series, most int) basis {
	var columns [][]float64
	if len(of) <= most {
		for _, s := range of {
			columns = append(columns, append([]float64(nil), s.values...))
		}
	} else {
		columns = make([][]float64, most)
		for j, s := range of {
			bits := mixed(uint64(j) + 1)
			if columns[j%most] == nil {
				columns[j%most] = make([]float64, len(s.values))
			}
			floats.AddScaled(columns[j%most], 2*float64(bits>>63)-1, s.values)
		}
	}
	var b basis
	for _, v := range columns {
		before := floats.Norm(v, 2)
		norm := b.takeAway(v)
		if norm < before/2 { // rounding has left some
			norm = b.takeAway(v)
		}
		if norm > 1e-6*before {
			floats.Scale(1/norm, v)
			b = append(b, v)
		}
	}
	return b
}

// takeAway leaves of v what is orthogonal to the basis, and returns its length.
func (b basis) takeAway(v []float64) float64 {
	for _, q := range b {
		floats.AddScaled(v, -floats.Dot(q, v), q)
	}
	return floats.Norm(v, 2)
}

// coefficients of a function y by the basis in the rows that are a lag below those of y.
func (b basis) coefficients(y []float64, lag int) []float64 {
	c := make([]float64, len(b))
	for j, q := range b {
		c[j] = lagged(y, q, lag)
	}
	return c
}

// fitted is the best prediction by the basis, from coefficients at lag 0.
func (b basis) fitted(c []float64, n int) []float64 {
	f := make([]float64, n)
	for j, q := range b {
		floats.AddScaled(f, c[j], q)
	}
	return f
}

// chance is the probability that so large a share of the variance is explained by the basis where there is no dependence.
func (b basis) chance(explained float64, n int) float64 {
	p := float64(len(b))
	return mathext.RegIncBeta((float64(n)-1-p)/2, p/2, 1-min(1, explained))
}

// explained is a share of variance less what chance explains.
func (b basis) explained(raw float64, n int) float64 {
	return max(0, 1-(1-raw)*float64(n-1)/float64(n-1-len(b)))
}

// silent reports whether the basis says nothing of the functions of a column in the rows from first to last, although it does in the others: the
// correlation with the best predictions, by what the others say, is there less than half of that in these, at a level of 2 %, and neither varies
// less. Where either is distributed otherwise there, it may be another population.
func (b basis) silent(column []series, first, last int) (in, out float64, other, ok bool) {
	gram := mat.NewSymDense(len(b), nil)
	for i, q := range b {
		for j := range b[:i+1] {
			gram.SetSym(i, j, -floats.Dot(q[first:last], b[j][first:last]))
		}
		gram.SetSym(i, i, 1+1e-6+gram.At(i, i))
	}
	var chol mat.Cholesky
	if !chol.Factorize(gram) {
		return 0, 0, false, false
	}
	rest := func(v []float64) []float64 { return slices.Concat(v[:first], v[last:]) }
	var inFitted, inActual, outFitted, outActual []float64
	ok = true
	for _, y := range column {
		right := mat.NewVecDense(len(b), nil)
		for i, q := range b {
			right.SetVec(i, floats.Dot(q, y.values)-floats.Dot(q[first:last], y.values[first:last]))
		}
		var c mat.VecDense
		if chol.SolveVecTo(&c, right) != nil {
			return 0, 0, false, false
		}
		f := b.fitted(c.RawVector().Data, len(y.values))
		inFitted, inActual = append(inFitted, f[first:last]...), append(inActual, y.values[first:last]...)
		outFitted, outActual = append(outFitted, rest(f)...), append(outActual, rest(y.values)...)
		other = other || !likewise(f, first, last) || !likewise(y.values, first, last)
	}
	varies := func(in, out []float64) bool {
		a, b := floats.Dot(in, in), floats.Dot(out, out)
		return a/float64(len(in)) > (a+b)/float64(2*(len(in)+len(out)))
	}
	in, out = correlation(inFitted, inActual), correlation(outFitted, outActual)
	free := float64((last - first) * max(1, len(column)-1)) // indicators of all levels add up to a constant
	return in, out, other, in+2/math.Sqrt(free) < out/2 && varies(inFitted, outFitted) && varies(inActual, outActual)
}

// related is the probability that the basis explains as much of some function of a column where there is no dependence.
func (b basis) related(column []series) float64 {
	p := 1.
	for _, y := range column {
		c := b.coefficients(y.values, 0)
		p = min(p, b.chance(floats.Dot(c, c), len(y.values))*float64(len(column)))
	}
	return p
}

// differs is the mean of values in the rows from first to last less that in the others, in standard errors.
func differs(values []float64, first, last int) float64 {
	n, length := float64(len(values)), float64(last-first)
	mean, sd := stat.PopMeanStdDev(values, nil)
	if sd == 0 {
		return 0
	}
	return (stat.Mean(values[first:last], nil) - mean) / sd * math.Sqrt(length*n/(n-length))
}

// likewise reports whether values have about one mean and one spread in the rows from first to last and in the others, at a level of 0.5 %.
func likewise(values []float64, first, last int) bool {
	return math.Abs(differs(values, first, last)) < 3 && math.Abs(differs(squares(values), first, last)) < 3
}

// correlation is 0 where one of the two is constant.
func correlation(a, b []float64) float64 {
	c := stat.Correlation(a, b, nil)
	if math.IsNaN(c) {
		return 0
	}
	return c
}

// above is the probability that a normal variable is above z.
func above(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
