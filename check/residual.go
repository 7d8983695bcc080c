package check

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/tables"
)

const (
	// residualDegree functions of each column of U predict the logarithm of Y, residualFunctions at most of all, of residualRows rows each.
	residualDegree, residualFunctions, residualRows = 4, 100, 8
	// residualPenalty is that of the sum of squared coefficients, per row, so that columns which say the same are no trouble.
	residualPenalty = 1e-3
)

// mixedGivenU finds a column of Y that has part of its values in another unit where its own humps run into each other: what U does not
// explain of its logarithm has two humps, a factor of units apart, since U says of each row how large Y is.
func (c *checker) mixedGivenU(look *columnLook, p *Profile) {
	if look.column.Kind != tables.Numeric || look.present() == 0 || look.distinct.count() < 2*leastOfUnit ||
		look.numbers.low[0].value <= 0 && look.numbers.high[0].value >= 0 {
		return
	}
	residuals := c.residuals(look)
	if residuals == nil {
		return
	}
	slices.Sort(residuals)
	v := deepest(residuals, max(unitRowsLeast, int(leastShare*float64(len(residuals)))))
	if v.logP > surelyTwo || !v.manyValues() || min(len(v.low), len(v.high)) < unitRowsLeast {
		return
	}
	apart, se := quantile(v.high, .5)-quantile(v.low, .5), v.apartError()
	for _, f := range factors {
		shift := math.Log(f.factor)
		if f.factor < leastFactor || se > closeSurely || math.Abs(apart-shift) > min(closeFactor, closeErrors*se+closeAlways) {
			continue
		}
		to := conversion{of: func(v float64) float64 { return v + shift }}.converted(v.low)
		if !closelyAlike(distance(to, v.high), len(to), len(v.high)) {
			continue
		}
		rows := int(math.Round(float64(len(v.high)) / float64(len(residuals)) * float64(p.Rows-p.Missing)))
		c.add(Finding{Code: MixedUnits, Severity: Warning, Table: UY, Columns: []string{p.Name}, Rows: rows, Of: p.Rows, gravity: 1,
			What: fmt.Sprintf("about %d of the %d values of %q in %s are like those of other rows of the same U times %.5g (%s?)",
				rows, p.Rows-p.Missing, p.Name, UY.words(), f.factor, f.cause),
			Effect: "if they are in another unit, they hide all that the others say",
			Remedy: fmt.Sprintf("write all in one unit, or --accept %s:%q if they are two kinds of rows", MixedUnits, p.Name)})
		return
	}
}

// residuals are what functions of the columns of U leave of the logarithm of the size of a column of Y, in the sampled rows that have it; nil if they
// are too few.
func (c *checker) residuals(look *columnLook) []float64 {
	x, values := c.functionsOfU(c.uy, look, sampleRows, residualFunctions, false)
	if x == nil {
		return nil
	}
	for i, v := range values {
		values[i] = math.Log(math.Abs(v))
	}
	return leftOver(x, values)
}

// A functionsKey says which functions of U functionsOfU makes of all sampled rows.
type functionsKey struct {
	t          *tableLook
	rows, most int
	themselves bool
}

// functionsOfU are functions of the columns of U of a table, most of them at most, and the values of a column, in the sampled rows that have it, at
// most so many, and besides the numbers themselves if they are wanted; nil if they are too few. They are kept for the other columns that miss no value.
func (c *checker) functionsOfU(t *tableLook, look *columnLook, rows, most int, themselves bool) (*mat.Dense, []float64) {
	var values []float64
	var of []sampledRow
	complete := true
	for _, row := range t.sample.heap {
		if len(values) == rows {
			break
		}
		if y := row.num[look.place]; !math.IsNaN(y) {
			values, of = append(values, y), append(of, row)
		} else {
			complete = false
		}
	}
	key := functionsKey{t, rows, most, themselves}
	x, known := c.functions[key]
	if !known || !complete {
		x = c.makeFunctions(t, of, most, themselves)
	}
	if complete {
		if c.functions == nil {
			c.functions = make(map[functionsKey]*mat.Dense)
		}
		c.functions[key] = x
	}
	if x == nil {
		return nil, nil
	}
	return x, values
}

// makeFunctions makes them of some rows.
func (c *checker) makeFunctions(t *tableLook, rows []sampledRow, most int, themselves bool) *mat.Dense {
	most = min(most, len(rows)/residualRows)
	var columns []*uColumn
	for _, name := range c.roles.U {
		of := t.of(name)
		if of.column.Kind == tables.Vector || of.column.Kind == tables.Text && of.levels == nil {
			continue
		}
		u := &uColumn{name: name, kind: of.column.Kind}
		if columns = append(columns, u); len(columns) > most {
			return nil
		}
		for _, row := range rows {
			if u.kind == tables.Text {
				u.cells[1] = append(u.cells[1], row.text[of.place])
			} else {
				u.numbers[1] = append(u.numbers[1], row.num[of.place])
			}
		}
	}
	if len(columns) == 0 {
		return nil
	}
	var parts []*mat.Dense
	for _, u := range columns {
		f := u.functions(min(residualDegree, most/len(columns)))
		parts = append(parts, f)
		if themselves && u.kind == tables.Numeric {
			parts = append(parts, u.themselves())
		}
	}
	return beside(parts)
}

// themselves are the numbers of a column of the second table of mean 0 and standard deviation 1, and 0 where missing.
func (u *uColumn) themselves() *mat.Dense {
	present := u.present(1)
	centre, scale := stat.Mean(present, nil), stat.PopStdDev(present, nil)
	x := mat.NewDense(len(u.numbers[1]), 1, nil)
	for i, v := range u.numbers[1] {
		if !math.IsNaN(v) && scale > 0 {
			x.Set(i, 0, (v-centre)/scale)
		}
	}
	return x
}

// leftOver is y less its mean and the ridge regression on the columns of x, which are centred, each value by a fit without its own row: with it, the fit would
// bring the humps nearer to each other.
func leftOver(x *mat.Dense, y []float64) []float64 {
	n, _ := x.Dims()
	centre := stat.Mean(y, nil)
	rest := mat.NewVecDense(n, nil)
	for i, v := range y {
		rest.SetVec(i, v-centre)
	}
	var chol mat.Cholesky
	if !chol.Factorize(gramOf(x, residualPenalty)) {
		return nil
	}
	var b, w, fit mat.VecDense
	var back mat.Dense
	b.MulVec(x.T(), rest)
	if chol.SolveVecTo(&w, &b) != nil || chol.SolveTo(&back, x.T()) != nil {
		return nil
	}
	fit.MulVec(x, &w)
	left := make([]float64, n)
	for i := range left {
		own := 1 / float64(n) // the share that a row has in its own fit
		for j, v := range x.RawRowView(i) {
			own += v * back.At(j, i)
		}
		left[i] = (rest.AtVec(i) - fit.AtVec(i)) / (1 - own)
	}
	return left
}
