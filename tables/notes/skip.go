// Package notes has the findings of a file reader that the rows of the table do not show: lines that were skipped, columns of mixed kinds, and
// ambiguous dates. tables.FactsOf gives those of a table; package check makes findings of them.
package notes

import "fmt"

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
	EmptyPart      SkipReason = "empty-part"      // a header alone, in one of several files
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
		EmptyPart:      {"a header without rows, so that the file adds none", ""},
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

// AddSkip counts one more of a reason; notes and sums are reported one by one.
func AddSkip(skips []Skip, s Skip) []Skip {
	for i := range skips {
		if skips[i].Reason == s.Reason && s.Reason != TotalRow && s.Reason != NoteRow && s.Reason != EmptyPart {
			skips[i].Lines += s.Lines
			return skips
		}
	}
	return append(skips, s)
}
