package features_test

import (
	"bytes"
	"context"
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/fixture"
	"mediant/internal/sparsetest"
	"mediant/kernels"
	"mediant/tables"
)

// TestTextDoesNotDependOnThreads: encoder, hashed n-grams, their TF-IDF and features at landmarks have the same bits for
// any number of threads, of texts of two batches, the last not full.
func TestTextDoesNotDependOnThreads(t *testing.T) {
	texts := fixture.Headlines(tables.BlockRows+300, 11)
	src := fixture.Table(t, "t", texts, "n", fixture.Ramp(len(texts)))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, opt := range []encode.TextOptions{
		{}, {Words: 3, CharMin: -1, CharMax: -1, Buckets: 1 << 10}, {Words: 2, CharMin: 1, CharMax: 4, Buckets: 64, Stop: []string{"word7"}},
	} {
		var encoder []byte
		var rows *encode.CSR
		var phi *mat.Dense
		for _, threads := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(threads)
			e := fixture.Must[*encode.Encoder](t)(encode.FitEncoder(context.Background(), src.Columns(), encode.EncoderOptions{Text: opt}, src))
			x := sparseRows(t, e, src)
			m := fitSparse(t, features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Size: 24}, x)
			got := mapped(m, x)
			if threads == 1 {
				encoder, rows, phi = e.Canonical(), x, got
				continue
			}
			if !bytes.Equal(e.Canonical(), encoder) {
				t.Errorf("%+v: %d threads: another encoder", opt, threads)
			}
			if !slices.Equal(nonzerosOf(x), nonzerosOf(rows)) {
				t.Errorf("%+v: %d threads: other rows", opt, threads)
			}
			if !mat.Equal(got, phi) {
				t.Errorf("%+v: %d threads: other features", opt, threads)
			}
		}
	}
}

// TestSparseLandmarks: maps with sparse landmarks keep the promises of a map, and are those of dense landmarks.
func TestSparseLandmarks(t *testing.T) {
	x := fixture.NormalRows(150, 6)
	x.Apply(func(i, j int, v float64) float64 {
		if (i+j)%3 == 0 {
			return v
		}
		return 0
	}, x)
	for _, k := range []kernels.Kernel{kernels.Linear{}, byName(t, "gaussian", 1), byName(t, "laplacian", 1)} {
		sparse := fixture.Must[*features.Nystrom](t)(features.NewNystrom(k, encode.CSROf(x.Slice(0, 10, 0, 6))))
		if _, ok := sparse.Landmarks().(*encode.CSR); !ok {
			t.Fatalf("landmarks are a %T", sparse.Landmarks())
		}
		dense := fixture.Must[*features.Nystrom](t)(features.NewNystrom(k, x.Slice(0, 10, 0, 6).(*mat.Dense)))
		// Distances of sparse and of dense rows differ by rounding, some 1e-15, which whitening by matrices of
		// condition below 1e5 amplifies to less than 1e-10.
		var gram mat.Dense
		k.GramTo(&gram, dense.Landmarks(), dense.Landmarks())
		if c := mat.Cond(&gram, 2); c > 1e5 && k != (kernels.Linear{}) {
			t.Fatalf("%T: condition number %g", k, c)
		}
		if d := fixture.Distance(products(sparse, x), products(dense, x)); d > 1e-10 {
			t.Errorf("%T: products are off by %g", k, d)
		}
		if _, ok := k.(kernels.Gaussian); ok {
			continue // sparse and dense rows are centred otherwise there and do not agree to the bit
		}
		featurestest.Run(t, sparse, x)
		sections := fixture.Must[*features.Sections](t)(features.NewSections(k, encode.CSROf(x.Slice(0, 10, 0, 6))))
		featurestest.Run(t, sections, x)
	}
}

func TestSparseLandmarksUnmarshalRefuses(t *testing.T) {
	m := fixture.Must[*features.Sections](t)(features.NewSections(kernels.Linear{}, encode.CSROf(mat.NewDense(2, 3, []float64{0, 5, 0, 7, 0, 9}))))
	header, weights, err := features.Marshal(m) // values 5 7 9, columns 1 0 2, starts 0 1 3
	if err != nil {
		t.Fatal(err)
	}
	for at, bad := range map[int]float64{0: math.NaN(), 3: 3, 4: -1, 5: 0, 6: 1, 7: 2.5, 8: 2} {
		damaged := slices.Clone(weights)
		damaged[at] = bad
		if _, err := features.Unmarshal(header, damaged); err == nil {
			t.Errorf("weight %d as %g was read", at, bad)
		}
	}
}

// TestSpecOfSparseRows: the default for sparse rows is a linear kernel at landmarks, exact with as many of them
// as there are rows.
func TestSpecOfSparseRows(t *testing.T) {
	e := fitText(t, encode.TextOptions{Buckets: 1 << 12}, fixture.Headlines(120, 8))
	x := sparseRows(t, e, fixture.Table(t, "t", fixture.Headlines(120, 8)))
	m, _, err := features.Spec{}.Fit(x, 1, "phi")
	if err != nil {
		t.Fatal(err)
	}
	var want mat.Dense
	kernels.Linear{}.GramTo(&want, x, x)
	var phi, got mat.Dense
	m.MapTo(&phi, x)
	got.Mul(&phi, phi.T())
	// Texts that are all different have a Gram matrix of condition below 1e6 here.
	if d := fixture.Distance(&got, &want); d > 1e-9 {
		t.Errorf("products are off by %g", d)
	}
}

func fitSparse(t *testing.T, spec features.Spec, rows mat.Matrix) features.Map {
	t.Helper()
	m, _, err := spec.Fit(rows, 1, "phi")
	if err != nil {
		t.Fatalf("%v: %v", spec, err)
	}
	return m
}

// TestOtherModulesSparseRows: all kinds of maps are fitted to, checked for, map and keep rows of another module's
// type, whose columns are in no order, and nothing asks for an element of them. Without whitening, features are sums
// of at most 130 terms in another order; whitening by Gram matrices of condition below 1e4 amplifies that.
func TestOtherModulesSparseRows(t *testing.T) {
	const columns = 130 // so that default frequencies are structured
	x := fixture.NormalRows(40, columns)
	x.Apply(func(i, j int, v float64) float64 {
		if (i+j)%5 == 0 {
			return math.Abs(v)
		}
		return 0
	}, x)
	rows := sparsetest.Of(x)
	var maps []features.Map
	for _, text := range []string{"auto", "gaussian", "laplacian", "matern32", "rq:1", "additive:gaussian", "linear", "polynomial:2", "chi2", "countsketch", "tensorsketch:2",
		"nystrom:gaussian", "nystrom:laplacian", "nystrom:linear", "nystrom:cosine", "nystrom:chi2", "nystrom:expchi2", "nystrom:polynomial:2"} {
		spec := fixture.Must[features.Spec](t)(features.ParseSpec(text))
		if spec.Size = 16; text == "gaussian" || text == "additive:gaussian" {
			spec.Size = 2 * columns
		}
		maps = append(maps, fitSparse(t, spec, rows))
	}
	for _, rule := range []features.Landmarks{features.Uniform, features.KMeansPlusPlus, features.RidgeLeverage} {
		maps = append(maps, fitSparse(t, features.Spec{Kind: features.NystromFeatures, Size: 16, Landmarks: rule}, rows))
	}
	maps = append(maps, fitSparse(t, features.Spec{Independent: true, Size: 16}, rows), fitSparse(t, features.Spec{Orthogonal: true, Size: 16}, rows),
		fixture.Must[features.Map](t)(features.NewQuasi(gaussian(t, 3), 4, 16, 1, "phi")), fixture.Must[features.Map](t)(features.NewChiSquared(4, 1)),
		fixture.Must[features.Map](t)(features.NewSections(kernels.ChiSquared{}, rows)), features.NewBias(columns))
	for i, m := range maps {
		if in, _ := m.Dims(); in < columns { // of some columns, in the place of others
			maps[i] = fixture.Must[features.Map](t)(features.NewColumns(columns, []int{7, 129, 0, 64}, m))
		}
	}
	_, width := maps[1].Dims()
	then := fixture.Must[features.Map](t)(features.NewFourier(gaussian(t, 1), width, 8, 1, "phi"))
	maps = append(maps, fixture.Must[features.Map](t)(features.NewConcat(maps...)), fixture.Must[features.Map](t)(features.NewChain(maps[1], then)))
	if name := features.Describe(maps[0]); name != "nystrom: linear" {
		t.Errorf("the default for sparse rows is %s", name)
	}
	for _, m := range maps {
		name := features.Describe(m)
		if err := features.CheckRows(m, rows); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var got, want mat.Dense
		m.MapTo(&got, rows)
		m.MapTo(&want, x)
		if !mat.EqualApprox(&got, &want, 1e-10) {
			t.Errorf("%s: features of sparse rows are others", name)
		}
		header, weights, err := features.Marshal(m)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		read, err := features.Unmarshal(header, weights)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var again mat.Dense
		if read.MapTo(&again, rows); !mat.Equal(&again, &got) {
			t.Errorf("%s: features of the map that was read are others", name)
		}
	}
}

func fitText(t testing.TB, opt encode.TextOptions, cells []string) *encode.Encoder {
	t.Helper()
	src := fixture.Table(t, "t", cells)
	return fixture.Must[*encode.Encoder](t)(encode.FitEncoder(context.Background(), src.Columns(), encode.EncoderOptions{Text: opt}, src))
}

func sparseRows(t testing.TB, e *encode.Encoder, src tables.Source) *encode.CSR {
	t.Helper()
	rows := fixture.Must[mat.Matrix](t)(encode.Sample(t.Context(), e, e.SourceRows(), 1<<20, 1, "phi", src))
	return rows.(*encode.CSR)
}

// nonzerosOf lists rows, columns and bits of the stored elements.
func nonzerosOf(x *encode.CSR) (all [][3]uint64) {
	n, _ := x.Dims()
	for i := range n {
		x.DoRowNonZero(i, func(i, j int, v float64) { all = append(all, [3]uint64{uint64(i), uint64(j), math.Float64bits(v)}) })
	}
	return all
}
