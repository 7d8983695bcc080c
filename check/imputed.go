package check

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/tables"
)

const (
	// imputedRows and imputedShare of the rows at least are on one plane exactly, imputedTimes as many as on any parallel one.
	imputedRows, imputedShare, imputedTimes = 15, .04, 4
	// Of imputedSample rows a plane is fitted to those that are nearest, in imputedSteps for each number of them; each coefficient needs imputedEach rows.
	imputedSteps, imputedEach, imputedSample = 6, 5, 800
	// Where imputedMost of the rows are so, or nearly, U tells all of the column.
	imputedMost = .9
	// imputedSimple is the step of coefficients that a definition may have, as of a sum, rather than a regression.
	imputedSimple = .05
)

// imputed finds a column of X or Y that is in part of its rows exactly one linear function of U, as where missing values were put in by a regression on U. It is
// a note if its coefficients are round, as in a total or a value that was carried forward.
func (c *checker) imputed(table Table, look *columnLook, p *Profile, t *tableLook) {
	if look.column.Kind != tables.Numeric || p.Distinct < 2*leastOfUnit {
		return
	}
	x, values := c.linearOfU(t, look)
	if x == nil {
		return
	}
	on, simple := planeOf(x, values)
	if on == nil {
		return
	}
	f := Finding{Code: MissingMarker, Severity: Warning, Table: table, Columns: []string{p.Name}, Of: p.Rows, gravity: causeFirst,
		Rows:   int(math.Round(float64(len(on)) / float64(len(values)) * float64(p.Rows-p.Missing))),
		Effect: "if missing values were put in by a regression on U, these rows tell nothing, and the risk and its interval are too small",
		Remedy: fmt.Sprintf("empty cells where nothing was measured, or --accept %s:%q if it was measured", MissingMarker, p.Name)}
	f.What = fmt.Sprintf("%q of %s is, in about %d of %d rows and to its last digit, one linear function of U", p.Name, table.words(), f.Rows, p.Rows)
	if simple {
		f.Severity = Note
		f.Effect = "if it was carried forward or is part of a sum, these rows tell nothing that U does not"
	}
	c.add(f)
}

// linearOfU has the numbers of U and indicators of its levels as they are, with a constant, and the values of a column, in the sampled rows in which none is
// missing; nil if these are too few.
func (c *checker) linearOfU(t *tableLook, look *columnLook) (*mat.Dense, []float64) {
	var numbers []*columnLook
	type level struct {
		of *columnLook
		is string
	}
	var levels []level
	for _, name := range c.roles.U {
		of := t.of(name)
		switch {
		case of.column.Kind == tables.Numeric:
			numbers = append(numbers, of)
		case of.column.Kind == tables.Text && of.levels != nil && of.distinct.count() <= armLevels:
			all := slices.Sorted(maps.Keys(of.levels))
			for _, l := range all[:max(0, len(all)-1)] {
				levels = append(levels, level{of, l})
			}
		}
	}
	width := 1 + len(numbers) + len(levels)
	if len(numbers) == 0 || width > lineFunctions {
		return nil, nil
	}
	var cells, values []float64
	for _, row := range t.sample.heap {
		if len(values) == min(imputedSample, c.lineRows()) || math.IsNaN(row.num[look.place]) || slices.ContainsFunc(numbers, func(of *columnLook) bool { return math.IsNaN(row.num[of.place]) }) {
			continue
		}
		values = append(values, row.num[look.place])
		cells = append(cells, 1)
		for _, of := range numbers {
			cells = append(cells, row.num[of.place])
		}
		for _, l := range levels {
			is := 0.
			if row.text[l.of.place] == l.is {
				is = 1
			}
			cells = append(cells, is)
		}
	}
	if len(values) < 2*imputedEach*width {
		return nil, nil
	}
	return mat.NewDense(len(values), width, cells), values
}

// planeOf finds the rows whose values are to the last digit one linear function, if they are more than those of any parallel one, and reports whether all
// coefficients of it are round; nil if there is none. It looks at each column of x itself, and fits the rows that are nearest to the last fit, fewer and fewer.
func planeOf(x *mat.Dense, values []float64) (on []int, simple bool) {
	n, width := x.Dims()
	digit := lastDigit(values)
	for j := 1; j < width; j++ {
		one := mat.NewVecDense(width, nil)
		one.SetVec(j, 1)
		residuals := residualsOf(x, values, one)
		if on := onPlane(residuals, digit); on != nil && severalOf(values, on) {
			if nearlyAll(residuals, digit) {
				return nil, false
			}
			return on, true
		}
	}
	w := leastSquares(x, values, nil)
	for m := n / 2; w != nil && m >= imputedEach*width; m = m * 2 / 3 {
		for i := range imputedSteps {
			residuals := residualsOf(x, values, w)
			if on := onPlane(residuals, digit); on != nil && severalOf(values, on) {
				return refined(x, values, on, digit)
			}
			near := nearest(residuals, m)
			if flat := smallest(residuals, imputedTimes*digit); i%2 == 1 && len(flat) > len(near) { // a part of a plane that is nearly found tilts it
				near = flat
			}
			if w = leastSquares(x, values, near); w == nil {
				break
			}
		}
	}
	return nil, false
}

// refined has the rows on the plane through some rows, unless these are nearly all, and reports whether its coefficients are round.
func refined(x *mat.Dense, values []float64, on []int, digit float64) ([]int, bool) {
	w := leastSquares(x, values, on)
	if w == nil {
		return on, false
	}
	residuals := residualsOf(x, values, w)
	if better := onPlane(residuals, digit); len(better) > len(on) {
		on = better
	}
	if nearlyAll(residuals, digit) {
		return nil, false
	}
	for j := range w.Len() {
		w.SetVec(j, imputedSimple*math.Round(w.AtVec(j)/imputedSimple))
	}
	return on, float64(len(onPlane(residualsOf(x, values, w), digit))) > imputedMost*float64(len(on))
}

// nearlyAll reports whether nearly all rows are on a plane, or next to it.
func nearlyAll(residuals []float64, digit float64) bool {
	return float64(len(smallest(residuals, imputedTimes*digit))) > imputedMost*float64(len(residuals))
}

// leastSquares fits the columns of x to the values in some rows, nil for all; nil if they are collinear.
func leastSquares(x *mat.Dense, values []float64, rows []int) *mat.VecDense {
	design, right := x, mat.NewVecDense(len(values), slices.Clone(values))
	if rows != nil {
		_, width := x.Dims()
		design, right = mat.NewDense(len(rows), width, nil), mat.NewVecDense(len(rows), nil)
		for i, r := range rows {
			design.SetRow(i, x.RawRowView(r))
			right.SetVec(i, values[r])
		}
	}
	var w mat.VecDense
	if w.SolveVec(design, right) != nil {
		return nil
	}
	return &w
}

// residualsOf are the values less a linear function of x.
func residualsOf(x *mat.Dense, values []float64, w *mat.VecDense) []float64 {
	var fit mat.VecDense
	fit.MulVec(x, w)
	residuals := slices.Clone(values)
	floats.Sub(residuals, fit.RawVector().Data)
	return residuals
}

// nearest are the m rows of the smallest residuals, and those that are equal to the last.
func nearest(residuals []float64, m int) []int {
	sizes := make([]float64, len(residuals))
	for i, r := range residuals {
		sizes[i] = math.Abs(r)
	}
	slices.Sort(sizes)
	var rows []int
	for i, r := range residuals {
		if math.Abs(r) <= sizes[m-1] {
			rows = append(rows, i)
		}
	}
	return rows
}

// severalOf reports whether values of some rows are of many kinds.
func severalOf(values []float64, rows []int) bool {
	distinct := make(map[float64]bool)
	for _, r := range rows {
		distinct[values[r]] = true
	}
	return len(distinct) >= leastOfUnit
}

// lastDigit is half a unit of the last decimal that values are written with, up to the rounding of sums, and at least a millionth of their spread.
func lastDigit(values []float64) float64 {
	most := 0
	for _, v := range values {
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
		if _, decimals, ok := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), "."); ok {
			most = max(most, len(decimals))
		}
	}
	return max(.5*math.Pow(10, -float64(most)), 1e-6*stat.PopStdDev(values, nil))
}

// onPlane are the rows whose residuals are within a half-width of 0, if these are enough and many times as many as within it of any other number; nil else.
func onPlane(residuals []float64, half float64) []int {
	sorted := slices.Clone(residuals)
	slices.Sort(sorted)
	half *= 1.001
	n, on, most := len(sorted), countIn(sorted, -half, half), 1
	for first, last := 0, 0; first < n; first++ {
		for last < n && sorted[last] <= sorted[first]+2*half {
			last++
		}
		if sorted[first] > half || sorted[first] < -3*half {
			most = max(most, last-first)
		}
	}
	if on < imputedRows || float64(on) < imputedShare*float64(n) || on < imputedTimes*most {
		return nil
	}
	return smallest(residuals, half)
}

// smallest are the rows whose residuals are of that size at most.
func smallest(residuals []float64, size float64) []int {
	var rows []int
	for i, r := range residuals {
		if math.Abs(r) <= size {
			rows = append(rows, i)
		}
	}
	return rows
}
