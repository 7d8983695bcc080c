package theory

import (
	"context"

	"mediant/report"
)

// An appendixItem is a formula of [Yamane21] that, as reported in this project's plan, does not follow
// from the others as it is printed. We have not seen the text itself: reported says what is said of it,
// ours what we derive in docs/theory.md, and both are held against the same numbers.
type appendixItem struct {
	title, reported, ours string
	// off and printedOff say by how much each misses: the largest distance from the truth, or the
	// largest amount by which an inequality is violated.
	off, printedOff func(seed uint64) float64
	// tolerance of off: rounding, or what its comment says.
	tolerance float64
}

// appendixClear is what a printed formula must miss by to be called wrong: the quantities are all of
// order 1.
const appendixClear = .01

// appendixClaims are the formulas as printed that do not follow from each other.
func appendixClaims() []Claim { return appendixClaimsOf(appendixItems()) }

func appendixItems() []appendixItem {
	return append(appendixBoundItems(), appendixRiskItems()...)
}

func appendixClaimsOf(items []appendixItem) []Claim {
	return []Claim{{
		Name:        "Appendix: formulas as printed that do not follow from each other",
		Reference:   "[Yamane21], as reported; docs/theory.md, Formulas as printed",
		Statement:   "Each formula as we derive it holds in numbers, and as it is reported to be printed it does not.",
		Assumptions: "The wording of the printed formulas is taken from this project's plan; the paper's text was not at hand.",
		Method:      "Both versions of each formula are evaluated on the same random finite distributions, samples or small classes.",
		Run: func(ctx context.Context, o Options) (Result, error) {
			g := &gauge{reference: "docs/theory.md, Formulas as printed"}
			t := report.Table{Caption: "Formulas as printed, as reported, and as derived here", Columns: []string{"formula", "reported", "ours", "ours misses by", "printed misses by"}}
			for _, item := range items {
				if err := ctx.Err(); err != nil {
					return Result{}, err
				}
				off, printed := item.off(o.Seed), item.printedOff(o.Seed)
				g.near(item.title+": ours", item.ours, off, 0, 0, item.tolerance)
				g.atLeast(item.title+": as reported", item.reported, printed, appendixClear, 0)
				t.Rows = append(t.Rows, []report.Cell{words(item.title), words(item.reported), words(item.ours), number(off), number(printed)})
			}
			return Result{Checks: g.checks, Tables: []report.Table{t}}, nil
		},
	}}
}
