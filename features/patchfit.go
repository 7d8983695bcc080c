package features

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
	"mediant/internal/draw"
	"mediant/internal/rowops"
	"mediant/kernels"
)

// A PatchSpec, of which Image, Side and Filters must be set, says which Patches to make; FitPatches makes it for given
// images.
type PatchSpec struct {
	Image ImageShape `json:"image"`
	// Side of a patch in pixels, and the number of filters.
	Side    int `json:"side"`
	Filters int `json:"filters"`
	// Grid is the number of cells a side; 0 is 1.
	Grid int `json:"grid,omitempty"`
	// Overlap lets cells reach to the centres of those beside them, with weights that fall towards these; an image then
	// needs 2 Grid places of patches a side.
	Overlap bool `json:"overlap,omitempty"`
	// Root takes the square roots of what is pooled.
	Root bool `json:"root,omitempty"`
	// Random takes filters from random patches instead of spherical k-means of patches.
	Random bool `json:"random,omitempty"`
	// Threshold of the rectifiers.
	Threshold float64 `json:"threshold,omitempty"`
	// Bandwidth, if not 0, replaces rectifiers by the Gaussian kernel of patches with it.
	Bandwidth float64 `json:"bandwidth,omitempty"`
	// Contrast is the variance of pixels below which a patch counts as flat; 0 is 1.5e-4, for pixels in
	// [0, 1] that of 3 of 256 grey levels.
	Contrast float64 `json:"contrast,omitempty"`
	// Flatten is added to the eigenvalues of the covariance of patches, whose pixels have variance 1,
	// before they are whitened; 0 is 0.1.
	Flatten float64 `json:"flatten,omitempty"`
}

const (
	defaultContrast = 1.5e-4
	defaultFlatten  = 0.1
	// patchSample is the number of patches that whitening and filters are fitted on: some hundred for each
	// entry of the covariance of a hundred pixels, fifty for each of a thousand filters.
	patchSample = 50000
	// clusterings is the number of rounds of spherical k-means. It converges to filters that are as good
	// within ten [Coates and Ng, Learning feature representations with k-means, 2012].
	clusterings = 10
)

// head is the part of the spec that a map stores, with defaults filled in.
func (s PatchSpec) head() patchHeader {
	h := patchHeader{Image: s.Image, Side: s.Side, Grid: max(1, s.Grid), Contrast: s.Contrast, Threshold: s.Threshold, Overlap: s.Overlap, Root: s.Root}
	if h.Contrast == 0 {
		h.Contrast = defaultContrast
	}
	return h
}

// Validate returns an error that names settings out of range.
func (s PatchSpec) Validate() error {
	if err := s.head().check(); err != nil {
		return fmt.Errorf("features: patches: %w", err)
	}
	switch {
	case s.Grid < 0:
		return fmt.Errorf("features: patches: grid %d, want at least 1", s.Grid)
	case s.Filters < 1 || s.Filters > maxFeatures/(2*s.head().Grid*s.head().Grid):
		return fmt.Errorf("features: patches: %d filters in %d×%[2]d cells, want at least 1 and at most %d features", s.Filters, s.head().Grid, maxFeatures)
	case s.Bandwidth != 0 && s.Threshold != 0:
		return fmt.Errorf("features: patches: threshold %g with a Gaussian kernel, want rectifiers", s.Threshold)
	case !(s.Flatten >= 0) || math.IsInf(s.Flatten, 1):
		return fmt.Errorf("features: patches: flatten %g, want a finite number of at least 0", s.Flatten)
	}
	if s.Bandwidth != 0 {
		if _, err := kernels.NewGaussian(s.Bandwidth); err != nil {
			return fmt.Errorf("features: patches: %w", err)
		}
	}
	return nil
}

// FitPatches makes the map for images like those in rows: 50,000 patches that are not flat are drawn
// from them (stream "purpose/patches" of the seed), whitened, and clustered to filters. Whitening is by the
// symmetric root of the covariance (ZCA), so that whitened patches still look like patches. It costs
// 10^6 d K flops for d pixels a patch. The error is Validate's, or says that pixels are not finite or that
// all patches are flat. Rows of another width than the image's panic.
func FitPatches(s PatchSpec, rows *mat.Dense, seed uint64, purpose string) (*Patches, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if _, c := rows.Dims(); c != s.Image.Len() {
		panic(mat.ErrShape)
	}
	sample, err := s.sample(rows, seed, purpose)
	if err != nil {
		return nil, err
	}
	whiten, shift, err := s.whitening(sample)
	if err != nil {
		return nil, err
	}
	white := rowops.New(sample.Rows, sample.Cols)
	fast.Gemm(blas.NoTrans, blas.NoTrans, 1, sample, whiten, 0, white)
	for i := range white.Rows {
		floats.Sub(rowops.Row(white, i), shift)
	}
	filters := s.filters(white)
	var kernel *kernels.Gaussian
	if s.Bandwidth != 0 {
		k, err := kernels.NewGaussian(s.Bandwidth)
		if err != nil {
			return nil, err
		}
		kernel = &k
	}
	m, err := newPatches(s.head(), kernel, whiten, shift, filters)
	if err != nil {
		return nil, fmt.Errorf("features: patches: %w", err)
	}
	return m, nil
}

// draws bounds the number of patches looked at for each one wanted: images that are flat nearly
// everywhere give fewer.
const draws = 20

// sample draws normalised patches of a variance above the contrast.
func (s PatchSpec) sample(rows *mat.Dense, seed uint64, purpose string) (blas64.General, error) {
	h := s.head()
	window := &Patches{image: h.Image, side: h.Side, contrast: h.Contrast}
	below, beside := window.places()
	n, _ := rows.Dims()
	rnd := draw.Rand(seed, purpose+"/patches", 0)
	patches := rowops.New(patchSample, h.dim())
	found := 0
	for range draws * patchSample {
		to := rowops.Row(patches, found)
		image := rows.RawRowView(rnd.IntN(n))
		variance := window.normalised(to, image, rnd.IntN(below), rnd.IntN(beside))
		switch {
		case math.IsNaN(variance) || math.IsInf(variance, 0):
			return patches, fmt.Errorf("features: patches: a pixel is not a finite number, or too large to be squared")
		case variance > h.Contrast:
			found++
		}
		if found == patchSample {
			break
		}
	}
	if found == 0 {
		return patches, fmt.Errorf("features: patches: all patches looked at are flat: no variance above %g", h.Contrast)
	}
	return rowops.Block(patches, 0, 0, found, patches.Cols), nil
}

// whitening returns P = V (L + flatten)^(-1/2) V' for the covariance V L V' of the patches, and P times
// their mean.
func (s PatchSpec) whitening(patches blas64.General) (whiten blas64.General, shift []float64, err error) {
	n, d := patches.Rows, patches.Cols
	mean := make([]float64, d)
	for i := range n {
		floats.AddScaled(mean, 1/float64(n), rowops.Row(patches, i))
	}
	centred := rowops.New(n, d)
	for i := range n {
		floats.SubTo(rowops.Row(centred, i), rowops.Row(patches, i), mean)
	}
	cov := rowops.New(d, d)
	fast.Syrk(1/float64(n), centred, cov)
	var eig mat.EigenSym
	if !eig.Factorize(mat.NewSymDense(d, cov.Data), true) {
		return whiten, nil, fmt.Errorf("features: patches: the covariance of patches has no eigenvalues")
	}
	flatten := s.Flatten
	if flatten == 0 {
		flatten = defaultFlatten
	}
	var vectors, scaled mat.Dense
	eig.VectorsTo(&vectors)
	scaled.CloneFrom(&vectors)
	for j, l := range eig.Values(nil) {
		for i := range d {
			scaled.Set(i, j, scaled.At(i, j)/math.Sqrt(max(0, l)+flatten))
		}
	}
	whiten = rowops.New(d, d)
	fast.Gemm(blas.NoTrans, blas.Trans, 1, scaled.RawMatrix(), vectors.RawMatrix(), 0, whiten)
	shift = make([]float64, d)
	fast.Gemm(blas.NoTrans, blas.NoTrans, 1, blas64.General{Rows: 1, Cols: d, Stride: d, Data: mean}, whiten, 0,
		blas64.General{Rows: 1, Cols: d, Stride: d, Data: shift})
	return whiten, shift, nil
}

// filters returns unit vectors for whitened patches, which were drawn at random: the first ones, or
// what k-means makes of them.
func (s PatchSpec) filters(patches blas64.General) blas64.General {
	d := rowops.New(patches.Cols, s.Filters)
	for k := range s.Filters {
		// Fewer patches than filters give some filters twice.
		patch := rowops.Row(patches, k%patches.Rows)
		norm := floats.Norm(patch, 2)
		for i, v := range patch {
			if norm > 0 {
				d.Data[i*d.Stride+k] = v / norm
			}
		}
	}
	if !s.Random {
		for range clusterings {
			sphericalStep(d, patches)
		}
	}
	return d
}
