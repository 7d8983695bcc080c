package effect

import (
	"context"
	"fmt"
	"slices"

	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// A Portfolio are the effects of several experiments in one first table. h is learned once, from S_Y; the weights r(U) are those of each experiment, in
// which the arms are compared by the shares that they have in it.
type Portfolio struct {
	Treatment  string             `json:"treatment"`
	Experiment string             `json:"experiment_column"`
	Effects    []ExperimentEffect `json:"experiments"` // by experiment in natural order, arm and output
	// Shrinkages are by output; nil of fewer than three effects.
	Shrinkages []Shrinkage    `json:"shrinkage,omitempty"`
	LeftOut    []GroupLeftOut `json:"left_out"`
	Backtests  []Backtest     `json:"backtest,omitempty"` // by output, set by Backtest
	Rows       rr.Rows        `json:"rows"`
	Unlabeled  int            `json:"dropped_xu"` // rows without experiment or treatment
	Missing    *MissingU      `json:"missing_u,omitempty"`
	U          []string       `json:"u"`
	Folds      int            `json:"folds"`
	LambdasH   []float64      `json:"lambda_h"`
	Notes      []string       `json:"notes"`
	// Clusters counts those of the rows that are used; nil if rows are independent.
	Clusters *problem.Clusters `json:"clusters,omitempty"`
	X        []string          `json:"x,omitempty"` // the covariates
	// Propensity has the arms of all experiments together; nil: arms are compared by their shares.
	Propensity *Propensity `json:"propensity,omitempty"`
	// Replicates are the replicate weights that standard errors are from; nil: they are from rows or clusters.
	Replicates *ReplicateErrors `json:"replicates,omitempty"`
}

// An ExperimentEffect is the effect in one experiment.
type ExperimentEffect struct {
	GroupEffect
	// Shrunken is the empirical Bayes estimate (Shrinkage), nil of fewer than three effects.
	Shrunken *risk.Interval `json:"shrunken,omitempty"`
}

// Portfolio estimates the effect in each experiment, a value of a column of the first table that is then no surrogate. An experiment of one arm, without the
// control, with fewer than ten rows in an arm, or most of whose rows in an arm have no overlap is left out, with the reason. Pairs has no meaning and
// Probability is an error. The error is that of Estimate, or says that there is no column, more than 1,000 experiments, or none that can be estimated.
func (e Estimator) Portfolio(ctx context.Context, xu, uy tables.Source, experiment string) (*Portfolio, error) {
	e.groupColumn = experiment
	xu, uy, missing, err := e.completeFirst(ctx, xu, uy)
	if err != nil {
		return nil, err
	}
	several, err := e.readGroups(ctx, xu, "experiment", experiment, nil)
	if err != nil {
		return nil, err
	}
	effects, r, err := e.estimateGroups(ctx, several, xu, uy)
	if err != nil {
		return nil, err
	}
	p := &Portfolio{Treatment: e.Treatment, Experiment: experiment, LeftOut: several.groups.leftOut, Rows: r.Rows, Unlabeled: several.groups.unlabeled, Missing: missing,
		U: r.U, Folds: r.Folds, LambdasH: r.LambdasH, Notes: r.Notes, Clusters: r.Clusters, X: r.X, Propensity: r.Propensity, Replicates: r.Replicates}
	if p.LambdasH == nil {
		p.LambdasH = []float64{r.LambdaH}
	}
	if p.LeftOut == nil {
		p.LeftOut = []GroupLeftOut{}
	}
	for _, of := range effects {
		p.Effects = append(p.Effects, ExperimentEffect{GroupEffect: of})
	}
	for _, output := range p.outputs() {
		var at []int
		for i, of := range effects {
			if of.Output == output {
				at = append(at, i)
			}
		}
		values, cov := effectsAt(effects, r.Covariance, at)
		s, err := Shrink(values, cov)
		if few := fewClusters(r, len(at)); few != nil {
			err = few
		}
		if err != nil {
			p.Notes = append(slices.Clip(p.Notes), fmt.Sprintf("effects on %q are not shrunken: %v", output, err))
			continue
		}
		s.Output = output
		p.Shrinkages = append(p.Shrinkages, *s)
		for i, k := range at {
			p.Effects[k].Shrunken = &s.Effects[i]
		}
	}
	return p, nil
}
