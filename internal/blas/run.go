package blas

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"mediant/internal/asm"
	"mediant/internal/parallel"
)

const (
	// serial is the number of multiplications below which one goroutine is enough: 0.1 ms, some ten
	// times what it costs to start others.
	serial = 1 << 21
	// packRows is the number of rows or columns that are packed at a time.
	packRows = 4 * asm.Cols
	// share is the least number of tiles a goroutine, so that none waits long for the last.
	share = 6
)

// A job is a product spread over goroutines. Its stages, of depthBlock terms, each consist of pieces
// to pack and tiles to form. Goroutines take both in one order, the pieces of the next stage half way
// through the tiles of the present one, into the other of two stores; so that what a piece or tile
// needs has been taken before it, and is nearly always there.
type job struct {
	product
	stores [2][2][]float64 // of even and odd stages, for left and right slivers
	depth  int             // number of stages

	tiles                 []corner
	height, width         int // of a tile
	leftPacks, rightPacks int // pieces

	next             atomic.Int64
	packed, finished []atomic.Int32 // pieces and tiles of each stage
	done             []atomic.Int32 // stages of each tile
}

type corner struct{ i, j int }

var jobs = sync.Pool{New: func() any { return new(job) }}

// little is the number of multiplications below which a product is formed in one piece: what a job has to set up
// takes as long as some thousands of them.
const little = 1 << 16

// run forms p.
func run(p product) {
	j := jobs.Get().(*job)
	j.product = p
	if p.k <= depthBlock && p.m*p.n*p.k < little {
		j.formWhole()
		j.product = product{}
		jobs.Put(j)
		return
	}
	j.plan()
	j.start()
	j.product = product{}
	jobs.Put(j)
}

// formWhole forms a product of one stage as one tile.
func (j *job) formWhole() {
	var s stage
	s.set(&j.product, 0, &j.stores[0])
	grow(&j.stores[0][0], &s.left)
	grow(&j.stores[0][1], &s.right)
	s.left.store, s.right.store = j.stores[0][0], j.stores[0][1]
	s.left.pack(0, s.left.slivers())
	s.right.pack(0, s.right.slivers())
	s.tile(0, j.m, 0, j.n)
}

// workers returns the number of goroutines that p is worth.
func (p *product) workers() int {
	if work := p.m * p.k * max(p.n, asm.Lanes); p.alone || work < serial {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// plan cuts C into tiles: large ones for the caches, but enough of them for all.
func (j *job) plan() {
	j.depth = (j.k + depthBlock - 1) / depthBlock
	workers := j.workers()
	j.height, j.width = tileRows, tileCols
	j.cut()
	for workers > 1 && len(j.tiles) < share*workers && j.height > asm.Cols {
		if j.width > j.height {
			j.width = padded(j.width / 2)
		} else {
			j.height = padded(j.height / 2)
		}
		j.cut()
	}
	var s stage
	s.set(&j.product, 0, &j.stores[0])
	j.leftPacks, j.rightPacks = pieces(&s.left), pieces(&s.right)
	for i := range min(j.depth, 2) {
		grow(&j.stores[i][0], &s.left)
		grow(&j.stores[i][1], &s.right)
	}
	j.next.Store(0)
	j.packed, j.finished, j.done = zeros(j.packed, j.depth), zeros(j.finished, j.depth), zeros(j.done, len(j.tiles))
}

// pieces returns the number of pieces in which f is packed.
func pieces(f *factor) int { return (f.slivers()*f.width + packRows - 1) / packRows }

// grow makes store hold f's slivers, and so those of later stages, which are no deeper.
func grow(store *[]float64, f *factor) {
	if size := f.slivers() * f.width * f.depth; len(*store) < size {
		*store = make([]float64, size)
	}
}

// zeros returns n zeros, in a if it has room.
func zeros(a []atomic.Int32, n int) []atomic.Int32 {
	if cap(a) < n {
		return make([]atomic.Int32, n)
	}
	a = a[:n]
	for i := range a {
		a[i].Store(0)
	}
	return a
}

// cut lists the tiles.
func (j *job) cut() {
	j.tiles = j.tiles[:0]
	for i := 0; i < j.m; i += j.height {
		for l := 0; l < j.n; l += j.width {
			if j.part == upper && l+j.width <= i || j.part == lower && i+j.height <= l {
				continue
			}
			j.tiles = append(j.tiles, corner{i, l})
		}
	}
}

// start works on all pieces and tiles, and returns when they are done.
func (j *job) start() {
	if workers := min(j.workers(), len(j.tiles)); workers > 1 {
		parallel.Together(workers, j.work)
	} else {
		j.work()
	}
}

// work takes pieces and tiles until there are none.
func (j *job) work() {
	packs, tiles := j.leftPacks+j.rightPacks, len(j.tiles)
	for {
		s := int(j.next.Add(1)) - 1
		if s < packs {
			j.pack(0, s)
			continue
		}
		q, r := (s-packs)/(packs+tiles), (s-packs)%(packs+tiles)
		half := tiles / 2
		switch {
		case q == j.depth:
			return
		case r < half:
			j.form(q, r)
		case r >= half+packs:
			j.form(q, r-packs)
		case q+1 < j.depth:
			j.pack(q+1, r-half)
		}
	}
}

// pack packs piece r of stage q, into the store that stage q-2 has finished with.
func (j *job) pack(q, r int) {
	if q > 1 {
		await(&j.finished[q-2], int32(len(j.tiles)))
	}
	var s stage
	s.set(&j.product, q*depthBlock, &j.stores[q%2])
	f := &s.left
	if r >= j.leftPacks {
		f, r = &s.right, r-j.leftPacks
	}
	each := packRows / f.width
	f.pack(r*each, min((r+1)*each, f.slivers()))
	j.packed[q].Add(1)
}

// form adds stage q to tile r.
func (j *job) form(q, r int) {
	await(&j.packed[q], int32(j.leftPacks+j.rightPacks))
	await(&j.done[r], int32(q))
	var s stage
	s.set(&j.product, q*depthBlock, &j.stores[q%2])
	t := j.tiles[r]
	s.tile(t.i, min(t.i+j.height, j.m), t.j, min(t.j+j.width, j.n))
	j.done[r].Store(int32(q + 1))
	j.finished[q].Add(1)
}

// await returns when v has come to want. That takes no longer than others need for a piece or tile
// they have begun, unless they have no processor: then it makes room for them.
func await(v *atomic.Int32, want int32) {
	for tries := 0; v.Load() != want; tries++ {
		if tries < 1000 {
			runtime.Gosched()
		} else {
			time.Sleep(20 * time.Microsecond)
		}
	}
}
