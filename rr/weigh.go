package rr

import (
	"context"
	"fmt"

	"mediant/tables"
)

// Numbers of the two tables.
const (
	tableXU = iota
	tableUY
)

// weigh gives both tables the weights that the setup names, or they have already, and notes how they count.
func (p *Problem) weigh(ctx context.Context) error {
	for i, name := range []string{p.Setup.Roles.WeightsXU, p.Setup.Roles.WeightsUY} {
		if name == "" && !tables.Weighed(p.sources[i]) {
			continue
		}
		table := []string{"X and U", "U and Y"}[i]
		src, err := tables.Weigh(ctx, p.sources[i], name)
		if err != nil {
			return fmt.Errorf("table of %s: %w", table, err)
		}
		p.sources[i] = src
		rows, count, whole := 0, 0, true
		for b, err := range tables.NewGuard("", src).Batches(ctx) {
			if err != nil {
				return err
			}
			rows += b.Rows
			count += b.Count()
			whole = b.Frequencies() != nil
		}
		p.weighed[i], p.counts[i] = rows, count
		if name != "" {
			name = fmt.Sprintf(" %q", name)
		}
		if !whole {
			p.Notes = append(p.Notes, fmt.Sprintf("the weights%s of the table of %s are not all whole numbers: only their ratios count, and each of the %d rows is one observation", name, table, rows))
		} else if rows != count {
			p.Notes = append(p.Notes, fmt.Sprintf("the weights%s of the table of %s are whole numbers, and a row of weight k is k equal rows: %d rows count as %d", name, table, rows, count))
		}
	}
	return nil
}
