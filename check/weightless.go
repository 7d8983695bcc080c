package check

import (
	"context"

	"mediant/tables"
)

// withWeight returns a table without its rows of weight 0, which count nowhere: what they hold is not to be reported. It costs a pass
// where a column of weights has a name. What is wrong with weights is said by a fit.
func withWeight(ctx context.Context, src tables.Source, weights string) (tables.Source, error) {
	at := columnIndex(src.Columns(), weights)
	if weights == "" || at < 0 || src.Columns()[at].Kind != tables.Numeric {
		return src, nil
	}
	sel, err := tables.Select(src.Columns(), src.Columns()[at:at+1])
	if err != nil {
		return nil, err
	}
	var zero hitRows
	left := 0
	for b, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return nil, err
		}
		values := make([]float64, b.Rows)
		sel.NumericTo(values, b, 0)
		for i, v := range values {
			if v == 0 {
				zero.add(b.Start+i, 1)
			} else {
				left++
			}
		}
	}
	if zero.rows == 0 || left == 0 {
		return src, nil
	}
	return tables.Keep(ctx, src, left, func(row int) bool { return !zero.has(row) })
}
