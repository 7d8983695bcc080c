package report

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"
)

// WriteMarkdown writes d as GitHub-flavoured Markdown. Charts are images NAME.svg in imageDir, a
// slash-separated path from the Markdown file, "" for its own directory; WriteFiles makes them.
// Error: what no format can show, or w's.
func (d *Document) WriteMarkdown(w io.Writer, imageDir string) error {
	if err := d.check(); err != nil {
		return err
	}
	m := markdown{out: bufio.NewWriter(w), imageDir: imageDir}
	m.heading("#", d.Title)
	m.paragraphs(d.Summary)
	for i := range d.Sections {
		s := &d.Sections[i]
		m.heading("##", s.Title)
		first := min(1, len(s.Text))
		m.paragraphs(s.Text[:first])
		for _, f := range s.Formulas {
			m.block("$$", clean(f), "$$")
		}
		m.paragraphs(s.Text[first:])
		for j := range s.Tables {
			m.table(&s.Tables[j])
		}
		for j := range s.Charts {
			m.chart(&s.Charts[j])
		}
	}
	if err := m.out.Flush(); err != nil {
		return fmt.Errorf("report: write Markdown: %w", err)
	}
	return nil
}

// A markdown writes blocks with a blank line between them. Its writer keeps the first error.
type markdown struct {
	out      *bufio.Writer
	imageDir string
	started  bool
}

func (m *markdown) block(lines ...string) {
	if m.started {
		m.out.WriteByte('\n')
	}
	m.started = true
	for _, l := range lines {
		m.out.WriteString(l)
		m.out.WriteByte('\n')
	}
}

func (m *markdown) heading(level, title string) {
	if text := escapeMarkdown(title); text != "" {
		m.block(level + " " + text)
	}
}

func (m *markdown) paragraphs(list []string) {
	for _, p := range list {
		if text := escapeMarkdown(p); text != "" {
			m.block(text)
		}
	}
}

func (m *markdown) table(t *Table) {
	if caption := escapeMarkdown(t.Caption); caption != "" {
		m.block("**" + caption + "**")
	}
	number := t.numeric()
	head, rule := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for i, name := range t.Columns {
		head[i], rule[i] = escapeMarkdown(name), "---"
		if number[i] {
			rule[i] = "---:"
		}
	}
	lines := []string{tableLine(head), tableLine(rule)}
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = escapeMarkdown(c.shown())
		}
		lines = append(lines, tableLine(cells))
	}
	m.block(lines...)
}

func tableLine(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }

func (m *markdown) chart(c *Chart) {
	link := (&url.URL{Path: path.Join(m.imageDir, c.Name+".svg")}).EscapedPath()
	// Parentheses would end the link; url leaves them.
	link = strings.NewReplacer("(", "%28", ")", "%29").Replace(link)
	m.block("![" + escapeMarkdown(c.Title) + "](" + link + ")")
	for _, note := range newFigure(c).noteTexts() {
		m.block("*" + escapeMarkdown(note) + "*")
	}
}

// escapeMarkdown makes s one line that GitHub shows as it is: no emphasis, code, link, image, HTML,
// entity, table cell, formula, emoji or list, whatever stands before and after it.
func escapeMarkdown(s string) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if escapedMarkdown(s, i) {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// escapedMarkdown tells whether the byte s[i] means something there.
func escapedMarkdown(s string, i int) bool {
	switch s[i] {
	case '\\', '`', '*', '_', '{', '}', '[', ']', '<', '>', '|', '~', '&', '$', '#', '@', '!':
		return true
	case ':': // "http:", ":smile:"
		return i+1 < len(s) && s[i+1] != ' '
	case '.': // "www.", "1. item"
		return strings.HasSuffix(strings.ToLower(s[:i]), "www") || startsWithDigits(s, i)
	case ')':
		return startsWithDigits(s, i)
	case '+', '-': // an item of a list, a rule
		return i == 0 && (len(s) == 1 || s[1] == ' ' || s[1] == s[0])
	}
	return false
}

// startsWithDigits tells whether s is digits up to i, and then perhaps the number of a list.
func startsWithDigits(s string, i int) bool {
	return i > 0 && strings.Trim(s[:i], "0123456789") == "" && (i+1 == len(s) || s[i+1] == ' ')
}
