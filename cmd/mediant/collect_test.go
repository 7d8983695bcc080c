package main

import (
	"strings"
	"testing"
)

const surrogateFit = "fit --xu xu.csv --uy uy.csv --x x --u u,v --y y --ignore mine,half,fold --method 2step --phi linear --psi linear --no-diagnosis -o m.mediant "

// TestCollectIsShownWhereAskedFor: text has what to collect next where a cost or a budget is set, JSON has it always; f is in it where its standard errors are
// known, and not in that of a fitted model on other tables.
func TestCollectIsShownWhereAskedFor(t *testing.T) {
	inFolder(t)
	surrogateTables(t, 300)
	if text := succeed(t, words(surrogateFit)...); strings.Contains(text, "collect") {
		t.Errorf("nobody asked:\n%s", text)
	}
	text := succeed(t, words(surrogateFit+"--cost-uy 4")...)
	for _, part := range []string{
		"\ncollect   of the variance of the risk ", "with 1000 more rows of X and U ", "a budget of 5000 at 1 a row of X and U and 4 a row of U and Y is best spent on ",
		"\ncollect   the variance of f(x) is left out: standard errors of f were not estimated (--se)\n",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
	const evaluate = "evaluate m.mediant --xu xu.csv --uy uy.csv --accept learned-rows "
	const outside = "evaluate --xu xu.csv --uy uy.csv --u u,v --predictions mine --ignore half --fold fold "
	for _, line := range []string{evaluate, outside} {
		text := invoke(words(line + "--budget 77")...).stdout // stderr says that the rows are those of the fit
		if !strings.Contains(text, "\ncollect   a budget of 77 at 1 a row") || strings.Contains(text, "f(x)") {
			t.Errorf("%s:\n%s", line, text)
		}
	}
	for _, line := range []string{surrogateFit + "--se --json", evaluate + "--json", outside + "--json"} {
		v := object(t, invoke(words(line)...).stdout)
		if n := numberAt(t, v, "collect", "rows", "xu"); n != 300 {
			t.Errorf("%s: %g rows", line, n)
		}
		se, more, double := numberAt(t, v, "collect", "risk", "se"), numberAt(t, v, "collect", "risk", "more_uy"), numberAt(t, v, "collect", "risk", "double_uy")
		if se != numberAt(t, v, "risk", "se") || !(more < double && double < se) {
			t.Errorf("%s: standard errors %g, %g of 1,000 more rows, %g of 300 more", line, se, more, double)
		}
		if budget := numberAt(t, v, "collect", "costs", "budget"); budget != 2000 {
			t.Errorf("%s: budget %g", line, budget)
		}
		if _, there := v["collect"].(map[string]any)["f"]; there != strings.Contains(line, "--se") {
			t.Errorf("%s: f is there: %t", line, there)
		}
	}
	if v := object(t, succeed(t, words(surrogateFit+"--no-risk --json")...)); v["collect"] != nil {
		t.Errorf("without risk: %v", v["collect"])
	}
}

// TestCostsAreChecked: before a table is read.
func TestCostsAreChecked(t *testing.T) {
	inFolder(t)
	for _, line := range []string{"fit --xu nosuch.csv --uy nosuch.csv -o m ", "evaluate m --xu nosuch.csv --uy nosuch.csv "} {
		for _, flag := range collectNames {
			for _, value := range []string{"0", "-1", "NaN", "Inf", "1e200"} {
				checkMeans(t, line+"--"+flag+" "+value, "--"+flag, false)
			}
		}
	}
	checkMeans(t, "fit --xu nosuch.csv --uy nosuch.csv -o m --cost-xu 2 --cost-uy 3 --budget 4", "--cost-xu", true)
	checkMeans(t, "fit --xu nosuch.csv --uy nosuch.csv -o m --no-risk --cost-xu 2", "--cost-xu", false)
	checkMeans(t, "evaluate m --xy nosuch.csv --budget 2", "--budget", false)
}
