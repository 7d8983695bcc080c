package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSumRows: rows that have the sums of those above are reported, whether at the end or after each group, and no row of a table without such.
func TestSumRows(t *testing.T) {
	sums := func(rows [][3]float64, columns ...int) (sum [3]float64) {
		for j := range sum {
			sum[j] = math.NaN()
		}
		for _, j := range columns {
			sum[j] = 0
			for _, row := range rows {
				sum[j] += row[j]
			}
		}
		return sum
	}
	measured := func(rnd *rand.Rand) [3]float64 {
		return [3]float64{math.Round(30 + 8*rnd.NormFloat64()), math.Round(10*(20+3*rnd.NormFloat64())) / 10, rnd.ExpFloat64()}
	}
	draw := func(n int, of func(rnd *rand.Rand) [3]float64, rnd *rand.Rand) (rows [][3]float64) {
		for range n {
			rows = append(rows, of(rnd))
		}
		return rows
	}
	every := func(k int, all bool, columns ...int) func(rnd *rand.Rand) [][3]float64 {
		return func(rnd *rand.Rand) (rows [][3]float64) {
			var whole [][3]float64
			for range 200 / k {
				part := draw(k, measured, rnd)
				whole = append(whole, part...)
				rows = append(append(rows, part...), sums(part, columns...))
			}
			if all {
				rows = append(rows, sums(whole, columns...))
			}
			return rows
		}
	}
	for name, c := range map[string]struct {
		rows func(rnd *rand.Rand) [][3]float64
		want string
	}{
		"at the end":               {every(200, false, 0, 1, 2), "warning total-row: row 201 of"},
		"of one column at the end": {every(200, false, 0), "warning total-row: row 201 of"},
		"of two columns":           {every(200, false, 0, 1), "warning total-row: row 201 of"},
		"after each 20":            {every(20, false, 0, 1, 2), "warning subtotal-rows: 10 rows of"},
		"after each 5, and of all": {every(5, true, 0, 1, 2), "warning subtotal-rows: 41 rows of"},
		"in the middle": {func(rnd *rand.Rand) [][3]float64 {
			rows := draw(120, measured, rnd)
			return append(append(rows, sums(rows, 0, 1, 2)), draw(90, measured, rnd)...)
		}, "warning total-row: row 121 of"},
		"none": {func(rnd *rand.Rand) [][3]float64 { return draw(200, measured, rnd) }, ""},
		"zeros": {func(rnd *rand.Rand) [][3]float64 {
			return draw(200, func(rnd *rand.Rand) [3]float64 { return [3]float64{float64(rnd.IntN(2)), float64(rnd.IntN(3) / 2), 0} }, rnd)
		}, ""},
		"counts": {func(rnd *rand.Rand) [][3]float64 {
			return draw(200, func(rnd *rand.Rand) [3]float64 {
				return [3]float64{math.Floor(1 / rnd.Float64()), math.Floor(3 * rnd.ExpFloat64()), 1}
			}, rnd)
		}, ""},
		"running sum": {func(rnd *rand.Rand) [][3]float64 {
			rows := draw(200, measured, rnd)
			for i := 1; i < len(rows); i++ {
				rows[i][0] += rows[i-1][0]
			}
			return rows
		}, ""},
		"powers": {func(rnd *rand.Rand) [][3]float64 {
			rows := draw(200, measured, rnd)
			for i := range rows {
				rows[i][0] = math.Pow(2, float64(i%40))
			}
			return rows
		}, ""},
	} {
		for seed := range uint64(20) {
			rnd := rand.New(rand.NewPCG(seed, 91))
			rows := c.rows(rnd)
			column := func(j int) func(int) float64 { return func(i int) float64 { return rows[i][j] } }
			n := len(rows)
			uy := table(t, numbers("u", n, column(0)), numbers("v", n, column(1)), numbers("y", n, column(2)))
			look, err := look(t.Context(), uy, 0)
			if err != nil {
				t.Fatal(err)
			}
			k := checker{report: &Report{}, xu: &tableLook{}, uy: look}
			k.sumsAbove()
			var got []string
			for _, f := range k.report.Findings {
				got = append(got, f.Severity.String()+" "+string(f.Code)+": "+f.What)
			}
			if all := strings.Join(got, "; "); (all == "") != (c.want == "") || !strings.HasPrefix(all, c.want) {
				t.Errorf("%s, seed %d: %q, want %q", name, seed, all, c.want)
				break
			}
		}
	}
}

// TestSumRowsAlone: values that are sums of rows are not reported as far values too.
func TestSumRowsAlone(t *testing.T) {
	const n = 101
	rnd := rand.New(rand.NewPCG(1, 92))
	v, y := make([]float64, n), make([]float64, n)
	for i := range n - 1 {
		v[i], y[i] = 20+rnd.NormFloat64(), 30+rnd.NormFloat64()
		v[n-1] += v[i]
		y[n-1] += y[i]
	}
	xu := table(t, numbers("x", n, func(int) float64 { return rnd.NormFloat64() }), numbers("v", n, func(int) float64 { return 20 + rnd.NormFloat64() }))
	got := found(t, xu, table(t, numbers("v", n, at(v)), numbers("y", n, at(y))), Options{})
	if !slices.Contains(got, "warning total-row v") || slices.ContainsFunc(got, func(f string) bool { return strings.Contains(f, string(FarValue)) }) {
		t.Errorf("%q", got)
	}
}
