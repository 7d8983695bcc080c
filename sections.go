package mediant

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"mediant/check"
	"mediant/distribution"
	"mediant/inference"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// header is the JSON part of a model file.
type header struct {
	Program  string    `json:"program"`
	Sections []section `json:"sections"`
}

// A section is what one package keeps in a model file.
type section struct {
	Package string          `json:"package"`
	Version int             `json:"version"`
	Header  json.RawMessage `json:"header"`
	Numbers int             `json:"numbers,omitempty"` // of the weights
	weights []float64
}

// A sectionOf writes and reads the section of a package.
type sectionOf struct {
	name    string
	version int // of what it writes, and the only one that it reads
	// needed says that a file without this section, or with another version of it, cannot be read.
	needed bool
	store  func(m *Model) (header any, numbers []float64, err error) // nil: nothing to keep
	read   func(m *Model, header json.RawMessage, numbers []float64, formats []rr.Format) (rest []float64, err error)
}

// sections are those of all packages that have one, in the order of a file. A predictor comes first: others are about it.
var sections = []sectionOf{
	{"rr", 1, true, func(m *Model) (any, []float64, error) { return m.Store() }, readPredictor},
	{"tables", 1, true, func(m *Model) (any, []float64, error) { return kept(!m.Reading.IsZero(), m.Reading) },
		jsonSection(func(m *Model, v *tables.Reading) { m.Reading = *v })},
	{"check", 1, false, func(m *Model) (any, []float64, error) { return kept(m.Learned != nil, m.Learned) },
		jsonSection(func(m *Model, v *check.Learned) { m.Learned = v })},
	{"inference", 1, false, storeErrors, readErrors},
	{"distribution", 1, false, storeDistribution, readDistribution},
	{"risk", 1, false, func(m *Model) (any, []float64, error) { return kept(m.Assessment != nil, m.Assessment) },
		jsonSection(func(m *Model, v *risk.Assessment) { m.Assessment = v })},
	{"search", 1, false, func(m *Model) (any, []float64, error) { return kept(m.Search != nil, m.Search) },
		jsonSection(func(m *Model, v *[]search.Trial) { m.Search = *v })},
}

// kept is v if it is there.
func kept(there bool, v any) (any, []float64, error) {
	if !there {
		return nil, nil, nil
	}
	return v, nil, nil
}

// jsonSection reads a section that is a value alone.
func jsonSection[T any](set func(*Model, *T)) func(*Model, json.RawMessage, []float64, []rr.Format) ([]float64, error) {
	return func(m *Model, header json.RawMessage, numbers []float64, _ []rr.Format) ([]float64, error) {
		v := new(T)
		if err := json.Unmarshal(header, v); err != nil {
			return nil, err
		}
		set(m, v)
		return numbers, nil
	}
}

func readPredictor(m *Model, header json.RawMessage, numbers []float64, formats []rr.Format) (rest []float64, err error) {
	m.Model, rest, err = rr.ReadModel(header, numbers, formats...)
	return rest, err
}

func storeErrors(m *Model) (any, []float64, error) {
	if m.SE == nil {
		return nil, nil, nil
	}
	header, numbers := m.SE.Store()
	return header, numbers, nil
}

func readErrors(m *Model, header json.RawMessage, numbers []float64, _ []rr.Format) ([]float64, error) {
	se, rest, err := inference.Read(header, numbers, m.Model)
	if err != nil {
		return nil, fmt.Errorf("standard errors: %w", err)
	}
	m.SetErrors(se)
	return rest, nil
}

func storeDistribution(m *Model) (any, []float64, error) {
	if m.Distribution == nil {
		return nil, nil, nil
	}
	return m.Distribution.Store(m.Model)
}

func readDistribution(m *Model, header json.RawMessage, numbers []float64, _ []rr.Format) ([]float64, error) {
	d, rest, err := distribution.Read(header, numbers, m.Model)
	if err != nil {
		return nil, err
	}
	m.SetDistribution(d)
	return rest, nil
}

// Header returns the header of the model file as indented JSON: the keys of all sections together, and a list of the sections.
// The error names a predictor whose type is neither of package rr nor an rr.Storer, which cannot be saved.
func (m *Model) Header() ([]byte, error) {
	h, _, err := m.split()
	if err != nil {
		return nil, err
	}
	parts := []string{`"program":"mediant"`}
	for _, s := range h.Sections {
		var object bytes.Buffer
		if err := json.Compact(&object, s.Header); err != nil {
			return nil, fmt.Errorf("mediant: model header: %w", err)
		}
		switch key := headerKeys[s.Package]; {
		case s.Package == "rr" || s.Package == "inference":
			parts = append(parts, strings.TrimSuffix(strings.TrimPrefix(object.String(), "{"), "}"))
		case key != "":
			parts = append(parts, fmt.Sprintf("%q:%s", key, &object))
		default:
			parts = append(parts, fmt.Sprintf("%q:%s", s.Package, &object))
		}
	}
	var names []string
	for _, s := range h.Sections {
		names = append(names, fmt.Sprintf(`{"package":%q,"version":%d}`, s.Package, s.Version))
	}
	parts = append(parts, fmt.Sprintf(`"sections":[%s]`, strings.Join(names, ",")))
	var text bytes.Buffer
	if err := json.Indent(&text, []byte("{"+strings.Join(parts, ",")+"}"), "", " "); err != nil {
		return nil, fmt.Errorf("mediant: model header: %w", err)
	}
	return text.Bytes(), nil
}

// headerKeys are the keys of sections that are one value, as Header shows them and format 1 had them.
var headerKeys = map[string]string{"tables": "reading", "check": "learned", "distribution": "distribution", "risk": "assessment", "search": "search"}

// split returns the header and the weights.
func (m *Model) split() (h header, weights []float64, err error) {
	if m.Model == nil {
		return h, nil, fmt.Errorf("mediant: the record has no model")
	}
	h.Program = "mediant"
	for _, of := range sections {
		value, numbers, err := of.store(m)
		if err != nil {
			return h, nil, err
		}
		if value == nil {
			continue
		}
		raw, err := json.Marshal(value)
		if err != nil {
			return h, nil, fmt.Errorf("mediant: model header: %w", err)
		}
		h.Sections = append(h.Sections, section{of.name, of.version, raw, len(numbers), numbers})
	}
	for _, s := range m.unread {
		if !slices.ContainsFunc(h.Sections, func(o section) bool { return o.Package == s.Package }) { // or it was made anew
			h.Sections = append(h.Sections, s)
		}
	}
	for _, s := range h.Sections {
		weights = append(weights, s.weights...)
	}
	for _, v := range weights {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return h, nil, fmt.Errorf("mediant: a coefficient of the model is not finite: nothing was learned")
		}
	}
	return h, weights, nil
}

// readSections makes a model of the header and the weights of a file.
func readSections(text []byte, weights []float64, formats []rr.Format) (*Model, error) {
	var h header
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, damaged("header: %v", err)
	}
	for i := range h.Sections {
		s := &h.Sections[i]
		if slices.ContainsFunc(h.Sections[:i], func(o section) bool { return o.Package == s.Package }) {
			return nil, damaged("section %s is there twice", s.Package)
		}
		if s.Numbers < 0 || s.Numbers > len(weights) {
			return nil, damaged("%s: %d weights are needed, %d are left", s.Package, s.Numbers, len(weights))
		}
		s.weights, weights = weights[:s.Numbers:s.Numbers], weights[s.Numbers:]
	}
	if len(weights) > 0 {
		return nil, damaged("%d weights too many", len(weights))
	}
	m := &Model{}
	for _, of := range sections {
		at := slices.IndexFunc(h.Sections, func(s section) bool { return s.Package == of.name })
		if at < 0 && m.Model == nil {
			return nil, damaged("there is no section %s", of.name)
		}
		if at < 0 {
			continue
		}
		s := h.Sections[at]
		if s.Version != of.version {
			if of.needed {
				return nil, fmt.Errorf("mediant: unsupported model file: version %d of section %s, this program reads %d", s.Version, s.Package, of.version)
			}
			continue
		}
		h.Sections = slices.Delete(h.Sections, at, at+1)
		rest, err := of.read(m, s.Header, s.weights, formats)
		if err == nil && len(rest) > 0 {
			err = fmt.Errorf("%d weights too many", len(rest))
		}
		if err != nil {
			return nil, damaged("%s: %v", s.Package, err)
		}
	}
	m.unread = h.Sections
	return m, nil
}

// readFormat1 is readSections of a file of format 1, whose header has the keys of all sections together.
func readFormat1(text []byte, weights []float64, formats []rr.Format) (*Model, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, damaged("header: %v", err)
	}
	m := &Model{}
	var err error
	for _, of := range sections {
		header := json.RawMessage(text)
		if key := headerKeys[of.name]; key != "" {
			if header = keys[key]; header == nil || string(header) == "null" {
				continue
			}
		}
		if weights, err = of.read(m, header, weights, formats); err != nil {
			return nil, damaged("%s: %v", of.name, err)
		}
	}
	if len(weights) > 0 {
		return nil, damaged("%d weights too many", len(weights))
	}
	return m, nil
}
