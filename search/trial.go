package search

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"mediant/crossfit"
)

// Stages of stage 3, on all rows and on a sample.
const (
	hyperparametersStage = "hyperparameters"
	sampleStage          = "sample"
)

// A Trial is one candidate of a search.
type Trial struct {
	Stage string `json:"stage"` // "psi", "phi", "sample", "hyperparameters", "method" or "loss"
	Name  string `json:"name"`
	// Output is the column of Y whose hyperparameters these are, where each of several has its own.
	Output string  `json:"output,omitempty"`
	W      float64 `json:"w,omitempty"`
	// The penalties at which this candidate was best.
	LambdaF float64 `json:"lambda_f,omitempty"`
	LambdaH float64 `json:"lambda_h,omitempty"`
	// Precision reports that f was fitted with rows of S_X weighted by precision.
	Precision bool `json:"precision,omitempty"`
	// Components reports that f was fitted by components of h.
	Components bool `json:"components,omitempty"`
	// Risk is the cross-validated squared error of h for psi, else the uncoupled risk of f, summed over outputs: over the classes
	// of a label as they are, over several columns of Y each divided by the column's variance; of an Output it is that of the column, not divided. It is nil where the candidate
	// failed, as Error says.
	Risk *float64 `json:"risk"`
	// Difference is Risk less that of the stage's winner, and SE its standard error over folds.
	Difference *float64 `json:"difference,omitempty"`
	SE         *float64 `json:"se,omitempty"`
	Error      string   `json:"error,omitempty"`
	Chosen     bool     `json:"chosen,omitempty"`

	byFold []float64
	byUnit [][]float64 // by fold, before units are added
}

// scored fills in the risk.
func (t *Trial) scored(v *crossfit.RiskByFold) {
	t.Risk, t.byFold, t.byUnit = &v.Risk, v.ByFold, v.ByUnit
}

// A leaderboard keeps the trials of a stage and the best so far; a candidate that failed, or whose risk is
// not finite, never wins.
type leaderboard struct {
	trials []Trial
	winner int
	any    bool
}

// add reports whether t is the best so far.
func (b *leaderboard) add(t Trial, err error) bool {
	if err == nil && (t.Risk == nil || math.IsNaN(*t.Risk) || math.IsInf(*t.Risk, 0)) {
		err = fmt.Errorf("the risk is not finite")
	}
	if err != nil {
		t.Error, t.Risk = err.Error(), nil
	}
	b.trials = append(b.trials, t)
	last := len(b.trials) - 1
	if err == nil && (!b.any || *t.Risk < *b.trials[b.winner].Risk) {
		b.winner, b.any = last, true
		return true
	}
	if !b.any {
		b.winner = -1
	}
	return false
}

// least is the risk of the winner so far, of which there must be one.
func (b *leaderboard) least() float64 { return *b.trials[b.winner].Risk }

// addRival is add for a candidate that has to be better than the best by more than so many standard errors of
// the difference, and by more than rounding: with linear features the naive chain is 2Step-RR.
func (b *leaderboard) addRival(t Trial, err error, errors float64) bool {
	before := b.winner
	if !b.add(t, err) {
		return false
	}
	difference, se := b.trials[b.winner].against(b.trials[before])
	if difference+errors*se >= -1e-9**b.trials[before].Risk {
		b.winner = before
		return false
	}
	return true
}

// prefer makes the best of some trials the winner, unless another is better by more than the standard error of the difference, or by more than a share of its risk. It reports whether it has.
func (b *leaderboard) prefer(are func(Trial) bool, share float64) bool {
	at := -1
	for i, t := range b.trials {
		if are(t) && t.Risk != nil && (at < 0 || *t.Risk < *b.trials[at].Risk) {
			at = i
		}
	}
	if at < 0 || !b.any {
		return false
	}
	if difference, se := b.trials[b.winner].against(b.trials[at]); !(difference+se >= 0) || difference < -share*math.Abs(b.least()) {
		return false
	}
	b.winner = at
	return true
}

// preferComponents prefers fits by components: the screening tests, which have more power than the risk, already support leaving out these columns.
func (b *leaderboard) preferComponents() {
	b.prefer(func(t Trial) bool { return t.Components }, math.Inf(1))
}

// close marks the winner and fills in the differences to it.
func (b *leaderboard) close() []Trial {
	win := b.trials[b.winner]
	for i := range b.trials {
		t := &b.trials[i]
		t.Chosen = i == b.winner
		if t.Risk == nil {
			continue
		}
		d, se := t.against(win)
		t.Difference = &d
		if !math.IsNaN(se) {
			t.SE = &se
		}
	}
	return b.trials
}

// against is the difference of the risk to that of another candidate and its standard error over folds,
// the deviation of the K paired differences over sqrt(K); NaN for fewer than two folds.
func (t Trial) against(o Trial) (difference, se float64) {
	difference = *t.Risk - *o.Risk
	k := len(t.byFold)
	if k < 2 || len(o.byFold) != k {
		return difference, math.NaN()
	}
	gaps := floats.SubTo(make([]float64, k), t.byFold, o.byFold)
	return difference, stat.StdDev(gaps, nil) / math.Sqrt(float64(k))
}

// optimism estimates, for each unit of the outputs, by how much the risk of a stage's winner is too low for being the
// least: in turn, the winner on all folds but one is evaluated on that one, where it was not chosen, against the
// winner of all.
func optimism(trials []Trial) []float64 {
	var usable []Trial
	winner := -1
	for _, t := range trials {
		if t.Risk == nil {
			continue
		}
		if t.Chosen {
			winner = len(usable)
		}
		usable = append(usable, t)
	}
	if winner < 0 || len(usable[winner].byUnit) == 0 {
		return nil
	}
	sum, folds := make([]float64, len(usable[winner].byUnit[0])), 0.0
	for k, own := range usable[winner].byUnit {
		least, at := math.Inf(1), winner
		for i, t := range usable {
			others := 0.0
			for f, v := range t.byFold {
				if f != k && !math.IsNaN(v) {
					others += v
				}
			}
			if others < least {
				least, at = others, i
			}
		}
		if gap := floats.SubTo(make([]float64, len(own)), usable[at].byUnit[k], own); !floats.HasNaN(gap) {
			floats.Add(sum, gap)
			folds++
		}
	}
	for u := range sum {
		sum[u] = max(0, sum[u]/max(folds, 1))
	}
	return sum
}
