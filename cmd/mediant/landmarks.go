package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"mediant/features"
	"mediant/problem"
	"mediant/tables"
)

// landmarkFlags say what the landmarks of Nyström features are: rows picked by a rule, or those of a file.
type landmarkFlags struct{ rule, x, u string }

func (l *landmarkFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&l.rule, "landmarks", "pivoted", "how nystrom features pick landmarks: pivoted, uniform, kmeans++ or leverage")
	flags.StringVar(&l.x, "landmarks-x", "", "file of rows of X to use as landmarks (--phi nystrom:KERNEL)")
	flags.StringVar(&l.u, "landmarks-u", "", "file of rows of U (likewise, --psi)")
}

// landmarkRules are the values of --landmarks.
var landmarkRules = map[string]features.Landmarks{
	"pivoted": features.RandomlyPivoted, "uniform": features.Uniform, "kmeans++": features.KMeansPlusPlus, "leverage": features.RidgeLeverage,
}

// pick gives Nyström features without a file the rule, and refuses what goes with no features.
func (l *landmarkFlags) pick(given func(flag string) bool, phi, psi *features.Spec) error {
	rule, ok := landmarkRules[l.rule]
	if !ok {
		return usagef("--landmarks %q, want pivoted, uniform, kmeans++ or leverage", l.rule)
	}
	used := false
	for _, side := range []struct {
		flag, file, of string
		spec           *features.Spec
	}{{"landmarks-x", l.x, "phi", phi}, {"landmarks-u", l.u, "psi", psi}} {
		nystrom := side.spec.Kind == features.NystromFeatures
		switch {
		case given(side.flag) && (side.file == "" || side.file == "-"):
			return usagef("--%s %q: give a file name", side.flag, side.file)
		case side.file != "" && !nystrom:
			return usagef("--%s has no meaning without --%s nystrom:KERNEL", side.flag, side.of)
		case side.file == "" && nystrom:
			side.spec.Landmarks, used = rule, true
		}
	}
	if given("landmarks") && !used {
		return usagef("--landmarks has no meaning without nystrom features (--phi, --psi) that pick their own")
	}
	return nil
}

// openLandmarks opens the files of landmarks for the setup; columns have the kinds that they have in the table of X
// and U.
func (f *fitFlags) openLandmarks(ctx context.Context, s *problem.Setup, xu, uy tables.Source) (close func() error, err error) {
	var open []func() error
	close = func() (err error) {
		for _, c := range open {
			err = errors.Join(err, c())
		}
		return err
	}
	if f.landmarks.x == "" && f.landmarks.u == "" {
		return close, nil
	}
	roles, err := tables.AssignRoles(xu.Columns(), uy.Columns(), f.roles)
	if err != nil {
		return close, err
	}
	for _, side := range []struct {
		file  string
		names []string
		to    *tables.Source
	}{{f.landmarks.x, roles.X, &s.LandmarksX}, {f.landmarks.u, roles.U, &s.LandmarksU}} {
		if side.file == "" {
			continue
		}
		only := slices.DeleteFunc(slices.Clone(xu.Columns()), func(c tables.Column) bool { return !slices.Contains(side.names, c.Name) })
		src, done, err := f.open(ctx, side.file, only)
		if err != nil {
			return close, errors.Join(err, close())
		}
		open = append(open, done)
		if _, err := tables.Select(src.Columns(), only); err != nil {
			return close, errors.Join(fmt.Errorf("%s: %w", side.file, err), close())
		}
		*side.to = src
	}
	return close, nil
}
