// Package kerneltest checks that a kernel, of this module or of another, keeps the promises of kernels.Kernel.
package kerneltest

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
)

const (
	// rows is more than one block of the Gram matrix and no multiple of its size.
	rows = 150
	// unit is the rounding unit of float64.
	unit = 0x1p-53
	// grid is the spacing of the rows' entries: so coarse that entries moved by 1e8, which takes 27
	// of 53 bits, and their differences are exact.
	grid = 0x1p-20
	// lipschitz bounds how much a kernel of largest value 1 may change per unit of distance: that of
	// exp(-d/b) is 1/b, and products of two have twice that.
	lipschitz = 20
)

// Run checks k on rows of dim columns with entries in [-2, 2], some of them equal. It checks
// symmetry, the diagonal, positive semidefiniteness, that entries depend on their rows alone,
// rows far from the origin, sparse rows, refused shapes, that no inner loop reads by At, that the number of threads does not matter,
// the way through a description, and the spectral distribution, the last two if k is registered and spectral. The bandwidths of
// k should be between 0.1 and 10, so that kernel values depend on the rows and tolerances hold.
func Run(t *testing.T, k kernels.Kernel, dim int) {
	t.Helper()
	RunOn(t, k, dim, nil)
}

// RunOn is Run for a kernel that does not take every row: entry turns the entries of Run's rows, which are
// in [-2, 2], into those that it takes, 0 into 0. Rows far from the origin are then tried only with kernels
// that are shift-invariant.
func RunOn(t *testing.T, k kernels.Kernel, dim int, entry func(v float64) float64) {
	t.Helper()
	s := newSuite(k, dim, entry)
	t.Run("symmetry", s.symmetry)
	t.Run("diagonal", s.diagonal)
	t.Run("semidefinite", s.semidefinite)
	t.Run("subset", s.subset)
	t.Run("order", s.order)
	t.Run("far", s.far)
	t.Run("sparse", s.sparse)
	t.Run("shapes", s.shapes)
	t.Run("access", s.access)
	t.Run("threads", s.threads)
	t.Run("description", s.description)
	t.Run("spectrum", s.spectrum)
}

// A suite is a kernel with rows to try it on.
type suite struct {
	k     kernels.Kernel
	dim   int
	entry func(v float64) float64 // nil: as drawn
	x     *mat.Dense
	gram  *mat.Dense
	tol   float64 // by how much an entry may differ between two right ways of computing it
}

func newSuite(k kernels.Kernel, dim int, entry func(v float64) float64) *suite {
	s := &suite{k: k, dim: dim, entry: entry}
	s.x = s.admissible(drawRows(dim))
	s.gram = gramOf(k, s.x, s.x)
	s.tol = s.tolerance()
	return s
}

// admissible makes entries those that the kernel takes, in place.
func (s *suite) admissible(x *mat.Dense) *mat.Dense {
	if s.entry != nil {
		x.Apply(func(_, _ int, v float64) float64 { return s.entry(v) }, x)
	}
	return x
}

// drawRows draws rows on the grid, a quarter of their entries 0 and every tenth row a copy.
func drawRows(dim int) *mat.Dense {
	rnd := rand.New(rand.NewPCG(20, 26))
	x := mat.NewDense(rows, dim, nil)
	for i := range rows {
		if i%10 == 9 {
			x.SetRow(i, x.RawRowView(i/2))
			continue
		}
		for j := range dim {
			if rnd.IntN(4) > 0 {
				x.Set(i, j, math.Round((4*rnd.Float64()-2)/grid)*grid)
			}
		}
	}
	return x
}

// tolerance bounds the difference of two computations of an entry. |x|² + |y|² of centred rows is at
// most S = 32 dim, as entries differ from their mean by at most 4. A squared distance by products is
// off by at most (dim + 4) units of S, and is used only above 1e-6 S (smaller ones are recomputed
// from the differences), so that the distance, at least 1e-3 sqrt(S), is off by
// (dim + 4) unit S/(2e-3 sqrt(S)) and the kernel by lipschitz times that; products themselves, as in a
// polynomial, have smaller errors. The evaluation of the kernel adds few units, 100 for powers.
func (s *suite) tolerance() float64 {
	d := float64(s.dim)
	distance := (d + 4) * unit * math.Sqrt(32*d) / 2e-3
	return s.largest() * (2*lipschitz*distance + 100*unit)
}

// largest is the largest entry of the Gram matrix.
func (s *suite) largest() float64 { return mat.Max(s.gram) }

func gramOf(k kernels.Kernel, x, y mat.Matrix) *mat.Dense {
	var dst mat.Dense
	k.GramTo(&dst, x, y)
	return &dst
}

// agree reports entries of got and want that differ by more than tol; a NaN agrees with nothing.
func agree(t *testing.T, what string, got, want mat.Matrix, tol float64) {
	t.Helper()
	n, m := want.Dims()
	for i := range n {
		for j := range m {
			if d := math.Abs(got.At(i, j) - want.At(i, j)); !(d <= tol) {
				t.Fatalf("%s: entry (%d, %d) is %v, want %v (tolerance %g)", what, i, j, got.At(i, j), want.At(i, j), tol)
			}
		}
	}
}

// selected returns the given rows of x.
func selected(x *mat.Dense, indices []int) *mat.Dense {
	_, d := x.Dims()
	y := mat.NewDense(len(indices), d, nil)
	for i, r := range indices {
		y.SetRow(i, x.RawRowView(r))
	}
	return y
}

func (s *suite) symmetry(t *testing.T) { agree(t, "transpose", s.gram.T(), s.gram, s.tol) }

func (s *suite) diagonal(t *testing.T) {
	diag := make([]float64, rows)
	s.k.DiagTo(diag, s.x)
	for i, v := range diag {
		if d := math.Abs(v - s.gram.At(i, i)); !(d <= s.tol) {
			t.Errorf("DiagTo gives %v for row %d, GramTo %v", v, i, s.gram.At(i, i))
		}
		if _, ok := s.k.(kernels.Radial); ok && s.gram.At(i, i) != 1 {
			t.Errorf("a radial kernel of equal rows is %v, want exactly 1", s.gram.At(i, i))
		}
	}
}

// semidefinite allows eigenvalues to be off by the norm of the entries' errors, at most their number
// of rows times the largest, and by the backward error of the solver, a few units of the norm a row.
func (s *suite) semidefinite(t *testing.T) {
	sym := mat.NewSymDense(rows, nil)
	for i := range rows {
		for j := range i + 1 {
			sym.SetSym(i, j, s.gram.At(i, j))
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(sym, false) {
		t.Fatal("no eigenvalues")
	}
	tol := rows*s.tol + 8*rows*unit*mat.Trace(sym)
	if least := slices.Min(eig.Values(nil)); !(least >= -tol) {
		t.Errorf("smallest eigenvalue is %g, want at least %g", least, -tol)
	}
}

// subset asks for the same bits because y, and so the centre, stays the same.
func (s *suite) subset(t *testing.T) {
	for _, indices := range [][]int{{0}, {rows - 1}, {140, 3, 77, 77, 64}} {
		got := gramOf(s.k, selected(s.x, indices), s.x)
		agree(t, "rows in other company", got, selected(s.gram, indices), 0)
	}
}

func (s *suite) order(t *testing.T) {
	perm := rand.New(rand.NewPCG(3, 5)).Perm(rows)
	y := selected(s.x, perm)
	want := mat.NewDense(rows, rows, nil)
	want.Apply(func(i, j int, _ float64) float64 { return s.gram.At(perm[i], perm[j]) }, want)
	agree(t, "permuted rows", gramOf(s.k, y, y), want, s.tol)
}

// far moves the rows by 1e8, which is exact on their grid.
func (s *suite) far(t *testing.T) {
	if s.entry != nil && !shiftInvariant(s.k) {
		t.Skip("the kernel does not take such rows")
	}
	const far = 1e8
	x := mat.NewDense(rows, s.dim, nil)
	x.Apply(func(_, j int, v float64) float64 { return v + far*float64(1-2*(j%2)) }, s.x)
	for _, m := range []mat.Matrix{x, Sparse(x)} {
		got := gramOf(s.k, m, x)
		if shiftInvariant(s.k) {
			agree(t, "rows moved by 1e8", got, s.gram, s.tol)
		}
		for _, v := range got.RawMatrix().Data {
			if math.IsNaN(v) {
				t.Fatal("rows moved by 1e8: an entry is NaN")
			}
		}
	}
}

// shiftInvariant reports whether k is spectral or radial, or a combination of such kernels.
func shiftInvariant(k kernels.Kernel) bool {
	switch k := k.(type) {
	case kernels.Spectral, kernels.Radial:
		return true
	case interface{ Part() kernels.Kernel }:
		return shiftInvariant(k.Part())
	case interface{ Parts() []kernels.Kernel }:
		return !slices.ContainsFunc(k.Parts(), func(part kernels.Kernel) bool { return !shiftInvariant(part) })
	}
	return false
}

// sparse tries both sides, and rows so sparse that none of their columns is half full.
func (s *suite) sparse(t *testing.T) {
	thin := mat.NewDense(rows, s.dim, nil)
	thin.Apply(func(i, j int, v float64) float64 {
		if (i+j)%4 > 0 {
			return 0
		}
		return v
	}, s.x)
	for _, x := range []*mat.Dense{s.x, thin} {
		want := gramOf(s.k, x, x)
		agree(t, "sparse x", gramOf(s.k, Sparse(x), x), want, s.tol)
		agree(t, "sparse y", gramOf(s.k, x, Sparse(x)), want, s.tol)
		agree(t, "sparse x and y", gramOf(s.k, Sparse(x), Sparse(x)), want, s.tol)
		got, diag := make([]float64, rows), make([]float64, rows)
		s.k.DiagTo(got, Sparse(x))
		s.k.DiagTo(diag, x)
		agree(t, "diagonal of sparse rows", mat.NewVecDense(rows, got), mat.NewVecDense(rows, diag), s.tol)
	}
}

func (s *suite) shapes(t *testing.T) {
	wider := mat.NewDense(2, s.dim+1, nil)
	panics(t, "widths differ", func() { gramOf(s.k, s.x, wider) })
	panics(t, "dst of another shape", func() { s.k.GramTo(mat.NewDense(rows, rows-1, nil), s.x, s.x) })
	panics(t, "short diagonal", func() { s.k.DiagTo(make([]float64, rows-1), s.x) })

	// A dst that is a part of another matrix is overwritten, and nothing else is.
	for _, x := range []mat.Matrix{s.x, Sparse(s.x)} {
		host, want := framed(), framed()
		s.k.GramTo(inside(host), x, s.x)
		inside(want).Copy(gramOf(s.k, x, s.x))
		agree(t, "dst within a matrix", host, want, 0)
	}
}

// framed returns a matrix of sevens, one wider on every side than a Gram matrix.
func framed() *mat.Dense {
	const size = rows + 2
	return mat.NewDense(size, size, slices.Repeat([]float64{7}, size*size))
}

func inside(framed *mat.Dense) *mat.Dense {
	return framed.Slice(1, rows+1, 1, rows+1).(*mat.Dense)
}

func panics(t *testing.T, what string, do func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	do()
}

func (s *suite) threads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(n)
		agree(t, "other number of threads", gramOf(s.k, s.x, s.x), s.gram, 0)
	}
}

func (s *suite) description(t *testing.T) {
	desc, err := kernels.Describe(s.k)
	if err != nil {
		t.Skip(err)
	}
	text, err := json.Marshal(desc)
	if err != nil {
		t.Fatal(err)
	}
	var back kernels.Desc
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	k, err := back.New()
	if err != nil {
		t.Fatalf("description %s is refused: %v", text, err)
	}
	agree(t, "kernel of the description", gramOf(k, s.x, s.x), s.gram, 0)
}

// spectrum compares the mean of cos(omega'd) over 20,000 frequencies with k, at 5 standard errors. With
// another seed a right kernel would fail at a rate of 6e-7 for each of 20 differences.
func (s *suite) spectrum(t *testing.T) {
	spectral, ok := s.k.(kernels.Spectral)
	if !ok {
		t.Skip("the kernel has no spectral distribution")
	}
	const draws, differences = 20_000, 20
	omega := mat.NewDense(draws, s.dim, nil)
	spectral.FrequenciesTo(omega, rand.New(rand.NewPCG(9, 1)))
	var phase mat.Dense
	phase.Mul(omega, s.x.Slice(0, differences, 0, s.dim).T())
	want := gramOf(s.k, s.x.Slice(0, differences, 0, s.dim), mat.NewDense(1, s.dim, nil))
	for j := range differences {
		var sum, squares float64
		for i := range draws {
			c := math.Cos(phase.At(i, j))
			sum += c
			squares += c * c
		}
		mean := sum / draws
		// The rounding of the sums is what is left where all cosines are 1.
		tol := 5*math.Sqrt(max(0, squares/draws-mean*mean)/draws) + draws*unit
		if d := math.Abs(mean - want.At(j, 0)); !(d <= tol) {
			t.Errorf("mean of cosines is %v, the kernel %v (tolerance %g)", mean, want.At(j, 0), tol)
		}
	}
}
