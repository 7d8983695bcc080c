package modelreport

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"mediant"
	"mediant/check"
	"mediant/diagnose"
	"mediant/internal/fixture"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// TestOtherSubjects: a model file alone, new tables, coupled rows, and a fit to sums.
func TestOtherSubjects(t *testing.T) {
	xu, uy, _ := drawn(t, kind{}, 150, 140)
	newXU, newUY, xy := drawn(t, kind{}, 130, 120)
	fit := fitted(t, xu, uy, options{})
	var file bytes.Buffer
	if err := fit.Model.Save(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := mediant.Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	a := fixture.Must[*risk.Assessment](t)(risk.AssessModel(ctx, loaded.Model, newXU, newUY, tables.RoleOptions{}, risk.AssessOptions{}))
	diagnosis := fixture.Must[*diagnose.Diagnosis](t)(diagnose.Diagnose(ctx, loaded.Model, newXU, newUY, tables.RoleOptions{}))
	diagnosis.AddSensitivity(a)
	score := fixture.Must[rr.Score](t)(loaded.Evaluate(ctx, xy))
	sums := fit
	sums.Choice = choiceOfSums(t, fit.Choice.Problem)
	sums.XU, sums.UY, sums.Diagnosis = nil, nil, nil
	noRows := func(why string) []string {
		var all []string
		for _, part := range []string{"the calibration of f: ", "the residuals of h: ", "partial dependence: ", "the overlap of U: "} {
			all = append(all, part+why)
		}
		return all
	}
	explicit := fitted(t, xu, uy, options{method: fixed, folds: 3}).Model
	inFile, coupled := noRows("a model file holds no rows"), noRows("needs tables of (X, U) and of (U, Y)")
	for name, c := range map[string]struct {
		subject Subject
		charts  string
		left    []string
	}{
		"a file": {Subject{Model: loaded}, "risk sweep-w sweep-lambda-f sweep-lambda-h",
			slices.Concat([]string{"the diagnosis: a model file holds no rows", "findings: the findings of a fit name files and lines, and are not kept"}, inFile, []string{"the sensitivity curve: needs a diagnosis"})},
		"a file of set penalties": {Subject{Model: explicit}, "risk",
			slices.Concat([]string{"the diagnosis: a model file holds no rows", "findings: the findings of a fit name files and lines, and are not kept"}, inFile, []string{"the sensitivity curve: needs a diagnosis",
				"the risk along w and the penalties: w and the penalties were set", "the candidates of the search: nothing"})},
		"new tables": {Subject{Model: loaded, XU: newXU, UY: newUY, Assessment: a, Diagnosis: diagnosis, Findings: []check.Finding{}},
			"risk calibration-1 residuals-1 dependence-1 dependence-2 dependence-3 overlap-1 overlap-2 overlap-3 sensitivity sweep-w sweep-lambda-f sweep-lambda-h", nil},
		"coupled rows": {Subject{Model: loaded, XY: xy, Score: &score, Findings: []check.Finding{}}, "risk coupled-1 sweep-w sweep-lambda-f sweep-lambda-h",
			slices.Concat([]string{"the diagnosis: needs tables"}, coupled[:1], coupled[1:], []string{"the sensitivity curve: needs a diagnosis"})},
		"sums": {sums, "risk sweep-w sweep-lambda-f sweep-lambda-h",
			slices.Concat([]string{"pictures that need rows: the model was fitted to sums", "the diagnosis: the model was fitted to sums"}, noRows("the model was fitted to sums"), []string{"the sensitivity curve: needs a diagnosis"})},
	} {
		t.Run(name, func(t *testing.T) {
			d := document(t, c.subject)
			if got := strings.Join(chartNames(d), " "); got != c.charts {
				t.Errorf("charts\n%s, want\n%s", got, c.charts)
			}
			if s := c.subject.Score; s != nil {
				row := d.Sections[0].Tables[0].Rows[1]
				if name, to := row[0].Text, *row[3].Value; name != fmt.Sprintf("this model on %d rows of coupled (X, Y)", s.Rows) || *row[1].Value != s.MSE || math.Abs(to-s.MSE-1.96**s.SE) > 0.001**s.SE {
					t.Errorf("%q is %g to %g, want %g with standard error %g", name, *row[1].Value, to, s.MSE, *s.SE)
				}
			}
			checkOmitted(t, d, c.left)
			checkCharts(t, d)
		})
	}
	if _, err := Document(ctx, Subject{}); err == nil {
		t.Error("no error without a model")
	}
	done, stop := context.WithCancel(ctx)
	stop()
	if _, err := Document(done, fit); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// choiceOfSums is a choice for the sums of the tables of a problem.
func choiceOfSums(t *testing.T, p *problem.Problem) *search.Choice {
	ctx := t.Context()
	plan := fixture.Must[problem.Plan](t)(p.Plan(ctx))
	xu := fixture.Must[*problem.Sums](t)(plan.SumXU(ctx, p.Sources()[problem.TableXU]))
	uy := fixture.Must[*problem.Sums](t)(plan.SumUY(ctx, p.Sources()[problem.TableUY]))
	of := fixture.Must[*problem.Problem](t)(fixture.Must[*problem.Sums](t)(problem.MergeSums(xu, uy)).Problem())
	return fixture.Must[*search.Choice](t)(search.ChoiceOf(of, fixed, risk.AssessOptions{}))
}
