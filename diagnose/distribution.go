package diagnose

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/check"
	"mediant/encode"
	"mediant/features"
	fast "mediant/internal/blas"
	"mediant/internal/draw"
	"mediant/internal/permutation"
	"mediant/moments"
	"mediant/problem"
	"mediant/tables"
)

// A DistributionTest, made by Diagnose, is a permutation test of the hypothesis that U has the same distribution in both
// tables: check.CompareU, or, for sparse rows, the squared distance of the mean features, |mean_SX psi - mean_SY psi|² (the
// maximum mean discrepancy of psi's kernel: Gretton, Borgwardt, Rasch, Schölkopf and Smola, JMLR 13, 2012). Under the
// hypothesis, and with independent rows, P(PValue <= a) <= a for every a. That of DiagnoseSums has no permutations: its p-value is that of a
// weighted sum of squares of normal variables, which holds for large tables.
type DistributionTest struct {
	Statistic    float64 `json:"statistic"`
	PValue       float64 `json:"p_value"`
	Permutations int     `json:"permutations"` // 0: of sums
	RowsXU       int     `json:"rows_xu"`      // looked at
	RowsUY       int     `json:"rows_uy"`
	Text         string  `json:"text"`

	apart bool // most rows of S_X have no overlap
}

const (
	// comparedRows is the number of rows of each table that are compared: a difference that matters to a fit is visible in
	// so many.
	comparedRows = 2000
	permutations = permutation.Deals
	// doubt is the p-value at which a sentence says that something differs.
	doubt = .01
)

// permutationTest compares rows of features.
func permutationTest(x, y *mat.Dense, rnd *rand.Rand) *DistributionTest {
	nx, q := x.Dims()
	ny, _ := y.Dims()
	var rows mat.Dense
	rows.Stack(x, y)
	centreColumns(&rows)
	picks := permutation.Picks(permutations+1, nx, ny, true, rnd)
	var gaps mat.Dense
	fast.MulTo(&gaps, blas.NoTrans, picks, blas.NoTrans, &rows)
	statistics := make([]float64, permutations+1)
	for b := range statistics {
		row := gaps.RawRowView(b)[:q]
		statistics[b] = floats.Dot(row, row)
	}
	t := &DistributionTest{Statistic: statistics[0], PValue: pValue(statistics), Permutations: permutations, RowsXU: nx, RowsUY: ny}
	t.say(nil)
	return t
}

// shiftAdvice names weights by shift and not form 2, whose intervals cover less often (docs/theory.md, section 15).
const shiftAdvice = "A fit with shift weights learns Y from U where it will be asked, and form 1 of the risk and the brackets are then of that distribution."

// say sets Text. Weights by shift are right only where S_Y has the U that they are to be about.
func (t *DistributionTest) say(o *problem.NoOverlap) {
	switch {
	case t.Permutations == 0 && t.Differs():
		t.Text = fmt.Sprintf("The mean features of U differ between the sums of both tables (p = %.2g), so that U has another distribution in each: risk and brackets may be off. What allows for that needs the rows of both tables.", t.PValue)
	case t.Permutations == 0:
		t.Text = fmt.Sprintf("No clear sign that the distribution of U differs between the tables (mean features from sums: p = %.2g; a sign is p of %g or less).", t.PValue, doubt)
	case t.Differs() && o.IsMajority():
		t.Text = fmt.Sprintf("The distribution of U differs between the tables (permutation p = %.2g), and most rows of X and U have a U that the other table lacks: neither form of the risk allows for that.", t.PValue)
	case t.Differs() && o != nil:
		t.Text = fmt.Sprintf("The distribution of U differs between the tables also among rows whose U both have (permutation p = %.2g): risk and brackets may be off. "+shiftAdvice, t.PValue)
	case t.Differs():
		t.Text = fmt.Sprintf("The distribution of U differs between the tables (permutation p = %.2g): risk and brackets may be off. "+shiftAdvice, t.PValue)
	default:
		t.Text = fmt.Sprintf("No clear sign that the distribution of U differs between the tables (permutation p = %.2g; a sign is p of %g or less).", t.PValue, doubt)
	}
}

// Recommends reports whether to fit with shift weights: the distributions differ, most rows of S_X have overlap with
// S_Y, and there are rows to be weighted.
func (t *DistributionTest) Recommends() bool { return t.Differs() && !t.apart && t.Permutations > 0 }

// Differs reports whether the hypothesis is rejected, at p <= 0.01.
func (t *DistributionTest) Differs() bool { return t.PValue <= doubt }

// centreColumns takes the mean from each column, which keeps digits.
func centreColumns(rows *mat.Dense) {
	n, c := rows.Dims()
	mean := make([]float64, c)
	for i := range n {
		floats.AddScaled(mean, 1/float64(n), rows.RawRowView(i))
	}
	for i := range n {
		floats.Sub(rows.RawRowView(i), mean)
	}
}

// pValue is the share of all statistics, the first being that of the data, that are at least the first.
func pValue(statistics []float64) float64 {
	return float64(permutation.AtLeast(statistics, statistics[0])) / float64(len(statistics))
}

// thinned draws rows with probabilities in the ratios of their sampling weights, each once at most, so that they are independent rows
// of the distribution that the weights are for, as a permutation test needs; copies of a row would not be. They are at most the given
// number and at least one, ascending.
func thinned(weights []float64, most int, rnd *rand.Rand) []int {
	largest := floats.Max(weights)
	var rows []int
	for i, w := range weights {
		if rnd.Float64()*largest < w {
			rows = append(rows, i)
		}
	}
	rnd.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	rows = rows[:min(len(rows), most)]
	slices.Sort(rows)
	return rows
}

// compareU reads U of both tables for rows in both, and for the test of its distribution.
func compareU(ctx context.Context, p *problem.Encoded, psi features.Map, d *Diagnosis) error {
	counts := newKeyCounts(sharedKeys)
	var rows encode.Side = p.U()
	if p.U().Sparse() {
		rows = features.Mapped{Encoder: p.U(), Map: psi} // equal rows have equal features, and those of other rows are others but by chance
	}
	var sampling [2][]float64 // weights
	for t, src := range p.Sources() {
		_, err := problem.Walk(ctx, src, rows, rows, problem.PassOptions{}, func(_ int, u, _ *mat.Dense, w moments.Weights) {
			n, _ := u.Dims()
			for i := range n {
				counts.add(t, u.RawRowView(i), int(w.FrequencyOf(i)))
			}
			if w.Frequency == nil {
				sampling[t] = append(sampling[t], w.Factor...)
			}
		})
		if err != nil {
			return err
		}
	}
	var err error
	if d.DistributionOfU, err = testU(ctx, p, psi, sampling); err != nil {
		return err
	}
	d.DistributionOfU.apart = p.NoOverlap().IsMajority()
	d.DistributionOfU.say(p.NoOverlap())
	d.SharedRows = shared(counts, draw.Rand(p.Setup().Seed, "shared rows", 0))
	return nil
}

// testU is check.CompareU, which is consistent whatever the features of the model are, or, where that compares nothing since U is
// sparse rows or tables are very small, the test of the features.
func testU(ctx context.Context, p *problem.Encoded, psi features.Map, sampling [2][]float64) (*DistributionTest, error) {
	t, err := check.CompareU(ctx, p.Sources()[problem.TableXU], p.Sources()[problem.TableUY], p.Roles().U, p.Setup().Seed)
	if err != nil {
		return nil, err
	}
	if t != nil && !tables.HasVectors(p.U().Columns()) {
		return &DistributionTest{Statistic: t.Statistic, PValue: t.PValue, Permutations: t.Permutations, RowsXU: t.RowsXU, RowsUY: t.RowsUY}, nil
	}
	var samples [2]mat.Dense
	for t, src := range p.Sources() {
		purpose := []string{"law xu", "law uy"}[t]
		var u mat.Matrix
		if sampling[t] != nil {
			u, err = p.U().EncodeRows(ctx, src, thinned(sampling[t], comparedRows, draw.Rand(p.Setup().Seed, purpose, 1)))
		} else {
			u, err = encode.Sample(ctx, p.U(), []int{p.Counts()[t]}, comparedRows, p.Setup().Seed, purpose, src)
		}
		if err != nil {
			return nil, err
		}
		psi.MapTo(&samples[t], u)
	}
	return permutationTest(&samples[problem.TableXU], &samples[problem.TableUY], draw.Rand(p.Setup().Seed, "law", 2)), nil
}
