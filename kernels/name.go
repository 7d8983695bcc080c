package kernels

import (
	"fmt"
	"strconv"
	"strings"
)

// names are those that ByName knows.
const names = "gaussian, laplacian, matern12, matern32, matern52, matern:NU, rq:ALPHA, periodic:PERIOD, linear, cosine, chi2 and expchi2"

// ByName returns the kernel of one bandwidth, or none, that users call
//
//	gaussian laplacian matern12 matern32 matern52 expchi2   with the bandwidth
//	matern:NU rq:ALPHA                                      with the bandwidth, and order or shape in the name
//	periodic:PERIOD                                         the bandwidth being its length
//	linear cosine chi2                                      the bandwidth is ignored
//
// The error lists these names, or says which parameter is out of range.
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
	case "expchi2":
		return NewExpChiSquared(bandwidth)
	case "linear":
		return Linear{}, nil
	case "cosine":
		return Cosine{}, nil
	case "chi2":
		return ChiSquared{}, nil
	}
	return byParameter(name, bandwidth)
}

// byParameter reads names with a parameter, in its shortest spelling alone: a kernel has one name.
func byParameter(name string, bandwidth float64) (Kernel, error) {
	kind, text, _ := strings.Cut(name, ":")
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || strconv.FormatFloat(v, 'g', -1, 64) != text {
		return nil, noKernel(name)
	}
	switch kind {
	case "matern":
		return NewMatern(v, bandwidth)
	case "rq":
		return NewRationalQuadratic(v, bandwidth)
	case "periodic":
		return NewPeriodic(v, bandwidth)
	}
	return nil, noKernel(name)
}

func noKernel(name string) error {
	return fmt.Errorf("kernels: no kernel is called %q; there are %s", name, names)
}
