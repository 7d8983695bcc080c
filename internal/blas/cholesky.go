package blas

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

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
	ok := e.run(a)
	eliminations.Put(e)
	return ok
}

// An elimination makes U of a by columns of tiles. In each row k of tiles in turn, a column j > k is solved for its
// tile (k, j) of U, and the products of that tile and those before it in the row are taken from the tiles below.
// When j rows have been taken from it its own tile on the diagonal is factored. Goroutines take these steps one by
// one, each from columns of its own first, which it then has in its cache, and from others' while none of its own
// can go on.
type elimination struct {
	a       blas64.General
	bounds  []int // where rows of tiles begin, and the order of a
	blocks  int   // rows of tiles
	workers int
	// stores hold rows of U, packed as factors of their products, even and odd rows apart.
	stores [2][]float64
	corner triangleTile // the last that was factored
	failed atomic.Bool

	mu      sync.Mutex
	columns []column
	left    int   // columns that are not done
	solved  []int // of each row of tiles, those that are part of U and packed
	used    []int // of each row of tiles, those whose products have been taken
}

// A column of tiles is to go on at row k with its products with tiles of U up to i, or at i = k with the solution
// for its own.
type column struct {
	k, i int
	busy bool
}

// past reports whether c has its tile of U in row k.
func (c *column) past(k int) bool { return c.k > k || c.k == k && c.i > k }

var eliminations = sync.Pool{New: func() any { return new(elimination) }}

func (e *elimination) run(a blas64.General) bool {
	n := a.Rows
	if n == 0 {
		return true
	}
	e.a, e.bounds = a, cutTiles(e.bounds[:0], n)
	e.blocks = len(e.bounds) - 1
	for k := range e.blocks - 1 {
		if size := e.order(k) * padded(n-e.bounds[k+1]); len(e.stores[k%2]) < size {
			e.stores[k%2] = make([]float64, size)
		}
	}
	e.failed.Store(false)
	e.columns = append(e.columns[:0], make([]column, e.blocks)...)
	e.solved = append(e.solved[:0], make([]int, e.blocks)...)
	e.used = append(e.used[:0], make([]int, e.blocks)...)
	e.left = e.blocks
	e.workers = workersFor(n, e.blocks)
	parallel.Together(e.workers, e.work)
	e.a = blas64.General{}
	return !e.failed.Load()
}

// workersFor returns the number of goroutines that a factorisation of order n is worth.
func workersFor(n, blocks int) int {
	if n*n*n/6 < serial {
		return 1
	}
	return parallel.Workers(blocks - 1)
}

// work takes steps until all columns are done. After a failure they are empty.
func (e *elimination) work(worker int) {
	for tries := 0; ; tries++ {
		switch j, done := e.take(worker); {
		case done:
			return
		case j >= 0:
			e.step(j)
			tries = 0
		default:
			pause(tries)
		}
	}
}

// take returns a column that can go on, or a negative number if none can, or that all are done.
func (e *elimination) take(worker int) (best int, done bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	best = -1
	for j := range e.columns {
		if c := &e.columns[j]; c.busy || !e.ready(j) {
			continue
		}
		if best < 0 || e.before(j, best, worker) {
			best = j
		}
	}
	if best >= 0 {
		e.columns[best].busy = true
	}
	return best, e.left == 0
}

// pause lets others run, at the given try to find something to do. What is missing takes no longer than a tile that
// another has begun, unless that one has no processor: then it makes room for it.
func pause(tries int) {
	if tries < 1000 {
		runtime.Gosched()
	} else {
		time.Sleep(20 * time.Microsecond)
	}
}

// before reports whether column j should go on before column l < j: first those on the diagonal, for which all wait,
// then the worker's own, then by rows of tiles of U and of those they are taken from.
func (e *elimination) before(j, l, worker int) bool {
	a, b := &e.columns[j], &e.columns[l]
	if d := a.k == j; d != (b.k == l) {
		return d
	}
	if own := j%e.workers == worker; own != (l%e.workers == worker) {
		return own
	}
	return a.k < b.k || a.k == b.k && a.i < b.i
}

// ready reports whether what column j needs for its next step is there.
func (e *elimination) ready(j int) bool {
	c := &e.columns[j]
	switch {
	case c.k == j && c.i == j: // the corner is in use until the row before is solved for
		return j == 0 || e.solved[j-1] == e.blocks-j
	case c.k == j:
		return false
	case c.i == c.k:
		return e.columns[c.k].past(c.k) && (c.k < 2 || e.used[c.k-2] == e.blocks-1-(c.k-2))
	default:
		return e.columns[c.i].past(c.k)
	}
}

// step does the next step of column j, which is the caller's.
func (e *elimination) step(j int) {
	c := e.columns[j]
	if e.failed.Load() {
		e.finish(j, c)
		return
	}
	done := false
	defer func() {
		if !done { // a panic, for which the others need not wait
			e.failed.Store(true)
		}
		e.finish(j, c)
	}()
	switch {
	case c.k == j:
		e.factor(j)
	case c.i == c.k:
		e.solve(c.k, j)
	default:
		e.update(c.k, c.i, j)
	}
	done = true
}

// finish notes that column j has taken its step, from c on.
func (e *elimination) finish(j int, c column) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case c.k == j:
		e.left--
	case c.i == c.k:
		e.solved[c.k]++
	case c.i == j:
		e.used[c.k]++
		c.k++
		c.i = c.k - 1
	}
	c.i++
	c.busy = false
	e.columns[j] = c
}

// order returns the order of tile (k, k).
func (e *elimination) order(k int) int { return e.bounds[k+1] - e.bounds[k] }

// factor makes tile (k, k) of U.
func (e *elimination) factor(k int) {
	at, n := e.bounds[k], e.order(k)
	if !e.corner.factor(view(e.a, at, at, n, n)) {
		e.failed.Store(true)
	}
}

// solve makes tile (k, j) of U, and packs it.
func (e *elimination) solve(k, j int) {
	x := view(e.a, e.bounds[k], e.bounds[j], e.order(k), e.order(j))
	e.corner.solve(x, e.stores[k%2][(e.bounds[j]-e.bounds[k+1])*e.order(k):])
}

// update takes the product of tiles (k, i) and (k, j) from tile (i, j).
func (e *elimination) update(k, i, j int) {
	from := e.bounds[k+1]
	n, depth := e.a.Rows-from, e.order(k)
	p := product{m: n, n: n, k: depth, alpha: -1, c: view(e.a, from, from, n, n), part: upper}
	u := factor{rows: n, width: asm.Cols, depth: depth, store: e.stores[k%2]}
	t := stage{product: &p, left: u, right: u, add: true}
	t.tile(e.bounds[i]-from, e.bounds[i+1]-from, e.bounds[j]-from, e.bounds[j+1]-from)
}
