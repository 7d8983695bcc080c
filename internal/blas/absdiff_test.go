package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"

	"mediant/internal/asm"
)

func TestAbsDiffIsAsSpecified(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 6))
	for _, size := range [][3]int{{1, 1, 1}, {5, 23, 7}, {7, 24, 256}, {3, 77, 600}} {
		m, n, k := size[0], size[1], size[2]
		a, b := strided(rnd, m, k, 3), strided(rnd, n, k, 2)
		want := strided(rnd, m, n, 4)
		fresh := clone(want)
		for i := range m {
			for j := range n {
				sum := 0.0
				for l := range k {
					sum += math.Abs(a.Data[i*a.Stride+l] - b.Data[j*b.Stride+l])
				}
				want.Data[i*want.Stride+j] = sum
			}
		}
		p := Pack(blas.Trans, b)
		eachLevel(func(l asm.Level) {
			got := clone(fresh)
			p.AbsDiffTo(got, 0, a)
			same(t, fmt.Sprint(l, " ", size), got, want)
			for first := 0; first < n; first += Stretch {
				c := min(n-first, 2*Stretch)
				part := clone(view(want, 0, first, m, c))
				scale(0, part, whole)
				p.AbsDiffTo(part, first, a)
				same(t, fmt.Sprint(l, " columns from ", first, " of ", size), part, view(want, 0, first, m, c))
			}
		})
	}
}

func TestAbsDiffRefuses(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 7))
	p := Pack(blas.Trans, strided(rnd, 30, 4, 0))
	for name, shape := range map[string][3]int{"width": {3, 30, 5}, "columns": {3, 31, 4}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			p.AbsDiffTo(strided(rnd, shape[0], shape[1], 0), 0, strided(rnd, shape[0], shape[2], 0))
		}()
	}
}
