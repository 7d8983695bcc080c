package export

import (
	"bytes"
	"encoding/json"
	"fmt"

	"mediant"
	"mediant/kernels"
)

// parts are what a model file holds of a model: its encoders and its predictors with their numbers.
type parts struct {
	X, U encoder
	F    *predictor
	H    *predictor // nil: the method has none
}

// An encoder is an encode.Encoder as model files describe it.
type encoder struct {
	Standardize bool     `json:"standardize"`
	Columns     []column `json:"columns"`
}

type column struct {
	Name    string          `json:"name"`
	Kind    string          `json:"kind"`
	Dropped string          `json:"dropped"`
	Mean    float64         `json:"mean"`
	Scale   float64         `json:"scale"`
	Missing bool            `json:"missing"`
	Levels  []string        `json:"levels"`
	Text    json.RawMessage `json:"text"`
	Places  int             `json:"places"`
}

// A predictor is one of package rr, or one of another package with its numbers.
type predictor struct {
	Kind    string          `json:"kind"`
	Outputs int             `json:"outputs"`
	Parts   []*predictor    `json:"parts"`
	Loss    string          `json:"loss"`
	Header  json.RawMessage `json:"header"`
	Numbers int             `json:"numbers"`
	MapText json.RawMessage `json:"map"`

	features  *mapping
	coef      array // features × outputs
	intercept []float64
	numbers   []float64
}

// A mapping is a features.Map as model files describe it.
type mapping struct {
	Kind         string          `json:"kind"`
	In           int             `json:"in"`
	Out          int             `json:"out"`
	Kernel       *kernels.Desc   `json:"kernel"`
	Distribution string          `json:"law"`
	Degree       int             `json:"degree"`
	Steps        int             `json:"steps"`
	Patches      *patches        `json:"patches"`
	Settings     json.RawMessage `json:"settings"`
	Parts        []*mapping      `json:"parts"`
	Arrays       []*array        `json:"arrays"`
}

type patches struct {
	Image struct {
		Planes int `json:"planes"`
		Height int `json:"height"`
		Width  int `json:"width"`
	} `json:"image"`
	Side      int     `json:"side"`
	Grid      int     `json:"grid"`
	Contrast  float64 `json:"contrast"`
	Threshold float64 `json:"threshold"`
	Overlap   bool    `json:"overlap"`
	Root      bool    `json:"root"`
}

// An array is a matrix by rows.
type array struct {
	Name   string `json:"name"`
	Rows   int    `json:"rows"`
	Cols   int    `json:"cols"`
	Packed string `json:"packed"`
	data   []float64
}

func (a array) row(i int) []float64 { return a.data[i*a.Cols : (i+1)*a.Cols] }

func newArray(rows, cols int) array {
	return array{Rows: rows, Cols: cols, data: make([]float64, rows*cols)}
}

// partsOf takes a model apart. The error says that a part is missing or of an unknown type.
func partsOf(m *mediant.Model) (*parts, error) {
	if m.Model == nil {
		return nil, fmt.Errorf("export: the record has no model")
	}
	header, numbers, err := m.Store()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(header)
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	var stored struct {
		X encoder    `json:"encoder_x"`
		U encoder    `json:"encoder_u"`
		F *predictor `json:"f"`
		H *predictor `json:"h"`
	}
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	rest := &numbers
	for _, p := range []*predictor{stored.F, stored.H} {
		if p == nil {
			continue
		}
		if err := p.fill(rest); err != nil {
			return nil, err
		}
	}
	if len(numbers) > 0 {
		return nil, fmt.Errorf("export: %d numbers of the model belong to no part", len(numbers))
	}
	return &parts{stored.X, stored.U, stored.F, stored.H}, nil
}

// fill takes the numbers of p from the front of numbers, in the order in which rr stores them.
func (p *predictor) fill(numbers *[]float64) error {
	if p.MapText != nil {
		p.features = new(mapping)
		description := json.NewDecoder(bytes.NewReader(p.MapText))
		description.DisallowUnknownFields() // which would change features
		if err := description.Decode(p.features); err != nil {
			return fmt.Errorf("export: map: %w", err)
		}
		if err := p.features.fill(numbers); err != nil {
			return err
		}
		p.coef = array{Name: "coef", Rows: p.features.Out, Cols: p.Outputs}
		var err error
		if p.coef.data, err = take(numbers, p.features.Out*p.Outputs); err != nil {
			return err
		}
		p.intercept, err = take(numbers, p.Outputs)
		return err
	}
	for _, part := range p.Parts {
		if err := part.fill(numbers); err != nil {
			return err
		}
	}
	var err error
	p.numbers, err = take(numbers, p.Numbers)
	return err
}

// fill takes the arrays of m, which come before those of its parts.
func (m *mapping) fill(numbers *[]float64) error {
	for _, a := range m.Arrays {
		size := a.Rows * a.Cols
		if a.Packed != "" {
			size = a.Rows * (a.Rows + 1) / 2
		}
		var err error
		if a.data, err = take(numbers, size); err != nil {
			return err
		}
	}
	for _, part := range m.Parts {
		if err := part.fill(numbers); err != nil {
			return err
		}
	}
	return nil
}

func take(numbers *[]float64, n int) ([]float64, error) {
	if n > len(*numbers) {
		return nil, fmt.Errorf("export: %d numbers are needed, %d are left", n, len(*numbers))
	}
	own := (*numbers)[:n:n]
	*numbers = (*numbers)[n:]
	return own, nil
}

// A layer of a network, of package mlp, is weights'a + offsets of what comes before.
type layer struct {
	weights array // inputs × outputs
	offsets []float64
}

// layers are those of a network.
func (p *predictor) layers() ([]layer, error) {
	var h struct {
		Widths []int `json:"widths"`
	}
	if err := json.Unmarshal(p.Header, &h); err != nil {
		return nil, fmt.Errorf("export: network: %w", err)
	}
	list, rest := make([]layer, len(h.Widths)-1), p.numbers
	for l := range list {
		in, out := h.Widths[l], h.Widths[l+1]
		weights, err := take(&rest, in*out)
		if err != nil {
			return nil, err
		}
		offsets, err := take(&rest, out)
		if err != nil {
			return nil, err
		}
		list[l] = layer{array{Rows: in, Cols: out, data: weights}, offsets}
	}
	return list, nil
}

// A density is what a model of baselines.Integral consists of.
type density struct {
	centres   array
	alpha     []float64
	values    array // centres × outputs
	bandwidth float64
}

// density is that of an integral.
func (p *predictor) density() (d density, err error) {
	var h struct {
		Centres   int     `json:"centres"`
		Columns   int     `json:"columns"`
		Outputs   int     `json:"outputs"`
		Bandwidth float64 `json:"bandwidth"`
	}
	if err := json.Unmarshal(p.Header, &h); err != nil {
		return d, fmt.Errorf("export: integral: %w", err)
	}
	d = density{array{Rows: h.Centres, Cols: h.Columns}, nil, array{Rows: h.Centres, Cols: h.Outputs}, h.Bandwidth}
	rest := p.numbers
	if d.centres.data, err = take(&rest, h.Centres*h.Columns); err != nil {
		return d, err
	}
	if d.alpha, err = take(&rest, h.Centres); err != nil {
		return d, err
	}
	d.values.data, err = take(&rest, h.Centres*h.Outputs)
	return d, err
}
