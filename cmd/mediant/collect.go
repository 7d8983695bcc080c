package main

import (
	"slices"

	"github.com/spf13/pflag"

	"mediant/collect"
	"mediant/risk"
)

// collectFlags say what rows cost. If one is set, what to collect next is shown.
type collectFlags struct {
	costs collect.Costs
	asked bool
}

// collectNames are the names of collectFlags.
var collectNames = []string{"cost-xu", "cost-uy", "budget"}

func (f *collectFlags) register(flags *pflag.FlagSet) {
	flags.Float64Var(&f.costs.XU, "cost-xu", 1, "cost of a row of X and U: show what to collect next, and how to split a budget between the tables")
	flags.Float64Var(&f.costs.UY, "cost-uy", 1, "cost of a row of U and Y (likewise)")
	flags.Float64Var(&f.costs.Budget, "budget", 0, "budget for more rows, in the unit of the costs (default: what 1,000 rows of each table cost)")
}

// check refuses costs out of range, and costs where there is no risk, and so nothing that they are for.
func (f *collectFlags) check(given func(flag string) bool, noRisk bool, without string) error {
	f.asked = slices.ContainsFunc(collectNames, given)
	for i, v := range []float64{f.costs.XU, f.costs.UY, f.costs.Budget} {
		if name := collectNames[i]; given(name) {
			switch {
			case noRisk:
				return usagef("--%s has no meaning %s", name, without)
			case v == 0: // the default of the library
				return usagef("--%s is 0, must be above 0", name)
			}
		}
	}
	if err := f.costs.Validate(); err != nil {
		return usageError{err}
	}
	return nil
}

// advise returns what to collect next for the accuracy of a risk on other tables than a fit's.
func (f *collectFlags) advise(a *risk.Assessment) (*collect.Advice, error) {
	return collect.Advise(a.Risk.Rows, a.Variance(), nil, f.costs)
}

// describe writes what to collect next for people, a line for each sentence, if it was asked for.
func (f *collectFlags) describe(a *collect.Advice) string {
	var b lines
	if a != nil && f.asked {
		for _, sentence := range a.Sentences() {
			if sentence == a.LeftOut {
				sentence += " (--se)"
			}
			b.line("collect", "%s", sentence)
		}
	}
	return b.String()
}
