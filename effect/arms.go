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

// inArms returns the first table with the treatment as 1 and 0, and the level that became 1, "" where it was so already. Of more than two levels it
// returns the table as it is, and the arms.
func (e Estimator) inArms(ctx context.Context, xu tables.Source) (src tables.Source, arm string, several *arms, err error) {
	columns := xu.Columns()
	at := slices.IndexFunc(columns, func(c tables.Column) bool { return tables.CanonicalName(c.Name) == tables.CanonicalName(e.Treatment) })
	if at < 0 || columns[at].Kind == tables.Vector || columns[at].Kind == tables.Numeric && e.Treated == "" && e.Control == "" {
		return xu, "", nil, nil // which is looked at later
	}
	name := columns[at].Name
	levels, err := armsOf(ctx, xu, columns[at])
	if err != nil {
		return nil, "", nil, err
	}
	control, treated, err := e.comparison(name, levels)
	if err != nil {
		return nil, "", nil, err
	}
	if len(levels) > 2 {
		return xu, "", newArms(columns[at], levels, control), nil
	}
	src, err = tables.Indicator(xu, name, levels[treated])
	if err != nil {
		return nil, "", nil, fmt.Errorf("effect: treatment: %w", err)
	}
	return src, levels[treated], nil, nil
}

// comparison says which level is the control and, of two, which is treated.
func (e Estimator) comparison(name string, levels []string) (control, treated int, err error) {
	find := func(level string) (int, error) {
		at := slices.IndexFunc(levels, func(l string) bool { return literal.LabelKey(l) == literal.LabelKey(level) })
		if at < 0 {
			return 0, fmt.Errorf("effect: treatment %q has no level %q: it has %s", name, level, listLevels(levels))
		}
		return at, nil
	}
	untreated := 0 // how many levels are words for the control
	for i, level := range levels {
		if isWord(level, untreatedWords) {
			control, untreated = i, untreated+1
		}
	}
	two := len(levels) == 2
	switch {
	case len(levels) == 0:
		return 0, 0, fmt.Errorf("effect: treatment %q is missing in every row of S_X", name)
	case len(levels) > mostArms && e.Treated == "":
		return 0, 0, fmt.Errorf("effect: treatment %q has more than %d levels: %s", name, mostArms, listLevels(levels))
	case len(levels) < 2 || !two && e.Treated != "":
		return 0, 0, fmt.Errorf("effect: treatment %q has %s, must have two: 0 and 1, or two levels of which one is treated; of three to %d levels the control is named with Estimator.Control", name, listLevels(levels), mostArms)
	case e.Control != "":
		control, err = find(e.Control)
		return control, 1 - control, err
	case e.Treated != "":
		treated, err = find(e.Treated)
		return 1 - treated, treated, err
	case two && untreated == 1 && isWord(levels[1-control], treatedWords):
		return control, 1 - control, nil
	case two:
		return 0, 0, fmt.Errorf("effect: treatment %q has %s, and which of them is treated is not set: name it with Estimator.Treated, or the other with Estimator.Control, or write 1 where treated and else 0", name, listLevels(levels))
	case untreated != 1:
		return 0, 0, fmt.Errorf("effect: treatment %q has %s, and which of them is the control is not set: name it with Estimator.Control", name, listLevels(levels))
	}
	return control, 0, nil
}

func isWord(level string, words []string) bool {
	return slices.Contains(words, strings.ToLower(strings.TrimSpace(level)))
}

const (
	// mostListed is how many levels of a treatment are listed in an error.
	mostListed = 10
	// mostArms is how many levels a treatment may have; a column of more is no treatment.
	mostArms = 50
)

// armsOf returns the levels of a treatment in natural order, no more than mostArms and one; other spellings of one number or truth value are one.
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
			cell := cellOf(b, kind, place, i)
			if key := literal.LabelKey(cell); cell != "" && len(found) <= mostArms && found[key] == "" {
				found[key] = strings.Clone(cell)
			}
		}
	}
	var levels []string
	for _, level := range found {
		levels = append(levels, level)
	}
	slices.SortFunc(levels, literal.NaturalCompare)
	return levels, nil
}

// listLevels puts levels in quotes.
func listLevels(levels []string) string {
	var parts []string
	for _, level := range levels[:min(len(levels), mostListed)] {
		parts = append(parts, fmt.Sprintf("%.40q", level))
	}
	if len(levels) > mostListed {
		parts = append(parts, "more")
	}
	return "the levels " + strings.Join(parts, ", ")
}

// cellOf is a cell of a column of text or numbers as text, "" where it is missing.
func cellOf(b tables.Batch, kind tables.Kind, place, i int) string {
	if kind == tables.Text {
		return b.Text[place][i]
	}
	if v := b.Num.At(i, place); !math.IsNaN(v) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}
