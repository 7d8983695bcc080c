package blas

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/asm"
	"mediant/internal/parallel"
)

// Orders of the tiles of a factorisation, multiples of asm.Rows and asm.Cols. Large ones pass over the
// matrix less often; small ones leave less to wait for, since the factor of a tile on the diagonal is
// the work of one goroutine. They are part of the result: sums are cut where tiles end.
const (
	largeTile = 8 * asm.Cols
	smallTile = 3 * asm.Cols
)

// cutTiles appends to bounds where the rows of tiles of a matrix of order n begin, and n. The order of a tile is a
// third of what is left, as far as that is neither large nor small, so that all have work to the end. In
// matrices of which the end is a small part it stays large.
func cutTiles(bounds []int, n int) []int {
	for at := 0; at < n; {
		bounds = append(bounds, at)
		tile := largeTile
		if n < 8*largeTile {
			tile = min(max((n-at)/3/asm.Cols*asm.Cols, smallTile), largeTile)
		}
		at += tile
	}
	return append(bounds, n)
}

// Cholesky overwrites the upper triangle of a with U, a = U'U, in n³/3 flops. It reports false when
// a is not positive definite to rounding; a is then destroyed.
func Cholesky(a blas64.General) bool {
	e := eliminations.Get().(*elimination)
	defer eliminations.Put(e)
	return e.run(a)
}

// An elimination makes U of a by rows of tiles, each subtracted from all that is below at once. The tile
// on the diagonal is factored, the others of its row solved for, and then for each pair of them their
// product is taken from the tile below. Goroutines take these steps in one order; a step waits for the
// few before it that it needs. The next tile on the diagonal is the first to be updated, and is factored
// while others update the rest.
type elimination struct {
	a      blas64.General
	bounds []int // where rows of tiles begin, and the order of a
	blocks int   // rows of tiles
	// stores hold rows of U, packed as factors of their products, even and odd rows apart.
	stores [2][]float64
	corner triangleTile

	mu   sync.Mutex
	last step

	done    []atomic.Int32 // of tile (i, j), how often it has been updated, and 1 more when it is part of U
	updated []atomic.Int32 // by a row of tiles, the tiles below it
	failed  atomic.Bool
}

// A step is to take the product of tiles (k, i) and (k, j) of U from tile (i, j), and then, if that is
// the next on the diagonal, to factor it. If i is k it is to solve for tile (k, j).
type step struct{ k, i, j int }

var eliminations = sync.Pool{New: func() any { return new(elimination) }}

func (e *elimination) run(a blas64.General) bool {
	n := a.Rows
	if n == 0 {
		return true
	}
	e.a, e.bounds = a, cutTiles(e.bounds[:0], n)
	e.blocks = len(e.bounds) - 1
	e.done, e.updated = zeros(e.done, e.blocks*e.blocks), zeros(e.updated, e.blocks)
	for k := range e.blocks - 1 {
		if size := e.order(k) * padded(n-e.bounds[k+1]); len(e.stores[k%2]) < size {
			e.stores[k%2] = make([]float64, size)
		}
	}
	e.last = step{-1, 0, -1}
	e.failed.Store(false)
	if workers := e.workers(); workers > 1 {
		parallel.Together(workers, func(int) { e.work() })
	} else {
		e.work()
	}
	e.a = blas64.General{}
	return !e.failed.Load()
}

// workers returns the number of goroutines that the factorisation is worth.
func (e *elimination) workers() int {
	if n := e.a.Rows; n*n*n/6 < serial {
		return 1
	}
	return min(runtime.GOMAXPROCS(0), e.blocks*(e.blocks-1)/2)
}

// next returns the step to take, in lexical order, or false after the last.
func (e *elimination) next() (step, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := &e.last
	s.j++
	if s.j == e.blocks || s.k < 0 && s.j == 1 {
		s.i++
		s.j = s.i
	}
	if s.i == e.blocks || s.k < 0 && s.i == 1 {
		s.k++
		s.i, s.j = s.k, s.k+1
	}
	return *s, s.k < e.blocks-1
}

// work takes steps until there are none. After a failure they are empty.
func (e *elimination) work() {
	for {
		s, ok := e.next()
		if !ok {
			return
		}
		if s.i == s.k {
			e.solve(s.k, s.j)
			continue
		}
		if s.k >= 0 {
			e.update(s)
		}
		if s.j == s.k+1 {
			e.factor(s.j)
		}
	}
}

// order returns the order of tile (k, k).
func (e *elimination) order(k int) int { return e.bounds[k+1] - e.bounds[k] }

// doneWith returns the count of what has been done with tile (i, j).
func (e *elimination) doneWith(i, j int) *atomic.Int32 { return &e.done[i*e.blocks+j] }

// factor makes tile (k, k) of U.
func (e *elimination) factor(k int) {
	if k > 0 { // the corner is in use until its row is solved for
		for j := k; j < e.blocks; j++ {
			await(e.doneWith(k-1, j), int32(k))
		}
	}
	at, n := e.bounds[k], e.order(k)
	if !e.failed.Load() && !e.corner.factor(view(e.a, at, at, n, n)) {
		e.failed.Store(true)
	}
	e.doneWith(k, k).Add(1)
}

// solve makes tile (k, j) of U, and packs it.
func (e *elimination) solve(k, j int) {
	if k > 1 {
		left := e.blocks - 1 - (k - 2)
		await(&e.updated[k-2], int32(left*(left+1)/2))
	}
	await(e.doneWith(k, k), int32(k+1))
	await(e.doneWith(k, j), int32(k))
	if !e.failed.Load() {
		x := view(e.a, e.bounds[k], e.bounds[j], e.order(k), e.order(j))
		e.corner.solve(x, e.stores[k%2][(e.bounds[j]-e.bounds[k+1])*e.order(k):])
	}
	e.doneWith(k, j).Add(1)
}

// update takes the product of tiles (k, i) and (k, j) from tile (i, j).
func (e *elimination) update(s step) {
	await(e.doneWith(s.k, s.i), int32(s.k+1))
	await(e.doneWith(s.k, s.j), int32(s.k+1))
	await(e.doneWith(s.i, s.j), int32(s.k))
	if !e.failed.Load() {
		from := e.bounds[s.k+1]
		n, depth := e.a.Rows-from, e.order(s.k)
		p := product{m: n, n: n, k: depth, alpha: -1, c: view(e.a, from, from, n, n), part: upper}
		u := factor{rows: n, width: asm.Cols, depth: depth, store: e.stores[s.k%2]}
		t := stage{product: &p, left: u, right: u, add: true}
		t.tile(e.bounds[s.i]-from, e.bounds[s.i+1]-from, e.bounds[s.j]-from, e.bounds[s.j+1]-from)
	}
	e.doneWith(s.i, s.j).Add(1)
	e.updated[s.k].Add(1)
}

// cornerStride leaves room beside a tile for the one that begins at its last column.
const cornerStride = largeTile + asm.Cols

// A triangleTile is a tile on the diagonal of U, filled up to a multiple of asm.Rows by the identity.
type triangleTile struct {
	u         [largeTile * cornerStride]float64
	diagonals [largeTile / asm.Rows][asm.Rows * asm.Rows]float64 // U' of the squares on the diagonal
}

// factor is Cholesky for an order of at most largeTile.
func (t *triangleTile) factor(a blas64.General) bool {
	n := a.Rows
	for i := 0; i < n || i%asm.Rows != 0; i++ {
		row := t.u[i*cornerStride:][:min(n+asm.Rows+asm.Cols, cornerStride)]
		if i < n {
			copy(row[i:n], a.Data[i*a.Stride+i:])
			clear(row[n:])
		} else {
			clear(row)
			row[i] = 1
		}
	}
	for i := 0; i < n; i += asm.Rows {
		if !t.factorRows(i, n) {
			return false
		}
	}
	for i := range n {
		copy(a.Data[i*a.Stride+i:i*a.Stride+n], t.u[i*cornerStride+i:])
	}
	return true
}

// factorRows makes asm.Rows rows of U, from row i on, out of the rows above and those of a.
func (t *triangleTile) factorRows(i, n int) bool {
	rows := t.u[i*cornerStride:]
	if i > 0 {
		for j := i; j < n; j += asm.Cols {
			asm.Gemm(asm.Cols, i, t.u[i:], 1, cornerStride, t.u[j:], cornerStride, -1, rows[j:], cornerStride, true)
		}
	}
	d := &t.diagonals[i/asm.Rows]
	if !factorDiagonal(rows[i:], d) {
		return false
	}
	for j := i + asm.Rows; j < n; j += asm.Cols {
		asm.Solve(d[:], rows[j:], cornerStride)
	}
	return true
}

// factorDiagonal factors the first asm.Rows rows and columns of a, and stores U' in t too.
func factorDiagonal(a []float64, t *[asm.Rows * asm.Rows]float64) bool {
	for j := range asm.Rows {
		row := a[j*cornerStride:][:asm.Rows]
		d := row[j]
		if !(d > 0) || math.IsInf(d, 1) {
			return false
		}
		d = math.Sqrt(d)
		row[j] = d
		t[j*asm.Rows+j] = d
		for i := j + 1; i < asm.Rows; i++ {
			row[i] /= d
			t[i*asm.Rows+j] = row[i]
		}
		for i := j + 1; i < asm.Rows; i++ {
			v, next := row[i], a[i*cornerStride:][:asm.Rows]
			for l := i; l < asm.Rows; l++ {
				next[l] -= float64(v * row[l]) // rounded, lest only some processors fuse
			}
		}
	}
	return true
}

// solve overwrites x, of as many rows, with U'⁻¹ x, and stores it as slivers too.
func (t *triangleTile) solve(x blas64.General, slivers []float64) {
	n := x.Rows
	for j := 0; j < x.Cols; j += asm.Cols {
		sliver, width := slivers[j*n:][:asm.Cols*n], min(asm.Cols, x.Cols-j)
		pack(sliver, asm.Cols, width, n, operand{x.Data[j:], 1, x.Stride})
		for i := 0; i < n; i += asm.Rows {
			t.solveRows(i, sliver)
		}
		for i := range n {
			copy(x.Data[i*x.Stride+j:][:width], sliver[i*asm.Cols:])
		}
	}
}

// solveRows solves for asm.Rows rows of a sliver, from row i on, given those above.
func (t *triangleTile) solveRows(i int, sliver []float64) {
	rows := sliver[i*asm.Cols:]
	if i > 0 {
		asm.Gemm(asm.Cols, i, t.u[i:], 1, cornerStride, sliver, asm.Cols, -1, rows, asm.Cols, true)
	}
	asm.Solve(t.diagonals[i/asm.Rows][:], rows, asm.Cols)
}
