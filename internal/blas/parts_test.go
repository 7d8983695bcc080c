package blas

import (
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/asm"
)

// Each element of C is in one of the parts, whose factors begin where it does.
func TestPartsCoverTheirProduct(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {7, 300}, {300, 7}, {47, 47}, {48, 48}, {71, 71}, {199, 201}, {500, 260}} {
		for _, of := range []part{whole, upper, lower} {
			m, n := shape[0], shape[1]
			if of != whole {
				m = n
			}
			for _, workers := range []int{1, 2, 3, 4, 5, 6, 7, 8, 16, 61} {
				p := product{m: m, n: n, k: 1, alpha: 1, part: of, add: true,
					a: operand{upTo(m), 1, 0}, b: operand{upTo(n), 0, 1},
					c: blas64.General{Rows: m, Cols: n, Stride: n, Data: make([]float64, m*n)}}
				for _, a := range p.area().cut(workers, asm.Cols, nil) {
					p.sub(a).form()
				}
				for i := range m {
					for j := range n {
						want := 0.0
						if of == whole || of == upper && j >= i || of == lower && j <= i {
							want = float64((i + 1) * (j + 1))
						}
						if got := p.c.Data[i*n+j]; got != want {
							t.Fatalf("%d×%d, part %d, %d workers: element (%d, %d) is %g, want %g", m, n, of, workers, i, j, got, want)
						}
					}
				}
			}
		}
	}
}

// No worker has much more to do than others.
func TestPartsAreOfOneSize(t *testing.T) {
	for _, n := range []int{512, 2048} {
		for _, of := range []part{whole, upper, lower} {
			for _, workers := range []int{2, 3, 4, 5, 6, 7, 8} {
				largest, all := 0, 0
				for _, a := range (area{rows: n, cols: n, part: of}).cut(workers, asm.Cols, nil) {
					work := 2 * a.rows * a.cols
					if small := min(a.rows, a.cols); a.part != whole {
						work -= small * small
					}
					largest, all = max(largest, work), all+work
				}
				if over := float64(largest*workers) / float64(all); over > 1+float64(workers*asm.Cols)/float64(n) {
					t.Errorf("order %d, part %d, %d workers: the largest part is %.2f of an equal one", n, of, workers, over)
				}
			}
		}
	}
}

func upTo(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i + 1)
	}
	return x
}
