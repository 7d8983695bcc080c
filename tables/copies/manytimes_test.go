package copies

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mediant/tables"
)

// TestDistinctFindsOneRowManyTimes: a row of measurements that is repeated is found though it is one alone, and ties at limits are not.
func TestDistinctFindsOneRowManyTimes(t *testing.T) {
	numbers := drawTable(200, "a,b,c,k", func(_ int, r *rand.Rand) []any {
		return []any{decimals(r.NormFloat64(), 3), decimals(r.ExpFloat64(), 3), decimals(9*r.NormFloat64(), 2), r.IntN(3)}
	})
	middle := slices.IndexFunc(numbers.rows, func(row []any) bool { return math.Abs(row[0].(float64)) < .5 && math.Abs(row[2].(float64)) < 5 })
	with := func(row []any, times int) drawnTable {
		return drawnTable{numbers.names, append(slices.Clone(numbers.rows), slices.Repeat([][]any{row}, times)...)}
	}
	one := numbers.rows[middle]
	for _, c := range []struct {
		of   drawnTable
		want int
	}{
		{with(one, 3), 3},
		{with(one, 50), 50},
		{with(one, 2), 0}, // three equal rows
		{with([]any{0., 0., 0., 0}, 50), 0},
		{with([]any{-9., -1., -99., 0}, 50), 0}, // below all others
		{with([]any{one[0], one[1], 0., 0}, 10), 0},
		{with([]any{one[0].(float64) + .0001, one[1].(float64) + .0001, 0., 0}, 50), 49},
	} {
		src, found := c.of.distinct(t)
		if found.Rows != c.want || src.(*tables.Table).Rows() != len(c.of.rows)-c.want {
			t.Errorf("%+v, want %d copies", found, c.want)
		}
	}
	missing := with(one, 50)
	missing.rows[middle+1] = []any{math.NaN(), math.NaN(), math.NaN(), 0}
	if _, found := missing.distinct(t); found.Rows != 50 {
		t.Errorf("with missing values: %+v", found)
	}
	words := drawTable(200, "a", func(i int, _ *rand.Rand) []any { return []any{fmt.Sprint("row", i)} })
	words.rows = append(words.rows, slices.Repeat(words.rows[:1], 20)...)
	if _, found := words.distinct(t); found.Found() {
		t.Errorf("words: %+v", found)
	}
}
