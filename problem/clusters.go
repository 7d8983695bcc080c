package problem

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mediant/internal/draw"
	"mediant/tables"
)

// Clusters counts the clusters of the rows of both tables; 0 of a table whose rows are independent.
type Clusters struct {
	XU int `json:"xu"`
	UY int `json:"uy"`
	// Shared are those that both tables have: equal values are one cluster.
	Shared int `json:"shared"`
}

// Few warns of a table with clusters that are fewer than FewClusters; "" if there is none.
func (c *Clusters) Few() string {
	if c == nil {
		return ""
	}
	for t, n := range []int{c.XU, c.UY} {
		if n > 0 && n < FewClusters {
			return fmt.Sprintf("the table of %s has %d clusters: below %d standard errors are rough, and may be too small", tableNames[t], n, FewClusters)
		}
	}
	return ""
}

// FewClusters is the number of clusters of a table below which standard errors are doubtful, since they are from so many sums alone
// [Cameron and Miller, A practitioner's guide to cluster-robust inference, Journal of Human Resources 50, 2015, section VI: too few are 20 to 50].
const FewClusters = 20

// clustered are the clusters of both tables.
type clustered struct {
	counts  [2]int
	shared  int
	places  []int // of each cluster in an order that is drawn from the seed, see mark
	columns [2]string
}

// mark gives the rows of both tables the clusters that the setup names, and puts these in a random order, by which they have folds: first those of both
// tables, then those of either, so that each table has as many clusters in every fold, up to one, and a cluster of both tables is in one fold. The order depends on the values of the
// clusters and the seed, not on the order of rows.
func (e *Encoded) mark(ctx context.Context) error {
	columns := [2]string{e.setup.Roles.ClusterXU, e.setup.Roles.ClusterUY}
	if columns == [2]string{} {
		return nil
	}
	var all tables.Clusters
	c := &clustered{columns: columns}
	var has [2][]bool // by cluster
	for t, name := range columns {
		if name == "" {
			continue
		}
		src, err := all.Mark(ctx, e.sources[t], name)
		if err != nil {
			return TableError(t, err)
		}
		e.sources[t], has[t] = src, make([]bool, all.Len())
		for b, err := range tables.NewGuard("", src).Batches(ctx) {
			if err != nil {
				return TableError(t, err)
			}
			for _, cluster := range b.Clusters() {
				if !has[t][cluster] {
					has[t][cluster] = true
					c.counts[t]++
				}
			}
		}
	}
	in := func(t, cluster int) bool { return cluster < len(has[t]) && has[t][cluster] }
	order, draws, parts := make([]int, all.Len()), make([]uint64, all.Len()), make([]int, all.Len())
	for i := range order {
		order[i], draws[i] = i, draw.Source(e.setup.Seed, "clusters "+all.Key(i), 0).Uint64()
		switch {
		case in(TableXU, i) && in(TableUY, i):
			c.shared++
		case in(TableXU, i):
			parts[i] = 1
		default:
			parts[i] = 2
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(parts[a], parts[b]), cmp.Compare(draws[a], draws[b]), cmp.Compare(all.Key(a), all.Key(b)))
	})
	c.places = make([]int, len(order))
	for at, i := range order {
		if parts[i] == 2 { // S_Y goes on where the clusters of both end
			at -= c.counts[TableXU] - c.shared
		}
		c.places[i] = at
	}
	e.clusters = c
	return nil
}

// Clusters returns how many clusters there are; nil if no table has any.
func (e *Encoded) Clusters() *Clusters {
	if e.clusters == nil {
		return nil
	}
	c := e.clusters
	return &Clusters{XU: c.counts[TableXU], UY: c.counts[TableUY], Shared: c.shared}
}

// checkClusters returns an error if a table has fewer clusters than there are folds, or than two.
func (e *Encoded) checkClusters() error {
	if e.clusters == nil {
		return nil
	}
	for t, name := range e.clusters.columns {
		switch n := e.clusters.counts[t]; {
		case name == "":
		case n < 2:
			return fmt.Errorf("problem: all rows of the table of %s are in one cluster %q, must be in at least 2", tableNames[t], name)
		case n < e.setup.Folds:
			return fmt.Errorf("problem: the table of %s has %d clusters %q, too few for %d folds, which have whole clusters", tableNames[t], n, name, e.setup.Folds)
		}
	}
	return nil
}

// noteClusters notes how many clusters there are.
func (e *Encoded) noteClusters() {
	if e.clusters == nil {
		return
	}
	for t, name := range e.clusters.columns {
		if name == "" {
			continue
		}
		errors := "sums over clusters"
		if len([][]string{e.setup.Roles.ReplicatesXU, e.setup.Roles.ReplicatesUY}[t]) > 0 {
			errors = "replicate weights"
		}
		e.note(fmt.Sprintf("the rows of the table of %s are in %d clusters %q: each is in one fold as a whole, and standard errors are from %s", tableNames[t], e.clusters.counts[t], name, errors))
	}
}

// clusterBytes bounds what one cluster takes: its value and number, and sums of a few dozen columns.
const clusterBytes = 512
