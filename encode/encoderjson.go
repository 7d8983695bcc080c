package encode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"mediant/internal/literal"
	"mediant/tables"
)

// encoderJSON is an Encoder in a model's header. Numbers are written so that they read back exactly.
type encoderJSON struct {
	Standardize bool         `json:"standardize"`
	Rows        []int        `json:"rows,omitempty"` // of each source
	Columns     []columnJSON `json:"columns"`
}

type columnJSON struct {
	Name    string    `json:"name"`
	Kind    string    `json:"kind"` // numeric, text or vector
	Dropped reason    `json:"dropped,omitempty"`
	Mean    float64   `json:"mean,omitempty"`
	Scale   float64   `json:"scale,omitempty"`
	Missing bool      `json:"missing,omitempty"` // training had missing values
	Levels  []string  `json:"levels,omitempty"`
	Text    *textJSON `json:"text,omitempty"`   // of free text
	Places  int       `json:"places,omitempty"` // of sparse rows
}

// MarshalJSON writes the encoder as part of a model's header.
func (e *Encoder) MarshalJSON() ([]byte, error) {
	return json.Marshal(encoderJSON{e.standardize, e.rows, e.columnsJSON(true)})
}

// Canonical returns the bytes that identify what the encoded columns mean: names, levels, means and
// scales. Columns that are left out and the numbers of rows do not enter.
func (e *Encoder) Canonical() []byte {
	text, err := json.Marshal(encoderJSON{e.standardize, nil, e.columnsJSON(false)})
	if err != nil {
		panic("encode: " + err.Error()) // all numbers are finite
	}
	return text
}

func (e *Encoder) columnsJSON(withDropped bool) []columnJSON {
	var columns []columnJSON
	for i := range e.columns {
		c := &e.columns[i]
		if c.width() > 0 || withDropped {
			columns = append(columns, columnJSON{c.name, c.kind.String(), c.dropped, c.mean, c.scale, c.missing, c.levels, c.text.json(), c.places})
		}
	}
	return columns
}

// UnmarshalJSON reads what MarshalJSON wrote. It is an error if no encoder can have written it.
func (e *Encoder) UnmarshalJSON(text []byte) error {
	var in encoderJSON
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	for _, n := range in.Rows {
		if n < 0 || n > math.MaxInt/(len(in.Rows)+1) {
			return fmt.Errorf("encode: a source of %d rows", n)
		}
	}
	columns := make([]column, len(in.Columns))
	seen := make(map[string]bool, len(in.Columns))
	var err error
	for i, c := range in.Columns {
		if err = c.check(); err != nil {
			return fmt.Errorf("encode: column %q: %w", c.Name, err)
		}
		if seen[c.Name] {
			return fmt.Errorf("encode: column %q is there twice", c.Name)
		}
		seen[c.Name] = true
		columns[i] = column{name: c.Name, dropped: c.Dropped, mean: c.Mean, scale: c.Scale, missing: c.Missing, levels: c.Levels, places: c.Places}
		if columns[i].text, err = c.Text.column(); err != nil {
			return fmt.Errorf("encode: column %q: %w", c.Name, err)
		}
		if c.Kind == tables.Text.String() {
			columns[i].kind = tables.Text
		}
		if c.Kind == tables.Vector.String() {
			columns[i].kind = tables.Vector
		}
	}
	read, err := newEncoder(in.Standardize, columns, in.Rows)
	if err != nil {
		return err
	}
	*e = *read
	return nil
}

func (c *columnJSON) check() error {
	switch c.Dropped {
	case "", constantColumn, emptyColumn:
	default:
		return fmt.Errorf("dropped as %q", c.Dropped)
	}
	if (c.Kind == tables.Vector.String()) != (c.Places != 0) && c.Dropped == "" || c.Places < 0 || c.Places > maxPlaces {
		return fmt.Errorf("%d places of a %s column", c.Places, c.Kind)
	}
	switch c.Kind {
	case tables.Vector.String():
		return c.checkVectors()
	case tables.Numeric.String():
		return c.checkNumbers()
	case tables.Text.String():
		return c.checkText()
	}
	return fmt.Errorf("unknown kind %q", c.Kind)
}

func (c *columnJSON) checkVectors() error {
	if c.Levels != nil || c.Text != nil || c.Missing || c.Mean != 0 || !(c.Scale > 0) || (c.Dropped != "") != (c.Places == 0) {
		return fmt.Errorf("sparse rows with what other columns have, scale %g or %d places", c.Scale, c.Places)
	}
	return nil
}

func (c *columnJSON) checkNumbers() error {
	switch {
	case c.Levels != nil || c.Text != nil:
		return fmt.Errorf("numbers with levels or terms")
	case c.Dropped == emptyColumn && (c.Mean != 0 || c.Scale != 0):
		return fmt.Errorf("mean %g and scale %g of no values", c.Mean, c.Scale)
	case c.Dropped != emptyColumn && !(c.Scale > 0):
		return fmt.Errorf("scale %g, want a positive number", c.Scale)
	}
	return nil
}

func (c *columnJSON) checkText() error {
	if c.Mean != 0 || c.Scale != 0 {
		return fmt.Errorf("text with a mean or scale")
	}
	for l := 1; l < len(c.Levels); l++ {
		if !literal.NaturalLess(c.Levels[l-1], c.Levels[l]) {
			return fmt.Errorf("levels %q and %q are not in natural order", c.Levels[l-1], c.Levels[l])
		}
	}
	if c.Text != nil {
		if c.Levels != nil || c.Dropped != "" {
			return fmt.Errorf("free text with levels, or left out")
		}
		return nil
	}
	want := 2 // at least
	switch c.Dropped {
	case constantColumn:
		want = 1
	case emptyColumn:
		want = 0
	}
	if n := len(c.Levels); n < want || c.Dropped != "" && n != want {
		return fmt.Errorf("%d levels in a text column", n)
	}
	return nil
}
