package problem

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/internal/fixture"
	"mediant/moments"
	"mediant/privacy"
	"mediant/tables"
)

// TestExactSumsAreTheSums: without noise they are what SumXU and SumUY sum, block by block, but for the rounding of rows: of a side to 2^-19 of its radius, sqrt(2) for psi and 50 about the centre
// 40 for y, whose squares are of size 90² and off by 2·90·50·2^-19 = .02 in each row.
func TestExactSumsAreTheSums(t *testing.T) {
	xu, uy := privateTables(t, 2100)
	p := privatePlan(t, xu, uy)
	for table, src := range []tables.Source{xu, uy} {
		m := mechanismOf(t, p, table, wide)
		s, err := p.SumXU(t.Context(), src)
		tolerance := 1e-5
		if table == TableUY {
			s, err = p.SumUY(t.Context(), src)
			tolerance = .02
		}
		if err != nil {
			t.Fatal(err)
		}
		left, right := p.ids(table)
		for i, b := range exactOf(t, m, src) {
			got := moments.FromRaw(left, right, m.raw(b))
			of := [][][]*moments.Total{s.XU, s.UY}[table]
			want := of[i%p.folds()][i/p.folds()].CoMoments()
			if d := gap(got, want); d > tolerance {
				t.Errorf("table %d, block %d: products differ by %g, tolerance %g", table, i, d, tolerance)
			}
			if rows := 2100 / 6; b.rows != rows || got.Rows() != rows {
				t.Errorf("table %d, block %d: %d rows, want %d, those without Y too", table, i, b.rows, rows)
			}
		}
	}
}

// TestExactSumsOfOutputs: two columns of Y of other ranges, each in its own units, and classes. A column of half width C is rounded to sqrt(2) C·2^-19, so that squares of size (2C)² are off by C²·1e-5.
func TestExactSumsOfOutputs(t *testing.T) {
	const n = 600
	xu, _ := privateTables(t, n)
	rnd := rand.New(rand.NewPCG(8, 1))
	var u, y, z []float64
	var label []string
	for range n {
		u = append(u, rnd.NormFloat64())
		y, z = append(y, 5+rnd.Float64()), append(z, -rnd.Float64()/100)
		label = append(label, []string{"a", "b", "c", ""}[rnd.IntN(4)])
	}
	for name, c := range map[string]struct {
		uy        tables.Source
		clip      []Range
		tolerance float64
	}{
		"numbers": {fixture.Columns(t, tables.Numbers("u", u), tables.Numbers("y", y), tables.Numbers("z", z)), []Range{{4, 8}, {-.02, .02}}, 4e-4},
		"classes": {fixture.Columns(t, tables.Numbers("u", u), tables.Strings("y", label)), nil, 1e-5},
	} {
		p := privatePlan(t, xu, c.uy)
		m := mechanismOf(t, p, TableUY, Privacy{Epsilon: 1, Delta: 1e-6, Clip: c.clip})
		plain, err := p.SumUY(t.Context(), c.uy)
		if err != nil {
			t.Fatal(err)
		}
		left, right := p.ids(TableUY)
		for i, b := range exactOf(t, m, c.uy) {
			got, want := moments.FromRaw(left, right, m.raw(b)), plain.UY[i%p.folds()][i/p.folds()].CoMoments()
			if d := gap(got, want); d > c.tolerance {
				t.Errorf("%s, block %d: products differ by %g, tolerance %g", name, i, d, c.tolerance)
			}
			var a, w mat.Dense
			got.CrossTo(&a, true)
			want.CrossTo(&w, true)
			last := p.Y.Len() - 1
			for j := range a.RawMatrix().Rows {
				if d := math.Abs(a.At(j, last) - w.At(j, last)); d > 1e-5*max(.02, c.tolerance) {
					t.Errorf("%s, block %d: the product of feature %d and the last output differs by %g", name, i, j, d)
				}
			}
		}
	}
}

// TestYIsClipped: values beyond the range count as its ends.
func TestYIsClipped(t *testing.T) {
	xu, uy := privateTables(t, 60)
	p := privatePlan(t, xu, uy)
	_, far := privateTables(t, 60)
	m := mechanismOf(t, p, TableUY, Privacy{Epsilon: 1, Delta: 1e-6, Clip: []Range{{3.5, 4}}})
	var low, high, sum float64
	for _, b := range exactOf(t, m, far) {
		raw := m.raw(b)
		mean := raw.B[0]/raw.Weight + raw.CentreB[0]
		low, high, sum = math.Min(low, mean-3.5), math.Max(high, mean-4), sum+mean
	}
	if low < -1e-5 || high > 1e-5 || sum/6 < 3.55 || sum/6 > 3.95 {
		t.Errorf("means of blocks reach %g below and %g above the range, and are %g in the mean", low, high, sum/6)
	}
}

// TestOneRowChangesSums by no more than the noise hides: for any two rows, also ones that no map may give, the distance between the sums, each group divided by the standard deviation of its noise, is at most 1/s,
// and some rows are that far apart.
func TestOneRowChangesSums(t *testing.T) {
	s, err := privacy.Multiplier(1, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	distance := func(table int, l, r lattice, rows [2][2][]float64, counts [2]bool) float64 {
		n := groupNoise(table, s)
		var z [2][]float64
		for i := range rows {
			z[i] = make([]float64, 1+l.width+r.width)
			if !counts[i] {
				continue
			}
			z[i][0] = 1 << latticeBits
			l.roundTo(z[i][1:1+l.width], rows[i][0])
			r.roundTo(z[i][1+l.width:], rows[i][1])
		}
		total := 0.
		for i := range z[0] {
			for j := i; j < len(z[0]); j++ {
				deviation := map[[2]int]float64{{0, 0}: n.Weight, {0, 1}: n.A, {0, 2}: n.B, {1, 1}: n.AA, {1, 2}: n.AB, {2, 2}: n.BB}[[2]int{side(i, l.width), side(j, l.width)}]
				if i != j && side(i, l.width) == side(j, l.width) {
					deviation /= math.Sqrt2
				}
				d := (z[0][i]*z[0][j] - z[1][i]*z[1][j]) / (1 << (2 * latticeBits))
				total += d / deviation * (d / deviation)
			}
		}
		return math.Sqrt(total) * s
	}
	rapid.Check(t, func(t *rapid.T) {
		table := rapid.IntRange(0, 1).Draw(t, "table")
		l := newLattice(rapid.IntRange(1, 4).Draw(t, "p"), rapid.SampledFrom([]float64{1, math.Sqrt2}).Draw(t, "bound"))
		r := newLattice(rapid.IntRange(1, 3).Draw(t, "q"), 1)
		value := rapid.OneOf(rapid.Float64Range(-1.5, 1.5), rapid.SampledFrom([]float64{0, 1, -1, 1e300, math.NaN(), math.Inf(1)}))
		var rows [2][2][]float64
		for i := range rows {
			rows[i] = [2][]float64{rapid.SliceOfN(value, l.width, l.width).Draw(t, "a"), rapid.SliceOfN(value, r.width, r.width).Draw(t, "b")}
		}
		counts := [2]bool{rapid.Bool().Draw(t, "first counts"), rapid.Bool().Draw(t, "second counts")}
		if d := distance(table, l, r, rows, counts); !(d <= 1+1e-12) {
			t.Fatalf("the distance is %g of the sensitivity", d)
		}
	})
	l, r := newLattice(2, 1), newLattice(1, 1)
	b, other := []float64{1}, []float64{1}
	cos := -3. / 4 // k² + a'ã + v² b b̃ = 0
	if d := distance(TableUY, l, r, [2][2][]float64{{{1, 0}, b}, {{cos, math.Sqrt(1 - cos*cos)}, other}}, [2]bool{true, true}); d < .9999 {
		t.Errorf("the farthest rows of U and Y are %g of the sensitivity apart", d)
	}
	cos = -1. / 8
	if d := distance(TableXU, l, newLattice(2, 1), [2][2][]float64{{{1, 0}, {1, 0}}, {{cos, math.Sqrt(1 - cos*cos)}, {cos, math.Sqrt(1 - cos*cos)}}}, [2]bool{true, true}); d < .9999 {
		t.Errorf("the farthest rows of X and U are %g of the sensitivity apart", d)
	}
	if d := distance(TableUY, l, r, [2][2][]float64{{{1, 0}, b}, {{1, 0}, b}}, [2]bool{true, false}); d < .98 {
		t.Errorf("a row without Y is %g of the sensitivity from one with it", d)
	}
}

// TestNeighboursDifferInOneBlock, whose number of rows is the same.
func TestNeighboursDifferInOneBlock(t *testing.T) {
	xu, uy := privateTables(t, 120)
	m := mechanismOf(t, privatePlan(t, xu, uy), TableUY, wide)
	before, after := exactOf(t, m, uy), exactOf(t, m, replaced(t, uy, 17))
	differ := 0
	for i := range before {
		if !slices.Equal(before[i].upper, after[i].upper) {
			differ++
		}
		if before[i].rows != after[i].rows {
			t.Error("the numbers of rows differ")
		}
	}
	if differ != 1 {
		t.Errorf("%d blocks differ, want 1", differ)
	}
}

// side is the group of a column of z: 0 for the constant, 1 for a, 2 for b.
func side(i, width int) int {
	switch {
	case i == 0:
		return 0
	case i <= width:
		return 1
	}
	return 2
}

// replaced is a table of u and y with another row in one place.
func replaced(t testing.TB, src tables.Source, row int) tables.Source {
	var u, y []float64
	for b, err := range src.Batches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		sel, err := tables.Select(src.Columns(), src.Columns())
		if err != nil {
			t.Fatal(err)
		}
		column := make([]float64, b.Rows)
		sel.NumericTo(column, b, 0)
		u = append(u, column...)
		sel.NumericTo(column, b, 1)
		y = append(y, column...)
	}
	u[row], y[row] = 5, 1e9
	return fixture.Columns(t, tables.Numbers("u", u), tables.Numbers("y", y))
}

// TestLattice: a vector within the bound is rounded to the nearest integers, and a longer one is shortened in its direction.
func TestLattice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 40).Draw(t, "v")
		bound := 0.
		for _, x := range v {
			bound += x * x
		}
		bound = math.Sqrt(bound) * (1 + 1e-15)
		if bound < 1e-3 {
			return
		}
		l := newLattice(len(v), bound)
		got := make([]float64, len(v))
		check := func(size, off float64) {
			l.roundTo(got, v)
			for j, x := range v {
				want := x / size * (1 << latticeBits)
				if got[j] != math.Trunc(got[j]) || math.Abs(got[j]-want) > off {
					t.Fatalf("%g of bound %g is %g, want %g ± %g", x, bound, got[j], want, off)
				}
			}
		}
		check(l.radius, .5)
		l.radius = bound / 3
		check(bound, 2) // rounded, shortened and cut off
	})
}
