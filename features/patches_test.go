package features_test

import (
	"encoding/json"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/draw"
)

// images are n rows of blurred noise in [0, 1] with flat parts of zeros.
func images(shape features.ImageShape, n int, seed uint64) *mat.Dense {
	rnd := draw.Rand(seed, "images", 0)
	x := mat.NewDense(n, shape.Len(), nil)
	for i := range n {
		row := x.RawRowView(i)
		for j := 1; j < len(row); j++ {
			row[j] = .5*row[j-1] + .5*rnd.Float64()
		}
		from := rnd.IntN(len(row))
		clear(row[from:min(len(row), from+4*shape.Width)])
	}
	return x
}

var smallImage = features.ImageShape{Planes: 2, Height: 7, Width: 6}

var patchSpecs = map[string]features.PatchSpec{
	"rectifier": {Image: smallImage, Side: 3, Filters: 5, Grid: 2, Threshold: .25},
	"random":    {Image: smallImage, Side: 2, Filters: 9, Random: true},
	"gaussian":  {Image: smallImage, Side: 3, Filters: 5, Grid: 3, Bandwidth: .7},
	"overlap":   {Image: smallImage, Side: 3, Filters: 5, Grid: 2, Threshold: .25, Overlap: true},
	"root":      {Image: smallImage, Side: 3, Filters: 5, Grid: 2, Bandwidth: .7, Root: true},
	"both":      {Image: smallImage, Side: 2, Filters: 4, Grid: 2, Threshold: .1, Overlap: true, Root: true},
}

func TestPatches(t *testing.T) {
	x := images(smallImage, 120, 1)
	for name, spec := range patchSpecs {
		t.Run(name, func(t *testing.T) {
			m, err := features.FitPatches(spec, x, 1, "phi")
			if err != nil {
				t.Fatal(err)
			}
			featurestest.Run(t, m, x)
		})
	}
}

// A patchReference is the formula of Patches, patch by patch, with the numbers that a map stores.
type patchReference struct {
	spec              features.PatchSpec
	contrast          float64
	whiten, filters   *mat.Dense
	shift             []float64
	rows, cols, cells int
}

func newPatchReference(t *testing.T, spec features.PatchSpec, m *features.Patches) patchReference {
	_, weights, err := features.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	d := spec.Image.Planes * spec.Side * spec.Side
	return patchReference{
		spec: spec, contrast: 1.5e-4,
		whiten: mat.NewDense(d, d, weights[:d*d]), shift: weights[d*d : d*d+d],
		filters: mat.NewDense(d, spec.Filters, weights[d*d+d:]),
		rows:    spec.Image.Height - spec.Side + 1, cols: spec.Image.Width - spec.Side + 1,
		cells: max(1, spec.Grid),
	}
}

// features are those of an image.
func (f patchReference) features(image []float64) []float64 {
	size := f.spec.Filters
	if f.spec.Bandwidth == 0 {
		size *= 2
	}
	out := make([]float64, f.cells*f.cells*size)
	for row := range f.cells {
		for col := range f.cells {
			f.cell(out[(row*f.cells+col)*size:][:size], image, row, col)
		}
	}
	return out
}

// cell is the weighted mean of patches in one cell.
func (f patchReference) cell(out, image []float64, row, col int) {
	count := 0.
	for r := range f.rows {
		for c := range f.cols {
			weight := f.weight(row, r, f.rows) * f.weight(col, c, f.cols)
			count += weight
			for j, v := range f.patch(image, r, c) {
				out[j] += weight * v
			}
		}
	}
	for i := range out {
		out[i] /= count
		if f.spec.Root {
			out[i] = math.Sqrt(out[i])
		}
	}
}

// weight is that of a place in a row or column of cells: by its half cell, if cells overlap.
func (f patchReference) weight(cell, place, places int) float64 {
	if f.spec.Overlap {
		half := place * 2 * f.cells / places
		return max(0, 1-math.Abs(float64(half)+.5-(2*float64(cell)+1))/2)
	}
	if place*f.cells/places == cell {
		return 1
	}
	return 0
}

// patch gives what the patch at (r, c) adds to its cell.
func (f patchReference) patch(image []float64, r, c int) []float64 {
	var p []float64
	s := f.spec.Image
	for plane := range s.Planes {
		for i := range f.spec.Side {
			for j := range f.spec.Side {
				p = append(p, image[plane*s.Height*s.Width+(r+i)*s.Width+c+j])
			}
		}
	}
	mean := floats.Sum(p) / float64(len(p))
	variance := 0.0
	for _, v := range p {
		variance += (v - mean) * (v - mean) / float64(len(p))
	}
	for i := range p {
		p[i] = (p[i] - mean) / math.Sqrt(variance+f.contrast)
	}
	var v, z mat.VecDense
	v.MulVec(f.whiten.T(), mat.NewVecDense(len(p), p))
	floats.Sub(v.RawVector().Data, f.shift)
	z.MulVec(f.filters.T(), &v)
	k := f.spec.Filters
	if f.spec.Bandwidth == 0 {
		out := make([]float64, 2*k)
		for i := range k {
			out[i] = max(0, z.AtVec(i)-f.spec.Threshold)
			out[k+i] = max(0, -z.AtVec(i)-f.spec.Threshold)
		}
		return out
	}
	out := make([]float64, k)
	for i := range out {
		d := mat.Col(nil, i, f.filters)
		floats.AddScaled(d, -1/mat.Norm(&v, 2), v.RawVector().Data)
		out[i] = math.Exp(-floats.Dot(d, d) / (2 * f.spec.Bandwidth * f.spec.Bandwidth))
	}
	return out
}

func TestPatchesAreTheFormula(t *testing.T) {
	x := images(smallImage, 60, 2)
	for name, spec := range patchSpecs {
		m, err := features.FitPatches(spec, x, 3, "phi")
		if err != nil {
			t.Fatal(err)
		}
		var phi mat.Dense
		m.MapTo(&phi, x)
		ref := newPatchReference(t, spec, m)
		for i := range 60 {
			got, want := phi.RawRowView(i), ref.features(x.RawRowView(i))
			if spec.Root { // of sums near 0 is far from exact
				floats.Mul(got, got)
				floats.Mul(want, want)
			}
			// Sums of some hundred terms of size 10 at most, each with an error of a few eps; normalising
			// by sqrt(contrast) multiplies errors of flat patches by 80.
			if d := floats.Distance(got, want, math.Inf(1)); !(d < 1e-11) {
				t.Fatalf("%s: features of image %d differ by %g", name, i, d)
			}
		}
	}
}

// TestPatchByHand: one patch of two pixels, 0 and 2 with mean 1 and variance 1, which whitening and
// filter leave as they are.
func TestPatchByHand(t *testing.T) {
	header := `{"kind":"patches","in":4,"out":2,"patches":{"image":{"planes":1,"height":2,"width":2},"side":2,"grid":1,"contrast":3,"threshold":0.25},` +
		`"arrays":[{"name":"whitening","rows":4,"cols":4},{"name":"shift","rows":1,"cols":4},{"name":"filters","rows":4,"cols":1}]}`
	weights := []float64{
		2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, // P
		.5, 0, 0, 0, // s
		1, 0, 0, 0, // d
	}
	m, err := features.Unmarshal(json.RawMessage(header), weights)
	if err != nil {
		t.Fatal(err)
	}
	var phi mat.Dense
	m.MapTo(&phi, mat.NewDense(2, 4, []float64{2, 0, 2, 0, 0, 2, 0, 2}))
	// The first pixel is (±1)/sqrt(1+3) = ±1/2, whitened ±1 - 1/2: 0.5 and -1.5.
	if want := mat.NewDense(2, 2, []float64{.25, 0, 0, 1.25}); !mat.EqualApprox(&phi, want, 1e-15) {
		t.Errorf("got %v, want %v", mat.Formatted(&phi), mat.Formatted(want))
	}
}

// TestPatchesIgnoreLight: adding a constant to an image changes nothing, scaling it little where the
// contrast is far above that of the map.
func TestPatchesIgnoreLight(t *testing.T) {
	x := images(smallImage, 50, 4)
	m, err := features.FitPatches(patchSpecs["rectifier"], x, 1, "phi")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		i, light := rapid.IntRange(0, 49).Draw(t, "image"), rapid.Float64Range(-1, 1).Draw(t, "light")
		one := mat.NewDense(1, smallImage.Len(), slices.Clone(x.RawRowView(i)))
		var before, after mat.Dense
		m.MapTo(&before, one)
		floats.AddConst(light, one.RawMatrix().Data)
		m.MapTo(&after, one)
		// Rounding of pixels of size 2 by 2^-53, times 1/sqrt(contrast) = 82 and the norm of P, below
		// 1/sqrt(0.1) a direction.
		if d := floats.Distance(before.RawRowView(0), after.RawRowView(0), math.Inf(1)); d > 1e-11 {
			t.Fatalf("light %g changes features by %g", light, d)
		}
	})
}

func TestFiltersAreUnitVectors(t *testing.T) {
	for name, spec := range patchSpecs {
		m, err := features.FitPatches(spec, images(smallImage, 60, 2), 3, "phi")
		if err != nil {
			t.Fatal(err)
		}
		d := m.Filters()
		_, count := d.Dims()
		if count != spec.Filters {
			t.Errorf("%s: %d filters, want %d", name, count, spec.Filters)
		}
		for k := range count {
			if n := floats.Norm(mat.Col(nil, k, d), 2); math.Abs(n-1) > 1e-14 {
				t.Errorf("%s: filter %d has length %g", name, k, n)
			}
		}
	}
}

func TestPatchesDependOnSeedAndPurpose(t *testing.T) {
	x := images(smallImage, 60, 2)
	fit := func(seed uint64, purpose string) features.Map {
		m, err := features.FitPatches(patchSpecs["rectifier"], x, seed, purpose)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	one := fit(1, "phi")
	if fit(1, "phi").ID() != one.ID() {
		t.Error("the same seed gives another map")
	}
	if fit(2, "phi").ID() == one.ID() || fit(1, "psi").ID() == one.ID() {
		t.Error("another seed or purpose gives the same map")
	}
}

func TestPatchesRefuse(t *testing.T) {
	good := patchSpecs["rectifier"]
	for want, change := range map[string]func(s *features.PatchSpec){
		"want positive numbers":             func(s *features.PatchSpec) { s.Image.Planes = 0 },
		"side 7":                            func(s *features.PatchSpec) { s.Side = 7 },
		"a grid of 5":                       func(s *features.PatchSpec) { s.Grid = 5 },
		"a grid of 3 cells a side, 6 parts": func(s *features.PatchSpec) { s.Grid, s.Overlap = 3, true },
		"grid -1":                           func(s *features.PatchSpec) { s.Grid = -1 },
		"0 filters":                         func(s *features.PatchSpec) { s.Filters = 0 },
		"threshold -1":                      func(s *features.PatchSpec) { s.Threshold = -1 },
		"contrast -1":                       func(s *features.PatchSpec) { s.Contrast = -1 },
		"flatten -1":                        func(s *features.PatchSpec) { s.Flatten = -1 },
		"bandwidth is -1":                   func(s *features.PatchSpec) { s.Bandwidth, s.Threshold = -1, 0 },
		"with a Gaussian kernel":            func(s *features.PatchSpec) { s.Bandwidth = 1 },
		"at most 1048576 features":          func(s *features.PatchSpec) { s.Filters = 1 << 18 },
	} {
		spec := good
		change(&spec)
		if _, err := features.FitPatches(spec, images(good.Image, 10, 1), 1, "phi"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	flat := mat.NewDense(3, good.Image.Len(), nil)
	if _, err := features.FitPatches(good, flat, 1, "phi"); err == nil || !strings.Contains(err.Error(), "flat") {
		t.Errorf("flat images: %v", err)
	}
	flat.Apply(func(int, int, float64) float64 { return math.Inf(1) }, flat)
	if _, err := features.FitPatches(good, flat, 1, "phi"); err == nil || !strings.Contains(err.Error(), "finite") {
		t.Errorf("infinite pixels: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("rows of another width were accepted")
		}
	}()
	features.FitPatches(good, mat.NewDense(3, 5, nil), 1, "phi")
}

func TestChain(t *testing.T) {
	x := images(smallImage, 120, 1)
	m, err := features.FitPatches(patchSpecs["rectifier"], x, 1, "phi")
	if err != nil {
		t.Fatal(err)
	}
	var pooled mat.Dense
	m.MapTo(&pooled, x)
	for _, spec := range []features.Spec{
		{Kind: features.NystromFeatures, Size: 20},
		{Size: 32},
	} {
		then, _, err := spec.Fit(&pooled, 1, "phi")
		if err != nil {
			t.Fatal(err)
		}
		chain, err := features.NewChain(m, then)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(features.Describe(chain), func(t *testing.T) {
			featurestest.Run(t, chain, x)
			var want, got mat.Dense
			then.MapTo(&want, &pooled)
			chain.MapTo(&got, x)
			if !mat.Equal(&got, &want) {
				t.Error("the chain is not one map after the other")
			}
		})
	}
}

func TestChainRefuses(t *testing.T) {
	four := features.NewLinear(4)
	if _, err := features.NewChain(strange{four}, four); err == nil {
		t.Error("a map without canonical bytes was accepted")
	}
	deep := features.Map(four)
	for range 16 {
		var err error
		if deep, err = features.NewChain(deep, four); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := features.NewChain(four, deep); err == nil {
		t.Error("a chain nested too deep was accepted")
	}
	defer func() {
		if recover() == nil {
			t.Error("widths that differ were accepted")
		}
	}()
	features.NewChain(four, features.NewLinear(5))
}

// strange is a map from elsewhere.
type strange struct{ features.Map }

func TestUnmarshalRefusesPatches(t *testing.T) {
	x := images(smallImage, 30, 1)
	m, err := features.FitPatches(patchSpecs["gaussian"], x, 1, "phi")
	if err != nil {
		t.Fatal(err)
	}
	header, weights, err := features.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		`"side":3`:     `"side":9`,
		`"grid":3`:     `"grid":2`,
		`"gaussian"`:   `"laplacian"`,
		`"patches":{`:  `"patches":null,"law":{`,
		`"planes":2`:   `"planes":-2`,
		`"name":"shi`:  `"name":"ski`,
		`"contrast":0`: `"contrast":-0`,
	} {
		changed := strings.Replace(string(header), from, to, 1)
		if changed == string(header) {
			t.Fatalf("the header has no %s: %s", from, header)
		}
		if _, err := features.Unmarshal(json.RawMessage(changed), weights); err == nil {
			t.Errorf("%s for %s was accepted", to, from)
		}
	}
}

// TestLargeImageOfSmallHeader: a header of some hundred bytes may claim an image of 2^30 pixels; reading it
// must take memory by its side only.
func TestLargeImageOfSmallHeader(t *testing.T) {
	header := `{"kind":"patches","in":1073741824,"out":2,"patches":{"image":{"planes":1,"height":32768,"width":32768},"side":1,"grid":1,"contrast":1},` +
		`"arrays":[{"name":"whitening","rows":1,"cols":1},{"name":"shift","rows":1,"cols":1},{"name":"filters","rows":1,"cols":1}]}`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := features.Unmarshal(json.RawMessage(header), []float64{1, 0, 1}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	// Two lists of 2^15 numbers take 512 kB.
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 4<<20 {
		t.Errorf("%d bytes", allocated)
	}
}

func BenchmarkPatches(b *testing.B) {
	shape := features.ImageShape{Planes: 3, Height: 32, Width: 32}
	x := images(shape, 64, 1)
	m, err := features.FitPatches(features.PatchSpec{Image: shape, Side: 6, Filters: 400, Grid: 2, Threshold: .25}, x, 1, "phi")
	if err != nil {
		b.Fatal(err)
	}
	var phi mat.Dense
	for b.Loop() {
		phi.Reset()
		m.MapTo(&phi, x)
	}
}
