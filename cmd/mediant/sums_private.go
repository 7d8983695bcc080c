package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"mediant/problem"
	"mediant/tables"
)

// privateFlags are the flags of sums with noise.
type privateFlags struct {
	epsilon, delta float64
	clip           []string
}

func (f *privateFlags) register(flags *pflag.FlagSet) {
	flags.Float64Var(&f.epsilon, "epsilon", 0, "add noise for differential privacy of one row, of this epsilon (default: no noise)")
	flags.Float64Var(&f.delta, "delta", 1e-6, "delta of --epsilon, far below 1/rows")
	flags.StringArrayVar(&f.clip, "clip", nil, "with --epsilon: range of numbers of Y, `LO:HI`, or SIZE for -SIZE:SIZE; NAME=LO:HI for one of several columns (repeatable)")
}

func (f *privateFlags) check(s *sumsFlags, given func(string) bool) error {
	switch {
	case !given("epsilon") && (given("delta") || given("clip")):
		return usagef("--delta and --clip have no meaning without --epsilon")
	case !given("epsilon"):
		return nil
	case !(f.epsilon > 0):
		return usagef("--epsilon is %g, must be above 0", f.epsilon)
	case s.plan == "":
		return usagef("--epsilon has no meaning without --xu or --uy: noise is added when rows are summed")
	case s.checkpoint.dir != "":
		return usagef("--checkpoint has no meaning with --epsilon: its files would have sums without noise, and the noise is never the same")
	case s.roles.WeightsXU != "" || s.roles.WeightsUY != "":
		return usagef("--weights-xu and --weights-uy have no meaning with --epsilon: a weight would say how much of the sums one row is")
	}
	return nil
}

// privacy is what is asked for of a table of a plan.
func (f *privateFlags) privacy(p problem.Plan, table int) (problem.Privacy, error) {
	how := problem.Privacy{Epsilon: f.epsilon, Delta: f.delta}
	if table == problem.TableXU || p.Y == nil || p.Y.Classes() != nil {
		if len(f.clip) > 0 && p.Y != nil && p.Y.Classes() != nil {
			return how, usagef("--clip has no meaning for classes")
		}
		return how, nil
	}
	names := tables.ColumnNames(p.Y.Columns())
	ranges := make(map[string]problem.Range)
	for _, text := range f.clip {
		name, of, named := strings.Cut(text, "=")
		if !named {
			name, of = "", text
		}
		r, ok := rangeOf(of)
		if !ok {
			return how, usagef("--clip %s: want LO:HI with LO below HI, SIZE above 0, or NAME=LO:HI", text)
		}
		if _, twice := ranges[name]; twice {
			return how, usagef("--clip %s: it is set twice", text)
		}
		ranges[name] = r
	}
	for name := range ranges {
		if name != "" && !slices.Contains(names, name) {
			return how, usagef("--clip: %q is no column of Y, which has %s", name, listed(names))
		}
	}
	for _, name := range names {
		r, own := ranges[name]
		if !own {
			r, own = ranges[""]
		}
		if !own {
			return how, usagef("--clip is missing for %q: noise hides values within a range, which must not come from the rows", name)
		}
		how.Clip = append(how.Clip, r)
	}
	return how, nil
}

// rangeOf parses LO:HI, or SIZE for -SIZE:SIZE.
func rangeOf(text string) (r problem.Range, ok bool) {
	lo, hi, two := strings.Cut(text, ":")
	if !two {
		lo, hi = "-"+text, text
	}
	var errLo, errHi error
	r.Lo, errLo = strconv.ParseFloat(lo, 64)
	r.Hi, errHi = strconv.ParseFloat(hi, 64)
	return r, errLo == nil && errHi == nil && r.Lo < r.Hi && !math.IsInf(r.Lo, 0) && !math.IsInf(r.Hi, 0)
}

// sum returns the function that sums a table with noise, nil if none is asked for.
func (f *privateFlags) sum(ctx context.Context, p problem.Plan, table int) (func(src tables.Source) (*problem.Sums, error), error) {
	if f.epsilon == 0 {
		return nil, nil
	}
	how, err := f.privacy(p, table)
	if err != nil {
		return nil, err
	}
	return func(src tables.Source) (*problem.Sums, error) {
		s, err := p.SumPrivately(ctx, table, src, how)
		if err == nil && f.delta*float64(s.Runs[0].Rows) >= 1 {
			err = fmt.Errorf("--delta is %g for %s: a delta of 1/rows allows that one row is published", f.delta, count(s.Runs[0].Rows, "row"))
		}
		return s, err
	}, nil
}

// privacyOf describes the noise of a run.
func privacyOf(run problem.Run) string {
	if run.Private == nil {
		return ""
	}
	return fmt.Sprintf(", with noise: epsilon %g, delta %g", run.Private.Epsilon, run.Private.Delta)
}

// reveals describes what whoever has the sums learns of single rows.
func reveals(s *problem.Sums) string {
	private := 0
	for _, run := range s.Runs {
		if run.Private != nil {
			private++
		}
	}
	const plain = "means, variances and covariances of features and outputs over all rows of each block, from which single rows cannot be read where blocks have many"
	switch private {
	case 0:
		return plain + "; no noise is added"
	case len(s.Runs):
		return "the numbers of rows, and means, variances and covariances with noise: whatever is made of a run, the odds of a row, against any other in its place, change by a factor of exp(epsilon) at most, " +
			"except with probability delta. Runs of the same rows cannot be told apart: their epsilons and deltas add, and their rows count twice"
	}
	return plain + "; rows of the runs without noise are protected by nothing else"
}
