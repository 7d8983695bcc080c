package moments

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// plus is the total of parts, merged from the first to the last or, where halves is set, as two halves.
func plus(t *rapid.T, parts []*Total, halves bool) *Total {
	if len(parts) == 1 {
		return parts[0]
	}
	cut := 1
	if halves {
		cut = len(parts) / 2
	}
	sum, err := plus(t, parts[:cut], halves).Plus(plus(t, parts[cut:], halves))
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func bytesOf(t *rapid.T, total *Total) []byte {
	var file bytes.Buffer
	if n, err := total.WriteTo(&file); err != nil || n != int64(file.Len()) {
		t.Fatalf("%d bytes of %d (%v)", n, file.Len(), err)
	}
	return file.Bytes()
}

// TestTotalsInAnyOrder: parts that are merged in any order give the same bytes, which are read back, and the co-moments of all rows. A product of a part is rounded to eps
// of its own size, and to 2^-65 units, some 1e-19; on the grid of the rows the means of the parts are as far off as those of merged co-moments. On another grid
// means up to 1e4 standard deviations from the centre cost eight digits of the products about the mean: 50 rows · 1e8 · 4 eps = 4e-6.
func TestTotalsInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, p, q := rapid.IntRange(5, 50).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "p"), rapid.IntRange(1, 4).Draw(t, "q")
		s := drawSample(t, n, p, q)
		grid := &Grid{make([]float64, p), make([]float64, q), make([]int, p), make([]int, q)}
		bound := 4e-6
		if all := s.rows(0, n); all.Weight() > 0 && rapid.Bool().Draw(t, "grid of the rows") {
			own := NewGrid(s.a, s.b)
			grid, bound = &own, tolerance(n, s.mean)*float64(n)
		}
		var parts []*Total
		cuts := rapid.SliceOfN(rapid.IntRange(0, n), 1, 6).Draw(t, "cuts")
		slices.Sort(cuts)
		cuts = append(append([]int{0}, cuts...), n)
		for i := range len(cuts) - 1 {
			parts = append(parts, NewTotal(grid, s.rows(cuts[i], cuts[i+1])))
		}
		want := bytesOf(t, plus(t, parts, false))
		shuffled := rapid.Permutation(parts).Draw(t, "order")
		total := plus(t, shuffled, rapid.Bool().Draw(t, "halves"))
		if !bytes.Equal(bytesOf(t, total), want) {
			t.Fatal("another order of merging gives other bytes")
		}
		read, err := ReadTotal(bytes.NewReader(want), grid)
		if err != nil || !bytes.Equal(bytesOf(t, read), want) {
			t.Fatalf("read back, the total has other bytes (%v)", err)
		}
		all := s.rows(0, n)
		if d := differ(total.CoMoments(), all); d > bound {
			t.Fatalf("sums differ by %g, tolerance %g", d, bound)
		}
	})
}

// differ is the largest difference of two co-moments.
func differ(a, b *CoMoments) float64 {
	d := math.Abs(a.weight-b.weight) + math.Abs(float64(a.rows-b.rows))
	see := func(x, y []float64) {
		for i := range y {
			d = max(d, math.Abs(x[i]-y[i]))
		}
	}
	see(a.meanA, b.meanA)
	see(a.meanB, b.meanB)
	for i := range a.meanA {
		see(upperRow(a.aa, i), upperRow(b.aa, i))
		see(a.ab.RawRowView(i), b.ab.RawRowView(i))
	}
	for i := range a.meanB {
		see(upperRow(a.bb, i), upperRow(b.bb, i))
	}
	return d
}

// numbers is co-moments of rows of one column each.
func numbers(a, b []float64) *CoMoments {
	m := NewCoMoments(ID{1}, ID{2})
	m.Add(mat.NewDense(len(a), 1, a), mat.NewDense(len(b), 1, b), nil)
	return m
}

// TestTotalOfOnePart keeps its bits, and those of one part that is empty too.
func TestTotalOfOnePart(t *testing.T) {
	grid := NewGrid(mat.NewDense(2, 1, []float64{1, 2}), mat.NewDense(2, 1, []float64{3, 5}))
	m := numbers([]float64{.1, .7, .3}, []float64{1, 2, 4})
	if total := NewTotal(&grid, m); total.CoMoments() != m || total.Merged() || total.Rows() != 3 || total.Left() != (ID{1}) || total.Right() != (ID{2}) {
		t.Errorf("the total of one part is %+v", total)
	}
	for _, m := range []*CoMoments{m, NewCoMoments(ID{1}, ID{2})} {
		var file bytes.Buffer
		if _, err := NewTotal(&grid, m).WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		read, err := ReadTotal(&file, &grid)
		if err != nil || read.Merged() || read.Rows() != m.Rows() || read.CoMoments().Weight() != m.Weight() {
			t.Errorf("%d rows: read as %+v (%v)", m.Rows(), read, err)
		}
	}
	sum, err := NewTotal(&grid, m).Plus(NewTotal(&grid, NewCoMoments(ID{1}, ID{2})))
	if err != nil || !sum.Merged() || differ(sum.CoMoments(), m) > 1e-14 {
		t.Errorf("with an empty part: %+v (%v)", sum, err)
	}
}

// TestConstantColumn: a column that does not vary has no variance below 0 after merging, off the centre as well.
func TestConstantColumn(t *testing.T) {
	for _, c := range []float64{0, .1, 1e6 / 3} {
		grid := Grid{[]float64{.3}, []float64{0}, []int{-3}, []int{0}}
		total := NewTotal(&grid, numbers([]float64{c, c, c}, []float64{1, 2, 4}))
		sum, err := total.Plus(NewTotal(&grid, numbers([]float64{c, c}, []float64{1, 9})))
		if err != nil {
			t.Fatal(err)
		}
		if v := sum.CoMoments().aa.At(0, 0); v < 0 || v > 1e-15*5*c*c {
			t.Errorf("five values of %g have squares %g about their mean", c, v)
		}
	}
}

// TestTotalsRefused: other columns, another grid, and sums that the grid has no room for.
func TestTotalsRefused(t *testing.T) {
	grid := NewGrid(mat.NewDense(2, 1, []float64{1, 2}), mat.NewDense(2, 1, []float64{3, 5}))
	own := NewTotal(&grid, numbers([]float64{.1, .7}, []float64{1, 2}))
	other := grid
	other.CentreA = []float64{.5}
	left, right := NewTotal(&grid, NewCoMoments(ID{3}, ID{2})), NewTotal(&grid, NewCoMoments(ID{1}, ID{3}))
	for want, o := range map[string]*Total{
		"left map is 03": left, "right map is 03": right, "grid is": NewTotal(&other, numbers([]float64{1}, []float64{2})),
		"too large": NewTotal(&grid, numbers([]float64{1e10, 1e12}, []float64{0, 1})),
	} {
		if _, err := own.Plus(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, have %v", want, err)
		}
	}
	// Each sum has room, both have not: 2^62.5 units of products.
	half := math.Sqrt(math.Ldexp(1, 63)*.7) * math.Ldexp(1, grid.UnitB[0])
	large := NewTotal(&grid, numbers([]float64{1}, []float64{half}))
	if _, err := large.integers(); err != nil {
		t.Fatal(err)
	}
	if _, err := large.Plus(large); !errors.Is(err, ErrGridRange) {
		t.Errorf("a sum of more than 2^63 units: %v", err)
	}
}

// TestGridRefused: a grid from a file is checked before it is used.
func TestGridRefused(t *testing.T) {
	ok := Grid{[]float64{1}, []float64{2}, []int{0}, []int{3}}
	if err := ok.Validate(); err != nil {
		t.Error(err)
	}
	for name, g := range map[string]Grid{
		"empty":    {},
		"no units": {[]float64{1}, []float64{2}, nil, []int{3}},
		"NaN":      {[]float64{1}, []float64{math.NaN()}, []int{0}, []int{3}},
		"unit":     {[]float64{1}, []float64{2}, []int{451}, []int{3}},
	} {
		if err := g.Validate(); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// FuzzReadTotal: no file makes it panic, and what it takes is written back as it was.
func FuzzReadTotal(f *testing.F) {
	grid := NewGrid(mat.NewDense(2, 1, []float64{1, 2}), mat.NewDense(2, 1, []float64{3, 5}))
	one := NewTotal(&grid, numbers([]float64{.1, .7}, []float64{1, 2}))
	both, err := one.Plus(one)
	if err != nil {
		f.Fatal(err)
	}
	for _, total := range []*Total{one, both} {
		var file bytes.Buffer
		if _, err := total.WriteTo(&file); err != nil {
			f.Fatal(err)
		}
		f.Add(file.Bytes())
		f.Add(file.Bytes()[:file.Len()-5])
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		total, err := ReadTotal(bytes.NewReader(raw), &grid)
		if err != nil {
			return
		}
		var file bytes.Buffer
		if _, err := total.WriteTo(&file); err != nil || !bytes.HasPrefix(raw, file.Bytes()) {
			t.Errorf("read %x, wrote %x (%v)", raw, file.Bytes(), err)
		}
		total.CoMoments()
		if _, err := total.Plus(one); err == nil && total.Rows() < 0 {
			t.Error("rows below 0")
		}
	})
}

// TestTotalScaled: the co-moments are those of rows whose weights are multiplied by the factor, means of small weights to the rounding of sums, 2^-64 of 1e-3.
func TestTotalScaled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, p, q := rapid.IntRange(5, 50).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "p"), rapid.IntRange(1, 4).Draw(t, "q")
		s := drawSample(t, n, p, q)
		grid := NewGrid(s.a, s.b)
		factor := rapid.SampledFrom([]float64{1, .5, .97, 1. / 3, 1e-3}).Draw(t, "factor")
		total := NewTotal(&grid, s.rows(0, n/2))
		if rapid.Bool().Draw(t, "merged") {
			sum, err := total.Plus(NewTotal(&grid, s.rows(n/2, n)))
			if err != nil {
				t.Fatal(err)
			}
			total = sum
		}
		want := total.CoMoments().scaledBy(factor)
		got, err := total.Scaled(factor)
		if err != nil {
			t.Fatal(err)
		}
		if d := differ(got.CoMoments(), want); d > 1e-10 {
			t.Fatalf("factor %g: off by %g", factor, d)
		}
		if got.Rows() != total.Rows() {
			t.Fatalf("%d rows, want %d", got.Rows(), total.Rows())
		}
	})
}

// scaledBy is m with weights multiplied by a factor.
func (m *CoMoments) scaledBy(factor float64) *CoMoments {
	if m.weight == 0 {
		return m
	}
	out := *m
	p, q := m.Dims()
	out.weight *= factor
	out.aa, out.ab, out.bb = mat.NewSymDense(p, nil), mat.NewDense(p, q, nil), mat.NewSymDense(q, nil)
	out.aa.ScaleSym(factor, m.aa)
	out.ab.Scale(factor, m.ab)
	out.bb.ScaleSym(factor, m.bb)
	return &out
}
