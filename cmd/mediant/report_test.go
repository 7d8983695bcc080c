package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// reportTables writes tables with a search that is quick, and new ones.
func reportTables(t *testing.T) {
	t.Helper()
	inFolder(t)
	xu := func(i int) []any {
		return []any{i % 13, []string{"north", "south"}[i%2], float64(i%13) + float64(i%7)/7}
	}
	uy := func(i int) []any { return []any{float64(i%13) + float64(i%5)/5, float64(i%13*(i%13)) + float64(i%3)} }
	write(t, "xu.csv", table("age,site,u", 130, xu))
	write(t, "uy.csv", table("u,y", 120, uy))
	later := func(row []any, u int) []any { // another row
		row[u] = row[u].(float64) + .01
		return row
	}
	write(t, "newxu.csv", table("age,site,u", 100, func(i int) []any { return later(xu(i), 2) }))
	write(t, "newuy.csv", table("u,y", 90, func(i int) []any { return later(uy(i), 0) }))
	write(t, "xy.csv", table("age,site,y", 60, func(i int) []any {
		return []any{i % 13, []string{"north", "south"}[i%2], float64(i%13*(i%13)) + 7*float64(i%5-2)}
	}))
}

const reportFit = "fit --xu xu.csv --uy uy.csv -o m.mediant --method 2step --lambda 1e-3 --phi gaussian --psi gaussian --bandwidth-x 2 --bandwidth-u 2 --features 16"

// sectionsOf are the headings of a page.
func sectionsOf(page string) []string {
	var all []string
	for _, part := range strings.Split(page, "<h2 ")[1:] {
		_, text, _ := strings.Cut(part, ">")
		text, _, _ = strings.Cut(text, "</h2>")
		all = append(all, text)
	}
	return all
}

// TestReports: fit, evaluate and inspect write a page of what they know, and print what they print without it.
func TestReports(t *testing.T) {
	reportTables(t)
	for _, c := range []struct {
		line     string
		sections []string // some that must be there
		without  string   // one that must not
	}{
		{reportFit + " --json", []string{"Estimated error", "Findings of the checks", "Columns", "Predictions against h(U)", "Residuals of h", "What f depends on", "U in the two tables", "Sensitivity to the assumption", "What to collect next", "Risk along w and the penalties"}, "Predictions against Y"},
		{reportFit + " --no-risk", []string{"Columns", "What f depends on", "U in the two tables", "Left out"}, "Estimated error"},
		{reportFit + " --se", []string{"What f depends on"}, ""},
		{"inspect m.mediant", []string{"Estimated error", "Columns", "What to collect next", "Left out"}, "What f depends on"},
		{"evaluate m.mediant --xu newxu.csv --uy newuy.csv", []string{"Estimated error", "Diagnosis", "Predictions against h(U)", "Residuals of h", "What f depends on", "U in the two tables", "What to collect next"}, "Risk along w and the penalties"},
		{"evaluate m.mediant --xy xy.csv --json", []string{"Predictions against Y", "Estimated error", "What to collect next", "Left out"}, "Predictions against h(U)"},
		{strings.Replace(reportFit, "--method 2step --lambda 1e-3", "--lambda-f 1e-3", 1), []string{"Risk along w and the penalties"}, ""},
		{"inspect m.mediant", []string{"Risk along w and the penalties", "Candidates of the search"}, ""},
	} {
		plain := succeed(t, words(c.line)...)
		got := succeed(t, words(c.line+" --report page.html")...)
		if !strings.HasPrefix(c.line, "fit") && got != plain { // a fit prints its time
			t.Errorf("%s prints\n%s, without a page\n%s", c.line, got, plain)
		}
		if fit := strings.HasPrefix(c.line, "fit"); strings.Contains(got, "page.html") != fit {
			t.Errorf("%s prints\n%s", c.line, got)
		}
		page := read(t, "page.html")
		have := sectionsOf(page)
		for _, s := range c.sections {
			if !slices.Contains(have, s) {
				t.Errorf("%s: no section %q among %q", c.line, s, have)
			}
		}
		if slices.Contains(have, c.without) {
			t.Errorf("%s: section %q is there", c.line, c.without)
		}
		if !strings.HasPrefix(page, "<!DOCTYPE html>") || len(page) > 400_000 {
			t.Errorf("%s: a page of %d bytes, %.30q", c.line, len(page), page)
		}
		if strings.Contains(page, "fill-opacity=\"0.22\"") != strings.HasSuffix(c.line, "--se") && c.without == "" {
			t.Errorf("%s: bands, or none", c.line)
		}
	}
}

// TestReportOfPredictions: of another program, beside those of a model, which have one output or several, whose order their names say.
func TestReportOfPredictions(t *testing.T) {
	reportTables(t)
	succeed(t, words(reportFit+" --quiet")...)
	guess := func(i int) float64 { return float64(i%13*(i%13)) + float64(i%4) }
	write(t, "px.csv", table("age,site,u,guess", 100, func(i int) []any { return []any{i % 13, "north", float64(i%13) + float64(i%7)/7 + .01, guess(i)} }))
	line := "evaluate --xu px.csv --uy newuy.csv --predictions guess --ignore age,site"
	plain := invoke(words(line)...)
	got := invoke(words(line + " --report page.html")...)
	if got.status != statusDone || got.stdout != plain.stdout {
		t.Fatalf("%+v, without a page %+v", got, plain)
	}
	page := read(t, "page.html")
	for _, s := range []string{"Estimated error", "Diagnosis", "Columns", "Predictions against h(U)", "Residuals of h", "U in the two tables", "Sensitivity to the assumption", "What to collect next", "Left out"} {
		if !slices.Contains(sectionsOf(page), s) {
			t.Errorf("no section %q among %q", s, sectionsOf(page))
		}
	}
	if strings.Contains(page, "Each row is predicted by models") || !strings.Contains(page, "The predictions are those in the table") {
		t.Error("the page says that the predictions were made by folds")
	}
	if slices.Contains(sectionsOf(page), "What f depends on") || !strings.Contains(page, "Predictions of another program, in guess of 100 rows") {
		t.Error("the page is about a model")
	}
	// Points of the picture have the predictions as they are: the largest is 12² + 3.
	_, points, _ := strings.Cut(page, `data-s="held-out rows" data-p="`)
	points, _, _ = strings.Cut(points, `"`)
	if !strings.Contains(points, " 147 ") {
		t.Errorf("no prediction of 147 among %s", points)
	}
	if got = invoke(words(line + " --against m.mediant --report page.html")...); got.status != statusDone {
		t.Fatal(got.stderr)
	}
	if page = read(t, "page.html"); !strings.Contains(page, ">the model m.mediant</th>") || !strings.Contains(page, "below 0 the predictions are better") {
		t.Error("the model is not on the page")
	}
}

// TestReportOfConstantPredictions: a constant is a prediction like others, alone or beside others, and rows without a prediction are not drawn.
func TestReportOfConstantPredictions(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", table("u,a,k", 100, func(i int) []any {
		return []any{float64(i%13) + float64(i%7)/7, i % 13, []any{2.5, ""}[min(i%10, 1)^1]}
	}))
	write(t, "uy.csv", table("u,y,z", 90, func(i int) []any { return []any{float64(i%13) + float64(i%5)/5 + .01, i % 13, 2 + float64(i%3)/2} }))
	for line, points := range map[string]string{
		"--predictions k --y z --ignore a,y": " 2.5 ",
		"--predictions a,k":                  " 12 ",
	} {
		got := invoke(words("evaluate --xu xu.csv --uy uy.csv --report page.html " + line)...)
		if got.status != statusDone || !strings.Contains(got.stdout, "10 rows of the table of X and U were left out") {
			t.Fatalf("%s: %+v", line, got)
		}
		page := read(t, "page.html")
		_, drawn, _ := strings.Cut(page, `data-s="held-out rows" data-p="`)
		drawn, _, _ = strings.Cut(drawn, `"`)
		if !strings.Contains(page, " of 90 rows of (X, U)") || !strings.Contains(drawn, points) {
			t.Errorf("%s: no predictions of 90 rows, %q among %s", line, points, drawn)
		}
	}
}

// TestReportSaysWhatCheckSays: the findings on the page are those that the command prints.
func TestReportSaysWhatCheckSays(t *testing.T) {
	reportTables(t)
	write(t, "xu.csv", table("age,site,u", 130, func(i int) []any {
		return []any{[]any{i % 13, -99}[min(i%10, 1)^1], "north", float64(i%13) + float64(i%7)/7}
	}))
	write(t, "uy.csv", table("u,y", 120, func(i int) []any { return []any{100*float64(i%13) + float64(i%5), i % 13 * (i % 13)} }))
	got := invoke(words(reportFit + " --report page.html --accept unit-differs --accept no-overlap --accept missing-marker")...)
	if got.status != statusDone {
		t.Fatal(got.stderr)
	}
	page := read(t, "page.html")
	seen := 0
	for line := range strings.Lines(got.stderr) {
		severity, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if severity != "note" && severity != "warning" {
			continue
		}
		seen++
		if text = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;").Replace(text); !strings.Contains(page, ">"+text+"</td>") && len(text) < 400 {
			t.Errorf("the page has no %q", text)
		}
	}
	if seen == 0 {
		t.Errorf("nothing was found: %s", got.stderr)
	}
}

// TestMarkupInAHeader: a column that is named as markup shows as it is spelled on the page, and is no element (gkushang/cucumber-html-reporter#52).
func TestMarkupInAHeader(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", "\"<img src=x onerror=alert(1)>\",\"a&b\",u\n1,2,3\n2,1,4\n3,5,1\n4,0,2\n")
	write(t, "uy.csv", "u,y\n1,2\n2,3\n3,7\n4,1\n")
	succeed(t, words("fit --xu xu.csv --uy uy.csv -o m.mediant --report page.html")...)
	succeed(t, words("inspect m.mediant --report file.html")...)
	for _, name := range []string{"page.html", "file.html"} {
		page := read(t, name)
		for _, want := range []string{">&lt;img src=x onerror=alert(1)&gt;</th>", ">a&amp;b</th>", `<svg viewBox=`} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %s", name, want)
			}
		}
		if strings.Contains(page, "<img") {
			t.Errorf("%s: the name is an element", name)
		}
	}
}

// TestReportIsTheSame: for any number of threads, and for files that were written otherwise.
func TestReportIsTheSame(t *testing.T) {
	reportTables(t)
	withProcessors(t, 4)
	var first string
	for _, threads := range []string{"1", "2", "4"} {
		succeed(t, words(reportFit+" --quiet --se --report page.html --threads "+threads)...)
		page := read(t, "page.html")
		if first == "" {
			first = page
		} else if page != first {
			t.Errorf("%s threads give another page than 1", threads)
		}
	}
}

// TestReportFolder: the page, its texts and its charts as files.
func TestReportFolder(t *testing.T) {
	reportTables(t)
	succeed(t, words(reportFit+" --quiet --report page.html")...)
	succeed(t, words(reportFit+" --quiet --report out/")...)
	if read(t, "out/report.html") != read(t, "page.html") {
		t.Error("the page in the folder is another one")
	}
	for _, name := range []string{"report.md", "report.json", "risk.svg", "calibration-1.png", "sweep-lambda-h.svg"} {
		if read(t, "out/"+name) == "" {
			t.Errorf("%s is empty", name)
		}
	}
}

// TestReportFile: a page may not replace what the command reads or writes, and a command that fails leaves none, or the one that was there.
func TestReportFile(t *testing.T) {
	reportTables(t)
	succeed(t, words(reportFit+" --quiet")...)
	if err := os.Mkdir("out", 0o777); err != nil {
		t.Fatal(err)
	}
	before := contents(t)
	for line, want := range map[string]int{
		reportFit + " --report xu.csv":                                                    statusUsage,
		reportFit + " --report ./m.mediant":                                               statusUsage,
		strings.Replace(reportFit, "m.mediant", "n.mediant", 1) + " --report ./n.mediant": statusUsage,
		reportFit + " --report -":                                                         statusUsage,
		strings.Replace(reportFit, "m.mediant", "out/report.md", 1) + " --report out/":    statusUsage,
		reportFit + " --report xu.csv/":                                                   statusUsage,
		reportFit + " --report no/page.html":                                              statusData,
		"inspect m.mediant --report m.mediant":                                            statusUsage,
		"evaluate m.mediant --xy xy.csv --report xy.csv":                                  statusUsage,
		"evaluate m.mediant --xy xy.csv --report m.mediant":                               statusUsage,
		"evaluate m.mediant --xu newxu.csv --uy newuy.csv --report newuy.csv":             statusUsage,
		"evaluate m.mediant --xy nosuch.csv --report page.html":                           statusData,
		strings.Replace(reportFit, "xu.csv", "nosuch.csv", 1) + " --report page.html":     statusData,
	} {
		got := invoke(words(line)...)
		if got.status != want || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %+v, want status %d", line, got, want)
		}
	}
	if _, err := os.Stat("page.html"); err == nil || !slices.Equal(contents(t), before) {
		t.Error("a command that failed has written something")
	}
}
