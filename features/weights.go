package features

import (
	"fmt"
	"math"

	"mediant/tables"
)

// A weightReader reads a column of weights; the zero value reads none.
type weightReader struct {
	name string
	sel  *tables.Selection
}

func openWeights(columns []tables.Column, name string) (weightReader, error) {
	if name == "" {
		return weightReader{}, nil
	}
	sel, err := tables.Select(columns, []tables.Column{{Name: name, Kind: tables.Numeric}})
	return weightReader{name: name, sel: sel}, err
}

func (r weightReader) read(b tables.Batch) ([]float64, error) {
	if r.sel == nil {
		return nil, nil
	}
	w := make([]float64, b.Rows)
	r.sel.NumericTo(w, b, 0)
	for i, v := range w {
		switch {
		case math.IsNaN(v):
			return nil, fmt.Errorf("features: row %d: weight %q is missing", b.Start+i+1, r.name)
		case v < 0 || math.IsInf(v, 0):
			return nil, fmt.Errorf("features: row %d: weight %q is %g, must be finite and at least 0", b.Start+i+1, r.name, v)
		}
	}
	return w, nil
}
