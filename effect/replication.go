package effect

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/internal/weighted"
	"mediant/problem"
	"mediant/risk"
	"mediant/tables"
)

// effectParts are the variances of an estimate and of its bounds, the part of each table by itself.
type effectParts struct{ estimate, lower, upper [2]weighted.Variance }

// replicated takes the standard errors of the tables that have replicate weights from these, in the place of those in out.
func (run *run) replicated(ctx context.Context, out *Result, x *termsXU, y *termsUY) error {
	if c := run.p.Clusters(); c != nil && c.Shared > 0 && !(len(run.Roles.ReplicatesXU) > 0 && run.ReplicatesJoint) {
		return fmt.Errorf("effect: the tables have %d clusters in common, and replicate weights of each table take the tables for independent: set Estimator.ReplicatesJoint if they are of one survey", c.Shared)
	}
	var sets [2]*replicateSet
	for t := range sets {
		var err error
		if sets[t], err = run.readReplicates(ctx, t); err != nil {
			return err
		}
	}
	r := &replication{run: run, at: out, covariance: mat.NewSymDense(len(out.Effects), nil), parts: slices.Clone(run.parts)}
	switch {
	case run.ReplicatesJoint:
		sets[0].used.Freedom = min(sets[0].used.Freedom, sets[1].used.Freedom)
		sets[1].used.Freedom = sets[0].used.Freedom
		if err := r.add(ctx, sets, problem.TableXU); err != nil {
			return err
		}
		for i := range r.parts {
			r.parts[i].clear(problem.TableUY)
		}
	default:
		for t, s := range sets {
			only := [2]*replicateSet{}
			if only[t] = s; s == nil {
				continue
			}
			if err := r.add(ctx, only, t); err != nil {
				return err
			}
		}
	}
	out.Replicates = &ReplicateErrors{Joint: run.ReplicatesJoint}
	for t, s := range sets {
		if s != nil {
			*[]**ReplicatesUsed{&out.Replicates.XU, &out.Replicates.UY}[t] = s.used
			out.Notes = append(slices.Clip(out.Notes), fmt.Sprintf("standard errors of the table of %s are from %d replicate weights (%s), with %d degrees of freedom", []string{"X and U", "U and Y"}[t], s.used.Columns, s.used.Method, s.used.Freedom))
		}
	}
	if run.several != nil {
		out.Covariance = r.covariance
		if own := run.covariance(x, y, [2]bool{sets[0] == nil, sets[1] == nil}); own != nil {
			out.Covariance.AddSym(out.Covariance, own)
		}
	}
	r.set(out)
	return nil
}

func (p *effectParts) clear(t int) {
	for _, v := range p.of() {
		v[t] = weighted.Variance{}
	}
}

// of are the variances of the estimate and its bounds.
func (p *effectParts) of() []*[2]weighted.Variance {
	return []*[2]weighted.Variance{&p.estimate, &p.lower, &p.upper}
}

// replication collects the estimates of replicates.
type replication struct {
	run   *run
	at    *Result       // of all rows
	parts []effectParts // by effect; of a table with replicate weights theirs
	// covariance is the sum of the scaled products of the deviations of all effects.
	covariance *mat.SymDense
}

// ends are an estimate and its bounds, as many as there are.
func (e *Estimate) ends() []float64 {
	if e.Bounds == nil {
		return []float64{e.Value}
	}
	return []float64{e.Value, e.Bounds.Lo, e.Bounds.Hi}
}

// add adds the variance by the replicates of sets as that of table t: of one table, or of both where column r of both is one replicate.
func (r *replication) add(ctx context.Context, sets [2]*replicateSet, t int) error {
	for i := range r.parts {
		for _, v := range r.parts[i].of() {
			v[t] = weighted.Variance{Freedom: float64(sets[t].used.Freedom)}
		}
	}
	gap := mat.NewVecDense(len(r.at.Effects), nil)
	for c, name := range sets[t].columns {
		of, err := r.run.replica(ctx, sets, c)
		if err != nil {
			return problem.TableError(t, fmt.Errorf("effect: with the replicate weights %q: %w", name, err))
		}
		scale := sets[t].scales[c]
		for i := range of.Effects {
			at, own := r.at.Effects[i].ends(), of.Effects[i].ends()
			for end, v := range r.parts[i].of() {
				if end < len(own) {
					v[t].Variance += scale * (own[end] - at[end]) * (own[end] - at[end])
				}
			}
			gap.SetVec(i, own[0]-at[0])
			if v := gap.AtVec(i); math.IsNaN(v) || math.IsInf(v, 0) {
				return problem.TableError(t, fmt.Errorf("effect: with the replicate weights %q the estimate is not finite", name))
			}
		}
		r.covariance.SymRankOne(r.covariance, scale, gap)
	}
	return nil
}

// set sets intervals from the variances.
func (r *replication) set(out *Result) {
	var freedoms []float64
	for i := range out.Effects {
		e := &out.Effects[i]
		variances := make([]weighted.Variance, 3)
		for end, v := range r.parts[i].of() {
			variances[end] = weighted.Variance{Variance: v[0].Variance + v[1].Variance, Freedom: weighted.SumFreedom(v[:]...)}
		}
		own := variances[0]
		freedoms = append(freedoms, own.Freedom)
		e.Interval = risk.NewInterval(e.Value, own.Variance, own.Freedom)
		e.Violation = violationOf(e.Interval, e.Violation.GivenU*e.Violation.GivenU)
		if b := e.Bounds; b != nil {
			b.Lower = b.Lo - weighted.Student95(variances[1].Freedom)*math.Sqrt(variances[1].Variance)
			b.Upper = b.Hi + weighted.Student95(variances[2].Freedom)*math.Sqrt(variances[2].Variance)
		}
	}
	if r.run.several != nil {
		r.run.joinIntervals(out, freedoms)
	}
}

// replica is the estimate with column c of the replicate weights of each set in the place of the weights: the folds, maps, penalties and rows are those of the run.
func (run *run) replica(ctx context.Context, sets [2]*replicateSet, c int) (*Result, error) {
	own := *run
	own.isReplica, own.result, own.contrasts, own.parts = true, Result{}, nil, nil
	var sources [2]tables.Source
	for t, s := range sets {
		if s != nil {
			sources[t] = s.reweighed(s.source, c)
		}
	}
	own.p = run.p.Reweighed(sources[0], sources[1])
	if sets[0] != nil {
		if run.adjusted != nil {
			if err := own.readjust(ctx); err != nil {
				return nil, err
			}
		}
		if run.noOverlap != nil {
			var err error
			if own.noOverlap, err = run.noOverlap.reweighed(ctx, sets[0], c); err != nil {
				return nil, err
			}
		}
	}
	if err := own.sum(ctx); err != nil {
		return nil, err
	}
	own.contrasts = slices.DeleteFunc(own.contrasts, func(c contrast) bool { // those that have no overlap
		return !slices.ContainsFunc(run.contrasts, func(kept contrast) bool { return kept.arm == c.arm && kept.against == c.against })
	})
	if err := own.refit(ctx, run.lambdasH, run.mus); err != nil {
		return nil, err
	}
	return own.estimate(ctx)
}

// refit finds h and r of each fold with known penalties.
func (run *run) refit(ctx context.Context, lambdasH, mus []float64) error {
	u, err := run.p.Units(run.uy.Held)
	if err != nil {
		return err
	}
	if run.h, err = crossfit.FitsAt(ctx, run.uy, u, lambdasH, true); err != nil {
		return err
	}
	train, _ := run.targets(run.xu, 1, run.contrasts)
	run.r, err = crossfit.Riesz{UY: run.uy}.WeightsAt(ctx, train, mus)
	return err
}

// reweighed is w where the rows have other weights.
func (w *noOverlap) reweighed(ctx context.Context, s *replicateSet, c int) (*noOverlap, error) {
	own := *w
	own.with, own.lacking = s.reweighed(w.with, c), s.reweighed(w.lacking, c)
	var total [2]float64
	for part, src := range []tables.Source{own.with, own.lacking} {
		for b, err := range tables.NewGuard("", src).Batches(ctx) {
			if err != nil {
				return nil, err
			}
			weights := problem.RowWeights(b)
			for i := range b.Rows {
				total[part] += w.scales[part] * weights.Of(i)
			}
		}
	}
	own.share = total[0] / (total[0] + total[1])
	return &own, nil
}

// readjust reads the weights of the rows anew, and finds how the rows weigh by them: with the penalties that were chosen, and the rows that were trimmed. Known propensities stay.
func (run *run) readjust(ctx context.Context) error {
	before := run.adjusted
	a := *before
	a.w.Frequency, a.w.Factor, a.weight = slices.Clone(a.w.Frequency), slices.Clone(a.w.Factor), slices.Clone(a.weight)
	a.odds, a.complete = slices.Clone(a.odds), slices.Clone(a.complete)
	a.n.weight, a.n.replay = a.weight, true
	if err := a.reread(ctx, &run.p.Encoded, run.levels()); err != nil {
		return err
	}
	run.adjusted = &a
	if run.propensity() == estimatedPropensity {
		of, err := run.probabilities(ctx, &run.p.Encoded)
		if err != nil {
			return err
		}
		for i, arm := range a.arm {
			a.odds[i] = 1 / of[i][run.levelIndex(int(arm))]
		}
	}
	if a.complete != nil {
		complete := make([]bool, len(a.arm))
		for i, v := range before.complete {
			complete[i] = v > 0
		}
		for arm := range run.arms() {
			if err := run.weighCompleteIn(ctx, arm, complete); err != nil {
				return err
			}
		}
	}
	a.finish(run.arms())
	run.treatment = a.side(run.arms())
	return nil
}
