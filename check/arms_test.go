package check

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"mediant/tables"
	"mediant/tables/copies"
)

// trialRow is a row of a trial: what was there before the treatment, and U.
type trialRow struct {
	arm, age, u float64
	site        string
}

// aTrial has n rows whose treatment moves u by half a standard deviation, and whose u goes up with age.
func aTrial(n int, rnd *rand.Rand) []trialRow {
	rows := make([]trialRow, n)
	for i := range rows {
		r := trialRow{arm: float64(rnd.IntN(2)), age: 50 + 10*rnd.NormFloat64(), site: string("ABCD"[rnd.IntN(4)])}
		r.u = 100 + (r.age-50)/2 + 5*r.arm + 6*rnd.NormFloat64()
		r.age, r.u = math.Round(100*r.age)/100, math.Round(10*r.u)/10
		rows[i] = r
	}
	return rows
}

// armFindings are those of arms, with the severity and the columns.
func armFindings(t *testing.T, rows []trialRow, rnd *rand.Rand, opt Options) []string {
	t.Helper()
	n := len(rows)
	xu := table(t, numbers("arm", n, func(i int) float64 { return rows[i].arm }), numbers("age", n, func(i int) float64 { return rows[i].age }),
		text("site", n, func(i int) string { return rows[i].site }), numbers("dose", n, func(i int) float64 { return rows[i].arm * float64(1+i%3) }),
		numbers("u", n, func(i int) float64 { return rows[i].u }))
	other := aTrial(400, rnd)
	uy := table(t, numbers("u", 400, func(i int) float64 { return other[i].u }), numbers("y", 400, func(i int) float64 { return other[i].u + rnd.NormFloat64() }))
	opt.Treatment = "arm"
	report, err := Tables(context.Background(), xu, uy, opt)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range report.Findings {
		if f.Code == ArmsDiffer || f.Table == XU && (f.Code == PrecisionDiffers || f.Code == UnitDiffers) {
			got = append(got, fmt.Sprintf("%s %s %s", f.Severity, f.Code, f.column()))
			if f.Code == ArmsDiffer && f.column() != "arm" && !strings.Contains(f.Remedy, "--accept arms-differ:") {
				t.Errorf("no flag in %q", f)
			}
		}
	}
	return got
}

// TestCopiesByArm: copies of which one arm has more are doubted unless a rule for copies is set; as many in both arms are a note, whatever the rule.
func TestCopiesByArm(t *testing.T) {
	for _, c := range []struct {
		name string
		of   func(trialRow) bool
		rule copies.Rule
		want Severity
	}{
		{"an arm", func(r trialRow) bool { return r.arm == 1 }, copies.Unset, Warning},
		{"part of an arm", func(r trialRow) bool { return r.arm == 0 && r.u < 98 }, copies.Unset, Warning},
		{"part of both", func(r trialRow) bool { return r.u < 100 }, copies.Unset, Note},
		{"one row", func(r trialRow) bool { return r.arm == 1 }, copies.One, Note},
		{"rows of their own", func(r trialRow) bool { return r.arm == 1 }, copies.Keep, Note},
	} {
		rnd := rand.New(rand.NewPCG(3, 9))
		rows := aTrial(300, rnd)
		for _, r := range rows {
			if c.of(r) {
				rows = append(rows, r)
			}
		}
		n := len(rows)
		xu := table(t, numbers("arm", n, func(i int) float64 { return rows[i].arm }), numbers("u", n, func(i int) float64 { return rows[i].u }),
			numbers("v", n, func(i int) float64 { return rows[i].age }))
		uy := table(t, numbers("u", 300, func(i int) float64 { return rows[i].u }), numbers("v", 300, func(i int) float64 { return rows[i].age }),
			numbers("y", 300, func(int) float64 { return rnd.NormFloat64() }))
		report, err := Tables(context.Background(), xu, uy, Options{Treatment: "arm", Copies: c.rule})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(report.Findings, func(f Finding) bool { return f.Code == CopiedRows })
		if i < 0 || report.Findings[i].Severity != c.want || report.Findings[i].Rows != n-300 {
			t.Errorf("%s: %v, want a %v of %d copies", c.name, report.Findings, c.want, n-300)
		}
	}
}

// standardise takes u of some rows to the mean 0 and the standard deviation 1, with three decimals.
func standardise(rows []trialRow, of func(trialRow) bool) {
	var values []float64
	for _, r := range rows {
		if of(r) {
			values = append(values, r.u)
		}
	}
	m, sd := stat.MeanStdDev(values, nil)
	for i := range rows {
		if of(rows[i]) {
			rows[i].u = math.Round(1000*(rows[i].u-m)/sd) / 1000
		}
	}
}

// TestArmsDiffer: rows that one arm lost, and units and rounding of one arm, are reported by column; clean trials are not doubted.
func TestArmsDiffer(t *testing.T) {
	without := func(lost func(trialRow) bool) func([]trialRow) []trialRow {
		return func(rows []trialRow) []trialRow { return slices.DeleteFunc(rows, lost) }
	}
	changed := func(f func(*trialRow)) func([]trialRow) []trialRow {
		return func(rows []trialRow) []trialRow {
			for i := range rows {
				f(&rows[i])
			}
			return rows
		}
	}
	for _, c := range []struct {
		name  string
		spoil func([]trialRow) []trialRow
		want  []string
	}{
		{"clean", changed(func(*trialRow) {}), nil},
		{"attrition by U", without(func(r trialRow) bool { return r.arm == 0 && r.u > 99 }), []string{"warning arms-differ age", "note arms-differ u"}},
		{"attrition by level", without(func(r trialRow) bool { return r.arm == 1 && r.site == "B" && r.age < 60 }), []string{"warning arms-differ site"}},
		{"cut off", func(rows []trialRow) []trialRow {
			slices.SortFunc(rows, func(a, b trialRow) int { return cmp.Or(cmp.Compare(a.arm, b.arm), cmp.Compare(a.u, b.u)) })
			return rows[:1200]
		}, []string{"warning arms-differ u", "warning arms-differ age"}},
		{"another unit in one arm", changed(func(r *trialRow) {
			if r.arm == 1 {
				r.u *= 38.67
			}
		}), []string{"warning unit-differs u"}},
		{"rounded in one arm", changed(func(r *trialRow) {
			if r.arm == 1 {
				r.u = 10 * math.Round(r.u/10)
			}
		}), []string{"warning precision-differs u"}},
		{"rounded a little in one arm", changed(func(r *trialRow) {
			if r.arm == 0 {
				r.u = math.Round(r.u)
			}
		}), []string{"note precision-differs u"}},
		{"standardised within the arms", func(rows []trialRow) []trialRow {
			standardise(rows, func(r trialRow) bool { return r.arm == 0 })
			standardise(rows, func(r trialRow) bool { return r.arm == 1 })
			return rows
		}, []string{"warning unit-differs u"}},
		{"standardised over both arms", func(rows []trialRow) []trialRow {
			standardise(rows, func(trialRow) bool { return true })
			return rows
		}, nil},
		{"a column that the treatment sets", changed(func(*trialRow) {}), nil},
	} {
		rnd := rand.New(rand.NewPCG(4, 18))
		got := armFindings(t, c.spoil(aTrial(1500, rnd)), rnd, Options{})
		// A warning that another one implies may be there as well.
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: %q, want %q", c.name, got, w)
			}
		}
		if c.want == nil && got != nil {
			t.Errorf("%s: %q", c.name, got)
		}
		if accepted := armFindings(t, c.spoil(aTrial(1500, rand.New(rand.NewPCG(4, 18)))), rnd, Options{Accept: []Acceptance{{Code: ArmsDiffer}, {Code: UnitDiffers}, {Code: PrecisionDiffers}}}); slices.ContainsFunc(accepted, func(f string) bool { return !strings.HasPrefix(f, "note ") }) {
			t.Errorf("%s, accepted: %q", c.name, accepted)
		}
	}
}

// TestShareOfArms: a share of treated rows that the probability of the design hardly gives is a note.
func TestShareOfArms(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 18))
	rows := aTrial(400, rnd)
	for p, want := range map[float64][]string{0: nil, .5: nil, .61: {"note arms-differ arm"}} {
		if got := armFindings(t, rows, rnd, Options{Probability: p}); !slices.Equal(got, want) {
			t.Errorf("probability %g: %q, want %q", p, got, want)
		}
	}
}

// TestCleanTrialsHaveEqualArms: of 60 clean trials at level 5e-4 none is doubted, with odds of 30 to 1, and few have a note.
func TestCleanTrialsHaveEqualArms(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 18))
	notes := 0
	for range 60 {
		for _, f := range armFindings(t, aTrial(100+rnd.IntN(300), rnd), rnd, Options{Accept: []Acceptance{{Code: JointDistribution}}}) {
			if !strings.HasPrefix(f, "note ") {
				t.Error(f)
			}
			notes++
		}
	}
	if notes > 3 {
		t.Errorf("%d notes", notes)
	}
}

// TestRankScore: the rank sum of hand-checked samples, and where it is not normal.
func TestRankScore(t *testing.T) {
	x, y := make([]float64, 10), make([]float64, 10)
	for i := range x {
		x[i], y[i] = float64(i), float64(10+i)
	}
	// All of x below all of y: W = 55, its mean 105, its variance 10*10*21/12 = 175.
	if z, ok := rankScore(x, y); !ok || math.Abs(z+50/math.Sqrt(175)) > 1e-12 {
		t.Errorf("z is %g, %v", z, ok)
	}
	if _, ok := rankScore(make([]float64, 20), append(make([]float64, 15), 1, 2, 3, 4, 5)); ok {
		t.Error("a sample of mostly one value has a normal rank sum")
	}
	for i := range y {
		y[i] = float64(i)
	}
	if z, ok := rankScore(x, y); !ok || z != 0 {
		t.Errorf("z of equal samples is %g, %v", z, ok)
	}
}

// TestGroupsAreOneRowOfATrial: what differs between the arms because rows are of few persons is not reported as if they were many.
func TestGroupsAreOneRowOfATrial(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 18))
	persons := aTrial(60, rnd)
	var rows []trialRow
	for _, p := range persons {
		for range 6 {
			visit := p
			visit.u += math.Round(20*rnd.NormFloat64()) / 10
			rows = append(rows, visit)
		}
	}
	n := len(rows)
	xu := []tables.ColumnData{numbers("arm", n, func(i int) float64 { return rows[i].arm }), numbers("age", n, func(i int) float64 { return rows[i].age }),
		text("site", n, func(i int) string { return rows[i].site }), numbers("u", n, func(i int) float64 { return rows[i].u })}
	other := aTrial(400, rnd)
	uy := table(t, numbers("u", 400, func(i int) float64 { return other[i].u }), numbers("y", 400, func(i int) float64 { return other[i].u + rnd.NormFloat64() }))
	named := append(slices.Clone(xu), numbers("patient", n, func(i int) float64 { return float64(1000 + 7*(i/6)) }))
	for want, columns := range map[string][]tables.ColumnData{"arm": xu, "patient": named} {
		got := found(t, table(t, columns...), uy, Options{Treatment: "arm"})
		if !slices.Equal(got, []string{"warning grouped-rows " + want}) {
			t.Errorf("%q, want groups by %s alone", got, want)
		}
	}
}
