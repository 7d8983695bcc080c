package features

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/rowops"
	"mediant/kernels"
)

// TestBesideIsWhatOtherLandmarksDoNotSpan: features less the directions of some landmarks have the inner products of the Nyström
// features of the other landmarks, and there are as many directions as landmarks.
func TestBesideIsWhatOtherLandmarksDoNotSpan(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	z, x := mat.NewDense(9, 2, nil), mat.NewDense(7, 2, nil)
	for _, m := range []*mat.Dense{z, x} {
		for i := range m.RawMatrix().Data {
			m.RawMatrix().Data[i] = rnd.NormFloat64()
		}
	}
	k, err := kernels.ByName("gaussian", 1)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewNystrom(k, z)
	if err != nil {
		t.Fatal(err)
	}
	kept := m.Landmarks().(*mat.Dense)
	for _, without := range [][]int{{0}, {3, 1}, {8, 2, 5, 0}} {
		var others []int
		for i := range 9 {
			if !slices.Contains(without, i) {
				others = append(others, i)
			}
		}
		fewer, err := NewNystrom(k, rowops.Pick(kept, others))
		if err != nil {
			t.Fatal(err)
		}
		n := m.OwnDirections(without)
		if r, c := n.Dims(); r != 9 || c != len(without) {
			t.Fatalf("%d×%d, want 9×%d", r, c, len(without))
		}
		var phi, want, along, back, gram, wantGram mat.Dense
		m.MapTo(&phi, x)
		along.Mul(&phi, n)
		back.Mul(&along, n.T())
		phi.Sub(&phi, &back)
		gram.Mul(&phi, phi.T())
		fewer.MapTo(&want, x)
		wantGram.Mul(&want, want.T())
		gram.Sub(&gram, &wantGram)
		if d := mat.Norm(&gram, 2); d > 1e-9 { // the Gram matrix of 9 landmarks has a condition below 1e6
			t.Errorf("without %v inner products are off by %g", without, d)
		}
	}
}
