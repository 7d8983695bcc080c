package features

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/rowops"
	"mediant/kernels"
	"mediant/moments"
)

const (
	// maxDepth bounds maps of maps within one another, which Unmarshal reads recursively.
	maxDepth = 16
	// maxColumns bounds the widths a header may claim, so that sums and products of them fit an int.
	maxColumns = math.MaxInt32
	// maxFeatures bounds the features of a concatenation. Moments of so many would take 8 TiB.
	maxFeatures = 1 << 20
)

// A stored map is one with a canonical form: a header for people and programs, and weights.
type stored interface {
	Map
	header() header
	appendWeights(dst []float64) []float64
}

// header is what a map is but for its arrays.
type header struct {
	Kind   string        `json:"kind"`
	In     int           `json:"in"`
	Out    int           `json:"out"`
	Kernel *kernels.Desc `json:"kernel,omitempty"`
	// Distribution of random frequencies.
	Distribution string            `json:"law,omitempty"`
	Degree       int               `json:"degree,omitempty"`
	Steps        int               `json:"steps,omitempty"` // of features of the chi-squared kernel
	Patches      *patchHeader      `json:"patches,omitempty"`
	Settings     json.RawMessage   `json:"settings,omitempty"` // of a map of another module
	Parts        []json.RawMessage `json:"parts,omitempty"`
	Arrays       []array           `json:"arrays,omitempty"` // in the order of the weights
}

// array is the shape of a run of the weights, row by row.
type array struct {
	Name   string `json:"name"`
	Rows   int    `json:"rows"`
	Cols   int    `json:"cols"`
	Packed string `json:"packed,omitempty"` // "upper": rows of the upper triangle only
}

// bytes is the canonical form of the header. It cannot fail: descriptions of kernels are JSON-able.
func (h header) bytes() []byte {
	b, err := json.Marshal(h)
	if err != nil {
		panic("features: header: " + err.Error())
	}
	return b
}

// A lazyID is the identity of a map, found when it is first asked for: the weights of a thousand wide landmarks take
// as long to hash as some rows to map, and maps within others are never asked.
type lazyID struct {
	once sync.Once
	id   moments.ID
}

func (l *lazyID) of(m stored) moments.ID {
	l.once.Do(func() { l.id = identity(m) })
	return l.id
}

// identity hashes the canonical bytes of m: its header, and its weights as little-endian float64.
func identity(m stored) moments.ID {
	weights := m.appendWeights(nil)
	bits := make([]byte, 0, 8*len(weights))
	for _, v := range weights {
		bits = binary.LittleEndian.AppendUint64(bits, math.Float64bits(v))
	}
	return moments.NewID(m.header().bytes(), bits)
}

// Identity is the SHA-256 of the canonical bytes of m, those that Marshal writes: the ID of a map of another module. It panics if the
// type of m is not registered.
func Identity(m Map) moments.ID { return identity(canonical(m)) }

// storedOf returns m with its canonical form. The error says that its type is not registered.
func storedOf(m Map) (stored, error) {
	k := kindOf(m)
	if k == nil {
		return nil, fmt.Errorf("a %T is not registered (features.Register)", m)
	}
	if k.split != nil {
		return foreign{m, k}, nil
	}
	return m.(stored), nil
}

// canonical is storedOf a map that is known to be registered.
func canonical(m Map) stored {
	s, err := storedOf(m)
	if err != nil {
		panic("features: " + err.Error())
	}
	return s
}

// A foreign map is that of another module.
type foreign struct {
	Map
	kind *kind
}

func (f foreign) header() header {
	in, out := f.Dims()
	settings, weights := f.kind.split(f.Map)
	h := header{Kind: f.kind.name, In: in, Out: out}
	if settings != nil {
		text, err := json.Marshal(settings)
		if err != nil {
			panic("features: settings of a " + f.kind.name + " map: " + err.Error())
		}
		h.Settings = text
	}
	if len(weights) > 0 {
		h.Arrays = []array{{Name: "weights", Rows: 1, Cols: len(weights)}}
	}
	return h
}

func (f foreign) appendWeights(dst []float64) []float64 {
	_, weights := f.kind.split(f.Map)
	return append(dst, weights...)
}

// own takes the weights of a map of another module.
func (r *reader) own(h header) ([]float64, error) {
	if len(h.Arrays) == 0 {
		return nil, nil
	}
	if len(h.Arrays) > 1 {
		return nil, fmt.Errorf("%d arrays, want at most 1", len(h.Arrays))
	}
	return r.take(h.Arrays[0], array{Name: "weights", Rows: 1, Cols: -1})
}

// Marshal splits m into a JSON header, readable by people (kind, kernel with its bandwidths, widths,
// shapes of arrays), and the arrays' values one after another. Together they are the canonical bytes
// of m's identity, and Unmarshal makes of them a map that is m to the bit. The error names a type of
// map that is not registered.
func Marshal(m Map) (header json.RawMessage, weights []float64, err error) {
	s, err := storedOf(m)
	if err != nil {
		return nil, nil, fmt.Errorf("features: marshal: %w", err)
	}
	weights = s.appendWeights(nil)
	if !rowops.Finite(weights) { // which Unmarshal refuses
		return nil, nil, fmt.Errorf("features: marshal: a %T has a weight that is not finite", m)
	}
	return s.header().bytes(), weights, nil
}

// Unmarshal returns the map that Marshal split. The arguments may come from a damaged file: the error names the inconsistency, and memory stays
// within a few times that of the arguments, plus some bytes for each of at most 2^20 monomials. weights are copied.
func Unmarshal(header json.RawMessage, weights []float64) (Map, error) {
	if !rowops.Finite(weights) {
		return nil, fmt.Errorf("features: unmarshal: a weight is not finite")
	}
	r := reader{weights: weights, monomials: maxFeatures}
	m, err := r.read(header)
	if err != nil {
		return nil, fmt.Errorf("features: unmarshal: %w", err)
	}
	if len(r.weights) > 0 {
		return nil, fmt.Errorf("features: unmarshal: %d weights too many", len(r.weights))
	}
	return m, nil
}

// reader holds the weights that no map has claimed yet, and the number of monomials that may still
// be made: those take memory without taking weights.
type reader struct {
	weights   []float64
	monomials int
	depth     int // of maps within each other
}

// read makes the map of a header. Unknown keys are refused: they could change what the map is.
func (r *reader) read(text json.RawMessage) (Map, error) {
	if r.depth > maxDepth {
		return nil, fmt.Errorf("maps nested more than %d deep", maxDepth)
	}
	r.depth++
	defer func() { r.depth-- }()
	var h header
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&h); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("text after the header")
	}
	if h.In < 1 || h.In > maxColumns || h.Out < 1 || h.Out > maxColumns {
		return nil, fmt.Errorf("%s map of %d columns and %d features", h.Kind, h.In, h.Out)
	}
	k := kindNamed(h.Kind)
	if k == nil {
		return nil, fmt.Errorf("%s map: unknown kind, unless a program that reads it registers it (features.Register)", h.Kind)
	}
	m, err := k.read(r, h)
	if err != nil {
		return nil, fmt.Errorf("%s map: %w", h.Kind, err)
	}
	// A header that says more or other than the map it makes is damaged. Parts have been compared.
	own := canonical(m).header()
	own.Parts, h.Parts = nil, nil
	if got, want := own.bytes(), h.bytes(); !bytes.Equal(got, want) {
		return nil, fmt.Errorf("the header %s makes the map %s", want, got)
	}
	return m, nil
}

// none refuses arrays that no one will read.
func (h header) none() error {
	if len(h.Arrays) > 0 {
		return fmt.Errorf("%d arrays, want none", len(h.Arrays))
	}
	return nil
}

// take copies the next values, as many as a has, which must be of the given name and shape. A
// negative number of columns stands for any.
func (r *reader) take(a, want array) ([]float64, error) {
	if want.Cols < 0 {
		want.Cols = a.Cols
	}
	if a != want || a.Rows < 1 || a.Cols < 1 {
		return nil, fmt.Errorf("array %q is %d×%d, want %q, %d×%d", a.Name, a.Rows, a.Cols, want.Name, want.Rows, want.Cols)
	}
	if a.Rows > maxColumns || a.Cols > maxColumns {
		return nil, fmt.Errorf("array %q is %d×%d", a.Name, a.Rows, a.Cols)
	}
	size := a.Rows * a.Cols
	if a.Packed != "" {
		size = packedLen(a.Rows)
	}
	if size > len(r.weights) {
		return nil, fmt.Errorf("array %q needs %d values, %d are left", a.Name, size, len(r.weights))
	}
	values := slices.Clone(r.weights[:size])
	r.weights = r.weights[size:]
	return values, nil
}

// matrix takes a matrix of the given name and number of rows.
func (r *reader) matrix(a array, name string, rows, cols int) (blas64.General, error) {
	values, err := r.take(a, array{Name: name, Rows: rows, Cols: cols})
	if err != nil {
		return blas64.General{}, err
	}
	return blas64.General{Rows: rows, Cols: a.Cols, Stride: a.Cols, Data: values}, nil
}

// kernel makes the kernel of the header, and refuses a number of arrays other than the given one.
func (h header) kernel(arrays int) (kernels.Kernel, error) {
	if h.Kernel == nil {
		return nil, fmt.Errorf("no kernel")
	}
	if len(h.Arrays) != arrays {
		return nil, fmt.Errorf("%d arrays, want %d", len(h.Arrays), arrays)
	}
	return h.Kernel.New()
}
