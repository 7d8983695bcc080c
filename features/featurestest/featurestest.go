// Package featurestest checks that a map, of this module or of another, keeps the promises of features.Map. The map's type is
// registered.
package featurestest

import (
	"encoding/json"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/kernels/kerneltest"
)

// alone is by how much a feature may differ between a row on its own and the same row in other
// company, relative to the row's largest feature: not at all, because matrix kernels form every
// element by the same operations in the same order wherever it stands.
const alone = 0

// Run checks m on the rows of x, of which there should be some hundred, with zeros among their
// entries. It checks widths, that rows depend on themselves alone, sparse rows and other matrices,
// that no inner loop reads them by At, refused shapes, the way through Marshal, identities, folding and
// combining where the map does so, that the number of threads does not matter, and concurrent use.
func Run(t *testing.T, m features.Map, x *mat.Dense) {
	t.Helper()
	s := &suite{m: m, x: x, phi: new(mat.Dense)}
	m.MapTo(s.phi, x)
	t.Run("widths", s.widths)
	t.Run("rows", s.rows)
	t.Run("destination", s.destination)
	t.Run("sparse", s.sparse)
	t.Run("transposed", s.transposed)
	t.Run("shapes", s.shapes)
	t.Run("roundtrip", s.roundTrip)
	t.Run("identity", s.identity)
	t.Run("fold", s.fold)
	t.Run("combine", s.combine)
	t.Run("access", s.access)
	t.Run("threads", s.threads)
	t.Run("concurrent", s.concurrent)
}

// A suite is a map with rows to try it on and their features.
type suite struct {
	m      features.Map
	x, phi *mat.Dense
}

// access checks that elements are read by At a few times for each part of the map, however many features
// and rows there are, and never if they are in memory.
func (s *suite) access(t *testing.T) {
	const passes = 12
	x := kerneltest.NewCounted(s.x)
	var got mat.Dense
	s.m.MapTo(&got, x)
	if most := x.Most(); most > passes {
		t.Errorf("an element is read %d times by At", most)
	}
	if !mat.Equal(&got, s.phi) {
		t.Error("features depend on how rows are read")
	}
	x = kerneltest.NewCounted(s.x)
	s.m.MapTo(new(mat.Dense), kerneltest.Dense{Counted: x})
	if most := x.Most(); most > 0 {
		t.Errorf("an element in memory is read %d times by At", most)
	}
}

func (s *suite) widths(t *testing.T) {
	n, c := s.x.Dims()
	in, out := s.m.Dims()
	if in != c {
		t.Fatalf("the map has %d columns, the rows have %d", in, c)
	}
	if r, c := s.phi.Dims(); r != n || c != out {
		t.Errorf("an empty dst became %d×%d, want %d×%d", r, c, n, out)
	}
	for i := range n {
		for j, v := range s.phi.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("feature %d of row %d is %g", j, i, v)
			}
		}
	}
}

// compare fails unless got is want, row for row, to tolerance times the row's largest feature.
func compare(t *testing.T, what string, got mat.Matrix, want *mat.Dense, tolerance float64) {
	t.Helper()
	n, p := want.Dims()
	for i := range n {
		size := 0.0
		for _, v := range want.RawRowView(i) {
			size = max(size, math.Abs(v))
		}
		for j := range p {
			if d := math.Abs(got.At(i, j) - want.At(i, j)); !(d <= tolerance*size) {
				t.Fatalf("%s: feature %d of row %d is %g, want %g: they differ by %g", what, j, i, got.At(i, j), want.At(i, j), d)
			}
		}
	}
}

// rows looks at each row by itself and at runs of rows that begin anywhere.
func (s *suite) rows(t *testing.T) {
	n, in := s.x.Dims()
	_, out := s.m.Dims()
	for _, size := range []int{1, 3, n/2 + 1} {
		for lo := 0; lo+size <= n; lo += size {
			var got mat.Dense
			s.m.MapTo(&got, s.x.Slice(lo, lo+size, 0, in))
			compare(t, "a row in other company", &got, s.phi.Slice(lo, lo+size, 0, out).(*mat.Dense), alone)
		}
	}
}

// destination maps into a part of a larger matrix that holds NaN.
func (s *suite) destination(t *testing.T) {
	n, out := s.phi.Dims()
	for _, x := range []mat.Matrix{s.x, nonzeros{encode.CSROf(s.x)}} {
		around := mat.NewDense(n+2, out+2, nil)
		around.Apply(func(int, int, float64) float64 { return math.NaN() }, around)
		s.m.MapTo(around.Slice(1, n+1, 1, out+1).(*mat.Dense), x)
		compare(t, "part of a larger dst", around.Slice(1, n+1, 1, out+1), s.phi, alone)
		for i := range n + 2 {
			for j := range out + 2 {
				if inside := 0 < i && i <= n && 0 < j && j <= out; inside == math.IsNaN(around.At(i, j)) {
					t.Fatalf("wrote outside dst or not inside it, at (%d, %d)", i-1, j-1)
				}
			}
		}
	}
}

// nonzeros is a sparse matrix that does not let its elements be asked for one by one.
type nonzeros struct{ *encode.CSR }

func (nonzeros) At(int, int) float64 {
	panic("featurestest: a sparse matrix was read element by element")
}

// T would let At in by the back door.
func (nonzeros) T() mat.Matrix { panic("featurestest: a sparse matrix was transposed") }

func (s *suite) sparse(t *testing.T) {
	var got mat.Dense
	s.m.MapTo(&got, nonzeros{encode.CSROf(s.x)})
	compare(t, "sparse rows", &got, s.phi, alone)
}

// transposed gives the rows as a matrix that stores columns.
func (s *suite) transposed(t *testing.T) {
	var got mat.Dense
	s.m.MapTo(&got, mat.DenseCopyOf(s.x.T()).T())
	compare(t, "rows of a transposed matrix", &got, s.phi, alone)
}

func (s *suite) shapes(t *testing.T) {
	n, in := s.x.Dims()
	_, out := s.phi.Dims()
	s.refuses(t, map[string]func(){
		"dst with a row too many":    func() { s.m.MapTo(mat.NewDense(n+1, out, nil), s.x) },
		"dst with a column too many": func() { s.m.MapTo(mat.NewDense(n, out+1, nil), s.x) },
		"x with a column too many":   func() { s.m.MapTo(new(mat.Dense), mat.NewDense(n, in+1, nil)) },
	})
}

// refuses checks that each call panics.
func (s *suite) refuses(t *testing.T, calls map[string]func()) {
	for what, call := range calls {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			call()
		}()
	}
}

func (s *suite) roundTrip(t *testing.T) {
	header, weights := marshal(t, s.m)
	if !json.Valid(header) {
		t.Fatalf("the header is not JSON: %s", header)
	}
	read, err := features.Unmarshal(header, weights)
	if err != nil {
		t.Fatal(err)
	}
	if read.ID() != s.m.ID() {
		t.Errorf("identity %v after a round trip, want %v", read.ID(), s.m.ID())
	}
	// The map must not live on the caller's slice.
	for i := range weights {
		weights[i] = math.NaN()
	}
	var got mat.Dense
	read.MapTo(&got, s.x)
	compare(t, "after a round trip", &got, s.phi, 0)
	_, weights = marshal(t, s.m)
	if _, err := features.Unmarshal(header, append(weights, 1)); err == nil {
		t.Error("a weight too many was not refused")
	}
	if n := len(weights); n > 0 {
		if _, err := features.Unmarshal(header, weights[:n-1]); err == nil {
			t.Error("a weight too few was not refused")
		}
	}
}

func marshal(t *testing.T, m features.Map) (json.RawMessage, []float64) {
	t.Helper()
	header, weights, err := features.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return header, weights
}

// identity changes the last bit of some weights: the map is then another, or, where weights are whole numbers (places
// of a sparse matrix, say), none.
func (s *suite) identity(t *testing.T) {
	header, weights := marshal(t, s.m)
	for i := 0; i < len(weights); i += 1 + len(weights)/5 {
		changed := slices.Clone(weights)
		changed[i] = math.Nextafter(changed[i], math.Inf(1))
		other, err := features.Unmarshal(header, changed)
		if err != nil && weights[i] == math.Trunc(weights[i]) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if other.ID() == s.m.ID() {
			t.Errorf("the identity does not depend on weight %d", i)
		}
	}
}

// fold checks that the folded map and coefficients predict what the map's own do. The coefficients
// are what a fit would give: combinations of the rows' features.
func (s *suite) fold(t *testing.T) {
	f, ok := s.m.(features.Folder)
	if !ok {
		t.Skip("the map does not fold")
	}
	n, _ := s.x.Dims()
	mix := mat.NewDense(n, 2, nil)
	mix.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(i*(j+1))) / float64(n) }, mix)
	var coef, want, got, raw mat.Dense
	coef.Mul(s.phi.T(), mix)
	want.Mul(s.phi, &coef)
	unfolded, folded := f.Fold(&coef)
	unfolded.MapTo(&raw, s.x)
	got.Mul(&raw, folded)
	// eps |L⁻¹| |k|, with |L⁻¹| up to the inverse root of a cutoff of some 1e-13.
	compare(t, "folded", &got, &want, 1e-8)
	read, err := features.Unmarshal(marshal(t, unfolded))
	if err != nil {
		t.Fatalf("the folded map cannot be stored: %v", err)
	}
	if read.ID() != unfolded.ID() {
		t.Errorf("the folded map has identity %v, and %v after a round trip", unfolded.ID(), read.ID())
	}
}

// combine checks that a combination has the same bits alone, among other rows, in sparse rows, in a column of a larger matrix and on other numbers of
// threads, and that it is one of the features: to 1e-9 of the sum of its terms' sizes, which leaves phases of 10^6 their rounding.
func (s *suite) combine(t *testing.T) {
	c, ok := s.m.(features.Combiner)
	if !ok {
		t.Skip("the map does not combine")
	}
	n, p := s.phi.Dims()
	coef, want, size := mat.NewVecDense(p, nil), mat.NewDense(n, 1, nil), 0.
	for j := range p {
		coef.SetVec(j, math.Sin(float64(3*j+1)))
		size = max(size, math.Abs(coef.AtVec(j)))
	}
	want.Mul(s.phi, coef)
	sum := c.Combine(coef.RawVector().Data)
	together := mat.NewDense(n, 1, nil)
	sum.CombineTo(together, s.x)
	for i := range n {
		terms := size * mat.Norm(s.phi.RowView(i), 1)
		if d := math.Abs(together.At(i, 0) - want.At(i, 0)); !(d <= 1e-9*terms) {
			t.Fatalf("the combination of row %d is %g, want %g", i, together.At(i, 0), want.At(i, 0))
		}
	}
	in, _ := s.m.Dims()
	around := mat.NewDense(n, 3, nil)
	column := around.Slice(0, n, 1, 2).(*mat.Dense)
	for i := range n {
		sum.CombineTo(around.Slice(i, i+1, 1, 2).(*mat.Dense), s.x.Slice(i, i+1, 0, in))
	}
	compare(t, "combination of a row alone", column, together, 0)
	sum.CombineTo(column, nonzeros{encode.CSROf(s.x)})
	compare(t, "combination of sparse rows", column, together, 0)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, threads := range []int{1, 8} {
		runtime.GOMAXPROCS(threads)
		sum.CombineTo(column, mat.DenseCopyOf(s.x.T()).T())
		compare(t, "combination on another number of threads", column, together, 0)
	}
	if mat.Norm(around.ColView(0), 1)+mat.Norm(around.ColView(2), 1) != 0 {
		t.Error("the combination wrote beside its column")
	}
	s.refuses(t, map[string]func(){
		"a coefficient too few": func() { c.Combine(make([]float64, p-1)) },
		"dst of two columns":    func() { sum.CombineTo(mat.NewDense(n, 2, nil), s.x) },
		"dst with a row more":   func() { sum.CombineTo(mat.NewDense(n+1, 1, nil), s.x) },
		"x with a column more":  func() { sum.CombineTo(together, mat.NewDense(n, in+1, nil)) },
	})
}

func (s *suite) threads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, threads := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(threads)
		var got mat.Dense
		s.m.MapTo(&got, s.x)
		compare(t, "other number of threads", &got, s.phi, 0)
	}
}

func (s *suite) concurrent(t *testing.T) {
	var wg sync.WaitGroup
	got := make([]mat.Dense, 4)
	for i := range got {
		wg.Go(func() {
			if i%2 == 0 {
				s.m.MapTo(&got[i], s.x)
			} else {
				s.m.MapTo(&got[i], encode.CSROf(s.x))
			}
		})
	}
	wg.Wait()
	for i := range got {
		compare(t, "at the same time", &got[i], s.phi, alone)
	}
}
