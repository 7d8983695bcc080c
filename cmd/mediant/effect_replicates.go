package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"mediant/effect"
	"mediant/tables"
)

// replicateFlags are those of replicate weights.
type replicateFlags struct {
	both, xu, uy []string
	method       string
	joint        bool
}

func (r *replicateFlags) register(flags *pflag.FlagSet) {
	columnsVar(flags, &r.both, "replicates", "columns of replicate weights, in whichever table has them, which standard errors are taken from (comma list, globs, ranges such as repwt1-repwt80)")
	columnsVar(flags, &r.xu, "replicates-xu", "columns of replicate weights of --xu, if they have other names there")
	columnsVar(flags, &r.uy, "replicates-uy", "columns of replicate weights of --uy, likewise")
	flags.StringVar(&r.method, "replicate-method", "", "how replicate weights were made: brr, fay=K, jk1, jk2, jkn, bootstrap, sdr or scale=FACTOR; if the two tables differ, the method of each (comma list)")
	flags.BoolVar(&r.joint, "replicates-joint", false, "both tables are of one survey, and column r of both is one replicate (default: the tables are independent)")
	inGroup(flags, columnGroup)
}

// set reads the methods into an estimator, before any table is read.
func (r *replicateFlags) set(e *effect.Estimator, given func(flag string) bool) error {
	any := false
	for _, flag := range []struct {
		name    string
		columns []string
	}{{"replicates", r.both}, {"replicates-xu", r.xu}, {"replicates-uy", r.uy}} {
		if given(flag.name) && strings.Trim(strings.Join(flag.columns, ""), ", ") == "" {
			return usagef("--%s is empty, must name columns of replicate weights", flag.name)
		}
		any = any || given(flag.name)
	}
	switch {
	case !any && (r.method != "" || r.joint):
		return usagef("--replicate-method and --replicates-joint go with --replicates, --replicates-xu or --replicates-uy")
	case !any:
		return nil
	case r.method == "":
		return usagef("--replicate-method is missing: brr, fay=K, jk1, jk2, jkn, bootstrap, sdr or scale=FACTOR, as the survey's documentation says")
	case given("coupled"):
		return usagef("--coupled does not go with replicate weights: coupled rows have none")
	}
	methods := strings.Split(r.method, ",")
	if len(methods) > 2 {
		return usagef("--replicate-method has %d methods, must have one, or one for each table", len(methods))
	}
	for t, to := range []*effect.Replicates{&e.ReplicatesXU, &e.ReplicatesUY} {
		of, err := effect.ParseReplicates(methods[min(t, len(methods)-1)])
		if err != nil {
			return usagef("--replicate-method: %v", err)
		}
		*to = of
	}
	return nil
}

// find sets the columns of both tables, and no method for a table without them.
func (r *replicateFlags) find(e *effect.Estimator, two *twoTables) error {
	sources, roles := []tables.Source{two.xu, two.uy}, e.Roles
	var found [2][]string
	for t, own := range [][]string{r.xu, r.uy} {
		if len(own) == 0 {
			continue
		}
		var err error
		if found[t], err = tables.ReplicateColumns(sources[t].Columns(), own, roles); err != nil {
			return fmt.Errorf("--replicates%s: %w", []string{"-xu", "-uy"}[t], err)
		}
	}
	if len(r.both) > 0 {
		if err := r.findIn(&found, sources, roles); err != nil {
			return fmt.Errorf("--replicates: %w", err)
		}
	}
	e.Roles.ReplicatesXU, e.Roles.ReplicatesUY, e.ReplicatesJoint = found[0], found[1], r.joint
	for t, of := range []*effect.Replicates{&e.ReplicatesXU, &e.ReplicatesUY} {
		if found[t] == nil {
			*of = effect.Replicates{}
		}
	}
	if r.joint && (found[0] == nil || found[1] == nil) {
		return usagef("--replicates-joint needs replicate weights in both tables")
	}
	return nil
}

// findIn looks for the columns of --replicates in the tables that have no flag of their own. It is an error if neither has them, or one has a part of those of the other.
func (r *replicateFlags) findIn(found *[2][]string, sources []tables.Source, roles tables.RoleOptions) error {
	var errs [2]error
	var all []string
	for t := range found {
		if found[t] == nil {
			found[t], errs[t] = tables.ReplicateColumns(sources[t].Columns(), r.both, roles)
			all = append(all, found[t]...)
		}
	}
	for t, err := range errs {
		names := tables.ColumnNames(sources[t].Columns())
		if err != nil && (len(all) == 0 || slices.ContainsFunc(all, func(name string) bool { return slices.Contains(names, name) })) {
			return err
		}
	}
	return nil
}

// checkedRoles are the roles by which tables are checked, with the replicate weights that find has found.
func checkedRoles(e effect.Estimator, roles tables.RoleOptions) tables.RoleOptions {
	roles.ReplicatesXU, roles.ReplicatesUY = e.Roles.ReplicatesXU, e.Roles.ReplicatesUY
	return roles
}
