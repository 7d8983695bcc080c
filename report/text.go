package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// columnGap stands between two columns of WriteText.
const columnGap = "  "

// WriteText writes t for a terminal: its caption, the columns aligned by spaces, numbers to the
// right, a line below the header. Cells are never cut. Error: a ragged table, or w's.
func (t *Table) WriteText(w io.Writer) error {
	if err := t.check(); err != nil {
		return fmt.Errorf("report: table %q: %w", t.Caption, err)
	}
	width := t.widths()
	right := t.numeric()
	out := bufio.NewWriter(w)
	if t.Caption != "" {
		fmt.Fprintln(out, clean(t.Caption))
	}
	line := make([]string, len(t.Columns))
	writeLine := func(cell func(c int) string) {
		for c := range line {
			line[c] = pad(cell(c), width[c], right[c])
		}
		fmt.Fprintln(out, strings.TrimRight(strings.Join(line, columnGap), " "))
	}
	writeLine(func(c int) string { return clean(t.Columns[c]) })
	writeLine(func(c int) string { return strings.Repeat("-", width[c]) })
	for _, row := range t.Rows {
		writeLine(func(c int) string { return row[c].shown() })
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("report: write: %w", err)
	}
	return nil
}

func (t *Table) widths() []int {
	width := make([]int, len(t.Columns))
	for c, name := range t.Columns {
		width[c] = columnsOf(clean(name))
		for _, row := range t.Rows {
			width[c] = max(width[c], columnsOf(row[c].shown()))
		}
	}
	return width
}

func pad(s string, width int, right bool) string {
	space := strings.Repeat(" ", width-columnsOf(s))
	if right {
		return space + s
	}
	return s + space
}

// columnsOf counts the columns that s takes in a terminal, as far as can be known without tables of
// fonts: none for combining marks, two for the scripts of East Asia, one for all else.
func columnsOf(s string) int {
	n := utf8.RuneCountInString(s)
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
			n--
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			n++
		}
	}
	return n
}
