package modelreport

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mediant/check"
	"mediant/internal/plural"
	"mediant/report"
)

// listedColumns bounds the columns of a role that are listed.
const listedColumns = 40

// columns is the section on the roles and kinds of columns.
func (b *builder) columns(context.Context) (*report.Section, error) {
	x, y, left := b.profiles()
	if x == nil || y == nil {
		return nil, reason("the model file keeps no profile of the columns")
	}
	m := b.Model
	s := &report.Section{Title: "Columns", Text: []string{
		"X are the columns that predict, U those that both tables have, Y those that are predicted. The kind is what the cells look like; of U, missing and distinct values are those of the first and of the second table.",
	}}
	t := report.Table{Columns: []string{"column", "role", "kind", "missing", "distinct", "values"}}
	for _, role := range []struct {
		name   string
		names  []string
		tables []*check.TableProfile
	}{{"X", m.Roles.X, []*check.TableProfile{x}}, {"U", m.Roles.U, []*check.TableProfile{x, y}}, {"Y", m.Roles.Y, []*check.TableProfile{y}}, {"left out", left, []*check.TableProfile{x, y}}} {
		for i, name := range role.names {
			if i == listedColumns {
				s.Text = append(s.Text, fmt.Sprintf("%d of the %s with the role %s are listed.", i, plural.Of(len(role.names), "column"), role.name))
				break
			}
			var all []*check.Profile
			for _, table := range role.tables {
				if p := table.Column(name); p != nil {
					all = append(all, p)
				}
			}
			t.Rows = append(t.Rows, columnRow(name, role.name, all))
		}
	}
	s.Tables = []report.Table{t}
	return s, nil
}

// profiles are those of both tables, and the columns that were left out.
func (b *builder) profiles() (x, y *check.TableProfile, left []string) {
	if b.Checked != nil {
		return &b.Checked.XU, &b.Checked.UY, b.Checked.LeftOut
	}
	if l := b.Model.Learned; l != nil {
		return &l.XU.TableProfile, &l.UY.TableProfile, nil
	}
	return nil, nil, nil
}

// columnRow describes a column by its profiles in one table or two.
func columnRow(name, role string, all []*check.Profile) []report.Cell {
	row := []report.Cell{report.TextCell(shortName(name)), report.TextCell(role), {}, {}, {}, {}}
	if len(all) == 0 {
		return row
	}
	var kinds, missing, distinct []string
	least, most := math.Inf(1), math.Inf(-1)
	for _, p := range all {
		kinds, missing, distinct = append(kinds, string(p.Kind)), append(missing, share(p.Missing, p.Rows)), append(distinct, fmt.Sprint(p.Distinct))
		if n := p.Numbers; n != nil {
			least, most = min(least, n.Min), max(most, n.Max)
		}
	}
	row[2], row[3], row[4] = report.TextCell(either(kinds)), report.TextCell(either(missing)), report.TextCell(either(distinct))
	switch first := all[0]; {
	case least <= most:
		row[5] = report.TextCell(fmt.Sprintf("%s to %s", number(least), number(most)))
		if len(all) == 1 || all[1].Numbers == nil {
			break
		}
		row[5].Text += fmt.Sprintf(", medians %s, %s", number(median(first)), number(median(all[1])))
	case len(first.Levels) > 0:
		var levels []string
		for _, l := range first.Levels[:min(3, len(first.Levels))] {
			levels = append(levels, fmt.Sprintf("%s (%d)", short(l.Level, 30), l.Rows))
		}
		row[5] = report.TextCell(listed(levels, 3))
	}
	return row
}

func median(p *check.Profile) float64 {
	if p.Numbers == nil || len(p.Numbers.Quantiles) == 0 {
		return math.NaN()
	}
	return p.Numbers.Quantiles[len(p.Numbers.Quantiles)/2]
}

// either joins what differs between two tables.
func either(texts []string) string {
	if len(slices.Compact(slices.Clone(texts))) == 1 {
		return texts[0]
	}
	return texts[0] + " / " + texts[1]
}

// share is a part of rows in per cent.
func share(part, of int) string {
	if part == 0 {
		return "none"
	}
	return percent(float64(part) / float64(of))
}

// listedFindings bounds the findings that are listed.
const listedFindings = 40

// findings is the section on what the checks found.
func (b *builder) findings(context.Context) (*report.Section, error) {
	all := b.Findings
	if all == nil && b.Checked != nil {
		all = b.Checked.Findings
	}
	if all == nil {
		return nil, reason("the findings of a fit name files and lines, and are not kept in its model file; the page of the fit (fit --report) has them")
	}
	s := &report.Section{Title: "Findings of the checks"}
	if len(all) == 0 {
		s.Text = []string{"Nothing was found in the tables that would make a result wrong."}
		return s, nil
	}
	s.Text = []string{"A warning makes the result doubtful, a note says what was decided. docs/check.md explains each code."}
	t := report.Table{Columns: []string{"severity", "code", "columns", "finding"}}
	shown := min(len(all), listedFindings)
	s.Text = append(s.Text, more(shown, len(all), "finding")...)
	for _, f := range all[:shown] {
		severity := report.TextCell(f.Severity.String())
		if f.Severity > check.Note {
			severity = report.Verdict(false, f.Severity.String())
		}
		t.Rows = append(t.Rows, []report.Cell{severity, report.TextCell(string(f.Code)), report.TextCell(listed(f.Columns, 3)), report.TextCell(short(f.String(), 500))})
	}
	s.Tables = []report.Table{t}
	return s, nil
}
