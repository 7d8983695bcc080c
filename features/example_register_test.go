package features_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/kernels"
	"mediant/moments"
)

// Rectified is the map phi(x) = max(0, Wx) of random directions W: the features of an arc-cosine kernel.
type Rectified struct{ w *mat.Dense } // out × in

func init() {
	features.Register(features.Registration[*Rectified]{
		Name: "rectified",
		Fit: func(_ context.Context, s features.Spec, rows mat.Matrix, seed uint64, purpose string) (*Rectified, []string, error) {
			_, in := rows.Dims()
			stream := fnv.New64() // phi and psi have streams of their own
			stream.Write([]byte(purpose))
			rnd := rand.New(rand.NewPCG(seed, stream.Sum64()))
			w := mat.NewDense(s.Estimate(in), in, nil)
			w.Apply(func(int, int, float64) float64 { return rnd.NormFloat64() }, w)
			return &Rectified{w}, nil, nil
		},
		Marshal: func(m *Rectified) (any, []float64) { return nil, m.w.RawMatrix().Data },
		Unmarshal: func(in, out int, _ json.RawMessage, weights []float64) (*Rectified, error) {
			if len(weights) != in*out {
				return nil, fmt.Errorf("%d weights, want %d", len(weights), in*out)
			}
			return &Rectified{mat.NewDense(out, in, weights)}, nil
		},
	})
}

// Dims implements Map.
func (m *Rectified) Dims() (in, out int) {
	out, in = m.w.Dims()
	return in, out
}

// MapTo implements Map. DotTo takes dense and sparse rows, and checks shapes.
func (m *Rectified) MapTo(dst *mat.Dense, x mat.Matrix) {
	kernels.DotTo(dst, x, m.w)
	dst.Apply(func(_, _ int, v float64) float64 { return max(0, v) }, dst)
}

// ID implements Map.
func (m *Rectified) ID() moments.ID { return features.Identity(m) }

// A map of one's own, which then has a name for --phi (rectified) and a place in model files.
func ExampleRegister() {
	spec, err := features.ParseSpec("rectified")
	if err != nil {
		log.Fatal(err)
	}
	spec.Size = 3
	m, _, err := spec.Fit(mat.NewDense(4, 2, nil), 1, "phi")
	if err != nil {
		log.Fatal(err)
	}
	header, weights, err := features.Marshal(m)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(header))
	back, err := features.Unmarshal(header, weights)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(back.ID() == m.ID())
	// Output:
	// {"kind":"rectified","in":2,"out":3,"arrays":[{"name":"weights","rows":1,"cols":6}]}
	// true
}
