package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/asm"
)

var _ Spectral = Laplacian{}

func init() {
	Register(Registration[Laplacian]{
		Name:      "laplacian",
		Bandwidth: MedianL1, Bandwidths: MedianPerColumn,
		New: func(_ []float64, bandwidth float64) (Laplacian, error) { return NewLaplacian(bandwidth) },
		Describe: func(k Laplacian) (Desc, error) {
			return Desc{Bandwidth: k.bandwidth}, checkBandwidth("laplacian", k.bandwidth)
		},
		Restore: func(d Desc) (Laplacian, error) { return NewLaplacian(d.Bandwidth) },
	})
}

// Laplacian is the kernel
//
//	k(x, x') = exp(-|x - x'|₁/b)
//
// of the L1 distance, with bandwidth b in the units of x. It is a product over columns and not
// radial; for the Euclidean distance see Matern of order 1/2. Its spectral distribution is that of
// independent Cauchy variables with scale 1/b [RahimiRecht07, Fig. 1]. The zero value is not usable;
// use NewLaplacian.
type Laplacian struct{ bandwidth float64 }

// NewLaplacian returns the Laplacian kernel with the given bandwidth, between 1e-150 and 1e150.
func NewLaplacian(bandwidth float64) (Laplacian, error) {
	if err := checkBandwidth("laplacian", bandwidth); err != nil {
		return Laplacian{}, err
	}
	return Laplacian{bandwidth}, nil
}

// Bandwidth returns b.
func (k Laplacian) Bandwidth() float64 { return k.bandwidth }

// GramTo implements Kernel, at the cost of L1DistTo and an exponential an entry.
func (k Laplacian) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	mustBeSet("Laplacian", k.bandwidth > 0)
	l1DistTo(dst, x, y, func(d []float64) { asm.Exp(d, -1/k.bandwidth) })
}

// DiagTo stores 1 in all of dst.
func (k Laplacian) DiagTo(dst []float64, x mat.Matrix) { onesTo(dst, x) }

// FrequenciesTo fills dst with independent draws of Cauchy(0, 1/b). Some are huge.
func (k Laplacian) FrequenciesTo(dst *mat.Dense, rnd *rand.Rand) {
	to := dst.RawMatrix()
	for i := range to.Rows {
		row := line(to, i)
		for j := range row {
			row[j] = math.Tan(math.Pi*(rnd.Float64()-0.5)) / k.bandwidth
		}
	}
}

// String names k for people.
func (k Laplacian) String() string { return fmt.Sprintf("laplacian (bandwidth %.4g)", k.bandwidth) }
