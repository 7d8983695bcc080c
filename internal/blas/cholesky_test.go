package blas

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/lapack/lapack64"
)

// many has several rows of tiles of shrinking orders and of one, whole and cut.
var many = []int{5*smallTile + 1, 5*largeTile - 1, 8*largeTile - 1, 8 * largeTile, 8*largeTile + 29}

func TestCholeskyIsGonums(t *testing.T) {
	for _, n := range slices.Concat(orders, many) {
		want, got := definite(n), definite(n)
		if _, ok := lapack64.Potrf(want.RawSymmetric()); !ok {
			t.Fatalf("order %d: reference failed", n)
		}
		if !Cholesky(general(got)) {
			t.Fatalf("order %d: not positive definite", n)
		}
		for i := range n {
			for j := i; j < n; j++ {
				// Backward stable both: |error| <= c n eps cond |U|, entries of U about sqrt(2n).
				if d := math.Abs(got.At(i, j) - want.At(i, j)); d > 1e-14*float64(n+10) {
					t.Fatalf("order %d: U[%d,%d] is off by %g", n, i, j, d)
				}
			}
		}
	}
}

func TestCholeskyLeavesTheRestAlone(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 18))
	for _, n := range []int{1, 7, 24, 130, many[0]} {
		s, want := definite(n), strided(rnd, n, n, 5)
		for i := range n {
			for j := range n {
				want.Data[i*want.Stride+j] = s.At(i, j)
				if j < i {
					want.Data[i*want.Stride+j] = math.NaN()
				}
			}
		}
		got := clone(want)
		if !Cholesky(got) || !Cholesky(general(s)) {
			t.Fatalf("order %d: not positive definite", n)
		}
		for i := range n {
			copy(want.Data[i*want.Stride+i:][:n-i], general(s).Data[i*n+i:])
		}
		same(t, fmt.Sprint("order ", n), got, want)
	}
}

func TestCholeskyRefusesIndefinite(t *testing.T) {
	for _, n := range []int{1, 64, 65, 200} {
		for _, bad := range []float64{-1, 0, math.NaN(), math.Inf(1)} {
			s := definite(n)
			s.SetSym(n-1, n-1, bad)
			if Cholesky(general(s)) {
				t.Errorf("order %d with last diagonal %g was accepted", n, bad)
			}
		}
	}
}

// A tile that fails must not leave those waiting who need it.
func TestCholeskyRefusesOnAllThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	n := many[2]
	s := general(definite(n))
	for _, threads := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(threads)
		for _, at := range []int{0, largeTile, 2*largeTile + 5, n - 1} {
			a, done := clone(s), make(chan bool)
			a.Data[at*n+at] = -1
			go func() { done <- Cholesky(a) }()
			select {
			case ok := <-done:
				if ok {
					t.Errorf("%d threads: diagonal %d of -1 was accepted", threads, at)
				}
			case <-time.After(time.Minute):
				t.Fatalf("%d threads: diagonal %d of -1 never returns", threads, at)
			}
		}
	}
}

func TestThreadsDoNotChangeFactors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range many {
		s := general(definite(n))
		var want []float64
		for _, threads := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(threads)
			for range 3 {
				u := clone(s)
				if !Cholesky(u) {
					t.Fatalf("order %d: not positive definite", n)
				}
				if want == nil {
					want = u.Data
				}
				if !slices.Equal(u.Data, want) {
					t.Fatalf("order %d: %d threads give another factor", n, threads)
				}
			}
		}
	}
}

// TestCholeskyPanicEnds: a matrix with too few elements panics on the caller's goroutine, and nobody waits for the
// tile that is missing.
func TestCholeskyPanicEnds(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	ended := make(chan any)
	for _, share := range []int{2, 3, 5} {
		go func() {
			defer func() { ended <- recover() }()
			a := general(definite(many[1]))
			a.Data = slices.Clip(a.Data[:len(a.Data)/share])
			Cholesky(a)
		}()
		select {
		case got := <-ended:
			if got == nil {
				t.Errorf("a matrix with 1/%d of its elements was factored", share)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("a matrix with 1/%d of its elements is waited for", share)
		}
	}
}

// TestPivotedCholeskyHasAllColumns: rows of U up to the rank hold what the rows that were no pivots are made of.
func TestPivotedCholeskyHasAllColumns(t *testing.T) {
	const n, rank = 130, 70 // the second panel ends early
	rnd := rand.New(rand.NewPCG(3, 4))
	b := strided(rnd, n, rank, 0)
	a := general(definite(n))
	for i := range n {
		for j := range n {
			a.Data[i*a.Stride+j] = 0
			for l := range rank {
				a.Data[i*a.Stride+j] += b.Data[i*b.Stride+l] * b.Data[j*b.Stride+l]
			}
		}
	}
	u := clone(a)
	order, got, err := PivotedCholesky(t.Context(), u, 1e-12)
	if got != rank || err != nil {
		t.Fatalf("rank %d, error %v, want %d", got, err, rank)
	}
	for s, i := range order {
		for r, j := range order {
			sum := 0.0
			for l := range min(rank, s+1, r+1) {
				sum += u.Data[l*u.Stride+s] * u.Data[l*u.Stride+r]
			}
			// Entries of some 70, and as many roundings of each.
			if d := math.Abs(sum - a.Data[i*a.Stride+j]); d > 1e-11 {
				t.Fatalf("U'U is off by %g at rows %d and %d", d, i, j)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := PivotedCholesky(ctx, u, 1e-12); err == nil {
		t.Error("no error of a context that is done")
	}
}
