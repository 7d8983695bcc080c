package experiments

import (
	"context"
	"math"
	"testing"

	"mediant/check"
	"mediant/internal/draw"
)

// TestCleanTablesAreQuiet: of 60 pairs, each with an alarm with a probability of at most .01, more than three get one with a probability of .003.
func TestCleanTablesAreQuiet(t *testing.T) {
	alarms, hit, err := FalseAlarms(context.Background(), 60, []int{60, 300}, []int{3, 6}, 1, func(int) {})
	if err != nil || hit > 3 {
		t.Errorf("%d pairs of 60: %+v, %v", hit, alarms, err)
	}
}

// TestFaultsAreFound: each fault, in either table.
func TestFaultsAreFound(t *testing.T) {
	for _, f := range Faults {
		d, err := f.Detect(context.Background(), 600, 2, 1)
		if err != nil || d.Named < 2 {
			t.Errorf("%s: %+v, %v", f.Name, d, err)
		}
	}
}

// TestCleanTablesAreClean: U of both tables has the same columns, and each kind has what it is named for.
func TestCleanTablesAreClean(t *testing.T) {
	for _, kind := range CleanKinds {
		c := CleanTables{Kind: kind, Rows: 2000, U: 4}
		xu, uy, err := c.Draw(draw.Rand(1, "test", 0))
		if err != nil {
			t.Fatal(err)
		}
		r, err := check.Tables(context.Background(), xu, uy, check.Options{Seed: 1})
		if err != nil || len(r.Roles.U) != c.U || len(r.Roles.X) != 2 || len(r.Roles.Y) != 1 {
			t.Fatalf("%s: %+v, %v", kind, r, err)
		}
		texts, missing, outliers := 0, 0, 0
		for _, name := range r.Roles.U {
			x, y := r.XU.Column(name), r.UY.Column(name)
			if x.Read != y.Read {
				t.Errorf("%s: %s is read as %s and %s", kind, name, x.Read, y.Read)
			}
			missing += x.Missing
			if x.Numbers == nil {
				texts++
			} else if q := x.Numbers.Quantiles; math.Max(x.Numbers.Max-q[3], q[3]-x.Numbers.Min) > 30*(q[4]-q[2]) {
				outliers++
			}
		}
		if (texts == c.U) != (kind == LevelColumns) || (missing > 0) != (kind == MixedColumns) || (outliers == c.U) != (kind == HeavyColumns) {
			t.Errorf("%s: %d of levels, %d missing, %d with outliers", kind, texts, missing, outliers)
		}
	}
}
