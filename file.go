package mediant

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"mediant/check"
	"mediant/encode"
	"mediant/inference"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// The layout of a model file, all numbers little-endian:
//
//	magic                    8 bytes, "MEDIANT\n"
//	format version           uint32
//	length of the header     uint32
//	header                   JSON
//	number of weights        uint64
//	weights                  float64 each
//	SHA-256 of all the above 32 bytes
//
// The header says everything but the weights, so that `head` and a text viewer show what a file is.
const (
	modelMagic  = "MEDIANT\n"
	modelFormat = 1
)

// header is the JSON part of a model file.
type header struct {
	Program    string                  `json:"program"`
	Method     string                  `json:"method"`
	Params     rr.Params               `json:"params"`
	Seed       uint64                  `json:"seed"`
	Rows       rr.Rows                 `json:"rows"`
	Roles      roles                   `json:"roles"`
	Reading    tables.Reading          `json:"reading,omitzero"`
	Y          *encode.Targets         `json:"outputs"`
	X          *encode.Encoder         `json:"encoder_x"`
	U          *encode.Encoder         `json:"encoder_u"`
	Learned    *check.Learned          `json:"learned,omitempty"`
	F          *rr.StoredPredictor     `json:"f"`
	H          *rr.StoredPredictor     `json:"h,omitempty"`
	SE         []int                   `json:"standard_errors,omitempty"`        // rank of the covariance of each output of f
	SEShared   []int                   `json:"standard_errors_shared,omitempty"` // rank of the part that both tables count
	Conditions map[string]rr.Condition `json:"conditions,omitempty"`
	Assessment *risk.Assessment        `json:"assessment,omitempty"`
	Search     []search.Trial          `json:"search,omitempty"`
	Notes      []string                `json:"notes,omitempty"`
	Warnings   []string                `json:"warnings,omitempty"`
}

type roles struct {
	X []string `json:"x"`
	U []string `json:"u"`
	Y []string `json:"y"`
}

// Header returns the part of the model file that people can read, as indented JSON. The error names a predictor that cannot
// be saved: it is of another package and no rr.Storer.
func (m *Model) Header() ([]byte, error) {
	text, _, err := m.split()
	return text, err
}

// split returns the header and the weights.
func (m *Model) split() (text []byte, weights []float64, err error) {
	if m.Model == nil {
		return nil, nil, fmt.Errorf("mediant: the record has no model")
	}
	h := header{
		Program: "mediant", Method: m.Method, Params: m.Params, Seed: m.Seed, Rows: m.Rows,
		Roles: roles(m.Roles), Reading: m.Reading, Y: m.Y, X: m.X, U: m.U, Learned: m.Learned,
		Conditions: m.Condition, Assessment: m.Assessment, Search: m.Search, Notes: m.Notes, Warnings: m.Warnings,
	}
	if err := m.CheckParts(); err != nil {
		return nil, nil, err
	}
	if h.F, weights, err = rr.Describe(m.F, weights); err != nil {
		return nil, nil, err
	}
	if m.H != nil {
		if h.H, weights, err = rr.Describe(m.H, weights); err != nil {
			return nil, nil, err
		}
	}
	if m.SE != nil {
		h.SE, weights = inference.DescribeRoots(m.SE.Sum, weights)
		h.SEShared, weights = inference.DescribeRoots(m.SE.Shared, weights)
	}
	for _, v := range weights {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, nil, fmt.Errorf("mediant: a coefficient of the model is not finite: nothing was learned")
		}
	}
	if text, err = json.MarshalIndent(h, "", " "); err != nil {
		return nil, nil, fmt.Errorf("mediant: model header: %w", err)
	}
	return text, weights, nil
}

// Save writes the model. The same model gives the same bytes. Errors are Header's, and w's.
func (m *Model) Save(w io.Writer) error {
	text, weights, err := m.split()
	if err != nil {
		return err
	}
	buf := bufio.NewWriter(w)
	sum := sha256.New()
	out := io.MultiWriter(buf, sum)
	head := append([]byte(modelMagic), binary.LittleEndian.AppendUint32(nil, modelFormat)...)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(text)))
	head = append(head, text...)
	head = binary.LittleEndian.AppendUint64(head, uint64(len(weights)))
	if _, err := out.Write(head); err != nil {
		return err
	}
	var bits [8]byte
	for _, v := range weights {
		binary.LittleEndian.PutUint64(bits[:], math.Float64bits(v))
		if _, err := out.Write(bits[:]); err != nil {
			return err
		}
	}
	if _, err := buf.Write(sum.Sum(nil)); err != nil {
		return err
	}
	return buf.Flush()
}

// errDamaged begins every message about a file that is a model but cannot be used.
var errDamaged = errors.New("mediant: damaged model file")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDamaged, fmt.Sprintf(format, args...))
}

// Load reads a model that Save wrote, predictors of other packages by their formats. A file that is no model, of an
// unknown version, cut, changed, or inconsistent is an error, never a panic; memory stays within a few times the size of
// the file.
func Load(r io.Reader, formats ...rr.Format) (*Model, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	text, weights, err := unpack(raw)
	if err != nil {
		return nil, err
	}
	var h header
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, damaged("header: %v", err)
	}
	if h.X == nil || h.U == nil || h.Y == nil || h.F == nil {
		return nil, damaged("the header lacks an encoder, the outputs or f")
	}
	m := &Model{Model: &rr.Model{
		Method: h.Method, Params: h.Params, Seed: h.Seed, Rows: h.Rows, Roles: tables.Roles(h.Roles),
		X: h.X, U: h.U, Y: h.Y, Learned: h.Learned, Condition: h.Conditions, Notes: h.Notes, Warnings: h.Warnings,
	}, Reading: h.Reading, Assessment: h.Assessment, Search: h.Search}
	if m.Assessment != nil {
		m.Assessment.Restore()
	}
	in := rr.NewNumberReader(weights, formats)
	if m.F, err = in.Build(h.F, m.X.Width(), m.Y.Len(), 0); err != nil {
		return nil, damaged("f: %v", err)
	}
	if h.H != nil {
		if m.H, err = in.Build(h.H, m.U.Width(), m.Y.Len(), 0); err != nil {
			return nil, damaged("h: %v", err)
		}
	}
	se, err := inference.ReadErrors(in, h.SE, h.SEShared, m.F, m.Y.Len())
	if err != nil {
		return nil, damaged("standard errors: %v", err)
	}
	m.SetErrors(se)
	if in.Rest() > 0 {
		return nil, damaged("%d weights too many", in.Rest())
	}
	return m, nil
}

// unpack checks the frame of a model file.
func unpack(raw []byte) (text []byte, weights []float64, err error) {
	const fixed = len(modelMagic) + 4 + 4
	if len(raw) < len(modelMagic) || string(raw[:len(modelMagic)]) != modelMagic {
		return nil, nil, errors.New("mediant: not a mediant model file")
	}
	if len(raw) < fixed+8+sha256.Size {
		return nil, nil, damaged("cut after %d bytes", len(raw))
	}
	if v := binary.LittleEndian.Uint32(raw[len(modelMagic):]); v != modelFormat {
		return nil, nil, fmt.Errorf("mediant: unsupported model file: format %d, this program reads %d", v, modelFormat)
	}
	body := raw[:len(raw)-sha256.Size]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], raw[len(body):]) {
		return nil, nil, damaged("cut or changed: wrong checksum")
	}
	length := int(binary.LittleEndian.Uint32(raw[len(modelMagic)+4:]))
	rest := body[fixed:]
	if length > len(rest)-8 {
		return nil, nil, damaged("a header of %d bytes", length)
	}
	text, rest = rest[:length], rest[length:]
	count := binary.LittleEndian.Uint64(rest)
	rest = rest[8:]
	if count != uint64(len(rest)/8) || len(rest)%8 != 0 {
		return nil, nil, damaged("%d weights in %d bytes", count, len(rest))
	}
	weights = make([]float64, count)
	for i := range weights {
		weights[i] = math.Float64frombits(binary.LittleEndian.Uint64(rest[8*i:]))
		if math.IsNaN(weights[i]) || math.IsInf(weights[i], 0) {
			return nil, nil, damaged("weight %d is not finite", i)
		}
	}
	return text, weights, nil
}
