package check

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/tables"
)

// drawColumns are p columns of U of n and m rows; of S_Y each row is changed by change.
func drawColumns(p, n, m int, rnd *rand.Rand, change func(row []float64)) []*uColumn {
	columns := make([]*uColumn, p)
	for j := range columns {
		columns[j] = &uColumn{name: fmt.Sprint("u", j), kind: tables.Numeric}
	}
	row := make([]float64, p)
	for t, rows := range [2]int{n, m} {
		for range rows {
			for j := range row {
				row[j] = rnd.NormFloat64()
			}
			if t == 1 && change != nil {
				change(row)
			}
			for j, v := range row {
				columns[j].numbers[t] = append(columns[j].numbers[t], v)
			}
		}
	}
	return columns
}

// TestJointFindsDependence: what two to four columns have to do with each other is found with equal margins.
func TestJointFindsDependence(t *testing.T) {
	sign := func(v float64) float64 { return math.Copysign(1, v) }
	for name, c := range map[string]struct {
		columns, rows int
		change        func(u []float64)
		first         []string // of which the first column must be one
	}{
		"correlated":     {5, 300, func(u []float64) { u[1] = .5*u[0] + math.Sqrt(.75)*u[1] }, []string{"u0", "u1"}},
		"equal in size":  {5, 300, func(u []float64) { u[3] = math.Copysign(u[2], u[3]) }, []string{"u2", "u3"}},
		"hub":            {5, 300, func(u []float64) { u[0] = (u[1] + u[2] + u[3] + u[4]) / 2 }, []string{"u0"}},
		"sign of others": {5, 1000, func(u []float64) { u[2] = math.Abs(u[2]) * sign(u[0]) * sign(u[1]) }, []string{"u0", "u1", "u2"}},
		"sign of three":  {4, 2000, func(u []float64) { u[3] = math.Abs(u[3]) * sign(u[0]) * sign(u[1]) * sign(u[2]) }, nil}, // by all together alone
	} {
		columns := drawColumns(c.columns, c.rows, c.rows, rand.New(rand.NewPCG(1, 3)), c.change)
		test, err := testJoint(context.Background(), columns, false, draw.Rand(1, "test", 0))
		if err != nil || test.PValue > alarm || c.first != nil && !slices.Contains(c.first, test.Columns[0]) {
			t.Errorf("%s: %+v, %v", name, test, err)
		}
	}
}

// TestJointIsExact: with equal distributions p is at most .1 in a tenth of all draws; of 100 that is more than 22 with a probability
// below 1e-4.
func TestJointIsExact(t *testing.T) {
	low := 0
	for seed := range uint64(100) {
		columns := drawColumns(3, 30, 50, rand.New(rand.NewPCG(seed, 5)), nil)
		for i, v := range columns[0].numbers[0] { // a level and a value that is missing at times
			columns[1].numbers[0][i] = math.Round(v)
			if i%9 == 0 {
				columns[2].numbers[0][i] = math.NaN()
			}
		}
		for i, v := range columns[0].numbers[1] {
			columns[1].numbers[1][i] = math.Round(v)
			if i%9 == 0 {
				columns[2].numbers[1][i] = math.NaN()
			}
		}
		test, err := testJoint(context.Background(), columns, true, draw.Rand(seed, "test", 0))
		if err != nil {
			t.Fatal(err)
		}
		if test.PValue <= .1 {
			low++
		}
	}
	if low > 22 {
		t.Errorf("p is at most .1 in %d of 100 draws", low)
	}
}

// TestPValues: the tables as they are count as one deal, and deals that are as far apart count.
func TestPValues(t *testing.T) {
	c := &comparison{maxima: []float64{3, 1, 2, 5}}
	for score, want := range map[float64]float64{6: .2, 5: .4, 4: .4, 2.5: .6, 0: 1} {
		if p := c.pValue(score); p != want {
			t.Errorf("p of %g is %g, want %g", score, p, want)
		}
	}
}

// TestScoresAreThoseOfMeans: statistics and their scale agree with sums in plain loops over all deals of a few rows.
func TestScoresAreThoseOfMeans(t *testing.T) {
	const nx, ny = 3, 4
	rows := mat.NewDense(nx+ny, 2, []float64{1, 0, 2, 5, -1, 3, 0, 0, 4, 1, 2, 2, -3, 7})
	sum, deals, squared := 0., 0., 0.
	first := math.NaN()
	for set := range 1 << (nx + ny) {
		if bits.OnesCount(uint(set)) != nx {
			continue
		}
		gap := [2]float64{}
		for i := range nx + ny {
			for j := range gap {
				if set>>i&1 == 1 {
					gap[j] += rows.At(i, j) / nx
				} else {
					gap[j] -= rows.At(i, j) / ny
				}
			}
		}
		statistic := gap[0]*gap[0] + gap[1]*gap[1]
		sum += statistic
		squared += statistic * statistic
		deals++
		if set == 1<<nx-1 {
			first = statistic
		}
	}
	s := scalesOf(rows, []group{{nil, 2}}, nx, ny)[0]
	if mean := sum / deals; math.Abs(s.mean-mean) > 1e-12*mean { // exact for any rows
		t.Errorf("mean %g, want %g", s.mean, mean)
	}
	c, err := compareMeans(context.Background(), nx, ny, []block{{[]group{{nil, 2}}, func() *mat.Dense { return rows }}}, draw.Rand(1, "test", 0))
	if err != nil || math.Abs(c.scores[0]-s.score(first)) > 1e-9 {
		t.Errorf("score %v, want %g; %v", c, s.score(first), err)
	}
}

// TestCompareU: columns that are asked for, and every way of refusing.
func TestCompareU(t *testing.T) {
	const n = 200
	rnd := rand.New(rand.NewPCG(1, 2))
	normal := func(int) float64 { return rnd.NormFloat64() }
	words := func(of string) func(int) string {
		return func(int) string {
			return strings.Fields(of)[rnd.IntN(4)] + " " + strings.Fields(of)[rnd.IntN(4)] + fmt.Sprint(" ", rnd.IntN(100000))
		}
	}
	xu := table(t, numbers("x", n, normal), numbers("u", n, normal), numbers("v", n, normal), text("w", n, words("a b c d")), text("k", n, words("a b c d")))
	uy := table(t, numbers("u", n, normal), numbers("v", n, func(i int) float64 { return 1 + normal(i) }), text("w", n, words("a b e f")), numbers("k", n, normal), numbers("y", n, normal))
	for _, c := range []struct {
		u       []string
		differs bool
		first   string
	}{{[]string{"u"}, false, "u"}, {[]string{"v", "u"}, true, "v"}, {[]string{"u", "w"}, true, "w"}} {
		test, err := CompareU(context.Background(), xu, uy, c.u, 1)
		if err != nil || (test.PValue <= .01) != c.differs || test.RowsXU != n || test.RowsUY != n || len(test.Columns) != len(c.u) || c.differs && test.Columns[0] != c.first {
			t.Errorf("%q: %+v, %v", c.u, test, err)
		}
	}
	if _, err := CompareU(context.Background(), xu, uy, []string{"x"}, 1); err == nil || !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("a column of one table: %v", err)
	}
	if _, err := CompareU(context.Background(), xu, uy, []string{"k"}, 1); err == nil || !strings.Contains(err.Error(), "text") {
		t.Errorf("a column of two kinds: %v", err)
	}
	short := table(t, numbers("u", 5, normal), numbers("y", 5, normal))
	if test, err := CompareU(context.Background(), xu, short, []string{"u"}, 1); test != nil || err != nil {
		t.Errorf("five rows: %v, %v", test, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := CompareU(ctx, xu, uy, []string{"u"}, 1); err == nil {
		t.Error("a cancelled test ends well")
	}
}

// TestManyColumns: so many columns that only some pairs can be compared.
func TestManyColumns(t *testing.T) {
	columns := drawColumns(300, 120, 120, rand.New(rand.NewPCG(1, 8)), func(u []float64) { u[7] += 2 })
	if pairs := somePairs(columns, draw.Rand(1, "test", 0)); len(pairs) != allFeatures {
		t.Errorf("%d pairs", len(pairs))
	}
	test, err := testJoint(context.Background(), columns, true, draw.Rand(1, "test", 0))
	if err != nil || test.PValue > alarm || test.Columns[0] != "u7" {
		t.Errorf("p = %g, %q, %v", test.PValue, test.Columns[:3], err)
	}
}

func BenchmarkJoint(b *testing.B) {
	for _, p := range []int{10, 20, 100} {
		for name, change := range map[string]func([]float64){"equal": nil, "unequal": func(u []float64) { u[1] = u[0] }} {
			columns := drawColumns(p, 2000, 2000, rand.New(rand.NewPCG(1, 2)), change)
			b.Run(fmt.Sprint(p, name), func(b *testing.B) {
				for range b.N {
					t, _ := testJoint(context.Background(), columns, true, draw.Rand(1, "test", 0))
					if i := b.N; i == 1 {
						b.Log(t.PValue, t.Permutations, t.Columns[:3])
					}
				}
			})
		}
	}
}
