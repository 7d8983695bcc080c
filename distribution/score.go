package distribution

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/internal/weighted"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// A Score is the error of a CDF on coupled rows.
type Score struct {
	Rows int `json:"rows"`
	// CRPS is the mean continuous ranked probability score, by the same rule as the estimate without coupled rows; Constant is that of the distribution of Y in these rows, whatever X.
	CRPS     float64 `json:"crps"`
	SE       float64 `json:"crps_se"` // 0 of a single row
	Constant float64 `json:"constant_crps"`
	// Levels are shares of Y in intervals: of some nominal levels, and of one that was tuned.
	Levels []LevelScore `json:"levels"`
	// Pinball are the pinball losses of some quantiles.
	Pinball []PinballScore `json:"pinball"`
}

// A LevelScore is the share of Y in intervals of a nominal level. Tuned is the level that the nominal one was tuned to, 0 for one that was not.
type LevelScore struct {
	Nominal  float64 `json:"nominal"`
	Tuned    float64 `json:"tuned,omitempty"`
	Coverage float64 `json:"coverage"`
	SE       float64 `json:"se"`
}

// A PinballScore is the mean of max(p (Y - q), (1-p) (q - Y)) for the quantile q at p.
type PinballScore struct {
	Level float64 `json:"level"`
	Loss  float64 `json:"loss"`
}

// scoredLevels and scoredQuantiles are those of a Score.
var (
	scoredLevels    = []float64{.5, .8, .9, .95}
	scoredQuantiles = []float64{.05, .25, .5, .75, .95}
)

// Evaluate compares a CDF of the model m with Y on a table of coupled (X, Y) rows, those without Y left out. It is an error if no row has Y. Weights of a table from tables.Weigh count.
func Evaluate(ctx context.Context, m *rr.Model, d *CDF, xy tables.Source) (*Score, error) {
	y, err := m.Y.Below(d.outputs())
	if err != nil {
		return nil, err
	}
	t := newScoring(d)
	side := rr.Predicted(m.X, len(d.Thresholds), d)
	_, err = problem.Walk(ctx, tables.NewGuard("coupled rows", xy), side, encode.Beside{y, m.Y}, problem.PassOptions{}, func(_ int, cdfs, ys *mat.Dense, w moments.Weights) {
		n, _ := cdfs.Dims()
		for i := range n {
			of := ys.RawRowView(i)
			t.add(cdfs.RawRowView(i), of[:len(of)-1], of[len(of)-1], w, i)
		}
	})
	if err != nil {
		return nil, err
	}
	if t.crps.Count == 0 {
		return nil, fmt.Errorf("distribution: coupled rows: no row has Y")
	}
	return t.score(), nil
}

// A scoring sums what a Score has.
type scoring struct {
	d              *CDF
	levels         []LevelScore
	crps           *weighted.Means
	in             []*weighted.Means // by level
	pinball, below *weighted.Averages
	losses         []float64
}

func newScoring(d *CDF) *scoring {
	t := &scoring{d: d, crps: weighted.New(1), pinball: weighted.NewAverages(len(scoredQuantiles)), below: weighted.NewAverages(len(d.Thresholds)), losses: make([]float64, len(scoredQuantiles))}
	for _, l := range scoredLevels {
		t.levels = append(t.levels, LevelScore{Nominal: l})
	}
	if a := d.Assessment; a != nil {
		t.levels = append(t.levels, LevelScore{Nominal: a.Nominal, Tuned: a.Level})
	}
	for range t.levels {
		t.in = append(t.in, weighted.New(1))
	}
	return t
}

// add adds row i of a block that w is of, with its distribution function, the outputs of the thresholds, and Y.
func (t *scoring) add(cdf, below []float64, y float64, w moments.Weights, i int) {
	sum := 0.
	for j, p := range cdf {
		gap := t.d.scale[j]*p - below[j]
		sum += float64(gap * gap)
	}
	t.crps.Add(w, i, sum)
	t.below.Add(w.Of(i), below)
	for at, l := range t.levels {
		lo, hi := t.d.Interval(cdf, l.Nominal)
		t.in[at].Add(w, i, indicator(lo <= y && y <= hi))
	}
	for at, p := range scoredQuantiles {
		gap := y - t.d.Quantile(cdf, p)
		t.losses[at] = max(p*gap, (p-1)*gap)
	}
	t.pinball.Add(w.Of(i), t.losses)
}

func indicator(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

func (t *scoring) score() *Score {
	s := &Score{Rows: int(math.Round(t.crps.Count)), CRPS: t.crps.Mean[0], SE: finite(math.Sqrt(t.crps.Variance(1))), Levels: t.levels}
	for j, mean := range t.below.Mean {
		s.Constant += mean * (t.d.scale[j] - mean) // of scale · 1{Y <= t}
	}
	for i, in := range t.in {
		s.Levels[i].Coverage, s.Levels[i].SE = in.Mean[0], finite(math.Sqrt(in.Variance(1)))
	}
	for i, p := range scoredQuantiles {
		s.Pinball = append(s.Pinball, PinballScore{p, t.pinball.Mean[i]})
	}
	return s
}

// finite is v, or 0 for NaN.
func finite(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}
