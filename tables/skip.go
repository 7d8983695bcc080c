package tables

import (
	"fmt"
	"slices"
)

// A SkipReason says why something in a file is no row of the table.
type SkipReason string

const (
	EmptyRows      SkipReason = "empty-rows"      // every cell is missing
	RepeatedHeader SkipReason = "repeated-header" // the names of the columns again
	UnitRow        SkipReason = "unit-row"        // the units of the columns, under the header
	TotalRow       SkipReason = "total-row"       // sums or means of the columns, at the end
	SubtotalRows   SkipReason = "subtotal-rows"   // sums or means of the rows above, in the middle
	NoteRow        SkipReason = "note-row"        // a sentence about the table, at the end
	CommentLines   SkipReason = "comment-lines"   // lines that begin with #
	SeparatorLine  SkipReason = "separator-line"  // sep=; on the first line
)

// A Skip is what reading a file left out for one reason, once or several times.
type Skip struct {
	File   string     `json:"file"`
	Reason SkipReason `json:"reason"`
	Line   int        `json:"line"`  // of the file, from 1, where the first begins
	Lines  int        `json:"lines"` // how many rows or lines
	Text   string     `json:"text,omitempty"`
}

// String says it in a sentence without a full stop, such as "xu.csv:202: 50 rows without any value are left out".
func (s Skip) String() string {
	what := map[SkipReason][2]string{
		EmptyRows:      {"a row without any value is left out", "%d rows without any value are left out, this one first"},
		RepeatedHeader: {"the header again, no row", "the header again, %d times in all, no rows"},
		UnitRow:        {"units of the columns, no row", ""},
		TotalRow:       {"sums or means of the columns, no row", ""},
		SubtotalRows:   {"sums or means of the rows above, no row", "sums or means of the rows above, %d times in all, this one first, no rows"},
		NoteRow:        {"a note, no row", ""},
		CommentLines:   {"a comment, no row", "%d comments, this one first, no rows"},
		SeparatorLine:  {"the delimiter, no row", ""},
	}[s.Reason]
	text := what[0]
	if s.Lines != 1 {
		text = fmt.Sprintf(what[1], s.Lines)
	}
	if s.Text != "" {
		text = s.Text + ": " + text
	}
	return fmt.Sprintf("%s:%d: %s", s.File, s.Line, text)
}

// Skips returns what reading the files of a source left out, in the order of the lines; those of sources of other packages
// that have a method Skipped too.
func Skips(src Source) []Skip {
	switch s := src.(type) {
	case *Guard:
		return Skips(s.src)
	case *weighted:
		return Skips(s.guard)
	case *subset:
		return Skips(s.guard)
	case beside:
		return append(Skips(s.a), Skips(s.b)...)
	case renamedSource:
		return Skips(s.guard)
	case interface{ Skipped() []Skip }:
		return s.Skipped()
	}
	return nil
}

// Skipped returns what reading the file left out, in the order of the lines.
func (c *CSV) Skipped() []Skip { return slices.Clone(c.skips) }

// Skipped returns what reading the file that the table is from left out.
func (t *Table) Skipped() []Skip { return slices.Clone(t.skips) }

// addSkip counts one more of a reason; notes and sums are reported one by one.
func addSkip(skips []Skip, s Skip) []Skip {
	for i := range skips {
		if skips[i].Reason == s.Reason && s.Reason != TotalRow && s.Reason != NoteRow {
			skips[i].Lines += s.Lines
			return skips
		}
	}
	return append(skips, s)
}
