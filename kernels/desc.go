package kernels

import (
	"errors"
	"fmt"
	"reflect"
)

// maxNesting is how deep combinations in a Desc may nest. People nest two or three.
const maxNesting = 16

// Desc describes a kernel in JSON, for example
//
//	{"kernel": "scale", "factor": 2, "parts": [{"kernel": "gaussian", "bandwidth": 0.5}]}
//
// Kernels are gaussian, matern12, matern32, matern52, laplacian and expchi2, with a bandwidth; matern of
// other orders, with order and bandwidth; rq, with alpha and bandwidth; periodic, with period and length;
// polynomial, with a degree; linear, cosine and chi2; precomputed, with its values, the training block
// first; sum and product, with parts; scale, with a factor and one part; additive and tensor, with groups
// of columns and as many parts; and those that are registered, which may have parameters of their own names. A kernel and the kernel
// of its description are the same to the last bit, also by way of encoding/json.
type Desc struct {
	Kind       string             `json:"kernel"`
	Bandwidth  float64            `json:"bandwidth,omitempty"`
	Order      float64            `json:"order,omitempty"`
	Alpha      float64            `json:"alpha,omitempty"`
	Period     float64            `json:"period,omitempty"`
	Length     float64            `json:"length,omitempty"`
	Degree     int                `json:"degree,omitempty"`
	Factor     float64            `json:"factor,omitempty"`
	Parameters map[string]float64 `json:"parameters,omitempty"`
	Values     [][]float64        `json:"values,omitempty"`
	Groups     [][]int            `json:"groups,omitempty"`
	Parts      []Desc             `json:"parts,omitempty"`
}

// Describe returns the description of k. The error is about kernels whose type is not registered,
// zero values, and combinations more than 16 deep.
func Describe(k Kernel) (Desc, error) { return describe(k, maxNesting) }

func describe(k Kernel, depth int) (Desc, error) {
	e := registry.of(k)
	if e == nil {
		return Desc{}, fmt.Errorf("kernels: describe: a %T is not registered (kernels.Register)", k)
	}
	d, err := e.describe(k)
	if err != nil {
		return Desc{}, err
	}
	if d.Kind == "" {
		d.Kind = e.name
	}
	if len(d.Parameters) == 0 {
		d.Parameters = nil // as JSON gives it back
	}
	parts := partsOf(k)
	if len(parts) == 0 {
		return d, nil
	}
	if depth == 0 {
		return Desc{}, errTooDeep
	}
	d.Parts = make([]Desc, len(parts))
	for i, part := range parts {
		if d.Parts[i], err = describe(part, depth-1); err != nil {
			return Desc{}, err
		}
	}
	return d, nil
}

// partsOf are the kernels that k is made of.
func partsOf(k Kernel) []Kernel {
	switch k := k.(type) {
	case interface{ Parts() []Kernel }:
		return k.Parts()
	case interface{ Part() Kernel }:
		return []Kernel{k.Part()}
	}
	return nil
}

var errTooDeep = fmt.Errorf("kernels: combinations are nested more than %d deep", maxNesting)

// New returns the kernel that d describes. d may come from a damaged file: the error names the kind,
// the parameter and its value if one is missing or out of range, and refuses parameters that the kind
// does not take. Whether rows have the columns that the kernel needs is to be checked with Width.
func (d Desc) New() (Kernel, error) {
	k, err := d.restore()
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

func (d Desc) restore() (Kernel, error) {
	e := registry.named(d.Kind)
	if e == nil {
		return nil, noKernel(d.Kind)
	}
	return e.restore(d)
}

// restoreParts returns the kernels of the parts.
func (d Desc) restoreParts() ([]Kernel, error) {
	parts := make([]Kernel, len(d.Parts))
	for i, part := range d.Parts {
		var err error
		if parts[i], err = part.restore(); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// restoreGroups returns the parts of a combination of groups of columns.
func (d Desc) restoreGroups() ([]Kernel, error) {
	parts, err := d.restoreParts()
	if err == nil && d.Groups == nil {
		err = errors.New("kernels: " + d.Kind + ": no groups, must have one for each part")
	}
	return parts, err
}
