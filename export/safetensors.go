package export

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"mediant"
	"mediant/tables"
)

// safetensorsLayout is the version of the names of tensors and of the metadata.
const safetensorsLayout = 1

// A named tensor is one of a file of safetensors.
type namedTensor struct {
	name  string
	shape []int
	data  []float64
}

// Safetensors writes the numbers of a model in float64, with its description in JSON under "mediant" in the metadata: the header of the model file's
// section of package rr, with the keys "layout" and "reading" added. Names of tensors are paths in that description (docs/export.md): "f.coef",
// features × outputs, "f.intercept", and "f.map.NAME" of each array of a map. Everything that a model holds but standard errors and distributions is there. The error is that of w, or says that a part of the model cannot be stored.
func Safetensors(w io.Writer, m *mediant.Model) error {
	p, err := partsOf(m)
	if err != nil {
		return err
	}
	metadata, err := describe(m)
	if err != nil {
		return err
	}
	var list []namedTensor
	for _, of := range []struct {
		name string
		*predictor
	}{{"f", p.F}, {"h", p.H}} {
		if of.predictor == nil {
			continue
		}
		own, err := of.tensors(of.name)
		if err != nil {
			return err
		}
		list = append(list, own...)
	}
	return writeSafetensors(w, list, map[string]string{"mediant": string(metadata)})
}

// describe is a model but for its numbers.
func describe(m *mediant.Model) ([]byte, error) {
	header, _, err := m.Store()
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(header)
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	more, err := json.Marshal(struct {
		Layout  int            `json:"layout"`
		Reading tables.Reading `json:"reading"`
	}{safetensorsLayout, m.Reading})
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	return append(append(more[:len(more)-1:len(more)-1], ','), raw[1:]...), nil
}

// tensors are the numbers of a predictor.
func (p *predictor) tensors(at string) (list []namedTensor, err error) {
	if p.features != nil {
		list = p.features.tensors(at + ".map")
		return append(list, namedTensor{at + ".coef", []int{p.coef.Rows, p.coef.Cols}, p.coef.data}, namedTensor{at + ".intercept", []int{len(p.intercept)}, p.intercept}), nil
	}
	for i, part := range p.Parts {
		own, err := part.tensors(fmt.Sprintf("%s.parts.%d", at, i))
		if err != nil {
			return nil, err
		}
		list = append(list, own...)
	}
	if len(p.Parts) > 0 {
		return list, nil
	}
	switch p.Kind {
	case "network":
		layers, err := p.layers()
		if err != nil {
			return nil, err
		}
		for l, layer := range layers {
			list = append(list, namedTensor{fmt.Sprintf("%s.weights.%d", at, l), []int{layer.weights.Rows, layer.weights.Cols}, layer.weights.data},
				namedTensor{fmt.Sprintf("%s.offsets.%d", at, l), []int{len(layer.offsets)}, layer.offsets})
		}
		return list, nil
	case "integral":
		d, err := p.density()
		if err != nil {
			return nil, err
		}
		return []namedTensor{{at + ".centres", []int{d.centres.Rows, d.centres.Cols}, d.centres.data}, {at + ".alpha", []int{len(d.alpha)}, d.alpha},
			{at + ".values", []int{d.values.Rows, d.values.Cols}, d.values.data}}, nil
	}
	return []namedTensor{{at + ".numbers", []int{len(p.numbers)}, p.numbers}}, nil
}

// tensors are the arrays of a map. Several of one name have a number each, and triangles are filled up with zeros.
func (m *mapping) tensors(at string) (list []namedTensor) {
	count := map[string]int{}
	for _, a := range m.Arrays {
		count[a.Name]++
	}
	seen := map[string]int{}
	for _, a := range m.Arrays {
		name := at + "." + strings.ReplaceAll(a.Name, " ", "_")
		if count[a.Name] > 1 {
			name = fmt.Sprintf("%s.%d", name, seen[a.Name])
			seen[a.Name]++
		}
		list = append(list, namedTensor{name, []int{a.Rows, a.Cols}, a.unpacked()})
	}
	for i, part := range m.Parts {
		list = append(list, part.tensors(fmt.Sprintf("%s.parts.%d", at, i))...)
	}
	return list
}

// unpacked are the elements of a, also of one of which the upper triangle is stored.
func (a *array) unpacked() []float64 {
	if a.Packed == "" {
		return a.data
	}
	full, rest := newArray(a.Rows, a.Cols), a.data
	for i := range a.Rows {
		rest = rest[copy(full.row(i)[i:], rest):]
	}
	return full.data
}

// writeSafetensors writes the length of the header, the header in JSON, filled up with spaces to a multiple of 8 bytes, and the elements, little-endian
// (https://github.com/huggingface/safetensors#format).
func writeSafetensors(w io.Writer, list []namedTensor, metadata map[string]string) error {
	type entry struct {
		Type    string `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	header, at := map[string]any{"__metadata__": metadata}, 0
	for _, t := range list {
		if header[t.name] != nil {
			return fmt.Errorf("export: two tensors are called %q", t.name)
		}
		header[t.name] = entry{"F64", t.shape, [2]int{at, at + 8*len(t.data)}}
		at += 8 * len(t.data)
	}
	text, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	if _, err := w.Write(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)); err != nil {
		return err
	}
	for _, t := range list {
		raw := make([]byte, 0, 8*len(t.data))
		for _, v := range t.data {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
		}
		if _, err := w.Write(raw); err != nil {
			return err
		}
	}
	return nil
}
