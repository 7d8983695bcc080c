package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// WriteJSON writes d as indented JSON with the keys of its types' tags. JSON has no NaN and no
// infinities: each becomes null, and reads back as NaN (in a Series) or as no Value (in a Cell,
// whose Text still says which it was). Lists that must be there are [] when empty, not null.
func (d *Document) WriteJSON(w io.Writer) error {
	if err := d.check(); err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d); err != nil {
		return fmt.Errorf("report: write JSON: %w", err)
	}
	return nil
}

// MarshalJSON writes a Value that is not finite as none, after making sure that Text says it.
func (c Cell) MarshalJSON() ([]byte, error) {
	type plain Cell
	if c.Value != nil && !isFinite(*c.Value) {
		c.Text, c.Value = c.shown(), nil
	}
	return json.Marshal(plain(c))
}

// MarshalJSON writes empty Columns and Rows as [].
func (t Table) MarshalJSON() ([]byte, error) {
	type plain Table
	t.Columns, t.Rows = notNil(t.Columns), notNil(t.Rows)
	return json.Marshal(plain(t))
}

// MarshalJSON writes empty Series as [].
func (c Chart) MarshalJSON() ([]byte, error) {
	type plain Chart
	c.Series = notNil(c.Series)
	return json.Marshal(plain(c))
}

// MarshalJSON writes numbers that are not finite as null.
func (s Series) MarshalJSON() ([]byte, error) {
	j := seriesJSON{Name: s.Name, Kind: s.Kind, X: nullable(s.X), Y: nullable(s.Y)}
	if s.Err != nil {
		j.Err = nullable(s.Err)
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON wrote, null as NaN.
func (s *Series) UnmarshalJSON(b []byte) error {
	var j seriesJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*s = Series{Name: j.Name, Kind: j.Kind, X: numbers(j.X), Y: numbers(j.Y), Err: numbers(j.Err)}
	return nil
}

// A seriesJSON is a Series as JSON has it. It must have the keys of Series.
type seriesJSON struct {
	Name string     `json:"name"`
	Kind SeriesKind `json:"kind"`
	X    []*float64 `json:"x"`
	Y    []*float64 `json:"y"`
	Err  []*float64 `json:"err,omitempty"`
}

func nullable(v []float64) []*float64 {
	p := make([]*float64, len(v))
	for i := range v {
		if isFinite(v[i]) {
			p[i] = &v[i]
		}
	}
	return p
}

func numbers(p []*float64) []float64 {
	if p == nil {
		return nil
	}
	v := make([]float64, len(p))
	for i := range p {
		v[i] = math.NaN()
		if p[i] != nil {
			v[i] = *p[i]
		}
	}
	return v
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
