package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mediant/check"
	"mediant/effect"
	"mediant/internal/outfile"
	"mediant/report"
	"mediant/risk"
)

// mostForestRows is how many effects one chart has; further ones are on another.
const mostForestRows = 50

// effectPage is what the page of an effect is made of; what is nil has no part on it.
type effectPage struct {
	result    *effect.Result
	portfolio *effect.Portfolio
	subgroups *effect.Subgroups
	coupled   *effect.CoupledComparison
	findings  []check.Finding
}

// writePage writes a document as --report asks for it.
func (f reportFlag) writePage(page *report.Document) error {
	if f.folder() {
		return page.WriteFiles(string(f))
	}
	return outfile.Write(string(f), page.WriteHTML)
}

func (p effectPage) document() *report.Document {
	d := &report.Document{Title: "Long-term effects"}
	if p.portfolio != nil {
		p.addPortfolio(d)
	}
	if p.result != nil {
		p.addEffects(d)
	}
	if s := p.subgroups; s != nil {
		d.Sections = append(d.Sections, subgroupSection(s))
	}
	if c := p.coupled; c != nil {
		d.Sections = append(d.Sections, coupledSection(c))
	}
	if r := p.result; r != nil {
		d.Sections = append(d.Sections, trustSection(r))
	}
	var notes []string
	if p.result != nil {
		notes = p.result.Notes
	} else {
		notes = p.portfolio.Notes
	}
	for _, f := range p.findings {
		notes = append(slices.Clip(notes), f.Severity.String()+": "+f.What)
	}
	if len(notes) > 0 {
		d.Sections = append(d.Sections, report.Section{Title: "Notes and findings of the checks", Text: notes})
	}
	return d
}

// assumptions says when the effects are right, of a treatment that was drawn at random or not.
func assumptions(randomised bool) string {
	how := "was drawn at random"
	if !randomised {
		how = "was drawn at random among rows of the same propensity"
	}
	return "The effects are right if the treatment " + how + ", if it changes Y only through U, and if the mean of Y given U is the same in both tables. The two tables cannot show whether that holds."
}

// addEffects adds the effects of the whole table.
func (p effectPage) addEffects(d *report.Document) {
	r := p.result
	for _, e := range r.Effects {
		d.Summary = append(d.Summary, fmt.Sprintf("%s: %s", effectOf(r, e), formatInterval(e.Interval)))
	}
	d.Summary = append(d.Summary, assumptions(r.Propensity == nil))
	table := report.Table{Columns: []string{"effect", "estimate", "standard error", "95 % interval", "joint interval", "variance of Y that U explains"}}
	var drawn forests
	for _, e := range r.Effects {
		name := r.Treatment
		if e.Arm != "" {
			name = e.Arm + " against " + e.Against
		}
		drawn.add(e.Output, forestRow{name, e.Interval, jointOf(e.Joint)})
		explained := report.Cell{Text: "none"}
		if e.Explained != nil {
			explained = report.TextCell(formatShare(*e.Explained) + " %")
		}
		joint := report.Cell{Text: "none"}
		if e.Joint != nil {
			joint = report.TextCell(formatNumber(e.Joint.Lo) + " to " + formatNumber(e.Joint.Hi))
		}
		table.Rows = append(table.Rows, []report.Cell{report.TextCell(name + " on " + e.Output), report.Number(e.Value), report.Number(e.SE), report.TextCell(formatEnds(e.Interval)), joint, explained})
	}
	var what strings.Builder
	describeAdjusted(&what, r.X, r.Propensity, r.Arms != nil)
	describeMissing(&what, r)
	d.Sections = append(d.Sections, report.Section{Title: "Effects", Text: strings.FieldsFunc(what.String(), func(r rune) bool { return r == '\n' }), Tables: []report.Table{table}, Charts: drawn.charts("effects", "")})
}

// addPortfolio adds the effects of experiments.
func (p effectPage) addPortfolio(d *report.Document) {
	of := p.portfolio
	d.Summary = append(d.Summary, fmt.Sprintf("%s of %s in %s.", count(len(of.Effects), "effect"), of.Treatment, count(len(of.Effects)+len(of.LeftOut), "experiment or arm")), assumptions(of.Propensity == nil))
	for i, output := range portfolioOutputs(of) {
		table := report.Table{Columns: []string{of.Experiment, "arm", "treated", "control", "effect", "standard error", "95 % interval", "shrunken", "95 % interval of shrunken"}}
		var rows []forestRow
		for _, e := range of.Effects {
			if e.Output != output {
				continue
			}
			line := []report.Cell{report.TextCell(e.Group), report.TextCell(e.Arm), report.Number(float64(e.Treated)), report.Number(float64(e.Control)), report.Number(e.Value), report.Number(e.SE), report.TextCell(formatEnds(e.Interval)), {}, {}}
			if e.Shrunken != nil {
				line[7], line[8] = report.Number(e.Shrunken.Value), report.TextCell(formatEnds(*e.Shrunken))
			}
			table.Rows = append(table.Rows, line)
			name := e.Group
			if e.Arm != "" {
				name += ", " + e.Arm
			}
			rows = append(rows, forestRow{name, e.Interval, e.Shrunken})
		}
		s := report.Section{Title: "Effects on " + output + " by " + of.Experiment, Tables: []report.Table{table},
			Charts: forestCharts(fmt.Sprintf("experiments-%d", i+1), "Effects on "+output, output, "estimate", "shrunken", rows)}
		for _, m := range of.Shrinkages {
			if m.Output == output {
				s.Text = append(s.Text, fmt.Sprintf("Mean effect: %s. Standard deviation of effects: %s. Test of equal effects: Q %s, p %.2g.", formatInterval(m.Mean), formatNumber(m.Tau), formatNumber(m.Q), m.P))
			}
		}
		d.Sections = append(d.Sections, s)
	}
	for _, t := range of.Backtests {
		d.Sections = append(d.Sections, backtestSection(t))
	}
	if len(of.LeftOut) > 0 {
		d.Sections = append(d.Sections, report.Section{Title: "Left out", Tables: []report.Table{leftOutTable(of.Experiment, of.LeftOut)}})
	}
}

func leftOutTable(column string, left []effect.GroupLeftOut) report.Table {
	t := report.Table{Columns: []string{column, "arm", "rows", "why it is left out"}}
	for _, l := range left {
		t.Rows = append(t.Rows, []report.Cell{report.TextCell(l.Group), report.TextCell(l.Arm), report.Number(float64(l.Rows)), report.TextCell(l.Reason)})
	}
	return t
}

func backtestSection(t effect.Backtest) report.Section {
	table := report.Table{Columns: []string{"", "raw", "standard error", "shrunken", "standard error"}}
	for _, line := range backtestLines {
		row := []report.Cell{report.TextCell(line.name), {}, {}, {}, {}}
		for i, s := range []*effect.Score{&t.Raw, t.Shrunken} {
			if s == nil {
				continue
			}
			m := line.of(s)
			for j, v := range []*float64{m.Value, m.SE} {
				if v != nil {
					row[1+2*i+j] = report.Cell{Text: line.format(*v), Value: v}
				}
			}
		}
		table.Rows = append(table.Rows, row)
	}
	return report.Section{Title: "Against known effects on " + t.Output, Tables: []report.Table{table},
		Text: []string{fmt.Sprintf("%d effects are known. False are significant estimates whose known effect is 0 or of the other sign.", t.Compared)}}
}

func subgroupSection(of *effect.Subgroups) report.Section {
	s := report.Section{Title: "Effects by " + of.By}
	table := report.Table{Columns: []string{of.By, "effect of", "treated", "control", "effect", "95 % interval", "joint interval"}}
	var drawn forests
	for _, e := range of.Effects {
		name := e.Group
		if e.Arm != "" {
			name += ", " + e.Arm
		}
		drawn.add(e.Output, forestRow{name, e.Interval, jointOf(e.Joint)})
		table.Rows = append(table.Rows, []report.Cell{report.TextCell(e.Group), report.TextCell(comparedOf(e.Arm, e.Output)), report.Number(float64(e.Treated)), report.Number(float64(e.Control)), report.Number(e.Value),
			report.TextCell(formatEnds(e.Interval)), report.TextCell(formatNumber(e.Joint.Lo) + " to " + formatNumber(e.Joint.Hi))})
	}
	s.Tables = []report.Table{table}
	for _, t := range of.Tests {
		s.Text = append(s.Text, fmt.Sprintf("Test of equal effects of %s: chi-squared %s with %s of freedom, p %.2g.", comparedOf(t.Arm, t.Output), formatNumber(t.ChiSquared), count(t.Freedom, "degree"), t.P))
	}
	if len(of.LeftOut) > 0 {
		s.Tables = append(s.Tables, leftOutTable(of.By, of.LeftOut))
	}
	s.Charts = drawn.charts("subgroups", " by "+of.By)
	return s
}

func coupledSection(c *effect.CoupledComparison) report.Section {
	table := report.Table{Columns: []string{"effect of", "direct", "through U", "difference", "p of no difference", "share through U"}}
	for _, e := range c.Effects {
		table.Rows = append(table.Rows, []report.Cell{report.TextCell(comparedOf(e.Arm, e.Output)), report.TextCell(formatInterval(e.Direct)), report.TextCell(formatInterval(e.Surrogate)), report.TextCell(formatInterval(e.Difference)),
			report.TextCell(strconv.FormatFloat(e.P, 'g', 2, 64)), report.TextCell(throughU(e.Proportion))})
	}
	return report.Section{Title: "Directly and through U", Text: []string{fmt.Sprintf("The direct effect is the difference of the arms in Y in %d coupled rows, the one through U is estimated from U of the same rows and the second table.", c.Rows)}, Tables: []report.Table{table}}
}

func trustSection(r *effect.Result) report.Section {
	overlap := report.Table{Caption: "Overlap of U by arm, and the weights of the second table in the comparison with the control", Columns: []string{"arm", "rows", "without overlap", "effective rows", "largest weight"}}
	outputs := outputsOf(r)
	for i, a := range armsOfResult(r) {
		line := []report.Cell{report.TextCell(a.Level), report.Number(float64(a.Rows)), report.TextCell(formatPart(a.NoOverlap, a.Rows)), {}, {}}
		if i > 0 {
			w := r.Effects[(i-1)*outputs].Weights
			line[3], line[4] = report.Number(w.EffectiveRows), report.TextCell(fmt.Sprintf("%.2g %%", 100*w.Largest))
		}
		overlap.Rows = append(overlap.Rows, line)
	}
	violation := report.Table{Caption: "The smallest difference of Y between the arms in equal U at which the interval touches 0", Columns: []string{"effect", "difference", "in standard deviations of Y given U"}}
	for _, e := range r.Effects {
		line := []report.Cell{report.TextCell(effectOf(r, e)), report.Number(e.Violation.ToZero), {}}
		if v := e.Violation.ToZeroSD; v != nil {
			line[2] = report.Number(*v)
		}
		violation.Rows = append(violation.Rows, line)
	}
	return report.Section{Title: "What the effects depend on", Tables: []report.Table{overlap, violation}}
}

// A forestRow is an effect with up to two intervals.
type forestRow struct {
	name   string
	first  risk.Interval
	second *risk.Interval
}

// forests are effects with their joint intervals, by output in the order of the first of each.
type forests struct {
	outputs []string
	rows    map[string][]forestRow
}

func (f *forests) add(output string, row forestRow) {
	if f.rows == nil {
		f.rows = make(map[string][]forestRow)
	}
	if _, found := f.rows[output]; !found {
		f.outputs = append(f.outputs, output)
	}
	f.rows[output] = append(f.rows[output], row)
}

// charts are those of all outputs, of names that begin alike and of titles that end alike.
func (f *forests) charts(name, by string) (charts []report.Chart) {
	for i, output := range f.outputs {
		charts = append(charts, forestCharts(fmt.Sprintf("%s-%d", name, i+1), "Effects on "+output+by, output, "95 % interval", "joint interval", f.rows[output])...)
	}
	return charts
}

// jointOf is a joint interval about its effect.
func jointOf(r *effect.Range) *risk.Interval {
	if r == nil {
		return nil
	}
	return &risk.Interval{Value: (r.Lo + r.Hi) / 2, Lo: r.Lo, Hi: r.Hi}
}

// forestCharts draws effects below each other, no more than mostForestRows on a chart.
func forestCharts(name, title, output, first, second string, rows []forestRow) (charts []report.Chart) {
	for part := range slices.Chunk(rows, mostForestRows) {
		c := report.Chart{Name: name, Title: title, XLabel: "effect on " + output, Note: "How to read it: bars are intervals of 95 %; one that does not touch the line at 0 is a significant effect."}
		if len(rows) > mostForestRows {
			c.Name, c.Title = fmt.Sprintf("%s-%d", name, len(charts)+1), fmt.Sprintf("%s, part %d", title, len(charts)+1)
		}
		a, b := report.Series{Name: first, Kind: report.Intervals}, report.Series{Name: second, Kind: report.Intervals}
		add := func(s *report.Series, y float64, i risk.Interval) {
			s.X, s.Y, s.Err = append(s.X, i.Value), append(s.Y, y), append(s.Err, (i.Hi-i.Lo)/2)
		}
		for i, row := range part {
			c.YNames = append(c.YNames, row.name)
			y := -float64(i)
			if row.second != nil {
				add(&b, y-.16, *row.second)
				y += .16
			}
			add(&a, y, row.first)
		}
		c.Series = []report.Series{a}
		if len(b.X) > 0 {
			c.Series = append(c.Series, b)
		}
		charts = append(charts, c)
	}
	return charts
}
