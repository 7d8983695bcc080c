package kernels_test

import (
	"encoding/json"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
)

// Sech is the kernel Π_j 1/cosh((x_j - y_j)/b). Its frequencies have the hyperbolic secant distribution in each column.
type Sech struct{ bandwidth float64 }

func init() {
	kernels.Register(kernels.Registration[Sech]{
		Name:      "sech",
		New:       func(_ []float64, bandwidth float64) (Sech, error) { return NewSech(bandwidth) },
		Bandwidth: kernels.MedianL1,
		Describe:  func(k Sech) (kernels.Desc, error) { return kernels.Desc{Bandwidth: k.bandwidth}, nil },
		Restore:   func(d kernels.Desc) (Sech, error) { return NewSech(d.Bandwidth) },
	})
}

// NewSech returns the kernel of a bandwidth above 0.
func NewSech(bandwidth float64) (Sech, error) {
	if !(bandwidth > 0) || math.IsInf(bandwidth, 1) {
		return Sech{}, fmt.Errorf("sech: bandwidth is %v, must be positive and finite", bandwidth)
	}
	return Sech{bandwidth}, nil
}

// GramTo implements Kernel.
func (k Sech) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	n, width := x.Dims()
	m, _ := y.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, m)
	}
	if r, c := dst.Dims(); r != n || c != m {
		panic(mat.ErrShape)
	}
	right := mat.NewDense(m, width, nil)
	kernels.EachRow(y, func(j int, row []float64) { right.SetRow(j, row) })
	kernels.EachRow(x, func(i int, row []float64) {
		for j := range m {
			value := 1.0
			for c, v := range right.RawRowView(j) {
				value /= math.Cosh((row[c] - v) / k.bandwidth)
			}
			dst.Set(i, j, value)
		}
	})
}

// DiagTo implements Kernel.
func (k Sech) DiagTo(dst []float64, x mat.Matrix) {
	if n, _ := x.Dims(); len(dst) != n {
		panic(mat.ErrShape)
	}
	for i := range dst {
		dst[i] = 1
	}
}

// FrequenciesTo makes the kernel a kernels.Spectral, one that has Fourier features.
func (k Sech) FrequenciesTo(dst *mat.Dense, rnd *rand.Rand) {
	dst.Apply(func(int, int, float64) float64 {
		return 2 / math.Pi * math.Log(math.Tan(math.Pi/2*rnd.Float64())) / k.bandwidth
	}, dst)
}

// A kernel of one's own, which then has a name for --phi (sech, nystrom:sech) and a place in model files.
func ExampleRegister() {
	k, err := kernels.ByName("sech", 2)
	if err != nil {
		log.Fatal(err)
	}
	var gram mat.Dense
	k.GramTo(&gram, mat.NewDense(1, 1, []float64{0}), mat.NewDense(2, 1, []float64{0, 2}))
	fmt.Printf("%.3f\n", gram.RawRowView(0))
	desc, err := kernels.Describe(k)
	if err != nil {
		log.Fatal(err)
	}
	text, err := json.Marshal(desc)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
	// Output:
	// [1.000 0.648]
	// {"kernel":"sech","bandwidth":2}
}
