package kernels

import (
	"errors"
	"fmt"
	"reflect"
)

// maxNesting is how deep combinations in a Desc may nest. People nest two or three; a damaged file
// must not exhaust the stack.
const maxNesting = 16

// Desc describes a kernel of this package in JSON, for example
//
//	{"kernel": "scale", "factor": 2, "parts": [{"kernel": "gaussian", "bandwidth": 0.5}]}
//
// Kernels are gaussian, matern12, matern32, matern52 and laplacian, with a bandwidth; polynomial,
// with a degree; linear; sum and product, with parts; scale, with a factor and one part; additive,
// with groups of columns and as many parts. A kernel and the kernel of its description are the same
// to the last bit, also by way of encoding/json.
type Desc struct {
	Kind      string  `json:"kernel"`
	Bandwidth float64 `json:"bandwidth,omitempty"`
	Degree    int     `json:"degree,omitempty"`
	Factor    float64 `json:"factor,omitempty"`
	Groups    [][]int `json:"groups,omitempty"`
	Parts     []Desc  `json:"parts,omitempty"`
}

// Describe returns the description of k. The error is about kernels that are not of this package,
// zero values, and combinations more than 16 deep.
func Describe(k Kernel) (Desc, error) { return describe(k, maxNesting) }

func describe(k Kernel, depth int) (Desc, error) {
	switch k := k.(type) {
	case Gaussian:
		return Desc{Kind: "gaussian", Bandwidth: k.bandwidth}, checkBandwidth("gaussian", k.bandwidth)
	case Matern:
		return Desc{Kind: fmt.Sprintf("matern%d2", k.twiceOrder), Bandwidth: k.bandwidth}, checkBandwidth("matern", k.bandwidth)
	case Laplacian:
		return Desc{Kind: "laplacian", Bandwidth: k.bandwidth}, checkBandwidth("laplacian", k.bandwidth)
	case Polynomial:
		_, err := NewPolynomial(k.degree)
		return Desc{Kind: "polynomial", Degree: k.degree}, err
	case Linear:
		return Desc{Kind: "linear"}, nil
	case Sum:
		return describeParts(Desc{Kind: "sum"}, k.parts, depth)
	case Product:
		return describeParts(Desc{Kind: "product"}, k.parts, depth)
	case Scale:
		return describeParts(Desc{Kind: "scale", Factor: k.factor}, []Kernel{k.part}, depth)
	case Additive:
		return describeParts(Desc{Kind: "additive", Groups: k.Groups()}, k.parts, depth)
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
	case "sum", "product", "scale", "additive":
		return d.combine(depth)
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
		return nil, errors.New("kernels: additive: no groups, must have one for each part")
	}
	return NewAdditive(d.Groups, parts)
}

// ByName returns the kernel of one bandwidth, or none, that users call gaussian, laplacian,
// matern12, matern32, matern52 or linear. The error lists these names; linear ignores the bandwidth.
func ByName(name string, bandwidth float64) (Kernel, error) {
	switch name {
	case "gaussian":
		return NewGaussian(bandwidth)
	case "laplacian":
		return NewLaplacian(bandwidth)
	case "matern12":
		return NewMatern(0.5, bandwidth)
	case "matern32":
		return NewMatern(1.5, bandwidth)
	case "matern52":
		return NewMatern(2.5, bandwidth)
	case "linear":
		return Linear{}, nil
	}
	return nil, fmt.Errorf("kernels: no kernel is called %q; there are gaussian, laplacian, matern12, matern32, matern52 and linear", name)
}
