package effect

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/internal/weighted"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
	"mediant/tables"
)

// estimate walks the rows of both tables, for tau and its standard error.
func (run *run) estimate(ctx context.Context) (*Result, error) {
	p := run.p
	all := effectRows{source: p.Sources()[problem.TableXU], scale: 1, value: func(_, _ int, h float64) float64 { return h }}
	x, rows, err := run.terms(ctx, run.contrasts, all)
	if err != nil {
		return nil, err
	}
	y, err := run.corrections(ctx, run.r)
	if err != nil {
		return nil, err
	}
	explained, noise, err := run.explained()
	if err != nil {
		return nil, err
	}
	out := run.result
	out.Control = rows[0]
	for _, n := range rows[1:] {
		out.Treated += n
	}
	for j, name := range p.Y().Names() {
		if explained[j] == nil && !run.isReplica {
			out.Notes = append(slices.Clip(out.Notes), fmt.Sprintf("%.40q does not vary in the second table: its effect is 0 whatever the treatment does", name))
		}
	}
	var freedoms []float64
	for c := range run.contrasts {
		for j, name := range p.Y().Names() {
			tau, variance, freedom, parts := run.sum2(x.of[c][j], y.of[c][j])
			run.parts = append(run.parts, effectParts{estimate: parts})
			of := Estimate{Output: name, Interval: risk.NewInterval(tau, variance, freedom), Explained: explained[j], Weights: y.weights[c].summary()}
			of.Violation = violationOf(of.Interval, noise[j])
			if run.several != nil {
				of.Arm, of.Against = run.several.levels[run.contrasts[c].arm], run.several.levels[run.contrasts[c].against]
			}
			out.Effects, freedoms = append(out.Effects, of), append(freedoms, freedom)
		}
	}
	out.X = run.covariates
	if out.Propensity != nil {
		for arm := range out.Propensity.Arms {
			out.Propensity.Arms[arm].Effective = run.adjusted.effective(func(of int) bool { return run.levelIndex(of) == arm })
		}
	}
	if run.several != nil {
		for arm, level := range run.several.levels {
			out.Arms = append(out.Arms, Arm{Level: level, Rows: rows[arm]})
		}
		if !run.isReplica && !run.hasReplicates() {
			out.Covariance = run.covariance(x, y, [2]bool{true, true})
			run.joinIntervals(&out, freedoms)
		}
	}
	if run.noOverlap != nil {
		out.NoOverlap = &NoOverlap{Control: run.noOverlap.rows[0]}
		for arm, n := range run.noOverlap.rows {
			if arm > 0 {
				out.NoOverlap.Treated += n
			}
			if out.Arms != nil {
				out.Arms[arm].NoOverlap = n
			}
		}
		if err := run.bound(ctx, out.Effects); err != nil {
			return nil, err
		}
	}
	out.Treatment, out.Probability, out.U = run.Treatment, run.probability, p.Roles().U
	out.Folds, out.LambdaH, out.LambdasH, out.Mu = len(run.h), run.lambdasH[0], risk.Several(run.lambdasH), run.mus[0]
	out.Mus = risk.Several(run.mus)
	if p.Clusters() != nil {
		out.Clusters = x.clusters(y)
	}
	out.Rows.XU, out.Rows.UY = out.Treated+out.Control, int(y.of[0][0].Count)
	if run.hasReplicates() && !run.isReplica {
		return &out, run.replicated(ctx, &out, x, y)
	}
	return &out, nil
}

// joinIntervals adds the joint interval of each effect, whose variance has so many degrees of freedom, from the covariance of all.
func (run *run) joinIntervals(out *Result, freedoms []float64) {
	quantile := jointQuantile(out.Covariance, run.Seed)
	for i := range out.Effects {
		out.Effects[i].Joint = jointInterval(out.Effects[i].Interval, freedoms[i], quantile)
	}
}

// explained returns the shares of the variances of the outputs that h explains in held-out folds, and the variances that it leaves.
func (run *run) explained() (shares []*float64, left []float64, err error) {
	all, err := moments.Sum(run.uy.Held...)
	if err != nil {
		return nil, nil, err
	}
	shares, left = make([]*float64, run.p.Y().Len()), make([]float64, run.p.Y().Len())
	for k, held := range run.uy.Held {
		r := run.h[k].Residual(len(left))
		for j, v := range held.Inner(r, r) {
			left[j] += v * held.Weight() / run.uy.Weight()
		}
	}
	var right mat.SymDense
	all.RightTo(&right, true)
	for j, mean := range all.MeanB() {
		if variance := right.At(j, j); crossfit.Varies(variance, mean) {
			share := 1 - left[j]/variance
			shares[j] = &share
		}
	}
	return shares, left, nil
}

// sum2 is the estimate of an output from its terms of both tables, its variance, the degrees of freedom of that, and the variances of the two parts.
func (run *run) sum2(x armTerms, y *weighted.Means) (tau, variance, freedom float64, parts [2]weighted.Variance) {
	terms := x.drawn
	if !run.Probability.IsAuto() {
		terms = []weighted.Term{{Of: x.known, Gradient: []float64{1}}}
	}
	last := weighted.Term{Of: y, Gradient: []float64{1}}
	v := weighted.SumVariance(append(slices.Clip(terms), last)...)
	parts = [2]weighted.Variance{weighted.SumVariance(terms...), weighted.SumVariance(last)}
	if x.freedom > 0 {
		parts[problem.TableXU].Freedom = min(parts[problem.TableXU].Freedom, x.freedom)
		v.Freedom = min(v.Freedom, weighted.SumFreedom(parts[:]...))
	}
	return x.known.Mean[0] + y.Mean[0], v.Variance, v.Freedom, parts
}

// covariance is that of all effects, by contrasts and outputs: each arm and S_Y are samples of their own, but for clusters that they share. of selects the parts of the tables; nil if none is selected.
func (run *run) covariance(x *termsXU, y *termsUY, of [2]bool) *mat.SymDense {
	k := run.p.Y().Len()
	if of == [2]bool{} {
		return nil
	}
	if run.p.Clusters() != nil {
		return weighted.SumCovariance(x.sums(y, of))
	}
	cov := mat.NewSymDense(len(x.of)*k, nil)
	if of[problem.TableUY] {
		cov = y.joint.Covariance()
	}
	if !of[problem.TableXU] {
		return cov
	}
	for _, group := range x.adjusted {
		own := group.all.Covariance()
		for i := range len(group.contrasts) * k {
			for j := i; j < len(group.contrasts)*k; j++ {
				atI, atJ := group.contrasts[i/k]*k+i%k, group.contrasts[j/k]*k+j%k
				cov.SetSym(atI, atJ, cov.At(atI, atJ)+own.At(i, j))
			}
		}
	}
	for arm, joint := range x.joint {
		own := joint.Covariance()
		var in []int // the effects of contrasts that the arm is in
		for i := range cov.SymmetricDim() {
			if x.scales[i/k][arm] != 0 {
				in = append(in, i)
			}
		}
		for at, i := range in {
			for _, j := range in[at:] {
				cov.SetSym(i, j, cov.At(i, j)+x.scales[i/k][arm]*x.scales[j/k][arm]*own.At(i%k, j%k))
			}
		}
	}
	return cov
}

// sums are the terms of all effects, by contrast and output, of the tables that are selected.
func (x *termsXU) sums(y *termsUY, selected [2]bool) [][]weighted.Term {
	var all [][]weighted.Term
	for c := range x.of {
		for j, of := range x.of[c] {
			var terms []weighted.Term
			if selected[problem.TableXU] {
				terms = slices.Clone(of.drawn)
			}
			if selected[problem.TableUY] {
				terms = append(terms, weighted.Term{Of: y.of[c][j], Gradient: []float64{1}})
			}
			all = append(all, terms)
		}
	}
	return all
}

// clusters counts those of the rows of both tables.
func (x *termsXU) clusters(y *termsUY) *problem.Clusters {
	var arms []*weighted.Means
	for _, of := range x.of {
		for _, term := range of[0].drawn {
			arms = append(arms, term.Of)
		}
	}
	n := &problem.Clusters{XU: weighted.CountClusters(arms...), UY: weighted.CountClusters(y.of[0][0])}
	n.Shared = n.XU + n.UY - weighted.CountClusters(append(arms, y.of[0][0])...)
	return n
}

// termsUY are the means over S_Y of r (y - h), by contrast and output, and of several arms all of them together.
type termsUY struct {
	of      [][]*weighted.Means
	joint   *weighted.Means
	weights []weightSums // of r, by contrast
}

// corrections walks S_Y, for the terms r (y - h) of each output; r has an output for each contrast.
func (run *run) corrections(ctx context.Context, of []crossfit.Affine) (*termsUY, error) {
	p, k, contrasts := run.p, run.p.Y().Len(), len(of[0].Intercept)
	y := &termsUY{weights: make([]weightSums, contrasts)}
	for range contrasts {
		y.of = append(y.of, newSpreads(k))
	}
	if run.several != nil {
		y.joint = weighted.New(contrasts * k)
	}
	values := make([]float64, contrasts*k)
	var h, r mat.Dense
	err := p.WalkUY(ctx, p.SidePsi(), p.Y(), func(fold int, psi, outputs *mat.Dense, w moments.Weights) {
		run.h[fold].ApplyTo(&h, psi)
		of[fold].ApplyTo(&r, psi)
		n, _ := psi.Dims()
		for i := range n {
			for c := range contrasts {
				y.weights[c].add(w, i, r.At(i, c))
				for j, s := range y.of[c] {
					v := r.At(i, c) * (outputs.At(i, j) - h.At(i, j))
					s.Add(w, i, v)
					values[c*k+j] = v
				}
			}
			if y.joint != nil {
				y.joint.Add(w, i, values...)
			}
		}
	})
	if one := y.of[0][0]; err == nil && !run.isReplica && one.Clustered() && weighted.CountClusters(one) < 2 {
		err = fmt.Errorf("effect: all rows with Y are in one cluster, and at least 2 are needed")
	}
	return y, err
}

// armTerms are the means over S_X of kappa h for an output, and its parts in the arms when the share of the treated is that of the
// sample: what kappa h varies by about the mean of h in the row's arm. Each arm is a sample of its own, perhaps of few rows.
type armTerms struct {
	known *weighted.Means
	drawn []weighted.Term // of the two arms that are compared, the control first
	// freedom bounds the degrees of freedom of their variance, 0: it does not.
	freedom float64
}

// termsXU are the terms of S_X by contrast and output, and of several arms what their covariance needs: the means of all outputs in each arm, and what
// they are multiplied by in each contrast.
type termsXU struct {
	of     [][]armTerms
	joint  []*weighted.Means // by arm
	scales [][]float64       // by contrast and arm
	// adjusted are of adjusted rows, in the place of both.
	adjusted []adjustedGroup
}

// An adjustedGroup has the means over the rows of a group of the terms of its contrasts, by contrast and output.
type adjustedGroup struct {
	contrasts []int
	all       *weighted.Means
}

// effectRows are rows of S_X, what their weights are multiplied by, and what stands for E[Y|U] of output j in an arm where the model says h.
type effectRows struct {
	source tables.Source
	scale  float64
	value  func(j, arm int, h float64) float64
}

// terms walks rows of S_X for the terms of each contrast and output. It also returns the rows of each arm.
func (run *run) terms(ctx context.Context, contrasts []contrast, parts ...effectRows) (*termsXU, []int, error) {
	if run.adjusted != nil {
		return run.adjustedTerms(ctx, contrasts, parts)
	}
	p, k := run.p, run.p.Y().Len()
	all, arms := make([][]*weighted.Means, len(contrasts)), make([][]*weighted.Means, run.arms())
	for c := range all {
		all[c] = newSpreads(k)
	}
	x := &termsXU{}
	for arm := range arms {
		arms[arm] = newSpreads(k)
		if run.several != nil {
			x.joint = append(x.joint, weighted.New(k))
		}
	}
	values := make([]float64, k)
	var h mat.Dense
	for _, part := range parts {
		err := p.WithSources(part.source, nil).WalkXU(ctx, run.treatment, p.SidePsi(), func(fold int, t, psi *mat.Dense, w moments.Weights) {
			run.h[fold].ApplyTo(&h, psi)
			n, _ := t.Dims()
			if part.scale != 1 {
				w = w.Times(slices.Repeat([]float64{part.scale}, n))
			}
			for i := range n {
				arm := run.armOf(t.RawRowView(i))
				for j := range k {
					values[j] = part.value(j, arm, h.At(i, j))
					arms[arm][j].Add(w, i, values[j])
					for c := range contrasts {
						all[c][j].Add(w, i, contrasts[c].kappa[arm]*values[j])
					}
				}
				if x.joint != nil {
					x.joint[arm].Add(w, i, values...)
				}
			}
		})
		if err != nil {
			return nil, nil, err
		}
	}
	rows := make([]int, len(arms))
	for arm := range rows {
		rows[arm] = int(arms[arm][0].Count)
	}
	if err := run.enough(rows); err != nil {
		return nil, nil, err
	}
	for arm, of := range arms {
		if !run.isReplica && of[0].Clustered() && weighted.CountClusters(of[0]) < 2 {
			return nil, nil, fmt.Errorf("effect: treatment %q: the %s rows are all in one cluster, and at least 2 of each arm are needed", run.Treatment, run.nameOf(arm))
		}
	}
	for c, contrast := range contrasts {
		terms, scales := make([]armTerms, k), make([]float64, len(arms))
		for j := range terms {
			terms[j].known = all[c][j]
			for _, arm := range []int{contrast.against, contrast.arm} {
				scale := contrast.kappa[arm] * arms[arm][j].Weight / all[c][j].Weight
				terms[j].drawn, scales[arm] = append(terms[j].drawn, weighted.Term{Of: arms[arm][j], Gradient: []float64{scale}}), scale
			}
		}
		x.of, x.scales = append(x.of, terms), append(x.scales, scales)
	}
	return x, rows, nil
}

// compares reports whether an arm is in a contrast.
func (run *run) compares(arm int) bool {
	return slices.ContainsFunc(run.contrasts, func(c contrast) bool { return c.arm == arm || c.against == arm })
}

// enough returns an error if an arm that is compared has fewer than two rows.
func (run *run) enough(rows []int) error {
	for arm, n := range rows {
		switch {
		case n >= 2, run.grouped() && !run.compares(arm):
		case run.several == nil:
			return fmt.Errorf("effect: treatment %q is 1 in %d and 0 in %d rows, at least 2 of each are needed", run.Treatment, rows[1], rows[0])
		default:
			return fmt.Errorf("effect: treatment %q is %.40q in %d rows, at least 2 of each arm are needed", run.Treatment, run.several.levels[arm], n)
		}
	}
	return nil
}

// newSpreads returns k spreads of one column.
func newSpreads(k int) []*weighted.Means {
	s := make([]*weighted.Means, k)
	for j := range s {
		s[j] = weighted.New(1)
	}
	return s
}
