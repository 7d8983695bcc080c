package effect

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mediant/internal/literal"
	"mediant/tables"
)

// treatedWords are levels that mean treated, and untreatedWords those of the other arm.
var (
	treatedWords   = strings.Fields("yes y true t treated treatment intervention active drug verum")
	untreatedWords = strings.Fields("no n false f untreated control controls placebo none")
)

// inArms returns the first table with the treatment as 1 and 0, and the level that became 1, "" where it was so already.
func (e Estimator) inArms(ctx context.Context, xu tables.Source) (tables.Source, string, error) {
	columns := xu.Columns()
	at := slices.IndexFunc(columns, func(c tables.Column) bool { return tables.CanonicalName(c.Name) == tables.CanonicalName(e.Treatment) })
	if at < 0 || columns[at].Kind == tables.Vector || columns[at].Kind == tables.Numeric && e.Treated == "" {
		return xu, "", nil // which is looked at later
	}
	name := columns[at].Name
	levels, err := armsOf(ctx, xu, columns[at])
	if err != nil {
		return nil, "", err
	}
	if len(levels) != 2 {
		return nil, "", fmt.Errorf("effect: treatment %q has %s, must have two: 0 and 1, or two levels of which one is treated", name, listLevels(levels))
	}
	treated := -1
	for i, level := range levels {
		switch {
		case e.Treated != "":
			if literal.LabelKey(level) == literal.LabelKey(e.Treated) {
				treated = i
			}
		case isWord(level, treatedWords) && isWord(levels[1-i], untreatedWords):
			treated = i
		}
	}
	switch {
	case treated < 0 && e.Treated != "":
		return nil, "", fmt.Errorf("effect: treatment %q has no level %q: it has %s", name, e.Treated, listLevels(levels))
	case treated < 0:
		return nil, "", fmt.Errorf("effect: treatment %q has %s, and which of them is treated is not set: name it with Estimator.Treated, or write 1 where treated and else 0", name, listLevels(levels))
	}
	src, err := tables.Indicator(xu, name, levels[treated])
	if err != nil {
		return nil, "", fmt.Errorf("effect: treatment: %w", err)
	}
	return src, levels[treated], nil
}

func isWord(level string, words []string) bool {
	return slices.Contains(words, strings.ToLower(strings.TrimSpace(level)))
}

// mostListed is how many levels of a treatment are listed in an error.
const mostListed = 4

// armsOf returns the levels of a treatment in their order, no more than mostListed and one; other spellings of one number or truth value are one.
func armsOf(ctx context.Context, xu tables.Source, column tables.Column) ([]string, error) {
	sel, err := tables.Select(xu.Columns(), []tables.Column{column})
	if err != nil {
		return nil, err
	}
	found := make(map[string]string)
	for b, err := range tables.NewGuard("", xu).Batches(ctx) {
		if err != nil {
			return nil, err
		}
		kind, place := sel.Place(0)
		for i := range b.Rows {
			cell := ""
			if kind == tables.Text {
				cell = b.Text[place][i]
			} else if v := b.Num.At(i, place); !math.IsNaN(v) {
				cell = strconv.FormatFloat(v, 'g', -1, 64)
			}
			if key := literal.LabelKey(cell); cell != "" && len(found) <= mostListed && found[key] == "" {
				found[key] = strings.Clone(cell)
			}
		}
	}
	var levels []string
	for _, level := range found {
		levels = append(levels, level)
	}
	slices.Sort(levels)
	return levels, nil
}

// listLevels puts levels in quotes.
func listLevels(levels []string) string {
	if len(levels) == 0 {
		return "no level"
	}
	var parts []string
	for _, level := range levels[:min(len(levels), mostListed)] {
		parts = append(parts, fmt.Sprintf("%.40q", level))
	}
	if len(levels) > mostListed {
		parts = append(parts, "more")
	}
	return "the levels " + strings.Join(parts, ", ")
}
