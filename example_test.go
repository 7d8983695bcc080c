package mediant_test

import (
	"context"
	"fmt"

	"mediant"
	"mediant/check"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

func ExampleModel_Later() {
	share := make([]float64, 100) // as a fraction, and then in per cent
	percent := make([]float64, 100)
	for i := range share {
		share[i] = float64(i) / 100
		percent[i] = 100 * share[i]
	}
	xu, _ := tables.FromColumns(tables.Numbers("share", share), tables.Numbers("u", share))
	uy, _ := tables.FromColumns(tables.Numbers("u", share), tables.Numbers("y", share))
	model, _ := rr.Fit(context.Background(), problem.Setup{}, rr.Joint{}, xu, uy)
	later, _ := tables.FromColumns(tables.Numbers("share", percent))
	found, _ := (&mediant.Model{Model: model}).Later(context.Background(), later, tables.Roles{X: []string{"share"}}, check.Later)
	for _, f := range check.Settle(found, nil, false) {
		fmt.Println(f.Severity, f.Code, f.Columns)
	}
	// Output: error later-unit [share]
}
