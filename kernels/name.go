package kernels

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// ByName returns the kernel of one bandwidth, or none, that users call
//
//	gaussian laplacian matern12 matern32 matern52 expchi2   with the bandwidth
//	matern:NU rq:ALPHA                                      with the bandwidth, and order or shape in the name
//	periodic:PERIOD                                         the bandwidth being its length
//	linear cosine chi2 polynomial:DEGREE                    the bandwidth is ignored
//
// or by a name that is registered. The error lists these names, or says which parameter is out of range.
func ByName(name string, bandwidth float64) (Kernel, error) {
	e, parameters, err := find(name)
	if err != nil {
		return nil, err
	}
	return e.make(parameters, bandwidth)
}

// HasBandwidth reports whether there is a kernel of that name and it has a bandwidth.
func HasBandwidth(name string) bool {
	e, _, err := find(name)
	return err == nil && e.bandwidth != nil
}

// Bandwidth chooses the bandwidth of the kernel of that name for the rows of x, by the rule that suits it: the median of the
// distances that it is a function of (Median, MedianL1, MedianChiSquared), and 1 for the length of a periodic kernel. The rule's
// sample is drawn from src. The error is that of ByName, that of CheckRows, or says that the kernel has no bandwidth.
func Bandwidth(name string, x mat.Matrix, src rand.Source) (bandwidth float64, note string, err error) {
	e, err := ruled(name, x)
	if err != nil {
		return 0, "", err
	}
	bandwidth, note = e.bandwidth(x, src)
	return bandwidth, note, nil
}

// Bandwidths is Bandwidth for a kernel of each column of x alone, as an additive kernel has them; for most kernels it is
// MedianPerColumn.
func Bandwidths(name string, x mat.Matrix, src rand.Source) (bandwidths []float64, note string, err error) {
	e, err := ruled(name, x)
	if err != nil {
		return nil, "", err
	}
	if e.bandwidths != nil {
		bandwidths, note = e.bandwidths(x, src)
		return bandwidths, note, nil
	}
	n, width := x.Dims()
	columns := transposed(x)
	bandwidths = make([]float64, width)
	for j := range bandwidths {
		var own string
		bandwidths[j], own = e.bandwidth(mat.NewDense(n, 1, columns.RawRowView(j)), src)
		if note == "" && own != "" {
			note = fmt.Sprintf("column %d: %s", j, own)
		}
	}
	return bandwidths, note, nil
}

// ruled returns the entry of a kernel with a bandwidth that takes the rows of x.
func ruled(name string, x mat.Matrix) (*entry, error) {
	e, parameters, err := find(name)
	if err != nil {
		return nil, err
	}
	if e.bandwidth == nil {
		return nil, fmt.Errorf("kernels: %s: has no bandwidth", name)
	}
	k, err := e.make(parameters, 1)
	if err != nil {
		return nil, err
	}
	return e, CheckRows(k, x)
}
