package bench

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/kernels"
)

// Fourier features of a block of 256 rows, sines and cosines included: by a dense product with the
// frequencies, or by Hadamard transforms.
func BenchmarkFourier(b *testing.B) {
	const rows, in, size = 256, 784, 4096
	k, err := kernels.NewGaussian(20)
	if err != nil {
		b.Fatal(err)
	}
	dense, err := features.NewFourier(k, in, size, 1, "phi")
	if err != nil {
		b.Fatal(err)
	}
	structured, err := features.NewStructured(k, in, size, 1, "phi")
	if err != nil {
		b.Fatal(err)
	}
	x, phi := mat.NewDense(rows, in, random(rows, in).Data), new(mat.Dense)
	for name, m := range map[string]features.Map{"dense": dense, "structured": structured} {
		b.Run(fmt.Sprintf("%dto%d/%s", in, size, name), func(b *testing.B) {
			for b.Loop() {
				m.MapTo(phi, x)
			}
			b.ReportMetric(float64(b.N)*rows/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
