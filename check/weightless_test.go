package check

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mediant/tables"
)

// TestRowsOfNoWeight: rows of weight 0 change nothing that is found, whatever they hold.
func TestRowsOfNoWeight(t *testing.T) {
	const n = 200
	var reports []*Report
	for _, more := range []int{0, 4} {
		rnd := rand.New(rand.NewPCG(6, 6))
		values := func(far float64) func(int) float64 {
			return func(i int) float64 {
				if i >= n {
					return far
				}
				return rnd.NormFloat64()
			}
		}
		weight := func(i int) float64 {
			if i >= n {
				return 0
			}
			return 1
		}
		xu := table(t, numbers("x", n+more, values(1e6)), numbers("u", n+more, values(-99)), numbers("w", n+more, weight))
		uy := table(t, numbers("u", n+more, values(1e9)), numbers("y", n+more, values(7)), numbers("v", n+more, weight))
		r, err := Tables(context.Background(), xu, uy, Options{Roles: tables.RoleOptions{WeightsXU: "w", WeightsUY: "v"}})
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, r)
	}
	if diff := cmp.Diff(reports[0].Findings, reports[1].Findings, cmp.AllowUnexported(Finding{})); diff != "" || reports[1].XU.Rows != n {
		t.Errorf("%d rows; without and with rows of weight 0:\n%s", reports[1].XU.Rows, diff)
	}
}
