package check

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"mediant/tables"
)

// reversedColumns is up to how many columns of U are looked at for rows in which one of them is reversed.
const reversedColumns = 16

// reversedBlocks finds numbers of X, Y or U that go with the rest of the row the other way in consecutive rows, as where a scale is reversed there, but for
// columns of these names.
func (o *rowOrder) reversedBlocks(but []string) []Finding {
	var found []Finding
	b := o.basis()
	for i, c := range o.columns {
		if c.kind == tables.Numeric && len(o.targets[i]) > 0 && !slices.Contains(but, c.name) {
			if f, ok := o.reversedBlock(c, o.targets[i][0], b); ok {
				found = append(found, f)
			}
		}
	}
	if found != nil || len(o.uColumns) > reversedColumns {
		return found
	}
	for _, c := range o.uColumns {
		of := func(s series) bool { return s.column == c.name }
		own := slices.DeleteFunc(slices.Clone(o.u), func(s series) bool { return !of(s) })
		if c.kind != tables.Numeric || len(own) == 0 {
			continue
		}
		rest := newBasis(slices.Concat(append(slices.Clone(o.targets), slices.DeleteFunc(slices.Clone(o.u), of))...), o.width())
		if f, ok := o.reversedBlock(c, own[0], rest); ok && f.Severity != Note { // sorted by U, Y may be a curve of it
			found = append(found, f)
		}
	}
	return found
}

// A covariation has sums of a function, of those of a basis, and of their products, over some rows.
type covariation struct {
	rows, sum float64
	of, with  []float64
}

// less has the sums over the rows of one but not of the other, which are among these, in the memory of c.
func (c *covariation) less(a, b covariation) {
	c.rows, c.sum = a.rows-b.rows, a.sum-b.sum
	floats.SubTo(c.of, a.of, b.of)
	floats.SubTo(c.with, a.with, b.with)
}

// centre leaves the products of what is centred in these rows.
func (c *covariation) centre() []float64 {
	floats.AddScaled(c.with, -c.sum/c.rows, c.of)
	return c.with
}

// covariations are those of the rows before each place, a step apart, and of all.
func (b basis) covariations(y []float64, step int) (before []covariation, all covariation) {
	all = covariation{of: make([]float64, len(b)), with: make([]float64, len(b))}
	for i := 0; i < len(y); i += step {
		before = append(before, covariation{all.rows, all.sum, slices.Clone(all.of), slices.Clone(all.with)})
		end := min(i+step, len(y))
		all.rows += float64(end - i)
		all.sum += floats.Sum(y[i:end])
		for j, q := range b {
			all.of[j] += floats.Sum(q[i:end])
			all.with[j] += floats.Dot(y[i:end], q[i:end])
		}
	}
	return append(before, all), all
}

// reversedBlock is the interval of rows in which the products of a column with a basis are opposite to those in the others by the most standard errors of either.
func (o *rowOrder) reversedBlock(c *uColumn, y series, b basis) (Finding, bool) {
	n := o.n()
	step := max(1, n/intervalCells)
	before, all := b.covariations(y.values, step)
	first, last, most, tested := 0, 0, 0., 0
	room := make([]float64, 4*len(b))
	in, out := covariation{of: room[:len(b)], with: room[len(b) : 2*len(b)]}, covariation{of: room[2*len(b) : 3*len(b)], with: room[3*len(b):]}
	for k := range before {
		for l := k + 1; l < len(before); l++ {
			length := before[l].rows - before[k].rows
			if length < shortestBlock || float64(n)-length < shortestBlock {
				continue
			}
			tested++
			in.less(before[l], before[k])
			out.less(all, in)
			within, others := in.centre(), out.centre()
			product := -floats.Dot(within, others) * float64(n)
			z := min(product/floats.Norm(others, 2)/math.Sqrt(in.rows), product/floats.Norm(within, 2)/math.Sqrt(out.rows))
			if z > most {
				first, last, most = int(before[k].rows), int(before[l].rows), z
			}
		}
	}
	if first == 0 && 2*last >= n { // the other rows are fewer
		first, last = last, n
	}
	if p := above(most) * float64(tested) * (o.tests() + float64(len(o.uColumns))); p < orderAlarm {
		return o.reversedRows(c, y, b, first, last, p)
	}
	return Finding{}, false
}

// oppositeShare is the least ratio of the correlation within a reversed block to that in the other rows, which is -1 where the scale is reversed. In rows that are sorted by
// a column of U, the coefficients of its powers change their signs from one part to the next, and the correlation need not.
const oppositeShare = -.5

// reversedRows is the finding, if the correlations are opposite. It is a note where rows are in some order, or those are of another U.
func (o *rowOrder) reversedRows(c *uColumn, y series, b basis, first, last int, p float64) (Finding, bool) {
	n := o.n()
	zeroed := slices.Clone(y.values)
	clear(zeroed[first:last])
	f := b.fitted(b.coefficients(zeroed, 0), n)
	in := correlation(f[first:last], y.values[first:last])
	out := correlation(slices.Concat(f[:first], f[last:]), slices.Concat(y.values[:first], y.values[last:]))
	if in > oppositeShare*out {
		return Finding{}, false
	}
	found := Finding{Code: MixedUnits, Severity: Warning, Table: o.table, Columns: []string{c.name}, Rows: last - first, Of: n, gravity: causeFirst,
		What: fmt.Sprintf("%q of %s goes with the rest of the row the other way in rows %d to %d or so: a correlation of %.2f with what that says of it in the others, and of %.2f there (%s)",
			c.name, o.table.words(), o.rows[first].number+1, o.rows[last-1].number+1, out, in, chanceOf(p)),
		Effect: "if the scale is reversed there, what is learned is right for neither part",
		Remedy: fmt.Sprintf("write all on one scale, or --accept %s:%q if they are two kinds of rows", MixedUnits, c.name)}
	_, ordered := serial(slices.DeleteFunc(o.series(), func(s series) bool { return s.column == c.name }), 1)
	if ordered || math.Abs(stat.Mean(f[first:last], nil)-stat.Mean(f, nil)) > stat.StdDev(f, nil) {
		found.Severity = Note
	}
	return found, true
}
