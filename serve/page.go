package serve

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"mediant/features"
	"mediant/internal/predictions"
	"mediant/modelreport"
	"mediant/rr"
	"mediant/tables"
)

// files are those of the page, which has no data: its script asks for them.
//
//go:embed page.html page.css page.js
var files embed.FS

// pagePolicy lets the page load its own files and ask this server, and nothing else.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// page answers with a file of the page.
func page(name, contentType string) func(*call) error {
	return func(c *call) error {
		text, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		c.Header().Set("Content-Security-Policy", pagePolicy)
		c.Header().Set("Referrer-Policy", "no-referrer")
		return c.send(http.StatusOK, contentType, text)
	}
}

// listedModel is a model in a list.
type listedModel struct {
	Name     string   `json:"name"`
	Versions []string `json:"versions"`
}

// list lists the models with their versions, the default one last.
func (h *Handler) list(c *call) error {
	all := []listedModel{}
	for _, name := range h.store.Names() {
		all = append(all, listedModel{name, h.store.Versions(name)})
	}
	return c.json(http.StatusOK, all)
}

// description is a model as the page needs it.
type description struct {
	Name    string            `json:"name"`
	Version string            `json:"version"`
	Digest  string            `json:"sha256"`
	Columns []describedColumn `json:"columns"`
	Outputs []string          `json:"outputs"`
	Label   string            `json:"label,omitempty"` // the column of the predicted class
	SE      bool              `json:"se"`
	Distrib bool              `json:"distribution"`
	Card    [][2]string       `json:"card"`
}

// describedColumn is a column of X with its values in training, as far as they are known.
type describedColumn struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"` // numeric, text or vector
	Min     *float64 `json:"min,omitempty"`
	Max     *float64 `json:"max,omitempty"`
	Typical *float64 `json:"typical,omitempty"` // the median
	Levels  []string `json:"levels,omitempty"`  // of text that is not free
}

// describe answers with the columns, outputs and card of a model.
func (h *Handler) describe(c *call) error {
	m, err := h.named(c, c.URL.Query())
	if err != nil {
		return err
	}
	d := description{Name: m.Name, Version: m.Version, Digest: m.Digest, SE: m.SE != nil, Distrib: m.Distribution != nil, Card: cardOf(m)}
	for i, column := range m.X.Columns() {
		of := describedColumn{Name: column.Name, Kind: column.Kind.String(), Levels: m.X.Levels(i)}
		if m.Learned != nil {
			if p := m.Learned.XU.Column(column.Name); p != nil && p.Numbers != nil {
				of.Min, of.Max, of.Typical = &p.Numbers.Min, &p.Numbers.Max, &p.Numbers.Quantiles[3]
			}
		}
		d.Columns = append(d.Columns, of)
	}
	for _, column := range (predictions.Options{Scores: true}).Columns(m.Model) {
		if column.Kind == tables.Text {
			d.Label = column.Name
		} else {
			d.Outputs = append(d.Outputs, column.Name)
		}
	}
	return c.json(http.StatusOK, d)
}

// cardOf says what a model is and how good it is estimated to be.
func cardOf(m *Model) [][2]string {
	var all [][2]string
	add := func(name, format string, args ...any) {
		all = append(all, [2]string{name, fmt.Sprintf(format, args...)})
	}
	add("SHA-256 of the file", "%s", m.Digest)
	add("Method", "%s", m.Method)
	add("Rows", "%d of X and U, %d of U and Y", m.Rows.XU, m.Rows.UY)
	add("X", "%s", some(m.Roles.X))
	add("U", "%s", some(m.Roles.U))
	add("Y", "%s", some(m.Roles.Y))
	if l := rr.LinearOf(m.F); l != nil {
		_, p := l.Map.Dims()
		add("Features of X", "%s, %d", features.Describe(l.Map), p)
	}
	if m.Assessment != nil {
		r := m.Assessment.Risk
		add("Mean squared error", "%.4g, 95 %% interval %.4g to %.4g, estimated without coupled rows, if E[Y|U,X] = E[Y|U]", r.MSE, r.Lo, r.Hi)
	} else {
		add("Mean squared error", "was not estimated")
	}
	if m.Distribution != nil && m.Distribution.Assessment != nil {
		_, tuned := m.Distribution.Assessment.Tune(.9)
		add("Intervals", "those of 90 %% contain an estimated %.1f %% of Y (standard error %.1f), if Y is independent of X given U", 100*tuned.Value, 100*tuned.SE)
	}
	for _, w := range m.Warnings {
		add("Warning", "%s", w)
	}
	return all
}

// some are the first names of a list.
func some(names []string) string {
	const most = 12
	text := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return text
}

// A card is the report of a model, made once.
type card struct {
	once sync.Once
	html []byte
	err  error
}

// report answers with the report of a model.
func (h *Handler) report(c *call) error {
	m, err := h.named(c, c.URL.Query())
	if err != nil {
		return err
	}
	if err := h.workers.enter(c.Context()); err != nil {
		return err
	}
	defer h.workers.leave()
	m.card.once.Do(func() {
		d, err := modelreport.Document(context.WithoutCancel(c.Context()), modelreport.Subject{Model: m.Model})
		if err != nil {
			m.card.err = err
			return
		}
		var b bytes.Buffer
		m.card.err = d.WriteHTML(&b)
		m.card.html = b.Bytes()
	})
	if m.card.err != nil {
		return m.card.err
	}
	return c.send(http.StatusOK, "text/html; charset=utf-8", m.card.html)
}
