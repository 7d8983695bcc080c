package problem_test

import (
	"bytes"
	"strings"
	"testing"

	"mediant/internal/problemtest"
	"mediant/moments"
	"mediant/problem"
	"mediant/tables"
)

// TestSumsTakenApart: totals that are written and read on the grid of the plan, with or without one of its own, and runs that are merged without them, are the sums of the same bytes.
func TestSumsTakenApart(t *testing.T) {
	xu, uy, xus, uys := halves(t, 300)
	plan := planOf(t, problemtest.Prepared(t, small(), xu, uy))
	withGrid := plan.Grids
	for _, plan.Grids = range [][2]*moments.Grid{withGrid, {}} {
		want := merged(t, plan, xus[:], uys[:])
		runs, err := problem.MergeSums(&problem.Sums{Plan: plan, Runs: want.Runs[2:]}, &problem.Sums{Plan: plan, Runs: want.Runs[:2]})
		if err != nil {
			t.Fatal(err)
		}
		copied := func(table int, byFold [][]*moments.Total) (out [][]*moments.Total) {
			for k, fold := range byFold {
				out = append(out, nil)
				for _, total := range fold {
					var b bytes.Buffer
					if _, err := total.WriteTo(&b); err != nil {
						t.Fatal(err)
					}
					read, err := moments.ReadTotal(&b, plan.Grid(table))
					if err != nil {
						t.Fatal(err)
					}
					out[k] = append(out[k], read)
				}
			}
			return out
		}
		runs.XU, runs.UY = copied(problem.TableXU, want.XU), copied(problem.TableUY, want.UY)
		if !bytes.Equal(written(t, runs), written(t, want)) {
			t.Error("the sums have other bytes")
		}
	}
}

// TestColumnsAndRowsOfPlan: 10 rows for each of 12 features are enough, of either table. A plan without X or Y lists the columns of U alone.
func TestColumnsAndRowsOfPlan(t *testing.T) {
	xu, uy, _, _ := halves(t, 60)
	plan := planOf(t, problemtest.Prepared(t, small(), xu, uy))
	for table, columns := range []string{"u,x", "u,y"} {
		if got := strings.Join(tables.ColumnNames(plan.Columns(table)), ","); got != columns {
			t.Errorf("columns %s, want %s", got, columns)
		}
		if err := plan.FewRows(table, 120); err != nil {
			t.Error(err)
		}
		if err := plan.FewRows(table, 119); err == nil || !strings.Contains(err.Error(), "119 rows for 12 features") {
			t.Errorf("of 119 rows: %v", err)
		}
	}
	plan.X, plan.Phi, plan.Y = nil, nil, nil
	for table := range 2 {
		if got := plan.Columns(table); len(got) != 1 || got[0].Name != "u" {
			t.Errorf("columns of a plan of U: %v", got)
		}
	}
}
