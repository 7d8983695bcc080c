package effect

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"mediant/problem"
	"mediant/tables"
)

// A MissingU counts the rows in which columns of U are missing. What a treatment does to a missing value is not in the estimate: if that value carries a part
// of the effect, the estimate is nearer to 0 than the effect.
type MissingU struct {
	Columns []MissingColumn `json:"columns"` // those of U that are missing in some row
	XU      MissingRows     `json:"xu"`
	UY      MissingRows     `json:"uy"`
	// LeftOut says that these rows are left out (Estimator.CompleteU).
	LeftOut bool `json:"left_out"`
	// Weights are those of the rows that are left of the first table (Estimator.WeighU), nil if they count alike.
	Weights *CompleteWeights `json:"weights,omitempty"`
	// Complete are the effects that the other rows alone give, nil if LeftOut, or if these give no estimate; NoComplete says why then.
	Complete   []Estimate `json:"complete,omitempty"`
	NoComplete string     `json:"no_complete,omitempty"`
}

// A MissingColumn counts the rows of both tables in which a column of U is missing; a row of weight k counts as k.
type MissingColumn struct {
	Column string `json:"column"`
	XU     int    `json:"xu"`
	UY     int    `json:"uy"`
}

// MissingRows counts the rows of a table in which any column of U is missing, among all; a row of weight k counts as k.
type MissingRows struct {
	Rows int `json:"rows"`
	Of   int `json:"of"`
}

// missingU is what is missing, and which rows of both tables have a complete U.
type missingU struct {
	found *MissingU
	rows  [2][]bool
	left  [2]int // how many are complete
	u     []string
}

// findMissing reads both tables, a weighted one twice; nil if no U is missing.
func (e Estimator) findMissing(ctx context.Context, xu, uy tables.Source) (*missingU, error) {
	opt := e.Setup.Roles
	opt.X = e.columnsX()
	roles, err := tables.AssignRoles(xu.Columns(), uy.Columns(), opt)
	if err != nil {
		return nil, err
	}
	m := &missingU{u: roles.U, found: &MissingU{Columns: make([]MissingColumn, len(roles.U))}}
	for i, name := range roles.U {
		m.found.Columns[i].Column = name
	}
	u := problem.SelectColumns(xu.Columns(), roles.U)
	for t, src := range []tables.Source{xu, uy} {
		if err := m.count(ctx, t, src, u, []string{opt.WeightsXU, opt.WeightsUY}[t]); err != nil {
			return nil, problem.TableError(t, err)
		}
	}
	if m.found.XU.Rows+m.found.UY.Rows == 0 {
		return nil, nil
	}
	m.found.Columns = slices.DeleteFunc(m.found.Columns, func(c MissingColumn) bool { return c.XU+c.UY == 0 })
	return m, nil
}

// count counts what a table misses. Rows are complete or not before weights leave any out, and are counted by their weight.
func (m *missingU) count(ctx context.Context, t int, src tables.Source, u []tables.Column, weights string) error {
	rows := m.found.table(t)
	mark := func(_, _ int, missing []int) {
		m.rows[t] = append(m.rows[t], len(missing) == 0)
		if len(missing) == 0 {
			m.left[t]++
		}
	}
	count := func(_, copies int, missing []int) {
		rows.Of += copies
		if len(missing) > 0 {
			rows.Rows += copies
		}
		for _, j := range missing {
			*m.found.Columns[j].table(t) += copies
		}
	}
	if weights == "" {
		return eachMissing(ctx, src, u, func(number, copies int, missing []int) { mark(number, copies, missing); count(number, copies, missing) })
	}
	if err := eachMissing(ctx, src, u, mark); err != nil {
		return err
	}
	src, err := tables.Weigh(ctx, src, weights)
	if err != nil {
		return err
	}
	return eachMissing(ctx, src, u, count)
}

// eachMissing calls do for each row with its number, how many equal rows it stands for, and which columns of U are missing.
func eachMissing(ctx context.Context, src tables.Source, u []tables.Column, do func(number, copies int, missing []int)) error {
	sel, err := tables.Select(src.Columns(), u)
	if err != nil {
		return err
	}
	var missing []int
	for b, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return err
		}
		for i := range b.Rows {
			missing = missing[:0]
			for j := range u {
				kind, place := sel.Place(j)
				if kind == tables.Text && b.Text[place][i] == "" || kind == tables.Numeric && math.IsNaN(b.Num.At(i, place)) {
					missing = append(missing, j)
				}
			}
			do(b.Number(i), b.Copies(i), missing)
		}
	}
	return nil
}

// complete returns the tables without the rows in which a U is missing.
func (m *missingU) complete(ctx context.Context, xu, uy tables.Source) (_, _ tables.Source, err error) {
	sources := [2]tables.Source{xu, uy}
	for t, rows := range m.rows {
		switch m.left[t] {
		case len(rows):
		case 0:
			return nil, nil, fmt.Errorf("effect: U is complete in no row of the table of %s: %s; name fewer columns as U", []string{"treatment and U", "U and Y"}[t], m.found.describe(t))
		default:
			if sources[t], err = tables.Keep(ctx, sources[t], m.left[t], func(row int) bool { return row < len(rows) && rows[row] }); err != nil {
				return nil, nil, err
			}
		}
	}
	return sources[0], sources[1], nil
}

// table is what is counted in a table.
func (m *MissingU) table(t int) *MissingRows { return []*MissingRows{&m.XU, &m.UY}[t] }

func (c *MissingColumn) table(t int) *int { return []*int{&c.XU, &c.UY}[t] }

// describe lists the columns that a table misses most often.
func (m *MissingU) describe(t int) string {
	columns := slices.Clone(m.Columns)
	slices.SortStableFunc(columns, func(a, b MissingColumn) int { return *b.table(t) - *a.table(t) })
	var parts []string
	for _, c := range columns[:min(len(columns), 3)] {
		parts = append(parts, fmt.Sprintf("%q is missing in %d of %d rows", c.Column, *c.table(t), m.table(t).Of))
	}
	return strings.Join(parts, ", ")
}
