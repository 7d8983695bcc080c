package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"mediant/internal/draw"
	"mediant/tables"
)

// drawColumns are p columns of U of n and m rows; of S_Y each row is changed by change.
func drawColumns(p, n, m int, rnd *rand.Rand, change func(row []float64)) []*uColumn {
	columns := make([]*uColumn, p)
	for j := range columns {
		columns[j] = &uColumn{name: fmt.Sprint("u", j), kind: tables.Numeric}
	}
	row := make([]float64, p)
	for t, rows := range [2]int{n, m} {
		for range rows {
			for j := range row {
				row[j] = rnd.NormFloat64()
			}
			if t == 1 && change != nil {
				change(row)
			}
			for j, v := range row {
				columns[j].numbers[t] = append(columns[j].numbers[t], v)
			}
		}
	}
	return columns
}

func BenchmarkJoint(b *testing.B) {
	for _, p := range []int{10, 20, 100} {
		for name, change := range map[string]func([]float64){"equal": nil, "unequal": func(u []float64) { u[1] = u[0] }} {
			columns := drawColumns(p, 2000, 2000, rand.New(rand.NewPCG(1, 2)), change)
			b.Run(fmt.Sprint(p, name), func(b *testing.B) {
				for range b.N {
					t, _ := testJoint(context.Background(), columns, true, draw.Rand(1, "test", 0))
					if i := b.N; i == 1 {
						b.Log(t.PValue, t.Permutations, t.Columns[:3])
					}
				}
			})
		}
	}
}
