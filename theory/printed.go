package theory

import (
	"context"
	"fmt"

	"mediant/report"
)

// A printedItem is a formula of [Yamane21] that does not hold, or does not follow, as it is printed: printed quotes or paraphrases it,
// ours is what holds (docs/theory.md, 14), and both are compared with the same numbers.
type printedItem struct {
	// place is where it stands in the paper: a number, or an appendix as its headings count.
	place, title, printed, ours string
	// off and printedOff say by how much each misses: the largest distance from the truth, or the
	// largest amount by which an inequality is violated.
	off, printedOff func(seed uint64) float64
	// tolerance of off: rounding, or what its comment says.
	tolerance float64
}

// printedClear is what a printed formula must miss by to be called wrong: the quantities are all of
// order 1.
const printedClear = .01

// printedClaims are the formulas of the paper that do not hold as printed.
func printedClaims() []Claim { return printedClaimsOf(printedItems()) }

func printedItems() []printedItem {
	items := append(printedBoundItems(), printedExcessItems()...)
	return append(items, printedMinimaxItems()...)
}

func printedClaimsOf(items []printedItem) []Claim {
	return []Claim{{
		Name:        "Formulas of the paper that do not hold as printed",
		Reference:   "[Yamane21]; docs/theory.md, 14",
		Statement:   "Each formula as we derive it holds in numbers, and as it is printed it does not.",
		Assumptions: "Those of the place. Misprints of notation alone stand in docs/theory.md, 14.",
		Method:      "Both versions of each formula are evaluated on the same random finite distributions, samples or small classes.",
		Run: func(ctx context.Context, o Options) (Result, error) {
			g := &gauge{}
			t := report.Table{Caption: "Formulas as printed and as derived here", Columns: []string{"place", "formula", "as printed", "ours", "ours misses by", "printed misses by"}}
			for _, item := range items {
				if err := ctx.Err(); err != nil {
					return Result{}, err
				}
				g.reference = fmt.Sprintf("[Yamane21, %s]; docs/theory.md, 14", item.place)
				off, printed := item.off(o.Seed), item.printedOff(o.Seed)
				g.near(item.title+": ours", item.ours, off, 0, 0, item.tolerance)
				g.atLeast(item.title+": as printed", item.printed, printed, printedClear, 0)
				t.Rows = append(t.Rows, []report.Cell{words(item.place), words(item.title), words(item.printed), words(item.ours), number(off), number(printed)})
			}
			return Result{Checks: g.checks, Tables: []report.Table{t}}, nil
		},
	}}
}
