package theory

import (
	"fmt"

	"mediant/report"
)

// document is the report of all claims.
func document(o Options, claims []Claim, results []Result, checks []Check) *report.Document {
	failed := Failed(checks)
	summary := fmt.Sprintf("%d claims, %d checks: all hold.", len(claims), len(checks))
	if len(failed) > 0 {
		summary = fmt.Sprintf("%d claims, %d checks: %d FAIL.", len(claims), len(checks), len(failed))
	}
	work := "Full run"
	if o.Quick {
		work = "Quick run"
	}
	d := &report.Document{
		Title: "Mediant: the theory, checked by numbers",
		Summary: []string{
			summary,
			"Of an identity or an inequality that was compared many times, got is the worst: the difference of the two sides, left less right for inequalities, relative to the size of their terms. Below 0 an inequality has room to spare.",
			fmt.Sprintf("%s, seed %d. [Yamane21] is Yamane, Honda, Yger and Sugiyama, Mediated Uncoupled Learning, ICML 2021; notation, proofs and sources are in docs/theory.md.", work, o.Seed),
		},
		Sections: []report.Section{{Title: "All checks", Tables: []report.Table{Table(checks)}}},
	}
	for i, c := range claims {
		d.Sections = append(d.Sections, section(c, results[i]))
	}
	return d
}

func section(c Claim, r Result) report.Section {
	return report.Section{
		Title: c.Name,
		Text: []string{
			c.Statement,
			"Where it stands: " + c.Reference + ".",
			"Assumptions: " + c.Assumptions,
			"How it is measured: " + c.Method,
		},
		Tables: append([]report.Table{measurements(r.Checks)}, r.Tables...),
		Charts: r.Charts,
	}
}

// Table returns the checks as a table: claim, where it stands, what was measured, what came out, its
// bound or tolerance, and the verdict.
func Table(checks []Check) report.Table {
	t := report.Table{Columns: append([]string{"claim", "where it stands"}, measuredColumns...)}
	for _, c := range checks {
		t.Rows = append(t.Rows, append([]report.Cell{{Text: c.Name}, {Text: c.Reference}}, c.cells()...))
	}
	return t
}

var measuredColumns = []string{"measured", "got", "bound or tolerance", "verdict"}

func measurements(checks []Check) report.Table {
	t := report.Table{Columns: measuredColumns}
	for _, c := range checks {
		t.Rows = append(t.Rows, c.cells())
	}
	return t
}

func (c Check) cells() []report.Cell {
	got := fmt.Sprintf("%.4g", c.Got)
	if c.StdErr > 0 {
		got += fmt.Sprintf(" (s.e. %.2g)", c.StdErr)
	}
	mark := report.Good
	if c.Verdict != Holds {
		mark = report.Bad
	}
	return []report.Cell{
		{Text: c.Statement},
		{Text: got, Value: &c.Got},
		{Text: c.bound(), Value: &c.Bound},
		{Text: string(c.Verdict), Mark: mark},
	}
}

// bound writes the right side: "<= 1e-12", or "1.04 ± 0.02".
func (c Check) bound() string {
	if len(c.Relation) > 2 && c.Relation[:2] == "= " {
		return fmt.Sprintf("= %.4g%s", c.Bound, c.Relation[1:])
	}
	return fmt.Sprintf("%s %.4g", c.Relation, c.Bound)
}

// Failed returns the checks that do not hold.
func Failed(checks []Check) []Check {
	var out []Check
	for _, c := range checks {
		if c.Verdict != Holds {
			out = append(out, c)
		}
	}
	return out
}
