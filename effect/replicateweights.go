package effect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/problem"
	"mediant/tables"
)

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
	if err := look.suits(given, s.scales); err != nil {
		return nil, problem.TableError(t, err)
	}
	s.used = &ReplicatesUsed{Method: given.Method, Columns: len(columns), Freedom: look.freedom()}
	return s, nil
}

// replicateLook is what one pass over replicate weights shows.
type replicateLook struct {
	rows    int
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
	l.rows = len(means)
	l.within /= float64(l.rows)
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

// methodFactor bounds the variance of the weight of a row by a method, in parts of its square. Nonresponse and calibration move it by less; the wrong method moves it by 4 (Fay's K = .5, SDR) to R
// (a jackknife). scaleFactor bounds it by scales that are set explicitly, which may contain a finite population correction.
const methodFactor, scaleFactor = 2, 100

// suits returns an error if the replicate weights cannot be of the method. By each method a row that is its own total has the variance of one draw: its weight squared, so that
// the mean over rows of sum_r scale_r (ratio_r - 1)² is about 1.
func (l *replicateLook) suits(r Replicates, scales []float64) error {
	variance := 0.
	for c, scale := range scales {
		variance += scale * l.products.At(c, c) / float64(l.rows)
	}
	factor, what := float64(methodFactor), "the documentation of the survey says which method or factor (method scale) they have"
	if r.Scales != nil {
		factor, what = scaleFactor, "no factor of a survey is so far off"
	}
	switch {
	case mat.Trace(l.products) <= rankTolerance*float64(l.rows):
		return errors.New("effect: the replicate weights are the weights themselves in every column: they have no sampling error")
	case !(variance >= 1/factor && variance <= factor):
		return fmt.Errorf("effect: by method %s the replicate weights give the weight of a row a variance of %.3g times its square, must be about 1: %s", r.Method, variance, what)
	}
	return nil
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
