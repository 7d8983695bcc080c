package kernels_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/kernels"
	"mediant/kernels/kerneltest"
)

// drawn returns n rows of normal entries.
func drawn(n, d int, seed uint64) *mat.Dense {
	rnd := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, d, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rnd.NormFloat64()
	}
	return x
}

// onlyAt hides everything but the elements of a matrix.
type onlyAt struct{ of mat.Matrix }

func (m onlyAt) Dims() (r, c int)    { return m.of.Dims() }
func (m onlyAt) At(i, j int) float64 { return m.of.At(i, j) }
func (m onlyAt) T() mat.Matrix       { return mat.Transpose{Matrix: m} }

// neverAt is a dense matrix whose elements nobody may ask for one by one.
type neverAt struct{ *mat.Dense }

func (neverAt) At(i, j int) float64 { panic("an element of a dense matrix was asked for") }

func withThreads(t *testing.T, do func(t *testing.T)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(n)
		t.Run(strconv.Itoa(n)+" threads", do)
	}
}

// slowSqDist is |a - b|² by definition. For rows of drawMatrix it is exact: their differences have at
// most 23 bits, squares of these 46.
func slowSqDist(a, b []float64) float64 {
	var sum float64
	for k := range a {
		sum += (a[k] - b[k]) * (a[k] - b[k])
	}
	return sum
}

// drawMatrix draws up to 70 rows (more than a tile) of d multiples of 2^-20 between -3 and 3, many of
// them equal, plus an offset.
func drawMatrix(t *rapid.T, d int, offset float64, name string) *mat.Dense {
	const grid = 0x1p-20
	n := rapid.IntRange(1, 70).Draw(t, name+" rows")
	entry := rapid.OneOf(rapid.SampledFrom([]float64{0, 0, 1, -2}), rapid.Float64Range(-3, 3))
	values := rapid.SliceOfN(entry, n*d, n*d).Draw(t, name)
	for i, v := range values {
		values[i] = math.Round(v/grid)*grid + offset
	}
	return mat.NewDense(n, d, values)
}

// Squared distances agree with their definition, dense, sparse and known by At alone. The squared
// lengths of two rows around the centre, which is among them or the origin beside them, are at most
// S = 72 d together, and products are off by 4(d + 4) units of that. They are used only above
// 1e-6 S of the rows at hand, which bounds the relative error too.
func TestSqDistByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 9).Draw(t, "columns")
		offset := rapid.SampledFrom([]float64{0, 1, 1e8}).Draw(t, "offset")
		x, y := drawMatrix(t, d, offset, "x"), drawMatrix(t, d, offset, "y")
		for _, rows := range []mat.Matrix{x, neverAt{x}, kerneltest.Sparse(x), onlyAt{x}} {
			for _, columns := range []mat.Matrix{y, kerneltest.Sparse(y)} {
				var got mat.Dense
				kernels.SqDistTo(&got, rows, columns)
				checkSqDist(t, &got, x, y)
			}
		}
	})
}

func checkSqDist(t *rapid.T, got, x, y *mat.Dense) {
	n, m := got.Dims()
	_, d := x.Dims()
	units := 4 * float64(d+4) * 0x1p-53
	for i := range n {
		for j := range m {
			want := slowSqDist(x.RawRowView(i), y.RawRowView(j))
			tol := min(units*72*float64(d), units*1e6*want)
			if v := got.At(i, j); !(math.Abs(v-want) <= tol) {
				t.Fatalf("entry (%d, %d) is %v, want %v (tolerance %g)", i, j, v, want, tol)
			}
		}
	}
}

// Powers of two scale every step exactly.
func TestSqDistScales(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 9).Draw(t, "columns")
		x, y := drawMatrix(t, d, 0, "x"), drawMatrix(t, d, 0, "y")
		var want, got, x4, y4 mat.Dense
		kernels.SqDistTo(&want, x, y)
		x4.Scale(4, x)
		y4.Scale(4, y)
		kernels.SqDistTo(&got, &x4, &y4)
		want.Scale(16, &want)
		if !mat.Equal(&got, &want) {
			t.Fatal("rows times 4 are not at 16 times the squared distance")
		}
	})
}

// A row alone is the same as in company, to the last bit, on both sides of every block edge, and
// wide enough that columns are taken in stretches.
func TestRowAloneIsTheSame(t *testing.T) {
	x, y := drawn(200, 150, 1), drawn(300, 150, 2)
	for name, distTo := range map[string]func(dst *mat.Dense, x, y mat.Matrix){
		"SqDistTo": kernels.SqDistTo, "L1DistTo": kernels.L1DistTo, "DotTo": kernels.DotTo,
	} {
		var all mat.Dense
		distTo(&all, x, y)
		for _, i := range []int{0, 63, 64, 199} {
			for _, rows := range []mat.Matrix{x.Slice(i, i+1, 0, 150), x.Slice(i, min(i+77, 200), 0, 150)} {
				var part mat.Dense
				distTo(&part, rows, y)
				if n, _ := part.Dims(); !mat.Equal(&part, all.Slice(i, i+n, 0, 300)) {
					t.Errorf("%s: rows from %d on differ from the same rows among others", name, i)
				}
			}
		}
	}
}

// Rows of more than a thousand columns have tiles of their own.
func TestWideRows(t *testing.T) {
	const n, m, d = 200, 500, 1100
	x, y := drawn(n, d, 1), drawn(m, d, 2)
	var all, part mat.Dense
	kernels.SqDistTo(&all, x, y)
	for _, i := range []int{0, 71, 191, 192, n - 1} {
		part.Reset()
		kernels.SqDistTo(&part, x.Slice(i, i+1, 0, d), y)
		for j := range m {
			want := math.Pow(floats.Distance(x.RawRowView(i), y.RawRowView(j), 2), 2)
			// The definition has an error of at most 1100 eps too.
			if got := all.At(i, j); !(math.Abs(got-want) <= 1e-12*want) || got != part.At(0, j) {
				t.Fatalf("entry (%d, %d) is %v, %v alone, want %v", i, j, got, part.At(0, j), want)
			}
		}
	}
}

func TestDistancesAgainstDefinition(t *testing.T) {
	x, y := drawn(70, 7, 1), drawn(130, 7, 2)
	for _, rows := range []mat.Matrix{x, neverAt{x}, kerneltest.Sparse(x), onlyAt{x}, x.T().T()} {
		var l1, dot mat.Dense
		kernels.L1DistTo(&l1, rows, y)
		kernels.DotTo(&dot, rows, y)
		for i := range 70 {
			for j := range 130 {
				var wantL1, wantDot float64
				for k := range 7 {
					wantL1 += math.Abs(x.At(i, k) - y.At(j, k))
					wantDot += x.At(i, k) * y.At(j, k)
				}
				// Seven terms of a few units each.
				if math.Abs(l1.At(i, j)-wantL1) > 1e-14 || math.Abs(dot.At(i, j)-wantDot) > 1e-14 {
					t.Fatalf("entry (%d, %d): got %v and %v, want %v and %v", i, j, l1.At(i, j), dot.At(i, j), wantL1, wantDot)
				}
			}
		}
	}
}

// Whole numbers, scikit-learn#13874.
func TestSqDistOfIntegers(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{2, 7, 5, 3, 9, 9, 4, 4})
	want := mat.NewDense(4, 4, []float64{
		0, 25, 53, 13,
		25, 0, 52, 2,
		53, 52, 0, 50,
		13, 2, 50, 0,
	})
	withThreads(t, func(t *testing.T) {
		var got mat.Dense
		kernels.SqDistTo(&got, x, x)
		if !mat.Equal(&got, want) { // quarters and halves throughout, so exact
			t.Errorf("got %v, want %v", mat.Formatted(&got), mat.Formatted(want))
		}
	})
}

func TestSqDistFarFromOrigin(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1e8, -2.5e7, 1e8 + 1, -2.5e7 + 0.5, 1e8 + 3, -2.5e7}) // scikit-learn#9354
	want := mat.NewDense(3, 3, []float64{0, 1.25, 9, 1.25, 0, 4.25, 9, 4.25, 0})
	for _, rows := range []mat.Matrix{x, kerneltest.Sparse(x)} {
		var got mat.Dense
		kernels.SqDistTo(&got, rows, rows)
		if !mat.EqualApprox(&got, want, 1e-14) {
			t.Errorf("got %v, want %v", mat.Formatted(&got), mat.Formatted(want))
		}
	}
}

// More columns than fit in one panel of y with all its rows.
func TestPanelsOfWideRows(t *testing.T) {
	const width = 60_000 // 139 rows a panel
	x, y := drawn(2, width, 1), drawn(150, width, 2)
	y.SetRow(149, x.RawRowView(1))
	var got mat.Dense
	kernels.SqDistTo(&got, x, y)
	for i := range 2 {
		for j := range 150 {
			var want float64
			for k := range width {
				d := x.At(i, k) - y.At(j, k)
				want += d * d
			}
			// Two sums of 60,000 terms of like sign: at most 2·60,000 units, 1.3e-11.
			if math.Abs(got.At(i, j)-want) > 1.4e-11*2*want {
				t.Fatalf("entry (%d, %d) is %v, want %v", i, j, got.At(i, j), want)
			}
		}
	}
	if got.At(1, 149) != 0 {
		t.Errorf("equal rows are at distance² %v, want exactly 0", got.At(1, 149))
	}
}

// A sparse matrix with one column always at 1000 and the others mostly 0: the constant must not drown
// the rest. Around the origin, squared distances above 2 would not be recomputed and be off by 1e-10.
func TestSparseRowsWithOneFarColumn(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	x := mat.NewDense(90, 40, nil)
	for i := range 90 {
		x.Set(i, 0, 1000)
		x.Set(i, 1+rnd.IntN(39), 1+rnd.Float64())
	}
	var got, want mat.Dense
	kernels.SqDistTo(&got, kerneltest.Sparse(x), x)
	kernels.SqDistTo(&want, x, x)
	// |x - c|² + |y - c|² is below 17 around either centre, in 40 columns.
	if !mat.EqualApprox(&got, &want, 8*44*17*0x1p-53) {
		t.Error("sparse rows with a far column have other distances than dense ones")
	}
}

func TestGramAllocatesNothingPerRow(t *testing.T) {
	x, y := drawn(2048, 5, 1), drawn(50, 5, 2)
	k, dst := gaussian(t, 1), mat.NewDense(2048, 50, nil)
	// 32 blocks of 64 rows; a pool that is emptied meanwhile, as the race detector does, costs some
	// allocations a block.
	if n := testing.AllocsPerRun(5, func() { k.GramTo(dst, x, y) }); n > 8*32 {
		t.Errorf("%v allocations for 32 blocks", n)
	}
}

func TestNoRowsPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	kernels.SqDistTo(&mat.Dense{}, &mat.Dense{}, &mat.Dense{})
}

func BenchmarkGram(b *testing.B) {
	x, y := drawn(1024, 196, 1), drawn(1000, 196, 2)
	dst := mat.NewDense(1024, 1000, nil)
	for name, k := range map[string]kernels.Kernel{
		"gaussian": gaussian(b, 14), "laplacian": laplacian(b, 200), "matern52": matern(b, 2.5, 14), "polynomial3": polynomial(b, 3),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				k.GramTo(dst, x, y)
			}
		})
	}
}

func BenchmarkGramSparse(b *testing.B) {
	x := drawn(1024, 1000, 1)
	x.Apply(func(i, j int, v float64) float64 {
		if (i+j)%20 > 0 {
			return 0
		}
		return v
	}, x)
	y, k, dst := x.Slice(0, 500, 0, 1000), gaussian(b, 7), mat.NewDense(1024, 500, nil)
	for name, rows := range map[string]mat.Matrix{"dense": x, "sparse": kerneltest.Sparse(x)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				k.GramTo(dst, rows, y)
			}
		})
	}
}
