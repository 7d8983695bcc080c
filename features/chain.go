package features

import (
	"encoding/json"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/rowops"
	"mediant/moments"
)

// Chain is one map after another,
//
//	phi(x) = then(first(x)),   phi(x)'phi(y) ≈ k(first(x), first(y))
//
// for the kernel k of then: a Gaussian kernel of pooled Patches, say. The zero value is not usable; use
// NewChain.
type Chain struct {
	first, then Map
	id          lazyID
}

var (
	_ stored = (*Chain)(nil)
	_ Folder = (*Chain)(nil)
)

func init() {
	register[*Chain](kind{
		name: "chain", read: (*reader).chain, made: adaptiveMaker(),
	})
}

// NewChain returns then of first. It panics if then has not the width of first's features. The error names a
// map whose type is not registered, or says that chains and
// concatenations are nested more than 16 deep.
func NewChain(first, then Map) (*Chain, error) {
	_, out := first.Dims()
	if in, _ := then.Dims(); in != out {
		panic(mat.ErrShape)
	}
	for _, m := range []Map{first, then} {
		if _, err := storedOf(m); err != nil {
			return nil, fmt.Errorf("features: chain: %w", err)
		}
	}
	c := &Chain{first: first, then: then}
	if d := depthOf(c); d > maxDepth {
		return nil, fmt.Errorf("features: chain: maps nested %d deep, want at most %d", d, maxDepth)
	}
	return c, nil
}

// Dims returns the number of columns of x and of features.
func (m *Chain) Dims() (in, out int) {
	in, _ = m.first.Dims()
	_, out = m.then.Dims()
	return in, out
}

// ID returns the map's identity.
func (m *Chain) ID() moments.ID { return m.id.of(m) }

// Maps returns the two maps.
func (m *Chain) Maps() (first, then Map) { return m.first, m.then }

// chainRows is the number of rows whose features between the maps are held at a time: those of a Patches
// may be some ten thousand a row. With 512 of them, a kernel with thousands of landmarks as wide spent a
// seventh more processor time, on reading and packing the landmarks again.
const chainRows = 6 * whitenRows

// MapTo stores the features of the rows of x in dst. It holds 3,072 rows of first's features.
func (m *Chain) MapTo(dst *mat.Dense, x mat.Matrix) {
	n := prepare(m, dst, x)
	_, out := m.Dims()
	_, between := m.first.Dims()
	s := rowops.Scratches.Get().(*rowops.Scratch)
	defer rowops.Scratches.Put(s)
	own := rowops.Scratches.Get().(*rowops.Scratch)
	defer rowops.Scratches.Put(own)
	for lo := 0; lo < n; lo += chainRows {
		hi := min(n, lo+chainRows)
		mapped := rowops.View(own.Matrix(hi-lo, between))
		m.first.MapTo(mapped, rowops.View(rowops.Dense(x, lo, hi, s)))
		m.then.MapTo(dst.Slice(lo, hi, 0, out).(*mat.Dense), mapped)
	}
}

// Fold folds then, if it can be folded.
func (m *Chain) Fold(coef *mat.Dense) (Map, *mat.Dense) {
	raw := &Chain{first: m.first}
	raw.then, coef = fold(m.then, coef)
	return raw, coef
}

func (m *Chain) header() header {
	in, out := m.Dims()
	return header{Kind: "chain", In: in, Out: out, Parts: []json.RawMessage{
		canonical(m.first).header().bytes(), canonical(m.then).header().bytes(),
	}}
}

func (m *Chain) appendWeights(dst []float64) []float64 {
	return canonical(m.then).appendWeights(canonical(m.first).appendWeights(dst))
}

// chain reads a Chain.
func (r *reader) chain(h header) (Map, error) {
	if len(h.Parts) != 2 {
		return nil, fmt.Errorf("%d maps, want 2", len(h.Parts))
	}
	if err := h.none(); err != nil {
		return nil, err
	}
	first, err := r.read(h.Parts[0])
	if err != nil {
		return nil, fmt.Errorf("first map: %w", err)
	}
	then, err := r.read(h.Parts[1])
	if err != nil {
		return nil, fmt.Errorf("second map: %w", err)
	}
	_, out := first.Dims()
	if in, _ := then.Dims(); in != out {
		return nil, fmt.Errorf("the second map has %d columns, the first %d features", in, out)
	}
	return NewChain(first, then)
}

// bytes is the size of both maps.
func (m *Chain) bytes() float64 { return Bytes(m.first) + Bytes(m.then) }

func (m *Chain) within() []Map { return []Map{m.first, m.then} }

// String names the map for people.
func (m *Chain) String() string { return Describe(m.first) + ", then " + Describe(m.then) }
