package tables

import (
	"context"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"

	"mediant/internal/literal"
	"mediant/internal/names"
)

// replicateRange is a pattern of columns that are numbered: repwt1-repwt80, or repwt1-80.
var replicateRange = regexp.MustCompile(`^(.*?)(\d+)-(.*?)(\d+)$`)

// mostReplicates bounds a range of columns, before they are looked for.
const mostReplicates = 100_000

// ReplicateColumns returns the names of the columns that patterns name, in natural order: repwt2 before repwt10. A pattern is one of MatchNames, or a range
// of numbered columns, as in repwt1-repwt80. Columns that have another role pass globs, but not names and ranges. The error names the
// pattern that matches nothing, or the column that is missing from a range, has another role, or has no numbers.
func ReplicateColumns(columns []Column, patterns []string, roles RoleOptions) ([]string, error) {
	a := assigner{role: make(map[string]string)}
	for _, name := range []string{roles.WeightsXU, roles.WeightsUY} {
		a.give(name, weightsRole)
	}
	for _, name := range []string{roles.ClusterXU, roles.ClusterUY} {
		a.give(name, clusterRole)
	}
	return a.replicates(columns, patterns)
}

// replicates gives the columns that patterns name their role, and returns them in natural order.
func (a *assigner) replicates(columns []Column, patterns []string) ([]string, error) {
	all := ColumnNames(columns)
	var single []string
	for _, p := range names.Resolve(all, patterns) {
		own, err := expandRange(all, p)
		if err != nil {
			return nil, err
		}
		single = append(single, own...)
	}
	claimed, err := a.claim(replicatesRole, columns, single)
	if err != nil {
		return nil, err
	}
	for _, name := range claimed {
		if columns[names.Index(all, name)].Kind != Numeric {
			return nil, fmt.Errorf("tables: replicate weights: column %q is no column of numbers", name)
		}
	}
	slices.SortFunc(claimed, literal.NaturalCompare)
	return claimed, nil
}

// expandRange returns the names of a range, or the pattern itself if it is none.
func expandRange(all []string, pattern string) ([]string, error) {
	m := replicateRange.FindStringSubmatch(pattern)
	if m == nil || m[3] != "" && m[3] != m[1] || names.Index(all, pattern) >= 0 {
		return []string{pattern}, nil
	}
	first, errFirst := strconv.Atoi(m[2])
	last, errLast := strconv.Atoi(m[4])
	if errFirst != nil || errLast != nil || last < first || last-first >= mostReplicates {
		return nil, fmt.Errorf("tables: replicate weights: range %q does not ascend, or has more than %d columns", pattern, mostReplicates)
	}
	var out []string
	for i := first; i <= last; i++ {
		name := fmt.Sprintf("%s%0*d", m[1], len(m[2]), i) // as wide as the first: repwt01
		if names.Index(all, name) < 0 {
			return nil, fmt.Errorf("tables: replicate weights: range %q: %w", pattern, names.Missing(all, name))
		}
		out = append(out, name)
	}
	return out, nil
}

// Reweigh returns the rows of src with their factors (Batch.Factors) multiplied by what times returns for each row of a batch: finite and at least 0. Unlike Weigh
// it keeps rows of factor 0, so that the rows have the numbers, and the folds, that they have in src, and it divides by no mean.
func Reweigh(src Source, times func(b Batch) ([]float64, error)) Source {
	return &reweighed{NewGuard("", src), times}
}

// reweighed is a Source with other factors, which are computed anew in each pass.
type reweighed struct {
	guard *Guard
	times func(b Batch) ([]float64, error)
}

func (r *reweighed) Columns() []Column { return r.guard.Columns() }

func (r *reweighed) Facts() Facts {
	f := r.guard.Facts()
	f.Weighted = true
	return f
}

// Batches yields the batches of the source with their factors.
func (r *reweighed) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		for b, err := range r.guard.Batches(ctx) {
			if err == nil {
				var of []float64
				if of, err = r.times(b); err == nil {
					b.weights.times = product(b.weights.times, of)
				}
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}
