package check

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// shortestBlock rows that may be of others are looked at.
	shortestBlock = 30
	// intervalCells bounds the places where a block may begin or end.
	intervalCells = 64
)

// block finds consecutive rows in which a column of X or Y does not depend on U, although it does in the others.
func (o *rowOrder) block(column *uColumn, functions []series, b basis, ordered bool) (misplaced, bool) {
	if !(b.related(functions)*float64(len(o.columns)) < orderAlarm) {
		return misplaced{}, false
	}
	products := make([]float64, o.n())
	for _, y := range functions {
		f := b.fitted(b.coefficients(y.values, 0), o.n())
		floats.Mul(f, y.values)
		floats.Add(products, f)
	}
	first, last, p := lowest(normalScores(products))
	if p *= float64(len(o.columns)); !(p < orderAlarm) {
		return misplaced{}, false
	}
	in, out, other, ok := b.silent(functions, first, last)
	if !ok {
		return misplaced{}, false
	}
	m := misplaced{column: column, chance: p, ordered: ordered || other}
	m.say = func(m misplaced, names string) (string, string) {
		what := fmt.Sprintf("%s of %s has a correlation of %.2f with what U says of it, but of %.2f in rows %d to %d or so (%s)", names, o.table.words(), out, in, o.rows[first].number+1, o.rows[last-1].number+1, chanceOf(p))
		if m.where != "" {
			what += fmt.Sprintf(", and goes with U %s in part", m.where)
		}
		return what, fmt.Sprintf("if %s was joined wrongly there, it is of other rows than its U", o.role)
	}
	return m, true
}

// normalScores are the quantiles of a normal variable at the ranks of values, of mean 0 and variance 1.
func normalScores(values []float64) []float64 {
	scores := ranksOf(values)
	for i, r := range scores {
		scores[i] = distuv.UnitNormal.Quantile(r)
	}
	floats.AddConst(-floats.Sum(scores)/float64(len(scores)), scores)
	if norm := floats.Norm(scores, 2); norm > 0 {
		floats.Scale(math.Sqrt(float64(len(scores)))/norm, scores)
	}
	return scores
}

// lowest is the interval of rows whose scores, of mean 0 and variance 1, are lowest in the mean, and a bound of the probability of one so low
// where their order means nothing: the sum over all intervals of that of each.
func lowest(scores []float64) (first, last int, p float64) {
	n := len(scores)
	sums := make([]float64, n+1)
	for i, v := range scores {
		sums[i+1] = sums[i] + v
	}
	step, tested, best := max(1, n/intervalCells), 0, 0.
	for a := 0; a < n; a += step {
		for b := a + max(shortestBlock, n/16); ; b += step {
			b = min(b, n)
			length := b - a
			if length < shortestBlock || 4*length > 3*n {
				break
			}
			tested++
			z := (sums[a] - sums[b]) / math.Sqrt(float64(length)*float64(n-length)/float64(n))
			if z > best {
				first, last, best = a, b, z
			}
			if b == n {
				break
			}
		}
	}
	return first, last, float64(tested) * above(best)
}
