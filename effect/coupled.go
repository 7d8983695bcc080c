package effect

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"mediant/encode"
	"mediant/internal/names"
	"mediant/internal/weighted"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
	"mediant/tables"
	"mediant/tables/copies"
)

// A CoupledComparison has the effects from a few rows of T, U and Y, directly and through U.
type CoupledComparison struct {
	Effects []CoupledEffect `json:"effects"` // by compared arms, and among these by output
	Rows    int             `json:"rows"`
	// Dropped are rows without Y, or without treatment.
	Dropped int `json:"dropped"`
}

// A CoupledEffect compares two estimates of the effect in the population of the coupled rows.
type CoupledEffect struct {
	Output  string `json:"y"`
	Arm     string `json:"arm,omitempty"`
	Against string `json:"against,omitempty"`
	// Direct is the difference of the arms in mean Y, and Surrogate the estimate from T and U of the same rows and S_Y.
	Direct    risk.Interval `json:"direct"`
	Surrogate risk.Interval `json:"surrogate"`
	// Difference is Direct - Surrogate, what the treatment does to Y other than through U, and P the probability of a larger one if it is 0.
	Difference risk.Interval `json:"difference"`
	P          float64       `json:"p"`
	// Proportion is Surrogate / Direct with the interval of Fieller (JRSS B 16, 1954).
	Proportion Proportion `json:"through_u"`
}

// A Proportion is the share of an effect that runs through U. Range is nil if the direct effect does not differ from 0, so that no share can be excluded.
type Proportion struct {
	Value *float64 `json:"estimate"`
	Range *Range   `json:"interval,omitempty"`
}

// Coupled compares the direct effect in a table that has the treatment, the columns of U and Y with the surrogate one of the same rows, so that neither the population nor the
// sampling of the rows is a difference. Columns of weights, covariates and propensities of the first table must be in it. Both effects are adjusted where the estimate is. xu is the first table of the estimate, whose columns say what U is. Rows without Y are left out. The error is that
// of Estimate, or names a column that the table lacks.
func (e Estimator) Coupled(ctx context.Context, coupled, xu, uy tables.Source) (*CoupledComparison, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	if e.WeighU {
		return nil, fmt.Errorf("effect: coupled rows do not stand for others, and Estimator.WeighU is set")
	}
	if e.hasReplicates() {
		return nil, fmt.Errorf("effect: coupled rows have no replicate weights, and Estimator.Roles names some")
	}
	roles, err := e.rolesOf(xu, uy)
	if err != nil {
		return nil, err
	}
	e.Roles.U, e.Roles.Y, e.Roles.Ignore = roles.U, roles.Y, nil
	coupled, uy = tables.NewGuard("coupled", coupled), tables.NewGuard("S_Y", uy)
	all := tables.ColumnNames(coupled.Columns())
	wanted := slices.Concat([]string{e.Treatment}, roles.U, roles.Y)
	if e.isAdjusted() {
		covariates, err := e.matchCovariates(xu.Columns(), roles.U)
		if err != nil {
			return nil, err
		}
		e.X = covariates
		if wanted = append(wanted, covariates...); e.propensity() == knownPropensity {
			wanted = append(wanted, e.Propensity)
		}
	}
	if w := e.Roles.WeightsXU; w != "" {
		wanted = append(wanted, w)
	}
	for _, name := range wanted {
		if names.Index(all, name) < 0 {
			return nil, fmt.Errorf("effect: coupled rows: %w", names.Missing(all, name))
		}
	}
	coupled, dropped, err := withY(ctx, coupled, roles.Y)
	if err != nil {
		return nil, err
	}
	// Copies are rows that agree in Y too, which is no column of the first table for an estimate.
	if e.Roles.WeightsXU == "" {
		if coupled, _, err = e.Copies.Distinct(ctx, coupled, wanted); err != nil {
			return nil, err
		}
	}
	if e.Roles.WeightsUY == "" { // else rows are what their weights say
		if uy, _, err = e.Copies.Distinct(ctx, uy, slices.Concat(roles.U, roles.Y)); err != nil {
			return nil, err
		}
	}
	e.Copies = copies.Keep
	coupled, _, several, err := e.inArms(ctx, coupled)
	if err != nil {
		return nil, err
	}
	run, err := e.prepare(ctx, several, coupled, uy)
	if err != nil {
		return nil, fmt.Errorf("coupled rows: %w", err)
	}
	if err := run.fit(ctx); err != nil {
		return nil, err
	}
	c, err := run.compareCoupled(ctx)
	if err != nil {
		return nil, err
	}
	c.Dropped = dropped + run.result.DroppedXU
	return c, nil
}

// withY returns the rows of a table in which all columns of Y are there, and how many others there are.
func withY(ctx context.Context, src tables.Source, y []string) (tables.Source, int, error) {
	columns := problem.SelectColumns(src.Columns(), y)
	var complete []bool
	kept := 0
	err := eachMissing(ctx, src, columns, func(_, _ int, missing []int) {
		complete = append(complete, len(missing) == 0)
		if len(missing) == 0 {
			kept++
		}
	})
	switch {
	case err != nil:
		return nil, 0, err
	case kept == len(complete):
		return src, 0, nil
	case kept == 0:
		return nil, 0, fmt.Errorf("effect: coupled rows: Y is missing in all of them")
	}
	src, err = tables.Keep(ctx, src, kept, func(row int) bool { return row < len(complete) && complete[row] })
	return src, len(complete) - kept, err
}

// compareCoupled walks the coupled rows, for the means of h and of Y by arm with their covariance.
func (run *run) compareCoupled(ctx context.Context) (*CoupledComparison, error) {
	if run.adjusted != nil {
		return run.compareAdjusted(ctx)
	}
	p, k, columns := run.p, run.p.Y().Len(), 1
	if run.several != nil {
		columns = run.arms()
	}
	arms, total := make([]*weighted.Means, run.arms()), 0.
	for arm := range arms {
		arms[arm] = weighted.New(2 * k)
	}
	values := make([]float64, 2*k)
	var h mat.Dense
	err := p.WalkXU(ctx, sideBySide{run.treatment, p.Y()}, p.SidePsi(), func(fold int, t, psi *mat.Dense, w moments.Weights) {
		run.h[fold].ApplyTo(&h, psi)
		n, _ := t.Dims()
		for i := range n {
			row := t.RawRowView(i)
			for j := range k {
				values[j], values[k+j] = h.At(i, j), row[columns+j]
			}
			arms[run.armOf(row[:columns])].Add(w, i, values...)
		}
	})
	if err != nil {
		return nil, err
	}
	out, rows := &CoupledComparison{}, make([]int, len(arms))
	for arm, of := range arms {
		rows[arm] = int(of.Count)
		out.Rows += rows[arm]
		total += of.Weight
	}
	if err := run.enough(rows); err != nil {
		return nil, err
	}
	y, err := run.corrections(ctx, run.r)
	if err != nil {
		return nil, err
	}
	for c, of := range run.contrasts {
		for j, output := range p.Y().Names() {
			s := sums{correction: y.of[c][j]}
			for _, arm := range []int{of.against, of.arm} {
				s.arms, s.scales = append(s.arms, arms[arm]), append(s.scales, of.kappa[arm]*arms[arm].Weight/total)
			}
			e := s.compare(j, k)
			e.Output = output
			if run.several != nil {
				e.Arm, e.Against = run.several.levels[of.arm], run.several.levels[of.against]
			}
			out.Effects = append(out.Effects, e)
		}
	}
	return out, nil
}

// compareAdjusted is compareCoupled for rows that are adjusted: h and Y are, in the same way.
func (run *run) compareAdjusted(ctx context.Context) (*CoupledComparison, error) {
	p, k, a := run.p, run.p.Y().Len(), run.adjusted
	v := mat.NewDense(len(a.arm), 2*k, nil)
	var h mat.Dense
	err := p.WalkXU(ctx, encode.Beside{rowNumbers, p.Y()}, p.SidePsi(), func(fold int, left, psi *mat.Dense, _ moments.Weights) {
		run.h[fold].ApplyTo(&h, psi)
		n, _ := left.Dims()
		for i := range n {
			if row := a.row(int(left.At(i, 0))); row >= 0 {
				copy(v.RawRowView(row)[:k], h.RawRowView(i))
				copy(v.RawRowView(row)[k:], left.RawRowView(i)[1:])
			}
		}
	})
	if err != nil {
		return nil, err
	}
	y, err := run.corrections(ctx, run.r)
	if err != nil {
		return nil, err
	}
	out := &CoupledComparison{}
	for i := range a.arm {
		if a.used[i] {
			out.Rows += int(a.w.FrequencyOf(i))
		}
	}
	for c, of := range run.contrasts {
		byArm, err := run.contrastedArms(ctx, run.contrasts, []int{c}, v)
		if err != nil {
			return nil, err
		}
		means, values := weighted.New(2*k), make([]float64, 2*k)
		for i := range a.arm {
			if a.used[i] {
				for j := range values {
					values[j] = byArm[of.arm].At(i, j) - byArm[of.against].At(i, j)
				}
				means.Add(a.w, i, values...)
			}
		}
		for j, output := range p.Y().Names() {
			e := sums{arms: []*weighted.Means{means}, scales: []float64{1}, correction: y.of[c][j], freedom: a.freedom(of)}.compare(j, k)
			e.Output = output
			if run.several != nil {
				e.Arm, e.Against = run.several.levels[of.arm], run.several.levels[of.against]
			}
			out.Effects = append(out.Effects, e)
		}
	}
	return out, nil
}

// sums are the means of (h, y) in two arms, or of their adjusted difference, what they are multiplied by, and the mean over S_Y of r (y - h).
type sums struct {
	arms       []*weighted.Means
	scales     []float64
	correction *weighted.Means
	freedom    float64 // bounds the degrees of freedom of the variance of the rows, 0: it does not
}

// linear is a times the surrogate effect and b times the direct one on output j of k, with its variance.
func (s sums) linear(a, b float64, j, k int) (value float64, parts []weighted.Variance) {
	for i, arm := range s.arms {
		gradient := make([]float64, 2*k)
		gradient[j], gradient[k+j] = a*s.scales[i], b*s.scales[i]
		value += gradient[j]*arm.Mean[j] + gradient[k+j]*arm.Mean[k+j]
		own := arm.MeanVariance(gradient)
		if s.freedom > 0 {
			own.Freedom = min(own.Freedom, s.freedom)
		}
		parts = append(parts, own)
	}
	if a != 0 {
		value += a * s.correction.Mean[0]
		parts = append(parts, s.correction.MeanVariance([]float64{a}))
	}
	return value, parts
}

func (s sums) compare(j, k int) (e CoupledEffect) {
	interval := func(a, b float64) (risk.Interval, float64) {
		value, parts := s.linear(a, b, j, k)
		variance, freedom := 0., weighted.SumFreedom(parts...)
		for _, p := range parts {
			variance += p.Variance
		}
		return risk.NewInterval(value, variance, freedom), freedom
	}
	e.Surrogate, _ = interval(1, 0)
	var freeDirect, free float64
	e.Direct, freeDirect = interval(0, 1)
	e.Difference, free = interval(-1, 1)
	e.P = 1
	if e.Difference.SE > 0 {
		e.P = 2 * distuv.StudentsT{Sigma: 1, Nu: free}.Survival(math.Abs(e.Difference.Value)/e.Difference.SE)
	}
	square := func(v float64) float64 { return v * v }
	covariance := (square(e.Surrogate.SE) + square(e.Direct.SE) - square(e.Difference.SE)) / 2
	e.Proportion = fieller(e.Surrogate.Value, e.Direct.Value, square(e.Surrogate.SE), square(e.Direct.SE), covariance, weighted.Student95(freeDirect))
	return e
}

// fieller is the interval of a ratio a/b of estimates with variances va and vb and a covariance: all ratios rho at which a - rho b differs from 0 by at most t
// standard errors.
func fieller(a, b, va, vb, cov, t float64) (p Proportion) {
	p.Value = finite(a / b)
	q2, q1, q0 := b*b-t*t*vb, a*b-t*t*cov, a*a-t*t*va // q2 rho² - 2 q1 rho + q0 <= 0
	if root := q1*q1 - q2*q0; q2 > 0 && root >= 0 {
		p.Range = &Range{Lo: (q1 - math.Sqrt(root)) / q2, Hi: (q1 + math.Sqrt(root)) / q2}
	}
	return p
}

// sideBySide are the columns of two sides of one table; a row is usable if both can use it.
type sideBySide [2]encode.Side

// ID implements encode.Side.
func (s sideBySide) ID() moments.ID {
	left, right := s[0].ID(), s[1].ID()
	return moments.NewID([]byte("side by side"), fmt.Appendf(nil, "%x %x", left, right))
}

// Open implements encode.Side.
func (s sideBySide) Open(src tables.Source) (encode.SideReader, error) {
	var r pairReader
	for i, side := range s {
		var err error
		if r.of[i], err = side.Open(src); err != nil {
			return nil, err
		}
	}
	return &r, nil
}

// pairReader reads two sides.
type pairReader struct {
	of   [2]encode.SideReader
	rows [2]mat.Matrix
	both mat.Dense
}

// Read implements encode.SideReader. The rows that it returns stand for those of both sides, which Finish takes from the reader.
func (r *pairReader) Read(b tables.Batch) (mat.Matrix, []int, error) {
	var usable [2][]int
	for i, of := range r.of {
		var err error
		if r.rows[i], usable[i], err = of.Read(b); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case usable[0] == nil:
		return r.rows[0], usable[1], nil
	case usable[1] == nil:
		return r.rows[0], usable[0], nil
	}
	common := slices.DeleteFunc(slices.Clone(usable[0]), func(i int) bool { _, found := slices.BinarySearch(usable[1], i); return !found })
	return r.rows[0], common, nil
}

// Finish implements encode.SideReader.
func (r *pairReader) Finish(_ mat.Matrix, keep []int) *mat.Dense {
	r.both.Reset()
	r.both.Augment(r.of[0].Finish(r.rows[0], keep), r.of[1].Finish(r.rows[1], keep))
	return &r.both
}
