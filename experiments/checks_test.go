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
	found, err := FalseAlarms(context.Background(), 60, []int{60, 300}, []int{3, 6}, 1, func(int) {})
	if err != nil || found.Alarmed > 3 {
		t.Errorf("of 60 pairs: %+v, %v", found, err)
	}
}

// TestFindingsOfCleanTablesAreCounted: a pair counts once, whatever it has.
func TestFindingsOfCleanTablesAreCounted(t *testing.T) {
	found := &CleanFindings{Pairs: make(map[CleanKind]int), Notes: make(map[check.Code]map[CleanKind]int)}
	note, warning := check.Finding{Code: check.FarValue, Severity: check.Note}, check.Finding{Code: check.FarValue, Severity: check.Warning}
	found.add(CleanTables{Kind: SkewColumns, Rows: 10, U: 3}, []check.Finding{note, note})
	found.add(CleanTables{Kind: SkewColumns, Rows: 10, U: 3}, []check.Finding{warning, warning, note})
	found.add(CleanTables{Kind: HeavyColumns, Rows: 10, U: 3}, nil)
	if found.Alarmed != 1 || len(found.Alarms) != 2 || found.Notes[check.FarValue][SkewColumns] != 2 || found.Pairs[SkewColumns] != 2 || found.Pairs[HeavyColumns] != 1 {
		t.Errorf("%+v", found)
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
