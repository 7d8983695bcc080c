package risk

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/weighted"
	"mediant/moments"
	"mediant/problem"
)

// noOverlapError reports that most rows have no overlap, so that there is no risk.
func noOverlapError(o *problem.NoOverlap) error {
	return fmt.Errorf("%w: %d of the %d rows of the table of X and U have no overlap with the table of U and Y (%s), which has no information about their Y", ErrNoRisk, o.Rows, o.Of, o.Columns)
}

// An OverlapRisk has the number of rows of S_X to which an Assessment refers if other rows have no overlap, and bounds the error of those other rows
// by the range of Y in S_Y.
type OverlapRisk struct {
	Rows int `json:"rows"` // to which the risk refers
	Of   int `json:"of"`
	// Share is the share of the weight that rows without overlap have.
	Share float64 `json:"share_without"`
	// Least and Most bound the mean squared error of these rows if their Y lies within the range, or is one of the classes, that S_Y has.
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
	// All bounds the MSE over all rows: by the risk, if E[Y|U,X] = E[Y|U], for the rows with overlap, and by the range of Y
	// for the others.
	All Bracket `json:"all"`
	// Accuracy bounds that over all rows, for classes.
	Accuracy *Bracket `json:"accuracy,omitempty"`

	RestHi float64 // of Assessment.Bracket over the rows to which the risk refers
}

// lossBounds are the least and the greatest squared error of the models of the folds on the rows without overlap, on average over the folds.
func lossBounds(ctx context.Context, p evidence, m foldModels) (*weighted.Means, error) {
	low, high, err := p.RangeOfY(ctx)
	if err != nil {
		return nil, err
	}
	models := len(p.foldsUY)
	if m.same {
		models = 1
	}
	classes := p.Y().Classes() != nil
	s := weighted.New(2)
	var f mat.Dense
	_, err = problem.Walk(ctx, p.NoOverlap().Source, m.side, p.Constant(), problem.PassOptions{}, func(_ int, rows, _ *mat.Dense, w moments.Weights) {
		n, _ := rows.Dims()
		least, most := make([]float64, n), make([]float64, n)
		for k := range models {
			m.predict(k, &f, rows)
			for i := range n {
				lo, hi := lossRange(f.RawRowView(i), low, high, classes)
				least[i] += lo / float64(models)
				most[i] += hi / float64(models)
			}
		}
		for i := range n {
			s.Add(w, i, least[i], most[i])
		}
	})
	if err != nil {
		return nil, fmt.Errorf("table of X and U: %w", err)
	}
	return s, nil
}

// lossRange is the range of |f - y|² for the y from low to high, or of one-hot y.
func lossRange(f, low, high []float64, classes bool) (least, most float64) {
	if classes { // |f|² - 2 f_c + 1
		square := floats.Dot(f, f) + 1
		return square - 2*floats.Max(f), square - 2*floats.Min(f)
	}
	for j, v := range f {
		if gap := max(low[j]-v, v-high[j]); gap > 0 {
			least += gap * gap
		}
		gap := max(high[j]-v, v-low[j])
		most += gap * gap
	}
	return least, most
}

// withRest extends the brackets of an assessment from the rows with overlap to all rows, and sets Overlap.
func (a *Assessment) withRest(o *problem.NoOverlap, loss *weighted.Means) {
	r := &OverlapRisk{Rows: o.Of - o.Rows, Of: o.Of, Share: o.Share, Least: loss.Mean[0], Most: loss.Mean[1]}
	a.Overlap = r
	// The variance that the rows without overlap add to that of the mean over all rows: of their own mean, and of their
	// share.
	extra := func(of float64, end int) float64 {
		gradient := [2]float64{}
		gradient[end] = o.Share
		gap := of - loss.Mean[end]
		variance := o.Share * (1 - o.Share) / float64(o.Of) * gap * gap
		if own := loss.Variance(gradient[:]...); own > 0 { // not of one row or cluster
			variance += own
		}
		return variance
	}
	whole := func(b Bracket) Bracket {
		out := Bracket{Lo: (1-o.Share)*b.Lo + o.Share*r.Least, Hi: (1-o.Share)*b.Hi + o.Share*r.Most}
		down, up := (1-o.Share)*(b.Lo-b.Lower), (1-o.Share)*(b.Upper-b.Hi)
		out.Lower = max(out.Lo-math.Sqrt(down*down+weighted.Normal95*weighted.Normal95*extra(b.Lo, 0)), 0)
		out.Upper = out.Hi + math.Sqrt(up*up+weighted.Normal95*weighted.Normal95*extra(b.Hi, 1))
		return out
	}
	risk := a.Risk.Estimate
	mse := max(risk.MSE, 0)
	r.All = whole(Bracket{Lo: mse, Hi: mse, Lower: risk.Lo, Upper: risk.Hi})
	if a.Bracket != nil {
		r.RestHi = a.Bracket.Hi
		bracket, tight := whole(*a.Bracket), whole(*a.Tight)
		a.Bracket, a.Tight = &bracket, &tight
	}
	if acc := a.Accuracy; acc != nil {
		r.Accuracy = &Bracket{
			Lo: (1 - o.Share) * acc.Value, Hi: (1-o.Share)*acc.Value + o.Share,
			Lower: (1 - o.Share) * acc.Lo, Upper: (1-o.Share)*acc.Hi + o.Share,
		}
	}
}

// Plus returns r for a risk that has changed from before to after by adding an optimism.
func (r *OverlapRisk) Plus(before, after Estimate) *OverlapRisk {
	if r == nil {
		return nil
	}
	out := *r
	rest, moved := 1-r.Share, after.MSE-before.MSE
	out.All = Bracket{Lo: out.All.Lo + rest*moved, Hi: out.All.Hi + rest*moved, Lower: max(out.All.Lower+rest*(after.Lo-before.Lo), 0), Upper: out.All.Upper + rest*(after.Hi-before.Hi)}
	return &out
}
