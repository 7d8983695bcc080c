package rr

import (
	"encoding/json"
	"errors"
	"fmt"

	"mediant/encode"
	"mediant/solvers"
	"mediant/tables"
)

// modelHeader is what a model is but for its numbers, in a model file.
type modelHeader struct {
	Method     string                         `json:"method"`
	Params     Params                         `json:"params"`
	Seed       uint64                         `json:"seed"`
	Rows       Rows                           `json:"rows"`
	Roles      roles                          `json:"roles"`
	Y          *encode.Targets                `json:"outputs"`
	X          *encode.Encoder                `json:"encoder_x"`
	U          *encode.Encoder                `json:"encoder_u"`
	F          *storedPredictor               `json:"f"`
	H          *storedPredictor               `json:"h,omitempty"`
	Conditions map[string]Condition           `json:"conditions,omitempty"`
	Iterations map[string]solvers.Convergence `json:"iterations,omitempty"`
	Notes      []string                       `json:"notes,omitempty"`
	Warnings   []string                       `json:"warnings,omitempty"`
}

type roles struct {
	X []string `json:"x"`
	U []string `json:"u"`
	Y []string `json:"y"`
}

// Store returns the parts of the model for a model file: a header, which package json writes for people to read, and the
// numbers. Learned is not part of it. The error names a missing part, or a predictor whose type is neither of this package nor
// a Storer.
func (m *Model) Store() (header any, numbers []float64, err error) {
	if err := m.checkParts(); err != nil {
		return nil, nil, err
	}
	h := modelHeader{
		Method: m.Method, Params: m.Params, Seed: m.Seed, Rows: m.Rows, Roles: roles(m.Roles), Y: m.Y, X: m.X, U: m.U,
		Conditions: m.Condition, Iterations: m.Iterations, Notes: m.Notes, Warnings: m.Warnings,
	}
	if h.F, numbers, err = describe(m.F, nil); err != nil {
		return nil, nil, err
	}
	if m.H != nil {
		if h.H, numbers, err = describe(m.H, numbers); err != nil {
			return nil, nil, err
		}
	}
	return h, numbers, nil
}

// ReadModel reads what Store returned; formats read predictors of other packages. It also returns the remaining numbers.
// Content that is inconsistent is an error; memory stays within a few times that of the arguments.
func ReadModel(header json.RawMessage, numbers []float64, formats ...Format) (m *Model, rest []float64, err error) {
	var h modelHeader
	if err := json.Unmarshal(header, &h); err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	if h.X == nil || h.U == nil || h.Y == nil || h.F == nil {
		return nil, nil, errors.New("the header lacks an encoder, the outputs or f")
	}
	if n := len(h.Params.Outputs); n != 0 && (h.Y.Together() || n != h.Y.Len()) {
		return nil, nil, fmt.Errorf("hyperparameters of %d outputs for the outputs %q", n, h.Y.Names())
	}
	m = &Model{
		Method: h.Method, Params: h.Params, Seed: h.Seed, Rows: h.Rows, Roles: tables.Roles(h.Roles),
		X: h.X, U: h.U, Y: h.Y, Condition: h.Conditions, Iterations: h.Iterations, Notes: h.Notes, Warnings: h.Warnings,
	}
	in := &numberReader{numbers, formats}
	if m.F, err = in.build(h.F, m.X.Width(), m.Y.Len(), 0); err != nil {
		return nil, nil, fmt.Errorf("f: %w", err)
	}
	if h.H != nil {
		if m.H, err = in.build(h.H, m.U.Width(), m.Y.Len(), 0); err != nil {
			return nil, nil, fmt.Errorf("h: %w", err)
		}
	}
	return m, in.left, nil
}

// checkParts refuses a model that ReadModel would refuse.
func (m *Model) checkParts() error {
	if m.X == nil || m.U == nil || m.Y == nil || m.F == nil {
		return fmt.Errorf("rr: the model lacks an encoder, the outputs or F: only what a method has fitted can be saved")
	}
	for _, part := range []struct {
		name string
		p    Predictor
		in   int
	}{{"F", m.F, m.X.Width()}, {"H", m.H, m.U.Width()}} {
		if s, ok := part.p.(Storer); ok {
			if err := checkStorer(s, part.in, m.Y.Len()); err != nil {
				return fmt.Errorf("rr: %s of the model: %w", part.name, err)
			}
		}
	}
	return nil
}
