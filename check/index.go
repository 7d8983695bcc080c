package check

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/tables"
)

// indexDegree functions of each column of U predict Y, indexTargets columns of it at most. In more rows than indexRows all functions of U show what this one would.
const indexDegree, indexTargets, indexRows = 4, 4, 2000

// index is what U says of the numbers of Y in some rows of the first table, as the second one tells it, by its ranks. What a column of X has to do with U makes a difference to
// the result along this function alone, which is one, where all functions of U are many.
func (c *checker) index(x, y []sampledRow) []series {
	if len(x) > indexRows {
		return nil
	}
	design := c.functionsOfBoth(x, y)
	if design == nil {
		return nil
	}
	var all []series
	for _, name := range evenly(c.roles.Y, indexTargets) {
		look := c.uy.of(name)
		if look.column.Kind != tables.Numeric || look.isIdentifier() {
			continue
		}
		values, fits := make([]float64, len(x)+len(y)), make([]float64, len(x)+len(y))
		var rows []int
		var present []float64
		for i, row := range y {
			if v := row.num[look.place]; !math.IsNaN(v) {
				rows, present = append(rows, len(x)+i), append(present, v)
			}
		}
		for i, score := range normalScores(present) {
			values[rows[i]] = score
		}
		regression := ridge{x: design, values: values}
		if !regression.fit(rows, fits) {
			continue
		}
		says := fits[:len(x)]
		floats.Scale(-1, says) // the first function of ranks falls
		all = appendSeries(all, &uColumn{name: name, kind: tables.Numeric, numbers: [2][]float64{says}}, 1)
	}
	return all
}

// functionsOfBoth are functions of U in rows of both tables, those of the first one above; nil if there are too many columns for as many rows.
func (c *checker) functionsOfBoth(x, y []sampledRow) *mat.Dense {
	most := min(lineFunctions, len(y)/residualRows)
	if len(c.roles.U) > most {
		return nil
	}
	var parts []*mat.Dense
	for _, name := range c.roles.U {
		u := &uColumn{name: name, kind: c.xu.of(name).column.Kind}
		if u.kind == tables.Vector || u.kind == tables.Text && (c.xu.of(name).levels == nil || c.uy.of(name).levels == nil) {
			continue
		}
		for t, rows := range [][]sampledRow{x, y} {
			look := [2]*tableLook{c.xu, c.uy}[t].of(name)
			for _, row := range rows {
				if u.kind == tables.Text {
					u.cells[t] = append(u.cells[t], row.text[look.place])
				} else {
					u.numbers[t] = append(u.numbers[t], row.num[look.place])
				}
			}
		}
		parts = append(parts, u.functions(min(indexDegree, most/len(c.roles.U))))
	}
	if len(parts) == 0 {
		return nil
	}
	return beside(parts)
}
