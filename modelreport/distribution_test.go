package modelreport

import (
	"slices"
	"strings"
	"testing"

	"mediant/distribution"
	"mediant/internal/fixture"
	"mediant/report"
)

// TestDistribution: a model with a distribution has a section on it, whose median lies within both strips; without the tables the fan is left out, and without a distribution all of it.
func TestDistribution(t *testing.T) {
	xu, uy, xy := drawn(t, kind{}, 200, 200)
	s := fitted(t, xu, uy, options{method: fixed, folds: 5})
	section := func(s Subject) *report.Section {
		doc := document(t, s)
		at := slices.IndexFunc(doc.Sections, func(s report.Section) bool { return s.Title == "The distribution of Y" })
		if at < 0 {
			return nil
		}
		return &doc.Sections[at]
	}
	if section(s) != nil {
		t.Fatal("a model without a distribution has a section on it")
	}
	d := fixture.Must[*distribution.CDF](t)(distribution.Fit(t.Context(), s.Choice.Problem, distribution.Options{}))
	s.Model.SetDistribution(d)
	got := section(s)
	if got == nil || len(got.Charts) != 2 || len(got.Tables) != 1 || len(got.Tables[0].Rows) != 3 {
		t.Fatalf("section %+v", got)
	}
	if points := got.Charts[0].Series[0]; len(points.Y) != len(d.Assessment.Levels) || points.Y[4] != d.Assessment.Levels[4].Coverage.Value {
		t.Errorf("coverage is %v", points)
	}
	wide, narrow, median := got.Charts[1].Series[0], got.Charts[1].Series[1], got.Charts[1].Series[2]
	if len(median.X) != fanGroups || !slices.IsSorted(median.X) {
		t.Errorf("groups are at %v", median.X)
	}
	for i, m := range median.Y {
		if !(wide.Err[i] > narrow.Err[i]) || m < narrow.Y[i]-narrow.Err[i] || m > narrow.Y[i]+narrow.Err[i] {
			t.Errorf("group %d: median %g, strips %g ± %g and %g ± %g", i, m, wide.Y[i], wide.Err[i], narrow.Y[i], narrow.Err[i])
		}
	}
	poor := *d.Assessment
	poor.CRPS.Value, poor.CRPS.Hi, poor.Overlap = -1, .25, &distribution.Overlap{Rows: 70, Of: 90}
	if text := section(Subject{Model: s.Model, Distribution: &poor}).Text; len(text) != 3 || !strings.Contains(text[1], "It is at most 0.25 (95 % interval). Intervals of") || !strings.Contains(text[2], "of the 70 of 90 rows") {
		t.Errorf("text %q", text)
	}
	score := fixture.Must[*distribution.Score](t)(distribution.Evaluate(t.Context(), s.Model.Model, d, xy))
	if got := section(Subject{Model: s.Model, XY: xy, DistributionScore: score}); len(got.Charts) != 1 || len(got.Charts[0].Series) != 3 {
		t.Errorf("without tables of X and U there are %d charts", len(got.Charts))
	}
}
