package features

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"mediant/moments"
)

// Concat puts the features of several maps of the same x side by side: the map of the sum of their
// kernels,
//
//	phi(x)'phi(y) = Σ_i phi_i(x)'phi_i(y)
//
// The zero value is not usable; use NewConcat.
type Concat struct {
	parts   []Map
	in, out int
	id      lazyID
}

var (
	_ stored = (*Concat)(nil)
	_ Folder = (*Concat)(nil)
)

func init() {
	register[*Concat](kind{
		name: "concat", read: (*reader).concat,
	})
}

// NewConcat returns the concatenation of parts in their order. It panics if there is none or their
// inputs differ in width. The error names a part whose type is not registered, or says that there are more than 2^20 features or that maps are nested
// more than 16 deep.
func NewConcat(parts ...Map) (*Concat, error) {
	if len(parts) == 0 {
		panic(mat.ErrZeroLength)
	}
	c := &Concat{parts: slices.Clone(parts)}
	c.in, _ = parts[0].Dims()
	for i, part := range parts {
		in, out := part.Dims()
		if in != c.in {
			panic(mat.ErrShape)
		}
		if _, err := storedOf(part); err != nil {
			return nil, fmt.Errorf("features: concat: part %d: %w", i, err)
		}
		c.out += out
	}
	if c.out > maxFeatures {
		return nil, fmt.Errorf("features: concat: %d features, want at most %d", c.out, maxFeatures)
	}
	if d := depthOf(c); d > maxDepth {
		return nil, fmt.Errorf("features: concat: maps nested %d deep, want at most %d", d, maxDepth)
	}
	return c, nil
}

// Dims returns the common number of columns of x and the sum of the numbers of features.
func (m *Concat) Dims() (in, out int) { return m.in, m.out }

// ID returns the map's identity.
func (m *Concat) ID() moments.ID { return m.id.of(m) }

// Parts returns the maps in order.
func (m *Concat) Parts() []Map { return slices.Clone(m.parts) }

// MapTo stores the features of the parts in adjacent columns of dst.
func (m *Concat) MapTo(dst *mat.Dense, x mat.Matrix) {
	n := prepare(m, dst, x)
	at := 0
	for _, part := range m.parts {
		_, out := part.Dims()
		part.MapTo(dst.Slice(0, n, at, at+out).(*mat.Dense), x)
		at += out
	}
}

// Fold folds every part that can be folded. The other parts and their coefficients stay.
func (m *Concat) Fold(coef *mat.Dense) (Map, *mat.Dense) {
	p, k := coef.Dims()
	if p != m.out {
		panic(mat.ErrShape)
	}
	var folded mat.Dense
	raw := &Concat{parts: slices.Clone(m.parts), in: m.in}
	at := 0
	for i, part := range m.parts {
		_, out := part.Dims()
		own := coef.Slice(at, at+out, 0, k).(*mat.Dense)
		at += out
		raw.parts[i], own = fold(part, own)
		_, width := raw.parts[i].Dims()
		raw.out += width
		if folded.IsEmpty() {
			folded.CloneFrom(own)
		} else {
			var taller mat.Dense
			taller.Stack(&folded, own)
			folded = taller
		}
	}
	return raw, &folded
}

func (m *Concat) header() header {
	h := header{Kind: "concat", In: m.in, Out: m.out}
	for _, part := range m.parts {
		h.Parts = append(h.Parts, json.RawMessage(canonical(part).header().bytes()))
	}
	return h
}

func (m *Concat) appendWeights(dst []float64) []float64 {
	for _, part := range m.parts {
		dst = canonical(part).appendWeights(dst)
	}
	return dst
}

// CheckRows is that of the parts.
func (m *Concat) CheckRows(x mat.Matrix) error {
	for _, part := range m.parts {
		if err := CheckRows(part, x); err != nil {
			return err
		}
	}
	return nil
}

// bytes is the size of the parts.
func (m *Concat) bytes() (sum float64) {
	for _, part := range m.parts {
		sum += Bytes(part)
	}
	return sum
}

func (m *Concat) within() []Map { return m.parts }

// String names the map for people.
func (m *Concat) String() string {
	parts := make([]string, len(m.parts))
	for i, p := range m.parts {
		parts[i] = Describe(p)
	}
	return strings.Join(parts, " + ")
}

func (r *reader) concat(h header) (Map, error) {
	if len(h.Parts) == 0 {
		return nil, fmt.Errorf("no parts")
	}
	if err := h.none(); err != nil {
		return nil, err
	}
	parts := make([]Map, len(h.Parts))
	for i, text := range h.Parts {
		part, err := r.read(text)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i, err)
		}
		if in, _ := part.Dims(); in != h.In {
			return nil, fmt.Errorf("part %d has %d columns, want %d", i, in, h.In)
		}
		parts[i] = part
	}
	return NewConcat(parts...)
}
