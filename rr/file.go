package rr

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

	"gonum.org/v1/gonum/mat"

	"mediant/check"
	"mediant/encode"
	"mediant/features"
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
	Program    string               `json:"program"`
	Method     string               `json:"method"`
	Params     Params               `json:"params"`
	Seed       uint64               `json:"seed"`
	Rows       Rows                 `json:"rows"`
	Roles      roles                `json:"roles"`
	Reading    tables.Reading       `json:"reading,omitzero"`
	Y          *encode.Targets      `json:"outputs"`
	X          *encode.Encoder      `json:"encoder_x"`
	U          *encode.Encoder      `json:"encoder_u"`
	Learned    *check.Learned       `json:"learned,omitempty"`
	F          *predictor           `json:"f"`
	H          *predictor           `json:"h,omitempty"`
	SE         []int                `json:"standard_errors,omitempty"`        // rank of the covariance of each output of f
	SEShared   []int                `json:"standard_errors_shared,omitempty"` // rank of what both tables count of it
	Conditions map[string]Condition `json:"conditions,omitempty"`
	Assessment *Assessment          `json:"assessment,omitempty"`
	Search     []Trial              `json:"search,omitempty"`
	Notes      []string             `json:"notes,omitempty"`
	Warnings   []string             `json:"warnings,omitempty"`
}

type roles struct {
	X []string `json:"x"`
	U []string `json:"u"`
	Y []string `json:"y"`
}

// Kinds of predictors of this package.
const (
	linearKind = "linear"
	chainKind  = "chain"
)

// predictor is a Linear (Map, Weights, Outputs), a Chain (Parts) or that of another package (Header, Numbers, Outputs).
type predictor struct {
	Kind string `json:"kind"`
	// Of a linear one: the map, the number of its weights, which come first, and the number of
	// outputs; then follow coefficients, by rows, and intercepts.
	Map     json.RawMessage `json:"map,omitempty"`
	Weights int             `json:"map_weights,omitempty"`
	Outputs int             `json:"outputs,omitempty"`
	Parts   []*predictor    `json:"parts,omitempty"`
	// Of a Storer: its header, and the number of its numbers.
	Header  json.RawMessage `json:"header,omitempty"`
	Numbers int             `json:"numbers,omitempty"`
}

// Header returns the part of the model file that people can read, as indented JSON. The error names
// a predictor that is of a type outside this package and no Storer, and so has no place in a model file.
func (m *Record) Header() ([]byte, error) {
	text, _, err := m.split()
	return text, err
}

// split returns the header and the weights.
func (m *Record) split() (text []byte, weights []float64, err error) {
	if m.Model == nil {
		return nil, nil, fmt.Errorf("rr: the record has no model")
	}
	h := header{
		Program: "mediant", Method: m.Method, Params: m.Params, Seed: m.Seed, Rows: m.Rows,
		Roles: roles(m.Roles), Reading: m.Reading, Y: m.Y, X: m.X, U: m.U, Learned: m.Learned,
		Conditions: m.Condition, Assessment: m.Assessment, Search: m.Search, Notes: m.Notes, Warnings: m.Warnings,
	}
	if err := m.checkParts(); err != nil {
		return nil, nil, err
	}
	if h.F, weights, err = describe(m.F, weights); err != nil {
		return nil, nil, err
	}
	if m.H != nil {
		if h.H, weights, err = describe(m.H, weights); err != nil {
			return nil, nil, err
		}
	}
	if m.SE != nil {
		h.SE, weights = describeRoots(m.SE.sum, weights)
		h.SEShared, weights = describeRoots(m.SE.shared, weights)
	}
	for _, v := range weights {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, nil, fmt.Errorf("rr: a coefficient of the model is not finite: nothing was learned")
		}
	}
	if text, err = json.MarshalIndent(h, "", " "); err != nil {
		return nil, nil, fmt.Errorf("rr: model header: %w", err)
	}
	return text, weights, nil
}

// checkParts refuses a model that Load would refuse.
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

// describeRoots returns the ranks of roots of covariances, and weights with theirs appended.
func describeRoots(roots []*Linear, weights []float64) ([]int, []float64) {
	var ranks []int
	for _, root := range roots {
		ranks = append(ranks, len(root.Intercept))
		weights = root.appendCoefficients(weights)
	}
	return ranks, weights
}

// Save writes the model. The same model gives the same bytes. Errors are Header's, and w's.
func (m *Record) Save(w io.Writer) error {
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

// describe appends the weights of p.
func describe(p Predictor, weights []float64) (*predictor, []float64, error) {
	switch p := p.(type) {
	case *Linear:
		text, own, err := features.Marshal(p.Map)
		if err != nil {
			return nil, nil, err
		}
		weights = append(weights, own...)
		d := &predictor{Kind: linearKind, Map: text, Weights: len(own), Outputs: len(p.Intercept)}
		return d, p.appendCoefficients(weights), nil
	case Chain:
		d := &predictor{Kind: chainKind}
		for _, part := range []Predictor{p.First, p.Then} {
			var own *predictor
			var err error
			if own, weights, err = describe(part, weights); err != nil {
				return nil, nil, err
			}
			d.Parts = append(d.Parts, own)
		}
		return d, weights, nil
	case Storer:
		return describeStored(p, weights)
	}
	return nil, nil, fmt.Errorf("rr: a predictor of type %T cannot be saved: let it implement rr.Storer (methods Dims and Store), and give its rr.Format to Load", p)
}

// appendCoefficients appends coefficients, by rows, and intercepts.
func (l *Linear) appendCoefficients(weights []float64) []float64 {
	r, _ := l.Coef.Dims()
	for i := range r {
		weights = append(weights, l.Coef.RawRowView(i)...)
	}
	return append(weights, l.Intercept...)
}

// errDamaged begins every message about a file that is a model but cannot be used.
var errDamaged = errors.New("rr: damaged model file")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDamaged, fmt.Sprintf(format, args...))
}

// Load reads a model that Save wrote, predictors of other packages by their formats. A file that is no model, of an
// unknown version, cut, changed, or inconsistent is an error, never a panic; memory stays within a few times the size of
// the file.
func Load(r io.Reader, formats ...Format) (*Record, error) {
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
	m := &Record{Model: &Model{
		Method: h.Method, Params: h.Params, Seed: h.Seed, Rows: h.Rows, Roles: tables.Roles(h.Roles),
		X: h.X, U: h.U, Y: h.Y, Learned: h.Learned, Condition: h.Conditions, Notes: h.Notes, Warnings: h.Warnings,
	}, Reading: h.Reading, Assessment: h.Assessment, Search: h.Search}
	if m.Assessment != nil {
		m.Assessment.restore()
	}
	in := newWeightReader(weights, formats)
	if m.F, err = in.build(h.F, m.X.Width(), m.Y.Len(), 0); err != nil {
		return nil, damaged("f: %v", err)
	}
	if h.H != nil {
		if m.H, err = in.build(h.H, m.U.Width(), m.Y.Len(), 0); err != nil {
			return nil, damaged("h: %v", err)
		}
	}
	se, err := in.spread(h.SE, h.SEShared, m.F, m.Y.Len())
	if err != nil {
		return nil, damaged("standard errors: %v", err)
	}
	m.SetErrors(se)
	if in.rest() > 0 {
		return nil, damaged("%d weights too many", in.rest())
	}
	return m, nil
}

// unpack checks the frame of a model file.
func unpack(raw []byte) (text []byte, weights []float64, err error) {
	const fixed = len(modelMagic) + 4 + 4
	if len(raw) < len(modelMagic) || string(raw[:len(modelMagic)]) != modelMagic {
		return nil, nil, errors.New("rr: not a mediant model file")
	}
	if len(raw) < fixed+8+sha256.Size {
		return nil, nil, damaged("cut after %d bytes", len(raw))
	}
	if v := binary.LittleEndian.Uint32(raw[len(modelMagic):]); v != modelFormat {
		return nil, nil, fmt.Errorf("rr: unsupported model file: format %d, this program reads %d", v, modelFormat)
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

// A weightReader hands out the weights that no predictor has claimed yet.
type weightReader struct {
	left    []float64
	formats []Format
}

// newWeightReader hands out weights; predictors of other packages are read by the formats.
func newWeightReader(weights []float64, formats []Format) *weightReader {
	return &weightReader{weights, formats}
}

// rest is the number of weights that are left.
func (r *weightReader) rest() int { return len(r.left) }

func (r *weightReader) take(n int) ([]float64, error) {
	if n < 0 || n > len(r.left) {
		return nil, fmt.Errorf("%d weights are needed, %d are left", n, len(r.left))
	}
	own := r.left[:n:n]
	r.left = r.left[n:]
	return own, nil
}

// build makes the predictor of in encoded columns and out outputs; 0 stands for any number of
// outputs, which a chain's first part may have.
func (r *weightReader) build(d *predictor, in, out, depth int) (Predictor, error) {
	switch {
	case d == nil || depth > 2:
		return nil, errors.New("no predictor, or too many within each other")
	case d.Kind == linearKind:
		l, err := r.linear(d)
		if err != nil {
			return nil, err
		}
		got, _ := l.Map.Dims()
		return l, d.check(got, in, out)
	case d.Kind == chainKind && len(d.Parts) == 2:
		first, err := r.build(d.Parts[0], in, 0, depth+1)
		if err != nil {
			return nil, err
		}
		then, err := r.build(d.Parts[1], d.Parts[0].Outputs, out, depth+1)
		if err != nil {
			return nil, err
		}
		return Chain{First: first, Then: then}, nil
	}
	p, err := r.stored(d)
	if err != nil {
		return nil, err
	}
	got, _ := p.Dims()
	return p, d.check(got, in, out)
}

// check returns an error unless d has the outputs that are wanted, if not 0, of rows of so many columns.
func (d *predictor) check(got, in, out int) error {
	if got != in || out != 0 && d.Outputs != out {
		return fmt.Errorf("predicts %d outputs from %d columns, want %d from %d", d.Outputs, got, out, in)
	}
	return nil
}

func (r *weightReader) linear(d *predictor) (*Linear, error) {
	own, err := r.take(d.Weights)
	if err != nil {
		return nil, err
	}
	m, err := features.Unmarshal(d.Map, own)
	if err != nil {
		return nil, err
	}
	return r.coefficients(m, d.Outputs)
}

// coefficients takes those of k outputs of the features of m.
func (r *weightReader) coefficients(m features.Map, k int) (*Linear, error) {
	_, p := m.Dims()
	if k < 1 || k > len(r.left) || p > len(r.left)/k {
		return nil, fmt.Errorf("%d features and %d outputs with %d weights left", p, k, len(r.left))
	}
	coef, err := r.take(p * k)
	if err != nil {
		return nil, err
	}
	intercept, err := r.take(k)
	if err != nil {
		return nil, err
	}
	return &Linear{Map: m, Coef: mat.NewDense(p, k, coef), Intercept: intercept}, nil
}

// spread takes the standard errors of f, of the given ranks.
func (r *weightReader) spread(sum, shared []int, f Predictor, outputs int) (*Spread, error) {
	if sum == nil && shared == nil {
		return nil, nil
	}
	l, ok := f.(*Linear)
	if !ok || len(sum) != outputs || shared != nil && len(shared) != outputs {
		return nil, fmt.Errorf("%d and %d for %d outputs of a %T", len(sum), len(shared), outputs, f)
	}
	s := &Spread{}
	var err error
	if s.sum, err = r.roots(sum, l.Map); err != nil {
		return nil, err
	}
	s.shared, err = r.roots(shared, l.Map)
	return s, err
}

// roots takes roots of covariances, of the given ranks, of the coefficients of m.
func (r *weightReader) roots(ranks []int, m features.Map) ([]*Linear, error) {
	var roots []*Linear
	for _, rank := range ranks {
		root, err := r.coefficients(m, rank)
		if err != nil {
			return nil, err
		}
		roots = append(roots, root)
	}
	return roots, nil
}
