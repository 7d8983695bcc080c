package effect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/crossfit"
	"mediant/internal/weighted"
	"mediant/problem"
	"mediant/risk"
	"mediant/tables"
)

// A ReplicateMethod says how the replicate weights of a survey were made, and so what their squared deviations are multiplied by: with R columns
//
//	variance = sum_r scale_r (theta_r - theta)²
//
// where theta_r is the estimate with the weights of column r [Wolter, Introduction to variance estimation, 2007, chapters 3 to 5].
type ReplicateMethod string

const (
	BRR         ReplicateMethod = "brr"       // balanced repeated replication: 1/R
	Fay         ReplicateMethod = "fay"       // Fay's variant of it with the coefficient K: 1/(R (1-K)²)
	JK1         ReplicateMethod = "jk1"       // the jackknife without strata: (R-1)/R
	JK2         ReplicateMethod = "jk2"       // that of paired clusters, one column for each pair: 1
	JKn         ReplicateMethod = "jkn"       // that of strata of n_h clusters: (n_h-1)/n_h, which the weights of the clusters that are left tell
	Bootstrap   ReplicateMethod = "bootstrap" // 1/R
	SDR         ReplicateMethod = "sdr"       // successive differences, as in the American Community Survey: 4/R
	OtherScales ReplicateMethod = "scale"     // as Replicates.Scales say
)

// Replicates say how the replicate weights of a table were made. The zero value is for a table without them.
type Replicates struct {
	Method ReplicateMethod
	// Fay is the coefficient K of Fay's method, at least 0 and below 1, and 0 for other methods.
	Fay float64
	// Scales are those of OtherScales, one for all columns or one for each in the order of tables.ReplicateColumns. JKn takes them too where the weights do not tell
	// them, as after calibration.
	Scales []float64
}

// ParseReplicates reads a method as people write it: brr, fay=0.3, jk1, jk2, jkn, bootstrap, sdr or scale=0.05.
func ParseReplicates(text string) (Replicates, error) {
	name, number, valued := strings.Cut(text, "=")
	r := Replicates{Method: ReplicateMethod(strings.ToLower(strings.TrimSpace(name)))}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	switch {
	case valued && err != nil:
		return r, fmt.Errorf("effect: replicate weights: %q is not a number", number)
	case r.Method == Fay && valued:
		r.Fay = v
	case r.Method == OtherScales && valued:
		r.Scales = []float64{v}
	case r.Method == Fay || r.Method == OtherScales:
		return r, fmt.Errorf("effect: replicate weights: method %s needs a number, as in %[1]s=0.5", r.Method)
	case valued:
		return r, fmt.Errorf("effect: replicate weights: method %q has no number", name)
	}
	return r, r.Validate()
}

// Validate returns an error that names what is out of range.
func (r Replicates) Validate() error {
	switch r.Method {
	case BRR, Fay, JK1, JK2, JKn, Bootstrap, SDR, OtherScales:
	default:
		return fmt.Errorf("effect: Replicates.Method is %q, must be brr, fay, jk1, jk2, jkn, bootstrap, sdr or scale", string(r.Method))
	}
	switch {
	case r.Method == Fay && !(r.Fay >= 0 && r.Fay < 1) || r.Method != Fay && r.Fay != 0:
		return fmt.Errorf("effect: Replicates.Fay is %g, must be at least 0 and below 1 for method fay, and 0 for others", r.Fay)
	case r.Method == OtherScales && len(r.Scales) == 0:
		return fmt.Errorf("effect: Replicates.Scales is empty, must have one number or one for each column for method scale")
	case r.Method != OtherScales && r.Method != JKn && len(r.Scales) > 0:
		return fmt.Errorf("effect: Replicates.Scales is set, which is for the methods scale and jkn")
	}
	for _, s := range r.Scales {
		if !(s >= 0) || math.IsInf(s, 1) {
			return fmt.Errorf("effect: Replicates.Scales has %g, must be finite and at least 0", s)
		}
	}
	return nil
}

// checkReplicates checks that there is a method where there are columns.
func (e Estimator) checkReplicates() error {
	columns, of := [2][]string{e.Roles.ReplicatesXU, e.Roles.ReplicatesUY}, e.replicates()
	for t, name := range []string{"XU", "UY"} {
		set := of[t].Method != "" || of[t].Fay != 0 || of[t].Scales != nil
		switch {
		case len(columns[t]) == 0 && set && !e.ReplicatesJoint:
			return fmt.Errorf("effect: Estimator.Replicates%s is set, and Estimator.Roles.Replicates%[1]s names no columns", name)
		case len(columns[t]) == 0:
		default:
			if err := of[t].Validate(); err != nil {
				return fmt.Errorf("%w (Estimator.Replicates%s)", err, name)
			}
		}
	}
	switch {
	case !e.ReplicatesJoint:
		return nil
	case len(columns[0]) == 0 || len(columns[1]) == 0:
		return fmt.Errorf("effect: Estimator.ReplicatesJoint is set, and replicate weights are not named for both tables")
	case e.ReplicatesUY.Method != "" && (e.ReplicatesUY.Method != e.ReplicatesXU.Method || e.ReplicatesUY.Fay != e.ReplicatesXU.Fay):
		return fmt.Errorf("effect: Estimator.ReplicatesXU and Estimator.ReplicatesUY differ, and Estimator.ReplicatesJoint says that they are of one survey")
	}
	return nil
}

// replicates are those of both tables; of one survey those of the first are those of both.
func (e Estimator) replicates() [2]Replicates {
	if e.ReplicatesJoint {
		return [2]Replicates{e.ReplicatesXU, e.ReplicatesXU}
	}
	return [2]Replicates{e.ReplicatesXU, e.ReplicatesUY}
}

// hasReplicates reports whether a table has replicate weights.
func (e Estimator) hasReplicates() bool {
	return len(e.Roles.ReplicatesXU)+len(e.Roles.ReplicatesUY) > 0
}

// ReplicateErrors say which standard errors are from replicate weights.
type ReplicateErrors struct {
	XU *ReplicatesUsed `json:"xu,omitempty"`
	UY *ReplicatesUsed `json:"uy,omitempty"`
	// Joint says that column r of both tables is one replicate of one survey (Estimator.ReplicatesJoint).
	Joint bool `json:"joint,omitempty"`
}

// ReplicatesUsed are the replicate weights of a table.
type ReplicatesUsed struct {
	Method  ReplicateMethod `json:"method"`
	Columns int             `json:"columns"`
	// Freedom is the number of degrees of freedom of the variance: the rank of the columns, each as its ratio to the weights less 1.
	Freedom int `json:"freedom"`
}

// findReplicates sets the names of the columns of replicate weights.
func (run *run) findReplicates(xu, uy tables.Source) (err error) {
	r := &run.Roles
	for t, patterns := range []*[]string{&r.ReplicatesXU, &r.ReplicatesUY} {
		if len(*patterns) == 0 {
			continue
		}
		if *patterns, err = tables.ReplicateColumns([]tables.Source{xu, uy}[t].Columns(), *patterns, *r); err != nil {
			return err
		}
		if n := len(*patterns); n < 2 || n > mostReplicates {
			return fmt.Errorf("effect: %d columns of replicate weights, must be 2 to %d", n, mostReplicates)
		}
	}
	if x, y := len(r.ReplicatesXU), len(r.ReplicatesUY); run.ReplicatesJoint && x != y {
		return fmt.Errorf("effect: the first table has %d columns of replicate weights and the second %d, must be as many (Estimator.ReplicatesJoint)", x, y)
	}
	return nil
}

// mostReplicates is how many columns there may be: their products are kept.
const mostReplicates = 2000

// replicateSet are the replicate weights of a table.
type replicateSet struct {
	columns []string
	scales  []float64
	used    *ReplicatesUsed
	source  tables.Source
	ratios  func(column int) func(b tables.Batch) []float64 // to the weights of the rows
}

// reweighed is a source that has the rows of s.source, or some of them, with the weights of a column.
func (s *replicateSet) reweighed(src tables.Source, column int) tables.Source {
	if s == nil {
		return src
	}
	ratios := s.ratios(column)
	return tables.Reweigh(src, func(b tables.Batch) ([]float64, error) { return ratios(b), nil })
}

// readReplicates reads the replicate weights of a table, nil if it has none.
func (run *run) readReplicates(ctx context.Context, t int) (*replicateSet, error) {
	columns := [][]string{run.Roles.ReplicatesXU, run.Roles.ReplicatesUY}[t]
	if len(columns) == 0 {
		return nil, nil
	}
	s := &replicateSet{columns: columns, source: run.p.Sources()[t]}
	weights := []string{run.Roles.WeightsXU, run.Roles.WeightsUY}[t]
	var wanted []tables.Column
	for _, name := range columns {
		wanted = append(wanted, tables.Column{Name: name, Kind: tables.Numeric})
	}
	if weights != "" {
		wanted = append(wanted, tables.Column{Name: weights, Kind: tables.Numeric})
	}
	sel, err := tables.Select(s.source.Columns(), wanted)
	if err != nil {
		return nil, problem.TableError(t, err)
	}
	s.ratios = func(column int) func(b tables.Batch) []float64 {
		return func(b tables.Batch) []float64 {
			of, base := make([]float64, b.Rows), make([]float64, b.Rows)
			sel.NumericTo(of, b, column)
			if weights != "" {
				sel.NumericTo(base, b, len(columns))
				for i, w := range base {
					of[i] /= w // rows of weight 0 were left out
				}
			}
			return of
		}
	}
	look, err := s.look(ctx)
	if err != nil {
		return nil, problem.TableError(t, err)
	}
	if err := look.others(weights); err != nil {
		return nil, problem.TableError(t, err)
	}
	given := run.replicates()[t]
	if s.scales, err = s.scalesOf(ctx, given, look); err != nil {
		return nil, problem.TableError(t, err)
	}
	s.used = &ReplicatesUsed{Method: given.Method, Columns: len(columns), Freedom: look.freedom()}
	return s, nil
}

// replicateLook is what one pass over replicate weights shows.
type replicateLook struct {
	largest []float64 // ratio by column
	// mean and variance are, over rows, those of the mean ratio of a row, and within is the mean variance of its ratios.
	mean, variance, within float64
	products               *mat.SymDense // of ratios less 1
}

// look reads all replicate weights once. It is an error if one is missing, negative or not finite, or if a column is 0 in every row.
func (s *replicateSet) look(ctx context.Context) (*replicateLook, error) {
	n := len(s.columns)
	l := &replicateLook{largest: make([]float64, n), products: mat.NewSymDense(n, nil)}
	total, ratios := make([]float64, n), make([]func(tables.Batch) []float64, n)
	for c := range ratios {
		ratios[c] = s.ratios(c)
	}
	var means []float64
	var products mat.SymDense
	for b, err := range tables.NewGuard("", s.source).Batches(ctx) {
		if err != nil {
			return nil, err
		}
		less := mat.NewDense(n, b.Rows, nil) // ratios less 1
		for c, name := range s.columns {
			row := less.RawRowView(c)
			copy(row, ratios[c](b))
			for i, v := range row {
				if !(v >= 0) || math.IsInf(v, 1) {
					return nil, fmt.Errorf("effect: %s: replicate weight %q is missing, negative or not finite", tables.FactsOf(s.source).Where(b.Number(i)), name)
				}
				total[c] += v
				l.largest[c] = max(l.largest[c], v)
				row[i] = v - 1
			}
		}
		products.Reset()
		products.SymOuterK(1, less)
		l.products.AddSym(l.products, &products)
		own := make([]float64, n)
		for i := range b.Rows {
			mean, std := stat.PopMeanStdDev(mat.Col(own, i, less), nil)
			means = append(means, 1+mean)
			l.within += std * std
		}
	}
	for c, sum := range total {
		if sum == 0 {
			return nil, fmt.Errorf("effect: replicate weight %q is 0 in every row", s.columns[c])
		}
	}
	l.within /= float64(len(means))
	l.mean, l.variance = stat.PopMeanVariance(means, nil)
	return l, nil
}

// othersSpread bounds the standard deviation over rows of the mean ratio of a row, in parts of its mean: calibration of each replicate moves these means a little.
const othersSpread = .1

// othersVariance bounds the variance of the mean ratio of a row by that of R independent draws, 1: of ten clusters, whose rows have one ratio, it is estimated with a standard deviation of .5.
const othersVariance = 4

// others returns an error if the replicate weights do not belong to the weights: then the mean ratio of a row differs from row to row, by more than R drawn ratios do. Replicate weights are
// often delivered beside the weights they belong to and beside others, and some programs multiply them by the weights only later.
func (l *replicateLook) others(weights string) error {
	n := float64(len(l.largest))
	if spread := math.Sqrt(l.variance); spread <= othersSpread*l.mean || l.variance <= othersVariance*l.within/n {
		return nil
	}
	what := "no weights are set: name those of the full sample"
	if weights != "" {
		what = fmt.Sprintf("the weights are %q: name those to which the replicate weights belong, and columns in which these are contained", weights)
	}
	return fmt.Errorf("effect: the ratio of the replicate weights to the weights, in the mean of a row, has a standard deviation of %.0f %% over rows, and %s", 100*math.Sqrt(l.variance)/l.mean, what)
}

// rankTolerance is the eigenvalue, in parts of the largest, up to which it is rounding of the weights in a file.
const rankTolerance = 1e-8

// freedom is the rank of the ratios less 1, at least 1.
func (l *replicateLook) freedom() int {
	var eigen mat.EigenSym
	if !eigen.Factorize(l.products, false) {
		return max(1, len(l.largest)-1)
	}
	values, rank := eigen.Values(nil), 0
	for _, v := range values {
		if v > rankTolerance*values[len(values)-1] {
			rank++
		}
	}
	return max(1, rank)
}

// scalesOf are what the squared deviation of each replicate is multiplied by.
func (s *replicateSet) scalesOf(ctx context.Context, r Replicates, l *replicateLook) ([]float64, error) {
	n := float64(len(s.columns))
	same := func(scale float64) ([]float64, error) { return slices.Repeat([]float64{scale}, len(s.columns)), nil }
	switch {
	case len(r.Scales) == 1:
		return same(r.Scales[0])
	case r.Scales != nil && len(r.Scales) != len(s.columns):
		return nil, fmt.Errorf("effect: Replicates.Scales has %d numbers for %d columns of replicate weights", len(r.Scales), len(s.columns))
	case r.Scales != nil:
		return r.Scales, nil
	}
	switch r.Method {
	case BRR, Bootstrap:
		return same(1 / n)
	case Fay:
		return same(1 / (n * (1 - r.Fay) * (1 - r.Fay)))
	case JK1:
		return same((n - 1) / n)
	case SDR:
		return same(4 / n)
	case JKn:
		return s.stratified(ctx, l)
	}
	return same(1) // JK2
}

// stratified are the scales of JKn: in the column that leaves one of n_h clusters out, the ratio is n_h/(n_h-1) in the others of its stratum, 0 in it and 1 in other strata.
func (s *replicateSet) stratified(ctx context.Context, l *replicateLook) ([]float64, error) {
	var scales []float64
	for c, name := range s.columns {
		g := l.largest[c]
		var off error
		if g <= 1 {
			off = errors.New("no row has a larger weight in it")
		}
		ratios := s.ratios(c)
		for b, err := range tables.NewGuard("", s.source).Batches(ctx) {
			if err != nil {
				return nil, err
			}
			for _, v := range ratios(b) {
				if near := min(v, math.Abs(v-1), g-v); near > .1*(g-1) && off == nil {
					off = fmt.Errorf("the ratio to the weight is %.4g in some rows and %.4g in one", g, v)
				}
			}
		}
		if off != nil {
			return nil, fmt.Errorf("effect: replicate weights %q do not leave out one cluster of a stratum (%w): Replicates.Scales must have the factor (n-1)/n of each column", name, off)
		}
		scales = append(scales, 1/g)
	}
	return scales, nil
}

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
