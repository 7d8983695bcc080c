package bench

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
)

// Blocks of prediction: a thousand rows of 50 columns by 2,048 landmarks; entries a second.
func BenchmarkGram(b *testing.B) {
	const n, m, d = 1024, 2048, 50
	x, y, dst := mat.NewDense(n, d, random(n, d).Data), mat.NewDense(m, d, random(m, d).Data), mat.NewDense(n, m, nil)
	for _, c := range []struct {
		name string
		make func() (kernels.Kernel, error)
	}{
		{"linear", func() (kernels.Kernel, error) { return kernels.Linear{}, nil }},
		{"gaussian", func() (kernels.Kernel, error) { return kernels.NewGaussian(7) }},
		{"laplacian", func() (kernels.Kernel, error) { return kernels.NewLaplacian(50) }},
		{"matern1.5", func() (kernels.Kernel, error) { return kernels.NewMatern(1.5, 7) }},
		{"matern2.5", func() (kernels.Kernel, error) { return kernels.NewMatern(2.5, 7) }},
	} {
		k, err := c.make()
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				k.GramTo(dst, x, y)
			}
			b.ReportMetric(float64(b.N)*n*m/b.Elapsed().Seconds()/1e9, "G/s")
		})
	}
}
