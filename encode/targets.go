package encode

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/literal"
	"mediant/moments"
	"mediant/tables"
)

// A Task is regression or classification.
type Task int

const (
	// AutoTask classifies if Y is exactly one text column, and else regresses.
	AutoTask Task = iota
	// Regress predicts numeric columns.
	Regress
	// Classify predicts the label in one text column, as one 0/1 output a class.
	Classify
)

// maxClasses bounds the number of classes, so that a free-text Y is refused before its outputs
// fill the memory.
const maxClasses = 10000

// Targets, made by FitTargets, turns the columns of Y into k outputs: the numeric columns themselves, or one 0/1 column for
// each class of a text column, the classes in natural order. Labels are text: "01" and "1" are two classes. A label of a
// later table that is another spelling of a class, the same number or truth value (literal.LabelKey), counts as that class.
// Targets is immutable.
type Targets struct {
	columns   []tables.Column
	classes   []string
	spellings spellings
	below     *Thresholds // nil: the numbers themselves, or classes

	others []tables.Column // that must not be missing either (Only)
}

// FitTargets finds the outputs for the named columns of Y. Classes come from a pass over src. It is an error to mix text and
// numeric columns, if a label has fewer than 2 or more than 10,000 classes, or more than 100 of which most have a single
// row, or if the task does not fit the columns' kinds.
func FitTargets(ctx context.Context, src tables.Source, names []string, task Task) (*Targets, error) {
	t := &Targets{}
	text := 0
	for _, name := range names {
		i := slices.IndexFunc(src.Columns(), func(c tables.Column) bool { return c.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("encode: no column %q for Y", name)
		}
		c := src.Columns()[i]
		t.columns = append(t.columns, c)
		if c.Kind == tables.Vector {
			return nil, fmt.Errorf("encode: column %q of Y is sparse rows, want numbers or labels", c.Name)
		}
		if c.Kind == tables.Text {
			text++
		}
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("encode: Y has no column")
	case task == Classify && len(names) > 1:
		return nil, fmt.Errorf("encode: %d columns of Y cannot be classified: one column of labels is needed", len(names))
	case task == Classify && text == 0:
		return nil, &NumericLabelError{Column: names[0]}
	case text > 0 && len(names) > 1:
		return nil, fmt.Errorf("encode: column %q of Y is text, beside others: only numbers can be regressed; name Y in RoleOptions.Y, or what is not Y in RoleOptions.Ignore", t.firstText())
	case task == Regress && text > 0:
		return nil, fmt.Errorf("encode: column %q of Y is text: only numbers can be regressed", t.firstText())
	case text == 0:
		return t, nil
	}
	return t, t.findClasses(ctx, src)
}

func (t *Targets) firstText() string {
	return t.columns[slices.IndexFunc(t.columns, func(c tables.Column) bool { return c.Kind == tables.Text })].Name
}

func (t *Targets) findClasses(ctx context.Context, src tables.Source) error {
	sel, err := tables.Select(src.Columns(), t.columns)
	if err != nil {
		return err
	}
	seen := make(map[string]bool)
	labelled := 0
	for b, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return err
		}
		for i, label := range sel.Text(b, 0) {
			if label == "" {
				continue
			}
			labelled += b.Copies(i)
			if seen[label] {
				continue
			}
			if len(seen) == maxClasses {
				return t.notClasses("more than ", maxClasses)
			}
			label = strings.Clone(label) // cells share the memory of their record
			seen[label] = true
			t.classes = append(t.classes, label)
		}
	}
	switch n := len(t.classes); {
	case n == 0:
		return fmt.Errorf("encode: column %q of Y is empty in every row", t.columns[0].Name)
	case n == 1:
		return fmt.Errorf("encode: column %q has only the label %q, at least 2 are needed to classify", t.columns[0].Name, t.classes[0])
	case n > freeTextLevels && 2*n > labelled:
		return t.notClasses("", n)
	}
	slices.SortFunc(t.classes, literal.NaturalCompare)
	t.spellings = newSpellings(t.classes)
	return nil
}

func (t *Targets) notClasses(atLeast string, labels int) error {
	return fmt.Errorf("encode: column %q of Y is free text or a number, not a class: %s%d different labels", t.columns[0].Name, atLeast, labels)
}

// Only returns the outputs at these indices, of several columns of numbers. A row in which any other output of t is missing is not complete either, so that
// the outputs keep their rows.
func (t *Targets) Only(at []int) *Targets {
	if t.Together() {
		panic("encode: some of the outputs of one column of Y")
	}
	own := &Targets{others: slices.Clone(t.others)}
	for _, j := range at {
		own.columns = append(own.columns, t.columns[j])
	}
	for _, c := range t.columns {
		if !slices.Contains(own.columns, c) {
			own.others = append(own.others, c)
		}
	}
	return own
}

// Columns returns the columns of Y.
func (t *Targets) Columns() []tables.Column { return slices.Clone(t.columns) }

// Class returns the label of output i of a classification.
func (t *Targets) Class(i int) string { return t.classes[i] }

// Classes returns the labels in the order of the outputs, or nil for regression.
func (t *Targets) Classes() []string { return slices.Clone(t.classes) }

// Len returns the number k of outputs.
func (t *Targets) Len() int {
	switch {
	case t.classes != nil:
		return len(t.classes)
	case t.below != nil:
		return len(t.below.At)
	}
	return len(t.columns)
}

// Names returns the names of the outputs: those of the columns, "column=label" for classes, or "column <= number" for thresholds.
func (t *Targets) Names() []string {
	names := make([]string, t.Len())
	for i := range names {
		switch {
		case t.classes != nil:
			names[i] = t.columns[0].Name + "=" + t.classes[i]
		case t.below != nil:
			names[i] = t.thresholdName(i)
		default:
			names[i] = t.columns[i].Name
		}
	}
	return names
}

// ID is the SHA-256 of the output names and classes.
func (t *Targets) ID() moments.ID {
	raw, err := t.MarshalJSON()
	if err != nil {
		panic(err) // strings always encode
	}
	return moments.NewID([]byte("targets"), raw)
}

type targetsJSON struct {
	Columns []string    `json:"columns"`
	Classes []string    `json:"classes,omitempty"`
	Below   *Thresholds `json:"thresholds,omitempty"`
}

// MarshalJSON writes the names of the columns, and the classes or thresholds if any.
func (t *Targets) MarshalJSON() ([]byte, error) {
	out := targetsJSON{Classes: t.classes, Below: t.below}
	for _, c := range t.columns {
		out.Columns = append(out.Columns, c.Name)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote. It is an error if no fit can have made it.
func (t *Targets) UnmarshalJSON(raw []byte) error {
	var in targetsJSON
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	kind := tables.Numeric
	if in.Classes != nil {
		kind = tables.Text
		if len(in.Columns) != 1 || len(in.Classes) < 2 || !slices.IsSortedFunc(in.Classes, literal.NaturalCompare) || len(slices.Compact(slices.Clone(in.Classes))) != len(in.Classes) {
			return fmt.Errorf("encode: damaged classes of Y")
		}
	}
	if len(in.Columns) == 0 {
		return fmt.Errorf("encode: Y has no column")
	}
	if in.Below != nil {
		if err := in.Below.Validate(); err != nil {
			return err
		}
		if in.Classes != nil || len(in.Columns) != 1 {
			return fmt.Errorf("encode: thresholds of Y beside classes or several columns")
		}
	}
	*t = Targets{classes: in.Classes, spellings: newSpellings(in.Classes), below: in.Below}
	for _, name := range in.Columns {
		t.columns = append(t.columns, tables.Column{Name: name, Kind: kind})
	}
	return nil
}

// Bind finds the columns of Y among columns, by name.
func (t *Targets) Bind(columns []tables.Column) (*TargetBinding, error) {
	sel, err := tables.Select(columns, slices.Concat(t.columns, t.others))
	if err != nil {
		return nil, err
	}
	return &TargetBinding{targets: t, sel: sel}, nil
}

// A TargetBinding, made by Targets.Bind, reads Targets from the batches of one Source.
type TargetBinding struct {
	targets *Targets
	sel     *tables.Selection
}

// EncodeTo stores the k outputs of the batch's rows in dst, which is resized if empty, and returns the rows in which no
// column of Y is missing. Other rows of dst have NaN. A label that is no class gives a row of zeros.
func (b *TargetBinding) EncodeTo(dst *mat.Dense, batch tables.Batch) (complete []int) {
	k := b.targets.Len()
	if dst.IsEmpty() {
		dst.ReuseAs(batch.Rows, k)
	}
	if r, c := dst.Dims(); r != batch.Rows || c != k {
		panic(mat.ErrShape)
	}
	if b.targets.classes != nil {
		return b.oneHot(dst, b.sel.Text(batch, 0))
	}
	column := make([]float64, batch.Rows)
	if below := b.targets.below; below != nil {
		b.sel.NumericTo(column, batch, 0)
		return below.encodeTo(dst, column)
	}
	for j := range k {
		b.sel.NumericTo(column, batch, j)
		dst.SetCol(j, column)
	}
	for j := range b.targets.others {
		b.sel.NumericTo(column, batch, k+j)
		for i, v := range column {
			if math.IsNaN(v) {
				dst.Set(i, 0, v)
			}
		}
	}
	complete = make([]int, 0, batch.Rows)
	for i := range batch.Rows {
		if !slices.ContainsFunc(dst.RawRowView(i), math.IsNaN) {
			complete = append(complete, i)
		}
	}
	return complete
}

// listedMissing is how many columns of Y a sentence lists.
const listedMissing = 8

// Missing returns in how many rows of src each column of Y is missing, most first, as '"a" is missing in 3 of 6 rows, "b" in
// 2'. It costs a pass. Rows in which any of several columns is missing cannot be used.
func (t *Targets) Missing(ctx context.Context, src tables.Source) (string, error) {
	sel, err := tables.Select(src.Columns(), t.columns)
	if err != nil {
		return "", err
	}
	rows := 0
	missing := make([]int, len(t.columns))
	for b, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return "", err
		}
		rows += b.Count()
		column := make([]float64, b.Rows)
		for j := range t.columns {
			if t.classes == nil {
				sel.NumericTo(column, b, j)
			}
			for i := range b.Rows {
				if t.classes == nil && math.IsNaN(column[i]) || t.classes != nil && sel.Text(b, j)[i] == "" {
					missing[j] += b.Copies(i)
				}
			}
		}
	}
	order := make([]int, len(missing))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return missing[b] - missing[a] })
	order = slices.DeleteFunc(order, func(j int) bool { return missing[j] == 0 })
	var parts []string
	for k, j := range order[:min(len(order), listedMissing)] {
		if k == 0 {
			parts = append(parts, fmt.Sprintf("%q is missing in %d of %d rows", t.columns[j].Name, missing[j], rows))
		} else {
			parts = append(parts, fmt.Sprintf("%q in %d", t.columns[j].Name, missing[j]))
		}
	}
	if more := len(order) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and so %d more", more))
	}
	return strings.Join(parts, ", "), nil
}

func (b *TargetBinding) oneHot(dst *mat.Dense, labels []string) (complete []int) {
	for i, label := range labels {
		row := dst.RawRowView(i)
		if label == "" {
			for j := range row {
				row[j] = math.NaN()
			}
			continue
		}
		complete = append(complete, i)
		clear(row)
		if c, found := b.targets.class(label); found {
			row[c] = 1
		}
	}
	return complete
}

// A NumericLabelError reports that classes are to be learned from a column that was read as numbers.
type NumericLabelError struct{ Column string }

func (e *NumericLabelError) Error() string {
	return fmt.Sprintf("encode: column %q holds numbers: read it as text to classify", e.Column)
}
