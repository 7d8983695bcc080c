package theory

import (
	"bufio"
	"fmt"
	"io"
	"slices"

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
			"The deviation of an identity or an inequality is the largest of all comparisons: the difference of the two sides, left less right for inequalities, relative to the size of their terms. Below 0 an inequality has room to spare.",
			fmt.Sprintf("%s, seed %d. [Yamane21] is Yamane, Honda, Yger and Sugiyama, Mediated Uncoupled Learning, ICML 2021; its theorems are named by number, its appendices by letter, A to K in the order of their headings. Notation, proofs and sources are in docs/theory.md.", work, o.Seed),
		},
		Sections: []report.Section{{Title: "All claims", Tables: []report.Table{overview(claims, results)}}},
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
		Formulas: c.Formulas,
		Tables:   append(measurements(r.Checks), r.Tables...),
		Charts:   r.Charts,
	}
}

// overview has a row for each claim; the measurements stand in the claim's own section.
func overview(claims []Claim, results []Result) report.Table {
	t := report.Table{Columns: []string{"claim", "where it stands", "checks", "verdict"}}
	for i, c := range claims {
		number := float64(len(results[i].Checks))
		verdict := report.Verdict(true, string(Holds))
		if failed := Failed(results[i].Checks); len(failed) > 0 {
			verdict = report.Verdict(false, fmt.Sprintf("%d FAIL", len(failed)))
		}
		t.Rows = append(t.Rows, []report.Cell{{Text: c.Name}, {Text: c.Reference}, report.Number(number), verdict})
	}
	return t
}

// WriteText writes the checks for a terminal: under each claim and where it stands, a line for each
// measurement with its verdict, what came out, its bound or tolerance, and what was measured.
func WriteText(w io.Writer, checks []Check) error {
	out := bufio.NewWriter(w)
	for i, c := range checks {
		if i == 0 || c.Name != checks[i-1].Name || c.Reference != checks[i-1].Reference {
			fmt.Fprintf(out, "\n%s  (%s)\n", c.Name, c.Reference)
		}
		cells := c.cells()
		fmt.Fprintf(out, "  %-5s  %-24s  %-22s  %s\n", c.Verdict, cells[1].Text, cells[2].Text, c.Statement)
	}
	return out.Flush()
}

// measurements are a table of deviations and one of values, as far as there are any.
func measurements(checks []Check) []report.Table {
	deviations := report.Table{Columns: []string{"compared", "deviation", "tolerance", "verdict"}}
	values := report.Table{Columns: []string{"measured", "value", "bound or expected value", "verdict"}}
	for _, c := range checks {
		t := &values
		if c.Deviation {
			t = &deviations
		}
		t.Rows = append(t.Rows, c.cells())
	}
	return slices.DeleteFunc([]report.Table{deviations, values}, func(t report.Table) bool { return len(t.Rows) == 0 })
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
