package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"mediant/features"
	"mediant/internal/bounds"
	"mediant/internal/draw"
	"mediant/internal/parallel"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// An OverlapStudy counts how often the risk covers where some rows of S_X have a U that S_Y has nothing like. The distribution is Synthetic with D = 2, and
// a column of three levels beside U, one of which adds 1/2 to Y. U of a row without overlap is spoilt, and its Y is 1 more than that of others.
type OverlapStudy struct {
	// Kind says how U is spoilt: "numbers" adds 6 to the first, "levels" makes the level one that S_Y lacks, "missing" leaves out the first number.
	Kind string
	// Share of the rows of S_X that are spoilt, on average.
	Share float64
	// ByX spoils a row with a probability in proportion to 1 + X_1, so that U of the others has another distribution than that of S_Y.
	ByX bool
	// Rows of each of the two tables, coupled rows for each of the truths, and repetitions.
	Rows, TestRows, Repetitions int
	Noise                       float64 // the variance of that of Y
	Seed                        uint64
	Form                        risk.Form
}

// OverlapResult is the outcome of an OverlapStudy. Truths are those of the models of the folds.
type OverlapResult struct {
	OverlapStudy
	// Refused is the share of repetitions without a risk; all else is of the others.
	Refused float64 `json:"refused"`
	// Found is the mean share of the rows of S_X that were found without overlap, and Wrong that of the others among these.
	Found     float64 `json:"found"`
	Wrong     float64 `json:"wrong"`
	MeanTruth float64 `json:"mean_truth"` // of rows with overlap
	MeanMSE   float64 `json:"mean_mse"`
	SD        float64 `json:"sd"` // of estimate - truth
	MeanSE    float64 `json:"mean_se"`
	Covered   float64 `json:"covered"` // shares of repetitions whose interval contains that truth
	// Shares whose bounds contain the MSE over all rows: those of Overlap.All, of the bracket and of the tighter one, with sampling error.
	MeanAll float64 `json:"mean_all"`
	All     float64 `json:"all"`
	Bracket float64 `json:"bracket"`
	Tight   float64 `json:"tight"`
}

// Validate returns an error that names the first field out of range.
func (s OverlapStudy) Validate() error {
	if !(s.Share >= 0 && s.Share < 1) {
		return fmt.Errorf("experiments: OverlapStudy.Share is %g, must be at least 0 and below 1", s.Share)
	}
	return bounds.First(
		bounds.Enum("experiments: OverlapStudy.Kind", s.Kind, "numbers, levels or missing", "numbers", "levels", "missing"),
		bounds.Penalty("experiments: OverlapStudy.Noise", s.Noise),
		atLeast("OverlapStudy.Rows", s.Rows, 1), atLeast("OverlapStudy.TestRows", s.TestRows, 1), atLeast("OverlapStudy.Repetitions", s.Repetitions, 1),
		bounds.Enum("experiments: OverlapStudy.Form", int(s.Form), "0, 1 or 2", 0, 1, 2),
	)
}

const overlapDims = 2

// overlapRows are rows of such a table.
type overlapRows struct {
	x, u   [][]float64
	level  []string
	y      []float64
	spoilt []bool
}

// rows draws n of them; want says which spoilt ones are kept, "all", "spoilt" or "others".
func (s OverlapStudy) rows(n int, seed uint64, name string, share float64, want string) overlapRows {
	rnd := draw.Rand(seed, "experiments/overlap/"+s.Kind+"/"+name, 0)
	r := overlapRows{x: make([][]float64, overlapDims), u: make([][]float64, overlapDims)}
	for len(r.y) < n {
		var x, u [overlapDims]float64
		y := math.Sqrt(s.Noise) * rnd.NormFloat64()
		for j := range x {
			x[j] = 2*rnd.Float64() - 1
			u[j] = x[j]*x[j]*x[j] + rnd.Float64() - .5
			y += u[j] * u[j]
		}
		level := []string{"a", "b", "c"}[rnd.IntN(3)]
		if level == "c" {
			y += .5
		}
		own := share
		if s.ByX {
			own *= 1 + x[0]
		}
		spoilt := rnd.Float64() < own
		if want != "all" && spoilt != (want == "spoilt") {
			continue
		}
		if spoilt {
			y++
			switch s.Kind {
			case "numbers":
				u[0] += 6
			case "levels":
				level = "new"
			case "missing":
				u[0] = math.NaN()
			}
		}
		for j := range x {
			r.x[j], r.u[j] = append(r.x[j], x[j]), append(r.u[j], u[j])
		}
		r.level, r.y, r.spoilt = append(r.level, level), append(r.y, y), append(r.spoilt, spoilt)
	}
	return r
}

// source has the columns of the given sides.
func (r overlapRows) source(x, u, y bool) (tables.Source, error) {
	var columns []tables.ColumnData
	for j := range overlapDims {
		if x {
			columns = append(columns, tables.Numbers(columnName("x", j), r.x[j]))
		}
		if u {
			columns = append(columns, tables.Numbers(columnName("u", j), r.u[j]))
		}
	}
	if u {
		columns = append(columns, tables.Strings("level", r.level))
	}
	if y {
		columns = append(columns, tables.Numbers("y", r.y))
	}
	return tables.FromColumns(columns...)
}

// overlapRepetition is one draw.
type overlapRepetition struct {
	a           *risk.Assessment // nil: refused
	found       float64
	wrong       float64
	truth, over float64 // MSE of rows with overlap, and over all
	err         error
}

// Run runs all repetitions, as many at a time as there are processors. Results do not depend on that.
func (s OverlapStudy) Run(ctx context.Context) (*OverlapResult, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	var tests [2]tables.Source
	for i, want := range []string{"others", "spoilt"} {
		share := s.Share
		if share == 0 { // of no row, then, which counts nothing
			share = .3
		}
		var err error
		if tests[i], err = s.rows(s.TestRows, s.Seed, want, share, want).source(true, false, true); err != nil {
			return nil, err
		}
	}
	all := make([]overlapRepetition, s.Repetitions)
	parallel.Blocks(s.Repetitions, 1, func(lo, _ int) { all[lo] = s.repeat(ctx, tests, s.Seed+1+uint64(lo)) })
	for _, r := range all {
		if r.err != nil {
			return nil, r.err
		}
	}
	return s.summarise(all), nil
}

// repeat draws two tables, fits, assesses and measures.
func (s OverlapStudy) repeat(ctx context.Context, tests [2]tables.Source, seed uint64) (r overlapRepetition) {
	if r.err = ctx.Err(); r.err != nil {
		return r
	}
	drawn := s.rows(s.Rows, seed, "xu", s.Share, "all")
	xu, err := drawn.source(true, true, false)
	if err != nil {
		return overlapRepetition{err: err}
	}
	uy, err := s.rows(s.Rows, seed, "uy", 0, "all").source(false, true, true)
	if err != nil {
		return overlapRepetition{err: err}
	}
	spec := features.Spec{Kind: features.AdditiveFeatures, Size: overlapFeatures}
	p, err := problem.Prepare(ctx, problem.Setup{Phi: spec, Psi: spec, Seed: seed, Folds: problem.DefaultFolds}, xu, uy)
	if err != nil {
		return overlapRepetition{err: err}
	}
	var models []rr.Predictor
	fit := risk.Fitted(rr.Joint{})
	a, err := risk.Assess(ctx, p, func(ctx context.Context, train *problem.Problem) (rr.Predictor, error) {
		f, err := fit(ctx, train)
		models = append(models, f)
		return f, err
	}, risk.AssessOptions{Form: s.Form})
	if errors.Is(err, risk.ErrNoRisk) {
		return r
	}
	if err != nil {
		return overlapRepetition{err: err}
	}
	r.a = a
	spoilt := 0.0
	for _, is := range drawn.spoilt {
		if is {
			spoilt++
		}
	}
	if o := a.Overlap; o != nil {
		r.found = o.Share
		r.wrong = math.Abs(float64(o.Of-o.Rows)-spoilt) / float64(o.Of)
	} else {
		r.wrong = spoilt / float64(s.Rows)
	}
	var mse [2]float64
	for i, test := range tests {
		errors, err := meanSquaredErrors(ctx, p, test, models)
		if err != nil {
			return overlapRepetition{err: err}
		}
		mse[i] = floats.Sum(errors) / float64(len(errors))
	}
	r.truth, r.over = mse[0], (1-s.Share)*mse[0]+s.Share*mse[1]
	return r
}

func (s OverlapStudy) summarise(all []overlapRepetition) *OverlapResult {
	out := &OverlapResult{OverlapStudy: s}
	n := 0.0
	for _, r := range all {
		if r.a != nil {
			n++
		}
	}
	out.Refused = 1 - n/float64(len(all))
	if n == 0 {
		return out
	}
	share := func(to *float64, in bool) {
		if in {
			*to++
		}
	}
	meanGap, squares := 0.0, 0.0
	for _, r := range all {
		if r.a == nil {
			continue
		}
		said := r.a.Risk
		gap := said.MSE - r.truth
		meanGap += gap / n
		squares += gap * gap
		out.Found += r.found / n
		out.Wrong += r.wrong / n
		out.MeanTruth += r.truth / n
		out.MeanMSE += said.MSE / n
		out.MeanSE += said.SE / n
		out.MeanAll += r.over / n
		share(&out.Covered, said.Lo <= r.truth && r.truth <= said.Hi)
		bounds := risk.Bracket{Lower: said.Lo, Upper: said.Hi}
		if r.a.Overlap != nil {
			bounds = r.a.Overlap.All
		}
		share(&out.All, bounds.Lower <= r.over && r.over <= bounds.Upper)
		if r.a.Bracket != nil {
			share(&out.Bracket, r.a.Bracket.Lower <= r.over && r.over <= r.a.Bracket.Upper)
			share(&out.Tight, r.a.Tight.Lower <= r.over && r.over <= r.a.Tight.Upper)
		}
	}
	for _, count := range []*float64{&out.Covered, &out.All, &out.Bracket, &out.Tight} {
		*count /= n
	}
	out.SD = math.Sqrt(max(squares-n*meanGap*meanGap, 0) / max(n-1, 1))
	return out
}

// overlapFeatures of each side; the levels are three of the columns.
const overlapFeatures = 100

// String names the study in a table.
func (s OverlapStudy) String() string {
	text := fmt.Sprintf("%s, %g %%", s.Kind, 100*s.Share)
	if s.ByX {
		text += ", by X"
	}
	return text
}
