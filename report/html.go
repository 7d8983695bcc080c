package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
)

var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string

	pageTemplate = template.Must(template.New("page").Parse(pageText))
)

// A page is a Document as the template wants it: all strings clean, all decisions made.
type page struct {
	Title    string
	CSP      string
	CSS      template.CSS
	JS       template.JS
	Summary  []string
	Sections []pageSection
}

type pageSection struct {
	ID, Title   string
	First, Text []string // the first paragraph and the others
	Formulas    []template.HTML
	Tables      []pageTable
	Charts      []pageChart
}

type pageTable struct {
	Caption string
	Label   string // the caption, or what can be said without one
	Head    []pageCell
	Rows    [][]pageCell
}

type pageCell struct {
	Text, Full, Class   string
	First, Number, Mark bool
}

type pageChart struct {
	ID, Title, XLabel, YLabel string
	XNames, YNames            string // JSON lists, or ""
	SVG                       template.HTML
	Notes                     []string
}

// WriteHTML writes d as one HTML page that needs nothing else; see the package comment. Error: what
// no format can show, or w's.
func (d *Document) WriteHTML(w io.Writer) error {
	if err := d.check(); err != nil {
		return err
	}
	// Parsers read CR LF as LF: the hashes must be of that, even where Git writes CR LF into sources.
	css := strings.ReplaceAll(pageCSS, "\r\n", "\n") + chartCSS(".plot")
	js := strings.ReplaceAll(pageJS, "\r\n", "\n")
	p := page{
		Title:   clean(d.Title),
		CSP:     contentPolicy(css, js),
		CSS:     template.CSS(css),
		JS:      template.JS(js),
		Summary: cleanAll(d.Summary),
	}
	if strings.TrimSpace(p.Title) == "" {
		p.Title = "Report" // HTML wants one
	}
	for i := range d.Sections {
		p.Sections = append(p.Sections, newPageSection(&d.Sections[i], fmt.Sprintf("s%d", i+1)))
	}
	if err := pageTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("report: write HTML: %w", err)
	}
	return nil
}

// contentPolicy allows this style and this script and no other, and no loading of anything.
func contentPolicy(css, js string) string {
	return fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'",
		contentHash(css), contentHash(js))
}

func contentHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func newPageSection(s *Section, id string) pageSection {
	first := min(1, len(s.Text))
	p := pageSection{ID: id, Title: clean(s.Title), First: cleanAll(s.Text[:first]), Text: cleanAll(s.Text[first:])}
	for _, f := range s.Formulas {
		drawn, _ := mathML(f) // as check did
		p.Formulas = append(p.Formulas, template.HTML(drawn))
	}
	for i := range s.Tables {
		p.Tables = append(p.Tables, newPageTable(&s.Tables[i], fmt.Sprintf("Table %d of %s", i+1, p.Title)))
	}
	for i := range s.Charts {
		p.Charts = append(p.Charts, newPageChart(&s.Charts[i]))
	}
	return p
}

func newPageTable(t *Table, label string) pageTable {
	p := pageTable{Caption: clean(t.Caption), Label: label}
	if p.Caption != "" {
		p.Label = p.Caption
	}
	number := t.numeric()
	for i, name := range t.Columns {
		p.Head = append(p.Head, pageCell{Text: clean(name), Number: number[i]})
	}
	for _, row := range t.Rows {
		cells := make([]pageCell, len(row))
		for i, c := range row {
			cells[i] = pageCell{Text: c.shown(), Full: c.full(), First: i == 0, Mark: c.Mark != NoMark}
			cells[i].Class = string(c.Mark)
			if number[i] {
				cells[i].Class = joinWords("n", cells[i].Class)
			}
		}
		p.Rows = append(p.Rows, cells)
	}
	return p
}

func joinWords(a, b string) string {
	if b == "" {
		return a
	}
	return a + " " + b
}

func newPageChart(c *Chart) pageChart {
	f := newFigure(c)
	p := pageChart{
		ID:     "chart-" + c.Name,
		Title:  clean(c.Title),
		XLabel: clean(c.XLabel),
		YLabel: clean(c.YLabel),
		SVG:    template.HTML(f.inlineSVG()),
		Notes:  f.noteTexts(),
	}
	for _, a := range []struct {
		names []string
		to    *string
	}{{f.x.names, &p.XNames}, {f.y.names, &p.YNames}} {
		if len(a.names) > 0 {
			names, _ := json.Marshal(a.names) // strings cannot fail
			*a.to = string(names)
		}
	}
	return p
}
