package encode

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"mediant/check"
	"mediant/internal/plural"
	"mediant/tables"
)

// An Encoder turns the columns of a table into rows of finite numbers, in the same way for every
// table that has columns of the same names:
//
//   - A number becomes (value - mean)/deviation, with the training mean and the training standard
//     deviation of denominator n. A missing one becomes the mean; if training had missing ones, a
//     further column, 1 where the value is missing and else 0, follows.
//   - Text becomes one 0/1 column for each level of training, in natural order. Missing text is a
//     level of its own if training had it; a level that training did not have is all zeros, unless it is another spelling of
//     the same number or truth value as one that it had (literal.LabelKey): then it is that one.
//   - Free text, a column with more than 100 levels of which more than half of the values differ, or
//     with more than 10,000, becomes hashed TF-IDF of its words and of runs of their characters, some
//     100,000 columns of which a row has few: rows are sparse then (Sparse). Missing text is 0.
//   - A column of sparse rows (tables.Vector) keeps its numbers, all divided by the root mean square of the norm
//     of a row unless they are to pass as they are; places beyond those of training are ignored.
//   - A column that does not vary in training is left out, so that a model is the same with and
//     without it, unless EncoderOptions.KeepConstant is set.
//
// An Encoder is immutable; the zero value is only for UnmarshalJSON. Use FitEncoder.
type Encoder struct {
	standardize bool
	columns     []column
	width       int
	rows        []int // of each source
}

// column is the encoding of one column.
type column struct {
	name    string
	kind    tables.Kind
	dropped reason // why there is no column of the value
	// Numbers.
	mean, scale float64
	missing     bool // training had missing values
	// Text.
	levels    []string
	index     map[string]int
	spellings spellings   // of levels, "" is none
	text      *textColumn // of free text, instead of levels
	// Sparse rows; scale is theirs too.
	places int
}

// reason says why a column is left out.
type reason string

const (
	constantColumn reason = "constant"
	emptyColumn    reason = "missing" // throughout
)

// hasValue reports whether the number itself is encoded.
func (c *column) hasValue() bool { return c.kind == tables.Numeric && c.dropped == "" }

// hasIndicator reports whether it is encoded that the number is missing.
func (c *column) hasIndicator() bool {
	return c.kind == tables.Numeric && c.missing && c.dropped != emptyColumn
}

// width is the number of encoded columns.
func (c *column) width() int {
	width := 0
	if c.hasValue() {
		width++
	}
	if c.hasIndicator() {
		width++
	}
	if c.kind == tables.Text && c.dropped == "" {
		width += len(c.levels)
	}
	if c.text != nil {
		width += c.text.Buckets
	}
	if c.dropped == "" {
		width += c.places
	}
	return width
}

// newEncoder checks that something is left to encode and derives what is not stored.
func newEncoder(standardize bool, columns []column, rows []int) (*Encoder, error) {
	e := &Encoder{standardize: standardize, columns: columns, rows: rows}
	for i := range columns {
		c := &columns[i]
		c.index = make(map[string]int, len(c.levels))
		for l, level := range c.levels {
			c.index[level] = l
		}
		c.spellings = newSpellings(c.levels)
		e.width += c.width()
	}
	if e.width == 0 {
		return nil, fmt.Errorf("encode: no column varies: %s", quoted(e.Columns()))
	}
	return e, nil
}

// Columns lists the columns that are encoded or left out, in the order of FitEncoder.
func (e *Encoder) Columns() []tables.Column {
	columns := make([]tables.Column, len(e.columns))
	for i, c := range e.columns {
		columns[i] = tables.Column{Name: c.name, Kind: c.kind}
	}
	return columns
}

// Levels returns the levels of column i of Columns, in order, "" being missing text; nil for numbers, sparse rows and free text. It must not be changed.
func (e *Encoder) Levels(i int) []string { return e.columns[i].levels }

// Width is the number of encoded columns.
func (e *Encoder) Width() int { return e.width }

// Sparse reports whether some column is free text or sparse rows, so that encoded rows are sparse (*CSR).
func (e *Encoder) Sparse() bool {
	return slices.ContainsFunc(e.columns, func(c column) bool { return c.text != nil || c.places > 0 })
}

// Rows returns the number of rows on which the encoder was fitted, of all sources together.
func (e *Encoder) Rows() int {
	total := 0
	for _, n := range e.rows {
		total += n
	}
	return total
}

// SourceRows returns the number of rows of each source on which the encoder was fitted.
func (e *Encoder) SourceRows() []int { return slices.Clone(e.rows) }

// Names lists the encoded columns: "age", "age missing", "color=red".
func (e *Encoder) Names() []string {
	names := make([]string, 0, e.width)
	for i := range e.columns {
		c := &e.columns[i]
		if c.hasValue() {
			names = append(names, c.name)
		}
		if c.hasIndicator() {
			names = append(names, c.name+" missing")
		}
		if c.kind == tables.Text && c.dropped == "" {
			for _, level := range c.levels {
				names = append(names, c.name+"="+level)
			}
		}
		for j := 0; c.dropped == "" && j < c.places; j++ {
			names = append(names, fmt.Sprintf("%s[%d]", c.name, j))
		}
		if c.text != nil {
			for b := range c.text.Buckets {
				names = append(names, fmt.Sprintf("%s#%d", c.name, b))
			}
		}
	}
	return names
}

// Origins returns for each encoded column the index in Columns of the column that it is of.
func (e *Encoder) Origins() []int {
	origins := make([]int, 0, e.width)
	for i := range e.columns {
		for range e.columns[i].width() {
			origins = append(origins, i)
		}
	}
	return origins
}

// Notes returns a sentence for each column that is left out, with the reason.
func (e *Encoder) Notes() []string {
	var notes []string
	for _, c := range e.columns {
		switch c.dropped {
		case constantColumn:
			value := fmt.Sprint(c.mean)
			if c.kind == tables.Text {
				value = fmt.Sprintf("%q", c.levels[0])
			}
			notes = append(notes, fmt.Sprintf("column %q is left out: it is %s in every row that has it", c.name, value))
		case emptyColumn:
			notes = append(notes, fmt.Sprintf("column %q is left out: it is missing in every row", c.name))
		}
		if c.text != nil {
			notes = append(notes, fmt.Sprintf("column %q is free text: its words%s are hashed into %d columns", c.name, c.text.andCharacters(), c.text.Buckets))
		}
	}
	return notes
}

// Counts has the numbers of values that the training rows did not have, one element for each column of Encoder.Columns; a nil slice stands for
// zeros.
type Counts struct {
	Missing []int // missing numbers in a column without missing ones in training: the mean was used
	Unseen  []int // text of a level that training did not have: zeros were used
	Beyond  []int // values of sparse rows at places beyond those of training: they were ignored
	// Example is the first text of each column that is counted in Unseen; only Count fills it.
	Example []string
}

// Add adds o to c.
func (c *Counts) Add(o Counts) {
	c.Missing = addCounts(c.Missing, o.Missing)
	c.Unseen = addCounts(c.Unseen, o.Unseen)
	c.Beyond = addCounts(c.Beyond, o.Beyond)
	if c.Example == nil {
		c.Example = slices.Clone(o.Example)
		return
	}
	for i, text := range o.Example {
		c.Example[i] = cmp.Or(c.Example[i], text)
	}
}

func addCounts(to, from []int) []int {
	if to == nil {
		return slices.Clone(from)
	}
	for i, n := range from {
		to[i] += n
	}
	return to
}

// Count reads a table once and counts the values that the training rows did not have. The error is that of Bind or
// of the table.
func (e *Encoder) Count(ctx context.Context, src tables.Source) (Counts, error) {
	var all Counts
	bind, err := e.Bind(src.Columns())
	if err != nil {
		return all, err
	}
	for b, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return all, err
		}
		all.Add(bind.Count(b))
	}
	return all, nil
}

// Findings returns a warning for each column that has counts.
func (e *Encoder) Findings(c Counts) []check.Finding {
	var found []check.Finding
	add := func(code check.Code, i, rows int, what, effect string) {
		found = append(found, check.Finding{Code: code, Severity: check.Warning, Table: check.Later, Columns: []string{e.columns[i].name}, Rows: rows,
			What: fmt.Sprintf("column %q: %s", e.columns[i].name, what), Effect: effect})
	}
	for i, n := range c.Missing {
		if n > 0 {
			add(check.LaterMissing, i, n, fmt.Sprintf("%d missing, none in training", n), fmt.Sprintf("the training mean %.4g is used", e.columns[i].mean))
		}
	}
	for i, n := range c.Unseen {
		if n > 0 {
			add(check.LaterLevel, i, n, count(n, "value")+" that training did not have"+c.example(i), "treated as none of its levels")
			if c.Example != nil && c.Example[i] != "" {
				if near := check.NearLevel(c.Example[i], e.columns[i].levels); near != "" {
					found[len(found)-1].Remedy = fmt.Sprintf("is it %q?", near)
				}
			}
		}
	}
	for i, n := range c.Beyond {
		if n > 0 {
			add(check.LaterPlaces, i, n, fmt.Sprintf("%s beyond those of training (1 to %d)", indices(n), e.columns[i].places), "they are ignored")
		}
	}
	return found
}

// count writes a number of things in words.
var count = plural.Of

// indices begins a sentence on so many values of sparse rows.
func indices(n int) string {
	if n == 1 {
		return "1 value has an index"
	}
	return fmt.Sprintf("%d values have indices", n)
}

// example is the first text of a column that was not in training, in brackets; missing text by its absence.
func (c *Counts) example(i int) string {
	if c.Example == nil || c.Example[i] == "" {
		return ""
	}
	return fmt.Sprintf(" (%.40q)", c.Example[i])
}

// Warnings returns Findings as lines of text.
func (e *Encoder) Warnings(c Counts) []string {
	var lines []string
	for _, f := range e.Findings(c) {
		lines = append(lines, f.String())
	}
	return lines
}

// quoted lists the names of columns.
func quoted(columns []tables.Column) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = fmt.Sprintf("%q", c.Name)
	}
	return strings.Join(names, ", ")
}

// RowBytes estimates the size in bytes of an encoded row: 8 a column, or, where rows are sparse, 16 a nonzero that the free
// text of a row of training had on average. Columns of sparse rows are not counted, because the encoder does not know what
// they hold.
func (e *Encoder) RowBytes() float64 {
	if !e.Sparse() {
		return 8 * float64(e.width)
	}
	nonzeros := 0.0
	for _, c := range e.columns {
		if c.text == nil {
			nonzeros++
			continue
		}
		total := 0
		for _, documents := range c.text.frequencies {
			total += documents
		}
		nonzeros += float64(total) / float64(max(1, c.text.documents))
	}
	return 16 * nonzeros
}
