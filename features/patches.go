package features

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/asm"
	"mediant/internal/parallel"
	"mediant/internal/rowops"
	"mediant/kernels"
	"mediant/moments"
)

// An ImageShape says how a row holds an image: its planes (colours) one after another, each row by row.
type ImageShape struct {
	Planes int `json:"planes"`
	Height int `json:"height"`
	Width  int `json:"width"`
}

// Len returns the number of columns of an image.
func (s ImageShape) Len() int { return s.Planes * s.Height * s.Width }

// Patches are the features of one convolutional layer of kernels. Every square patch p of the image, a
// pixel apart, is freed of its brightness and contrast, and whitened,
//
//	v(p) = P (p - mean(p)) / sqrt(var(p) + c) - s
//
// and compared with K filters d_1..d_K of length 1, either by rectifiers of both signs,
//
//	max(0, d_k'v - t), max(0, -d_k'v - t)
//
// or by the Gaussian kernel exp(-|v/|v| - d_k|²/(2b²)) (0 for v = 0), and these are averaged over the cells
// of a Grid×Grid partition of the patches' places [Coates, Lee and Ng, An analysis of single-layer
// networks in unsupervised feature learning, AISTATS 2011; Mairal et al., Convolutional kernel networks,
// NIPS 2014]. So phi(x)'phi(y) is a mean over pairs of patches in the same cell of a kernel of patches.
// Cells may overlap instead: each reaches to the centres of its neighbours, with weights 1, 3, 3, 1 of the
// half cells in each direction, so that features change little when an image moves by a pixel. And the
// averages, which are not negative, may be replaced by their square roots, which a few strong patches dominate less.
//
// Features come cell by cell; within a cell those of positive sign first. The zero value is not usable;
// use FitPatches.
type Patches struct {
	image     ImageShape
	side      int // of a patch
	grid      int
	overlap   bool
	root      bool
	contrast  float64 // c
	threshold float64 // t, of rectifiers
	kernel    kernels.Kernel
	desc      *kernels.Desc // nil for rectifiers
	gamma     float64       // 1/(2b²)
	whiten    projection    // P, dim × dim
	shift     []float64     // s
	filters   projection    // dim × K
	down      []int         // the row of parts of each row of places; parts are cells, or half cells in both directions if cells overlap
	across    []int         // the column of parts of each column of places
	counts    []float64     // of places, by part
	id        lazyID
}

var _ stored = (*Patches)(nil)

func init() {
	register[*Patches](kind{
		name: "patches", read: (*reader).patches,
	})
}

// patchHeader is what is stored of a Patches beside kernel and arrays.
type patchHeader struct {
	Image     ImageShape `json:"image"`
	Side      int        `json:"side"`
	Grid      int        `json:"grid"`
	Contrast  float64    `json:"contrast"`
	Threshold float64    `json:"threshold,omitempty"`
	Overlap   bool       `json:"overlap,omitempty"`
	Root      bool       `json:"root,omitempty"`
}

// parts is the number of parts a side that places are dealt out to.
func (h patchHeader) parts() int {
	if h.Overlap {
		return 2 * h.Grid
	}
	return h.Grid
}

// check returns an error unless patches of that side fit into the image and cells into their places.
func (h patchHeader) check() error {
	s := h.Image
	for _, v := range []int{s.Planes, s.Height, s.Width, h.Side, h.Grid} {
		if v < 1 || v > 1<<15 {
			return fmt.Errorf("image of %d×%d×%d, patches of side %d, grid %d: want positive numbers of at most %d", s.Planes, s.Height, s.Width, h.Side, h.Grid, 1<<15)
		}
	}
	switch {
	case s.Len() > maxColumns:
		return fmt.Errorf("image of %d×%d×%d has too many columns", s.Planes, s.Height, s.Width)
	case h.Side > min(s.Height, s.Width):
		return fmt.Errorf("patches of side %d in images of %d×%d", h.Side, s.Height, s.Width)
	case h.parts() > min(s.Height, s.Width)-h.Side+1:
		return fmt.Errorf("a grid of %d cells a side, %d parts, over %d×%d places of patches", h.Grid, h.parts(), s.Height-h.Side+1, s.Width-h.Side+1)
	case !(h.Contrast > 0) || h.Contrast > 1e100 || !(h.Threshold >= 0) || h.Threshold > 1e100:
		return fmt.Errorf("contrast %g and threshold %g, want above 0 and at least 0", h.Contrast, h.Threshold)
	}
	return nil
}

// dim is the number of pixels of a patch.
func (h patchHeader) dim() int { return h.Image.Planes * h.Side * h.Side }

// newPatches takes over its arguments, which have been checked but for the filters' width.
func newPatches(h patchHeader, kernel *kernels.Gaussian, whiten blas64.General, shift []float64, filters blas64.General) (*Patches, error) {
	m := &Patches{
		image: h.Image, side: h.Side, grid: h.Grid, overlap: h.Overlap, root: h.Root, contrast: h.Contrast, threshold: h.Threshold,
		whiten: newProjection(whiten), shift: shift, filters: newProjection(filters),
	}
	if kernel != nil {
		desc, err := kernels.Describe(*kernel)
		if err != nil {
			return nil, err
		}
		m.kernel, m.desc, m.gamma = *kernel, &desc, 1/(2*kernel.Bandwidth()*kernel.Bandwidth())
	}
	if _, out := m.Dims(); out > maxFeatures {
		return nil, fmt.Errorf("%d features, want at most %d", out, maxFeatures)
	}
	m.partition()
	return m, nil
}

// partition deals the places of patches out to the parts, which differ by a row or a column at most. It
// takes memory by the side of the image, not by its area, which a damaged header may claim to be large.
func (m *Patches) partition() {
	rows, cols := m.places()
	n := m.head().parts()
	m.down, m.across = deal(rows, n), deal(cols, n)
	m.counts = make([]float64, n*n)
	perColumn := make([]float64, n)
	for _, c := range m.across {
		perColumn[c]++
	}
	for _, r := range m.down {
		floats.Add(m.counts[r*n:(r+1)*n], perColumn)
	}
}

// deal returns which of n equal parts each of count places is in.
func deal(count, n int) []int {
	part := make([]int, count)
	for i := range part {
		part[i] = i * n / count
	}
	return part
}

// places returns how many patches fit below each other and side by side.
func (m *Patches) places() (rows, cols int) {
	return m.image.Height - m.side + 1, m.image.Width - m.side + 1
}

// perCell is the number of features of a cell.
func (m *Patches) perCell() int {
	if m.desc != nil {
		return m.filters.Cols
	}
	return 2 * m.filters.Cols
}

// Dims returns the number of pixels of an image and of features: K a cell, twice that for rectifiers.
func (m *Patches) Dims() (in, out int) { return m.image.Len(), m.grid * m.grid * m.perCell() }

// ID returns the map's identity.
func (m *Patches) ID() moments.ID { return m.id.of(m) }

// Image returns the shape of the images.
func (m *Patches) Image() ImageShape { return m.image }

// Filters returns a copy of the filters, one a column, in the space of whitened patches.
func (m *Patches) Filters() *mat.Dense { return mat.DenseCopyOf(rowops.View(m.filters.General)) }

// stretch is the number of patches that are compared with all filters at a time: enough for products,
// and few enough that a thousand responses of each stay in the second cache until they are pooled.
const stretch = 96

// imageRows is the number of images that a goroutine takes at a time.
const imageRows = 4

// MapTo stores the features of the images in the rows of x in dst. For d pixels a patch it costs
// 2dK + 2d² flops and K rectifiers or exponentials a patch, and some megabytes for each thread.
func (m *Patches) MapTo(dst *mat.Dense, x mat.Matrix) {
	n := prepare(m, dst, x)
	to := dst.RawMatrix()
	parallel.Blocks(n, imageRows, func(lo, hi int) {
		s := rowops.Scratches.Get().(*rowops.Scratch)
		defer rowops.Scratches.Put(s)
		w := patchWorks.Get().(*patchWork)
		defer patchWorks.Put(w)
		from := rowops.Dense(x, lo, hi, s)
		for i := lo; i < hi; i++ {
			m.mapImage(rowops.Row(to, i), rowops.Row(from, i-lo), w)
		}
	})
}

// A patchWork is memory for a stretch of patches: as they are, whitened, and compared.
// Sums of parts are held where parts are not cells.
type patchWork struct{ raw, white, responses, parts rowops.Scratch }

var patchWorks = sync.Pool{New: func() any { return new(patchWork) }}

// mapImage stores the features of one image in dst.
func (m *Patches) mapImage(dst, image []float64, w *patchWork) {
	clear(dst)
	sums, parts := dst, m.head().parts()
	if m.overlap {
		sums = w.parts.Matrix(1, parts*parts*m.perCell()).Data
		clear(sums)
	}
	rows, cols := m.places()
	for lo := 0; lo < rows*cols; lo += stretch {
		hi := min(lo+stretch, rows*cols)
		v := m.whitened(image, lo, hi, w)
		z := w.responses.Matrix(hi-lo, m.filters.Cols)
		m.filters.to(z, v)
		for i := range z.Rows {
			part := m.down[(lo+i)/cols]*parts + m.across[(lo+i)%cols]
			m.pool(sums, rowops.Row(z, i), rowops.Row(v, i), part)
		}
	}
	m.average(dst, sums)
	if m.root {
		for i, v := range dst {
			dst[i] = math.Sqrt(v)
		}
	}
}

// average makes the averages over cells of sums over parts, which dst itself has unless cells overlap.
func (m *Patches) average(dst, sums []float64) {
	per := m.perCell()
	for cell := range m.grid * m.grid {
		to := dst[cell*per : (cell+1)*per]
		count := m.counts[cell]
		if m.overlap {
			count = m.overlapTo(to, sums, cell/m.grid, cell%m.grid)
		}
		floats.Scale(1/count, to)
	}
}

// halves are the weights of the half cells of an overlapping cell in one direction, from the one before it to the one
// behind it: 1 at its centre, 0 at those of the cells beside it.
var halves = [4]float64{.25, .75, .75, .25}

// overlapTo adds what an overlapping cell sums to dst and returns its weighted number of places.
func (m *Patches) overlapTo(dst, sums []float64, row, col int) (count float64) {
	n := 2 * m.grid
	for a, down := range halves {
		for b, across := range halves {
			r, c := 2*row-1+a, 2*col-1+b
			if min(r, c) < 0 || max(r, c) >= n {
				continue
			}
			part := r*n + c
			floats.AddScaled(dst, down*across, sums[part*len(dst):(part+1)*len(dst)])
			count += down * across * m.counts[part]
		}
	}
	return count
}

// whitened returns the whitened patches at places lo to hi.
func (m *Patches) whitened(image []float64, lo, hi int, w *patchWork) blas64.General {
	raw := w.raw.Matrix(hi-lo, m.whiten.Rows)
	_, cols := m.places()
	for i := range raw.Rows {
		m.normalised(rowops.Row(raw, i), image, (lo+i)/cols, (lo+i)%cols)
	}
	v := w.white.Matrix(hi-lo, m.whiten.Cols)
	m.whiten.to(v, raw)
	for i := range v.Rows {
		floats.Sub(rowops.Row(v, i), m.shift)
	}
	return v
}

// normalised stores in patch the one at (r, c) with mean 0 and, but for the contrast c, variance 1.
// It returns the variance it had.
func (m *Patches) normalised(patch, image []float64, r, c int) (variance float64) {
	s := m.image
	at := 0
	for plane := range s.Planes {
		for i := range m.side {
			from := (plane*s.Height+r+i)*s.Width + c
			at += copy(patch[at:], image[from:from+m.side])
		}
	}
	return normalise(patch, m.contrast)
}

// normalise takes the mean off a patch, divides it by sqrt(variance + contrast) and returns the variance.
func normalise(patch []float64, contrast float64) (variance float64) {
	floats.AddConst(-floats.Sum(patch)/float64(len(patch)), patch)
	variance = floats.Dot(patch, patch) / float64(len(patch))
	floats.Scale(1/math.Sqrt(variance+contrast), patch)
	return variance
}

// pool adds what the responses z of one whitened patch v give to its part.
func (m *Patches) pool(sums, z, v []float64, part int) {
	to := sums[part*m.perCell() : (part+1)*m.perCell()]
	if m.desc == nil {
		asm.Rectify(to[:len(z)], to[len(z):], z, m.threshold)
		return
	}
	norm := floats.Norm(v, 2)
	if norm == 0 {
		return
	}
	// |v/|v| - d|² = 2 - 2 v'd/|v| for filters of length 1.
	for k, p := range z {
		z[k] = max(0, 2-2*p/norm)
	}
	asm.Exp(z, -m.gamma)
	floats.Add(to, z)
}

// head is what is stored of m beside kernel and arrays.
func (m *Patches) head() *patchHeader {
	return &patchHeader{m.image, m.side, m.grid, m.contrast, m.threshold, m.overlap, m.root}
}

func (m *Patches) header() header {
	in, out := m.Dims()
	dim := m.whiten.Rows
	return header{Kind: "patches", In: in, Out: out, Kernel: m.desc,
		Patches: m.head(),
		Arrays: []array{
			{Name: "whitening", Rows: dim, Cols: dim},
			{Name: "shift", Rows: 1, Cols: dim},
			{Name: "filters", Rows: dim, Cols: m.filters.Cols},
		}}
}

func (m *Patches) appendWeights(dst []float64) []float64 {
	return slices.Concat(dst, m.whiten.Data, m.shift, m.filters.Data)
}

// patches reads a Patches.
func (r *reader) patches(h header) (Map, error) {
	if h.Patches == nil || len(h.Arrays) != 3 {
		return nil, fmt.Errorf("no image, or %d arrays, want 3", len(h.Arrays))
	}
	if err := h.Patches.check(); err != nil {
		return nil, err
	}
	var kernel *kernels.Gaussian
	if h.Kernel != nil {
		k, err := h.Kernel.New()
		if err != nil {
			return nil, err
		}
		g, ok := k.(kernels.Gaussian)
		if !ok {
			return nil, fmt.Errorf("a %T of patches, want a Gaussian", k)
		}
		kernel = &g
	}
	dim := h.Patches.dim()
	whiten, err := r.matrix(h.Arrays[0], "whitening", dim, dim)
	if err != nil {
		return nil, err
	}
	shift, err := r.matrix(h.Arrays[1], "shift", 1, dim)
	if err != nil {
		return nil, err
	}
	filters, err := r.matrix(h.Arrays[2], "filters", dim, -1)
	if err != nil {
		return nil, err
	}
	return newPatches(*h.Patches, kernel, whiten, shift.Data, filters)
}

// String names the image, the filters and what compares patches with them.
func (m *Patches) String() string {
	by := "rectifiers"
	if m.desc != nil {
		by = describeKernel(m.kernel)
	}
	pooled := "pooled over"
	if m.overlap {
		pooled = "pooled over overlapping"
	}
	if m.root {
		pooled = "roots, " + pooled
	}
	return fmt.Sprintf("patches: %d filters of %d×%d pixels of images of %d×%d×%d, %s, %s %d×%d",
		m.filters.Cols, m.side, m.side, m.image.Planes, m.image.Height, m.image.Width, by, pooled, m.grid, m.grid)
}
