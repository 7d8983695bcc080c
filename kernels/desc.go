package kernels

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// maxNesting is how deep combinations in a Desc may nest. People nest two or three; a damaged file
// must not exhaust the stack.
const maxNesting = 16

// Desc describes a kernel of this package in JSON, for example
//
//	{"kernel": "scale", "factor": 2, "parts": [{"kernel": "gaussian", "bandwidth": 0.5}]}
//
// Kernels are gaussian, matern12, matern32, matern52, laplacian and expchi2, with a bandwidth; matern of
// other orders, with order and bandwidth; rq, with alpha and bandwidth; periodic, with period and length;
// polynomial, with a degree; linear, cosine and chi2; precomputed, with its values, the training block
// first; sum and product, with parts; scale, with a factor and one part; additive and tensor, with groups
// of columns and as many parts. A kernel and the kernel of its description are the same to the last bit,
// also by way of encoding/json.
type Desc struct {
	Kind      string      `json:"kernel"`
	Bandwidth float64     `json:"bandwidth,omitempty"`
	Order     float64     `json:"order,omitempty"`
	Alpha     float64     `json:"alpha,omitempty"`
	Period    float64     `json:"period,omitempty"`
	Length    float64     `json:"length,omitempty"`
	Degree    int         `json:"degree,omitempty"`
	Factor    float64     `json:"factor,omitempty"`
	Values    [][]float64 `json:"values,omitempty"`
	Groups    [][]int     `json:"groups,omitempty"`
	Parts     []Desc      `json:"parts,omitempty"`
}

// Describe returns the description of k. The error is about kernels that are not of this package,
// zero values, and combinations more than 16 deep.
func Describe(k Kernel) (Desc, error) { return describe(k, maxNesting) }

func describe(k Kernel, depth int) (Desc, error) {
	switch k := k.(type) {
	case Gaussian:
		return Desc{Kind: "gaussian", Bandwidth: k.bandwidth}, checkBandwidth("gaussian", k.bandwidth)
	case Matern:
		return k.describe()
	case Laplacian:
		return Desc{Kind: "laplacian", Bandwidth: k.bandwidth}, checkBandwidth("laplacian", k.bandwidth)
	case Polynomial:
		_, err := NewPolynomial(k.degree)
		return Desc{Kind: "polynomial", Degree: k.degree}, err
	case RationalQuadratic:
		_, err := NewRationalQuadratic(k.alpha, k.bandwidth)
		return Desc{Kind: "rq", Alpha: k.alpha, Bandwidth: k.bandwidth}, err
	case Periodic:
		_, err := NewPeriodic(k.period, k.Length())
		return Desc{Kind: "periodic", Period: k.period, Length: k.Length()}, err
	case ExpChiSquared:
		return Desc{Kind: "expchi2", Bandwidth: k.bandwidth}, checkBandwidth("expchi2", k.bandwidth)
	case Linear:
		return Desc{Kind: "linear"}, nil
	case Cosine:
		return Desc{Kind: "cosine"}, nil
	case ChiSquared:
		return Desc{Kind: "chi2"}, nil
	case Precomputed:
		return k.describe()
	case Sum:
		return describeParts(Desc{Kind: "sum"}, k.parts, depth)
	case Product:
		return describeParts(Desc{Kind: "product"}, k.parts, depth)
	case Scale:
		return describeParts(Desc{Kind: "scale", Factor: k.factor}, []Kernel{k.part}, depth)
	case Additive:
		return describeParts(Desc{Kind: "additive", Groups: k.Groups()}, k.parts, depth)
	case Tensor:
		return describeParts(Desc{Kind: "tensor", Groups: k.Groups()}, k.parts, depth)
	}
	return Desc{}, fmt.Errorf("kernels: describe: %T is not a kernel of this package", k)
}

// describeParts completes the description of a combination.
func describeParts(d Desc, parts []Kernel, depth int) (Desc, error) {
	if depth == 0 {
		return Desc{}, errTooDeep
	}
	if err := checkParts(d.Kind, parts); err != nil {
		return Desc{}, err
	}
	d.Parts = make([]Desc, len(parts))
	for i, part := range parts {
		var err error
		if d.Parts[i], err = describe(part, depth-1); err != nil {
			return Desc{}, err
		}
	}
	return d, nil
}

var errTooDeep = fmt.Errorf("kernels: combinations are nested more than %d deep", maxNesting)

// New returns the kernel that d describes. d may come from a damaged file: the error names the kind,
// the parameter and its value if one is missing or out of range, and refuses parameters that the kind
// does not take. Whether rows have the columns that the kernel needs is to be checked with Width.
func (d Desc) New() (Kernel, error) {
	k, err := d.build(maxNesting)
	if err != nil {
		return nil, err
	}
	plain, err := Describe(k)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(plain, d) {
		return nil, fmt.Errorf("kernels: %s: description has parameters that its kernels do not take", d.Kind)
	}
	return k, nil
}

func (d Desc) build(depth int) (Kernel, error) {
	switch d.Kind {
	case "polynomial":
		return NewPolynomial(d.Degree)
	case "matern":
		return d.matern()
	case "rq":
		return NewRationalQuadratic(d.Alpha, d.Bandwidth)
	case "periodic":
		return NewPeriodic(d.Period, d.Length)
	case "precomputed":
		return d.precomputed()
	case "sum", "product", "scale", "additive", "tensor":
		return d.combine(depth)
	}
	if strings.Contains(d.Kind, ":") { // a name with a parameter, which has a key of its own here
		return nil, noKernel(d.Kind)
	}
	return ByName(d.Kind, d.Bandwidth)
}

// combine returns the combination that d describes.
func (d Desc) combine(depth int) (Kernel, error) {
	if depth == 0 {
		return nil, errTooDeep
	}
	parts := make([]Kernel, len(d.Parts))
	for i, part := range d.Parts {
		var err error
		if parts[i], err = part.build(depth - 1); err != nil {
			return nil, err
		}
	}
	switch {
	case d.Kind == "sum":
		return NewSum(parts...)
	case d.Kind == "product":
		return NewProduct(parts...)
	case d.Kind == "scale" && len(parts) == 1:
		return NewScale(d.Factor, parts[0])
	case d.Kind == "scale":
		return nil, fmt.Errorf("kernels: scale: %d parts, must be one", len(parts))
	case d.Groups == nil:
		return nil, errors.New("kernels: " + d.Kind + ": no groups, must have one for each part")
	case d.Kind == "tensor":
		return NewTensor(d.Groups, parts)
	}
	return NewAdditive(d.Groups, parts)
}

// describe gives the orders of old their names.
func (k Matern) describe() (Desc, error) {
	if _, err := NewMatern(k.order, k.bandwidth); err != nil {
		return Desc{}, err
	}
	if k.closed() {
		return Desc{Kind: fmt.Sprintf("matern%d2", int(2*k.order)), Bandwidth: k.bandwidth}, nil
	}
	return Desc{Kind: "matern", Order: k.order, Bandwidth: k.bandwidth}, nil
}

// matern refuses the orders that describe calls otherwise.
func (d Desc) matern() (Kernel, error) {
	k, err := NewMatern(d.Order, d.Bandwidth)
	if err == nil && k.closed() {
		err = fmt.Errorf("kernels: matern: order %v is called matern%d2 in descriptions", d.Order, int(2*d.Order))
	}
	return k, err
}

func (k Precomputed) describe() (Desc, error) {
	if k.training == 0 {
		return Desc{}, errors.New("kernels: precomputed: no values")
	}
	rows, _ := k.values.Dims()
	d := Desc{Kind: "precomputed", Values: make([][]float64, rows)}
	for i := range rows {
		d.Values[i] = slices.Clone(k.values.RawRowView(i))
	}
	return d, nil
}

// precomputed takes the values apart into the training block, as many rows as there are columns, and queries.
func (d Desc) precomputed() (Kernel, error) {
	n := 0
	if len(d.Values) > 0 {
		n = len(d.Values[0])
	}
	if n == 0 || len(d.Values) < n {
		return nil, fmt.Errorf("kernels: precomputed: %d rows of %d values, must be at least as many as columns", len(d.Values), n)
	}
	values := mat.NewDense(len(d.Values), n, nil)
	for i, row := range d.Values {
		if len(row) != n {
			return nil, fmt.Errorf("kernels: precomputed: row %d has %d values, must have %d", i, len(row), n)
		}
		values.SetRow(i, row)
	}
	k := Precomputed{n, values}
	return k, k.check()
}
