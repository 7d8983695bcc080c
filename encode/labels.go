package encode

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mediant/internal/literal"
	"mediant/tables"
)

// spellings finds texts by other spellings of the same number or truth value (literal.LabelKey), where there is one alone.
type spellings map[string]int

// ambiguous stands for a key that several texts have.
const ambiguous = -1

func newSpellings(texts []string) spellings {
	s := make(spellings, len(texts))
	for i, text := range texts {
		key := literal.LabelKey(text)
		if _, taken := s[key]; taken {
			i = ambiguous
		}
		s[key] = i
	}
	return s
}

// find returns the index of the text that label is another spelling of.
func (s spellings) find(label string) (int, bool) {
	i, ok := s[literal.LabelKey(label)]
	return i, ok && i != ambiguous
}

// class returns the output that a label stands for.
func (t *Targets) class(label string) (int, bool) {
	if c, found := slices.BinarySearchFunc(t.classes, label, literal.NaturalCompare); found {
		return c, true
	}
	return t.spellings.find(label)
}

// UnknownLabels counts labels that are no class of Targets.
type UnknownLabels struct {
	// Rows counts the rows with such a label, Labelled those with any label.
	Rows     int `json:"rows"`
	Labelled int `json:"labelled"`
	// Labels are the most frequent, at most 8; Distinct is the number of different ones, counted up to 10,000.
	Labels   []LabelCount `json:"labels"`
	Distinct int          `json:"distinct"`
}

// LabelCount is a label and the number of rows that have it.
type LabelCount struct {
	Label string `json:"label"`
	Rows  int    `json:"rows"`
}

// listedLabels is how many labels a sentence lists.
const listedLabels = 8

// String lists the labels, as '3 of 9 rows with a label have one that no class has: "1.5" (2), "x" (1)'.
func (u UnknownLabels) String() string {
	var list []string
	for _, l := range u.Labels {
		list = append(list, fmt.Sprintf("%q (%d)", l.Label, l.Rows))
	}
	if more := u.Distinct - len(u.Labels); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	have := "have"
	if u.Rows == 1 {
		have = "has"
	}
	return fmt.Sprintf("%d of %d rows with a label %s one that no class has: %s", u.Rows, u.Labelled, have, strings.Join(list, ", "))
}

// A LabelCounter counts labels that are no class, over the batches of a table. The zero value is ready to use.
type LabelCounter struct {
	rows, labelled int
	counts         map[string]int
}

// CountUnknown adds the labels of a batch. Targets without classes have none.
func (b *TargetBinding) CountUnknown(c *LabelCounter, batch tables.Batch) {
	if b.targets.classes == nil {
		return
	}
	for i, label := range b.sel.Text(batch, 0) {
		if label == "" {
			continue
		}
		n := batch.Copies(i)
		c.labelled += n
		if _, known := b.targets.class(label); known {
			continue
		}
		c.rows += n
		if c.counts == nil {
			c.counts = make(map[string]int)
		}
		if _, seen := c.counts[label]; seen {
			c.counts[label] += n
		} else if len(c.counts) < maxClasses {
			c.counts[strings.Clone(label)] = n
		}
	}
}

// Unknown returns the counts, nil if every label is a class.
func (c *LabelCounter) Unknown() *UnknownLabels {
	if c.rows == 0 {
		return nil
	}
	u := &UnknownLabels{Rows: c.rows, Labelled: c.labelled, Distinct: len(c.counts)}
	for label, n := range c.counts {
		u.Labels = append(u.Labels, LabelCount{label, n})
	}
	slices.SortFunc(u.Labels, func(a, b LabelCount) int {
		if a.Rows != b.Rows {
			return b.Rows - a.Rows
		}
		return literal.NaturalCompare(a.Label, b.Label)
	})
	u.Labels = u.Labels[:min(len(u.Labels), listedLabels)]
	return u
}

// Unknown reads a table once and returns the labels that are no class, nil if there are none.
func (t *Targets) Unknown(ctx context.Context, src tables.Source) (*UnknownLabels, error) {
	if t.classes == nil {
		return nil, nil
	}
	bind, err := t.Bind(src.Columns())
	if err != nil {
		return nil, err
	}
	var c LabelCounter
	for b, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return nil, err
		}
		bind.CountUnknown(&c, b)
	}
	return c.Unknown(), nil
}

// UnknownError returns an error if no label of a table is a class.
func (t *Targets) UnknownError(u *UnknownLabels) error {
	if u == nil || u.Rows < u.Labelled {
		return nil
	}
	classes := make([]tables.Column, 0, listedLabels)
	for _, c := range t.classes[:min(len(t.classes), listedLabels)] {
		classes = append(classes, tables.Column{Name: c})
	}
	more := ""
	if n := len(t.classes) - len(classes); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("encode: column %q of Y: %s; the classes are %s%s", t.columns[0].Name, u, quoted(classes), more)
}
