package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"mediant/internal/names"
	"mediant/problem"
	"mediant/tables"
)

// clusterNames are the flags of clusters.
var clusterNames = []string{"cluster", "cluster-xu", "cluster-uy"}

// registerCluster registers the columns of clusters of two tables.
func registerCluster(flags *pflag.FlagSet, both *string, roles *tables.RoleOptions) {
	flags.StringVar(both, "cluster", "", "column of clusters, such as a school, in whichever table has it: rows of one cluster may depend on each other, stay in one fold and count as one in standard errors")
	flags.StringVar(&roles.ClusterXU, "cluster-xu", "", "column of clusters of --xu, if it has another name there")
	flags.StringVar(&roles.ClusterUY, "cluster-uy", "", "column of clusters of --uy, likewise")
	inGroup(flags, columnGroup)
}

// findCluster sets the columns of clusters that have no flag of their own: that of --cluster, in the tables that have it.
func findCluster(both string, roles *tables.RoleOptions, xu, uy []tables.Column) error {
	if both == "" {
		return nil
	}
	inXU, inUY := names.Index(tables.ColumnNames(xu), both) >= 0, names.Index(tables.ColumnNames(uy), both) >= 0
	if !inXU && !inUY {
		all := slices.Concat(tables.ColumnNames(xu), tables.ColumnNames(uy))
		return usagef("--cluster: no column %q in either table%s", both, names.DidYouMean(all, both))
	}
	if inXU && roles.ClusterXU == "" {
		roles.ClusterXU = both
	}
	if inUY && roles.ClusterUY == "" {
		roles.ClusterUY = both
	}
	return nil
}

// openClustered is openTwo for commands with clusters.
func (f *twoTableFlags) openClustered(ctx context.Context) (*twoTables, error) {
	two, err := f.openTwo(ctx, f.xu, f.uy)
	if err != nil {
		return nil, err
	}
	if err := findCluster(f.cluster, &f.roles, two.xu.Columns(), two.uy.Columns()); err != nil {
		two.close()
		return nil, err
	}
	return two, nil
}

// warnFewClusters warns of few clusters.
func warnFewClusters(stderr io.Writer, c *problem.Clusters) {
	if few := c.Few(); few != "" {
		fmt.Fprintln(stderr, "warning: "+few)
	}
}
