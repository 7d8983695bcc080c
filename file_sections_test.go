package mediant

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// TestFormat1IsRead: a file that was written before there were sections predicts what it did, has all of its parts, and is saved as one
// with sections. version 0.1.0-dev wrote it, and these predictions, with standard errors.
func TestFormat1IsRead(t *testing.T) {
	file, err := os.ReadFile("testdata/models/format1.mediant")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Load(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if m.Assessment == nil || m.Assessment.Risk.MSE != *m.Assessment.Risk.Known || m.Learned == nil || m.SE == nil || m.SE.Shared == nil || m.Reading.NA[0] != "NONE" {
		t.Errorf("parts are missing: %+v", m)
	}
	query, err := tables.FromColumns(tables.Numbers("x", []float64{0, .8}), tables.Strings("colour", []string{"red", "green"}))
	if err != nil {
		t.Fatal(err)
	}
	for b, err := range m.PredictErrors(t.Context(), query) {
		if err != nil {
			t.Fatal(err)
		}
		got := []float64{b.Values.At(0, 0), b.Errors.At(0, 0), b.Values.At(1, 0), b.Errors.At(1, 0)}
		// To the last digits, which another processor may round otherwise.
		if want := []float64{0.586939574508794, 0.13802298225673681, 1.0997173471087642, 0.18716153644883693}; !floats.EqualApprox(got, want, 1e-14) {
			t.Errorf("predictions and standard errors are %.17g, want %.17g", got, want)
		}
	}
	var saved bytes.Buffer
	if err := m.Save(&saved); err != nil {
		t.Fatal(err)
	}
	if format := binary.LittleEndian.Uint32(saved.Bytes()[8:]); format != 2 {
		t.Errorf("saved in format %d", format)
	}
	again, err := Load(&saved)
	if err != nil {
		t.Fatal(err)
	}
	a, errA := m.Header()
	b, errB := again.Header()
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("saved and loaded, the header is another (%v, %v)", errA, errB)
	}
}

// withSections saves m with its sections changed.
func withSections(t *testing.T, m *Model, change func(h *header, weights *[]float64)) []byte {
	t.Helper()
	h, weights, err := m.split()
	if err != nil {
		t.Fatal(err)
	}
	change(&h, &weights)
	var file bytes.Buffer
	if err := write(&file, h, weights); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func smallModel(t *testing.T) *Model {
	t.Helper()
	xu, uy := fixture.Surrogates(t, 40, 40, false)
	spec := features.Spec{Kind: features.LinearFeatures}
	m, err := Fit(t.Context(), xu, uy, Options{Setup: problem.Setup{Phi: spec, Psi: spec}, Method: rr.TwoStep{}, NoCheck: true, StandardErrors: true})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestUnknownSectionsStay: a section of a package that this version does not know, with weights of its own, and one of a later version stay with a
// model that is loaded, and are saved again to the byte; one that this version makes anew takes the place of the latter.
func TestUnknownSectionsStay(t *testing.T) {
	m := smallModel(t)
	file := withSections(t, m, func(h *header, weights *[]float64) {
		for i, s := range h.Sections {
			if s.Package == "risk" {
				h.Sections[i].Version, h.Sections[i].Header = 7, json.RawMessage(`{"later":1}`)
			}
		}
		between := section{Package: "sums", Version: 3, Header: json.RawMessage(`{"blocks":[20,"of"],"x":{}}`), Numbers: 2}
		h.Sections = append(h.Sections, between)
		*weights = append(*weights, 1.5, -2)
	})
	got, err := Load(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if got.Assessment != nil || got.SE == nil {
		t.Errorf("assessment %v, standard errors %v", got.Assessment, got.SE)
	}
	var saved bytes.Buffer
	if err := got.Save(&saved); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"later": 1`, `"blocks": [`} {
		if !strings.Contains(saved.String(), want) {
			t.Errorf("saved again without %s", want)
		}
	}
	again, err := Load(bytes.NewReader(saved.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if len(again.unread) != 2 || !reflect.DeepEqual(again.unread[1].weights, []float64{1.5, -2}) {
		t.Errorf("unread sections %+v", again.unread)
	}
	var twice bytes.Buffer
	if err := again.Save(&twice); err != nil || !bytes.Equal(twice.Bytes(), saved.Bytes()) {
		t.Errorf("saved twice, the bytes are others (%v)", err)
	}
	if text, err := got.Header(); err != nil || !strings.Contains(string(text), `"sums": {`) || !strings.Contains(string(text), `"later": 1`) {
		t.Errorf("%v; the header is %s", err, text)
	}
	got.Assessment = m.Assessment
	if text, err := got.Header(); err != nil || strings.Contains(string(text), `"later"`) || !strings.Contains(string(text), `"mse"`) {
		t.Errorf("%v; with a risk of its own the header is %s", err, text)
	}
}

// TestSectionsRefused: what cannot be read, or does not fit, is named.
func TestSectionsRefused(t *testing.T) {
	m := smallModel(t)
	for want, change := range map[string]func(h *header, weights *[]float64){
		"version 2 of section rr":   func(h *header, _ *[]float64) { h.Sections[0].Version = 2 },
		"no section rr":             func(h *header, _ *[]float64) { h.Sections[0].Package = "sums" },
		"section rr is there twice": func(h *header, _ *[]float64) { h.Sections = append(h.Sections, h.Sections[0]) },
		"inference: standard errors: ": func(h *header, _ *[]float64) {
			h.Sections[indexOf(h, "inference")].Header = json.RawMessage(`{"standard_errors":[1]}`)
		},
		"rr: 1 weights too many":           func(h *header, w *[]float64) { h.Sections[0].Numbers++; *w = append(*w, 0) },
		"-1 weights are needed":            func(h *header, _ *[]float64) { h.Sections[0].Numbers = -1 },
		"check: ":                          func(h *header, _ *[]float64) { h.Sections[indexOf(h, "check")].Header = json.RawMessage(`[]`) },
		"rr: the header lacks an encoder,": func(h *header, _ *[]float64) { h.Sections[0].Header = json.RawMessage(`{}`) },
	} {
		_, err := Load(bytes.NewReader(withSections(t, m, change)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func indexOf(h *header, name string) int {
	for i, s := range h.Sections {
		if s.Package == name {
			return i
		}
	}
	return -1
}
