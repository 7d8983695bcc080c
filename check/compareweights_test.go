package check

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mediant/tables"
)

// TestArms: what a treatment does to U is no difference between the tables, and other units still are.
func TestArms(t *testing.T) {
	const n = 600
	rnd := rand.New(rand.NewPCG(2, 9))
	normal := func(int) float64 { return rnd.NormFloat64() }
	arm := func(i int) float64 { return float64(i % 2) }
	uy := table(t, numbers("u", n, normal), numbers("y", n, normal))
	both := table(t, numbers("u", n, func(i int) float64 { return rnd.NormFloat64() + 2*float64(i%2) }), numbers("y", n, normal))
	xu := table(t, numbers("t", n, arm), numbers("u", n, func(i int) float64 { return rnd.NormFloat64() + 2*arm(i) }))
	if got := found(t, xu, both, Options{Treatment: "t"}); len(got) > 0 {
		t.Errorf("both arms in the second table: %q", got)
	}
	for name, c := range map[string]struct {
		u    func(i int) float64
		want []string
	}{
		"an effect":         {func(i int) float64 { return rnd.NormFloat64() + arm(i) }, nil},
		"no effect":         {normal, nil},
		"other population":  {func(i int) float64 { return rnd.NormFloat64() + arm(i) + 2 }, []string{"warning distribution-differs u"}},
		"other unit":        {func(i int) float64 { return 100 * (rnd.NormFloat64() + arm(i)) }, []string{"error unit-differs u"}},
		"unit of small use": {func(i int) float64 { return (rnd.NormFloat64() - arm(i)) / 1000 }, []string{"error unit-differs u"}},
	} {
		*rnd = *rand.New(rand.NewPCG(2, 10)) // whatever the order of the cases
		xu := table(t, numbers("t", n, arm), numbers("u", n, c.u))
		if got := found(t, xu, uy, Options{Treatment: "t"}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestComparesByWeights: a sample that its weights bring to the distribution of the other table is like it.
func TestComparesByWeights(t *testing.T) {
	const n = 2000
	rnd := rand.New(rand.NewPCG(2, 4))
	u := make([]float64, n)
	for i := range u {
		u[i] = rnd.NormFloat64() + .5
	}
	normal := func(int) float64 { return rnd.NormFloat64() }
	xu := table(t, numbers("x", n, normal), tables.Numbers("u", u), numbers("w", n, func(i int) float64 { return math.Exp(-.5 * u[i]) }))
	uy := table(t, numbers("u", n, normal), numbers("y", n, normal))
	if got := found(t, xu, uy, Options{Roles: tables.RoleOptions{Ignore: []string{"w"}}}); !slices.Equal(got, []string{"warning distribution-differs u"}) {
		t.Errorf("without weights: %q", got)
	}
	if got := found(t, xu, uy, Options{Roles: tables.RoleOptions{WeightsXU: "w"}}); len(got) > 0 {
		t.Errorf("with weights: %q", got)
	}
	weighed, err := tables.Weigh(context.Background(), xu, "w")
	if err != nil {
		t.Fatal(err)
	}
	test, err := CompareU(context.Background(), weighed, uy, []string{"u"}, 1)
	if err != nil || test.PValue < .01 {
		t.Errorf("weighed: %+v, %v", test, err)
	}
}

// TestCopiesAreNoRows: a file pasted five times has no more evidence than once.
func TestCopiesAreNoRows(t *testing.T) {
	const n, copies = 100, 5
	alarms := 0
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		once := make([]float64, 2*n)
		for i := range once {
			once[i] = rnd.NormFloat64()
		}
		normal := func(int) float64 { return rnd.NormFloat64() }
		xu := table(t, numbers("x", 500, normal), numbers("u", 500, normal))
		uy := table(t, numbers("u", n*copies, func(i int) float64 { return once[i%n] }), numbers("y", n*copies, func(i int) float64 { return once[n+i%n] }))
		alarms += len(found(t, xu, uy, Options{}))
	}
	if alarms > 1 { // of 20, each with a probability of .006
		t.Errorf("%d alarms", alarms)
	}
}

// TestTiesAreRows: rows that agree since their values are few, and in a column that is often 0, are no copies: without them shares
// would be others.
func TestTiesAreRows(t *testing.T) {
	const n = 3000
	rnd := rand.New(rand.NewPCG(5, 4))
	often0 := func(int) float64 { return max(0, rnd.NormFloat64()-.5) }
	few := func(int) float64 { return float64(rnd.IntN(3)) }
	xu := table(t, numbers("x", n, often0), numbers("u", n, few), numbers("v", n, few))
	uy := table(t, numbers("u", n, few), numbers("v", n, few), numbers("y", n, often0))
	if got := found(t, xu, uy, Options{}); !slices.Equal(got, []string{"note missing-marker y"}) { // which says how often y is 0
		t.Errorf("%q", got)
	}
	looks := [2]*tableLook{}
	for k, src := range []*tables.Table{xu, uy} {
		var err error
		if looks[k], err = look(context.Background(), src, 1); err != nil {
			t.Fatal(err)
		}
	}
	if s := sampleU(looks[0], looks[1], [2]string{}, rnd); len(s.rows[0]) != n || len(s.rows[1]) != n {
		t.Errorf("%d and %d rows of %d", len(s.rows[0]), len(s.rows[1]), n)
	}
}

// BenchmarkCompare compares samples as large as those of tables of any size, of 20 columns.
func BenchmarkCompare(b *testing.B) {
	const n = sampleRows
	rnd := rand.New(rand.NewPCG(2, 4))
	draws := func(names string) *tables.Table {
		var columns []tables.ColumnData
		for _, name := range strings.Fields(names) {
			columns = append(columns, numbers(name, n, func(int) float64 { return rnd.NormFloat64() }))
		}
		t, err := tables.FromColumns(columns...)
		if err != nil {
			b.Fatal(err)
		}
		return t
	}
	u := "a b c d e f g h i j k l m n o p q r s"
	xu, uy := draws("x "+u), draws(u+" y")
	b.ResetTimer()
	for range b.N {
		if _, err := Tables(context.Background(), xu, uy, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
