package modelreport

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mediant"
	"mediant/baselines"
	"mediant/check"
	"mediant/diagnose"
	"mediant/features"
	"mediant/inference"
	"mediant/internal/fixture"
	"mediant/problem"
	"mediant/report"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// kinds of tables that tests draw.
type kind struct {
	classes, text, vectors, several bool
	shift                           float64 // of u1 in the second table
}

// drawn draws tables of (X, U) and (U, Y), and coupled rows of X and Y: u1 = x1³ + noise, a level of U that is one of X, Y = u1² + noise.
func drawn(t testing.TB, k kind, n, m int) (xu, uy, xy tables.Source) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(3, uint64(n)))
	side := func(rows int, x, u, y bool, shift float64) tables.Source {
		var x1, x2, u1, u2, y1, y2 []float64
		var site, ward, label []string
		var sparse tables.SparseRows
		for i := range rows {
			a := 2*rnd.Float64() - 1
			x1, x2 = append(x1, a), append(x2, rnd.NormFloat64())
			u1, u2 = append(u1, a*a*a+.3*rnd.NormFloat64()+shift), append(u2, rnd.NormFloat64())
			at := rnd.IntN(3)
			site, ward = append(site, []string{"north", "south", ""}[at]), append(ward, []string{"A", "B", "C"}[at])
			y1, y2 = append(y1, u1[i]*u1[i]+float64(at)+.1*rnd.NormFloat64()), append(y2, 1000*u1[i]+100*rnd.NormFloat64())
			label = append(label, []string{"low", "high", "top"}[min(2, int(max(0, y1[i])))])
			if err := sparse.Add([]int{at, 3 + i%5}, []float64{1, u1[i]}); err != nil {
				t.Fatal(err)
			}
			if i%17 == 3 {
				x2[i], y1[i], label[i] = math.NaN(), math.NaN(), ""
			}
		}
		var columns []tables.ColumnData
		add := func(there bool, c ...tables.ColumnData) {
			if there {
				columns = append(columns, c...)
			}
		}
		add(x && k.vectors, tables.Vectors("pixels", sparse))
		add(x && !k.vectors, tables.Numbers("x1", x1), tables.Numbers("x2", x2), tables.Strings("site", site))
		add(x && k.text, tables.Strings("headline", fixture.Headlines(rows, uint64(rows))))
		add(u && k.text, tables.Strings("report", fixture.Headlines(rows, 5)))
		add(u && k.vectors, tables.Vectors("strokes", sparse))
		add(u && !k.vectors, tables.Numbers("u1", u1), tables.Numbers("u2", u2), tables.Strings("ward", ward))
		add(y && k.classes, tables.Strings("y", label))
		add(y && !k.classes, tables.Numbers("y", y1))
		add(y && k.several, tables.Numbers("z", y2))
		return fixture.Columns(t, columns...)
	}
	return side(n, true, true, false, 0), side(m, false, true, true, k.shift), side(200, true, false, true, 0)
}

// options of a fit in a test.
type options struct {
	method rr.Method // nil: a search
	se     bool
	folds  int
}

// fitted is the Subject of a fit.
func fitted(t testing.TB, xu, uy tables.Source, o options) Subject {
	t.Helper()
	ctx := context.Background()
	checked, err := check.Tables(ctx, xu, uy, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	setup := problem.Setup{Roles: tables.RoleOptions{Ignore: checked.LeftOut}, Folds: o.folds, Phi: features.Spec{Kernel: "gaussian", Size: 24}, Psi: features.Spec{Kernel: "gaussian", Size: 24}}
	if tables.HasVectors(xu.Columns()) {
		setup.Phi, setup.Psi = features.Spec{Kind: features.LinearFeatures}, features.Spec{Kind: features.LinearFeatures}
	}
	var c *search.Choice
	if o.method == nil {
		s := search.Search{Setup: setup, Rivals: baselines.Rivals}
		s.Phi.Bandwidth, s.Psi.Bandwidth = 2, 2
		c, err = s.Choose(ctx, xu, uy)
	} else {
		c, err = search.ChoiceOfTables(ctx, setup, o.method, risk.AssessOptions{}, xu, uy)
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := mediant.FitChoice(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	if o.se {
		m.SetErrors(fixture.Must[*inference.Errors](t)(inference.Estimate(ctx, c.Problem, m.Model, inference.Corrected)))
	}
	s := Subject{Model: m, Choice: c, XU: xu, UY: uy, Checked: checked}
	if m.H != nil && m.Assessment != nil {
		if s.Diagnosis, err = diagnose.Diagnose(ctx, m.Model, xu, uy, tables.RoleOptions{}); err != nil {
			t.Fatal(err)
		}
		s.Diagnosis.AddSensitivity(m.Assessment)
	}
	return s
}

// fixed is 2Step-RR with penalties that suit the tables.
var fixed = rr.TwoStep{LambdaF: rr.Value(1e-4), LambdaH: rr.Value(1e-4)}

func document(t testing.TB, s Subject) *report.Document {
	t.Helper()
	return fixture.Must[*report.Document](t)(Document(context.Background(), s))
}

// titles are those of the sections, chartNames those of all charts.
func titles(d *report.Document) []string {
	var all []string
	for _, s := range d.Sections {
		all = append(all, s.Title)
	}
	return all
}

func chartNames(d *report.Document) []string {
	var all []string
	for _, s := range d.Sections {
		for _, c := range s.Charts {
			all = append(all, c.Name)
		}
	}
	return all
}

func section(t testing.TB, d *report.Document, title string) report.Section {
	t.Helper()
	i := slices.Index(titles(d), title)
	if i < 0 {
		t.Fatalf("no section %q among %q", title, titles(d))
	}
	return d.Sections[i]
}

// omitted are the parts in the section of what was left out, with the reasons.
func omitted(d *report.Document) []string {
	var all []string
	for _, s := range d.Sections {
		if s.Title == "Left out" {
			for _, row := range s.Tables[0].Rows {
				all = append(all, row[0].Text+": "+row[1].Text)
			}
		}
	}
	return all
}

// page is the HTML.
func page(t testing.TB, d *report.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := d.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestParts: what is shown of each kind of model, and what is named as left out.
func TestParts(t *testing.T) {
	all := []string{"Estimated error", "Diagnosis", "Findings of the checks", "Columns", "Predictions against h(U)", "Residuals of h", "What f depends on", "U in the two tables",
		"Sensitivity to the assumption", "What to collect next", "Risk along w and the penalties", "Candidates of the search", "The model"}
	without := func(some ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(some, s) })
	}
	explicit := "the candidates of the search: nothing was chosen: all settings were set explicitly"
	for name, c := range map[string]struct {
		kind   kind
		opt    options
		titles []string
		charts string
		left   []string // beginnings
	}{
		"a search": {kind{}, options{}, all, "risk calibration-1 residuals-1 dependence-1 dependence-2 dependence-3 overlap-1 overlap-2 overlap-3 sensitivity sweep-w sweep-lambda-f sweep-lambda-h", nil},
		"classes": {kind{classes: true}, options{method: fixed, folds: 3}, without("Candidates of the search"),
			"risk calibration-1 calibration-2 calibration-3 residuals-1 residuals-2 residuals-3 dependence-1 dependence-2 dependence-3 overlap-1 overlap-2 overlap-3 sensitivity sweep-w sweep-lambda-f sweep-lambda-h", []string{explicit}},
		"several columns of Y": {kind{several: true}, options{method: rr.Joint{}, se: true, folds: 3}, without("Candidates of the search"),
			"risk calibration-1 calibration-2 residuals-1 residuals-2 dependence-1 dependence-2 dependence-3 overlap-1 overlap-2 overlap-3 sensitivity sweep-w sweep-lambda-f sweep-lambda-h", []string{explicit}},
		"free text": {kind{text: true}, options{method: fixed, folds: 3}, without("Candidates of the search"),
			"risk calibration-1 residuals-1 dependence-1 dependence-2 dependence-3 overlap-1 overlap-2 overlap-3 sensitivity sweep-w sweep-lambda-f sweep-lambda-h", []string{"partial dependence on headline: free text", "the overlap in report: free text", explicit}},
		"sparse rows": {kind{vectors: true}, options{method: fixed, folds: 3}, without("Candidates of the search", "What f depends on", "U in the two tables"),
			"risk calibration-1 residuals-1 sensitivity sweep-w sweep-lambda-f sweep-lambda-h", []string{"partial dependence: X is one column of sparse rows", "the overlap in strokes: sparse rows", "the overlap of U: no column", explicit}},
		"the naive chain": {kind{}, options{method: baselines.Naive{}, folds: 3}, without("Candidates of the search", "Risk along w and the penalties"),
			"risk calibration-1 residuals-1 dependence-1 dependence-2 dependence-3 overlap-1 overlap-2 overlap-3 sensitivity", []string{"the risk along w and the penalties: search: no sweep: w and penalties are those of 2Step-RR", explicit}},
		"no folds": {kind{}, options{method: fixed}, without("Estimated error", "Diagnosis", "Predictions against h(U)", "Residuals of h", "Sensitivity to the assumption", "What to collect next", "Risk along w and the penalties", "Candidates of the search"),
			"dependence-1 dependence-2 dependence-3 overlap-1 overlap-2 overlap-3", []string{"held-out predictions: the fit has no folds", "the error: no risk was estimated", "the diagnosis: no diagnosis", "the calibration of f: there are no held-out", "the residuals of h: there are no", "the sensitivity curve: needs a diagnosis", "what to collect next: needs an estimate of the risk", "the risk along w and the penalties: search: no sweep: the problem has no folds", explicit}},
	} {
		t.Run(name, func(t *testing.T) {
			xu, uy, _ := drawn(t, c.kind, 150, 140)
			d := document(t, fitted(t, xu, uy, c.opt))
			want := c.titles
			if c.left != nil {
				want = append(slices.Clone(want), "Left out")
			}
			if got := titles(d); !slices.Equal(got, want) {
				t.Errorf("sections %q, want %q", got, want)
			}
			if got := strings.Join(chartNames(d), " "); got != c.charts {
				t.Errorf("charts\n%s, want\n%s", got, c.charts)
			}
			checkOmitted(t, d, c.left)
			checkCharts(t, d)
		})
	}
}

// checkOmitted compares what was left out with the beginnings of lines.
func checkOmitted(t *testing.T, d *report.Document, want []string) {
	t.Helper()
	got := omitted(d)
	ok := len(got) == len(want)
	for i := 0; ok && i < len(want); i++ {
		ok = strings.HasPrefix(got[i], want[i])
	}
	if !ok {
		t.Errorf("left out is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// checkCharts: every chart has titles of its axes, a sentence that says how to read it, and something in it.
func checkCharts(t *testing.T, d *report.Document) {
	t.Helper()
	for _, s := range d.Sections {
		for _, c := range s.Charts {
			if c.Title == "" || c.XLabel == "" || c.YLabel == "" || !strings.HasPrefix(c.Note, "How to read it: ") || !strings.HasSuffix(c.Note, ".") {
				t.Errorf("chart %s: title %q, axes %q and %q, note %q", c.Name, c.Title, c.XLabel, c.YLabel, c.Note)
			}
			for _, series := range c.Series {
				if len(series.X) == 0 || slices.ContainsFunc(series.Y, func(v float64) bool { return !finite(v) }) {
					t.Errorf("chart %s, %s: x %g, y %g", c.Name, series.Name, series.X, series.Y)
				}
			}
		}
	}
	if err := d.WriteHTML(io.Discard); err != nil {
		t.Error(err)
	}
}

// TestSummary: the first paragraphs have the estimates.
func TestSummary(t *testing.T) {
	xu, uy, _ := drawn(t, kind{classes: true}, 200, 180)
	s := fitted(t, xu, uy, options{method: fixed, folds: 3})
	d := document(t, s)
	a := s.Model.Assessment
	text := strings.Join(d.Summary, "\n")
	for _, want := range []string{
		"2Step-RR, fitted to 200 rows of (X, U) and 169 rows of (U, Y).",
		fmt.Sprintf("the mean squared error is %s (95 %% interval %s to %s)", number(a.Risk.MSE), number(a.Risk.Lo), number(a.Risk.Hi)),
		fmt.Sprintf("The estimated accuracy is %s", percent(a.Accuracy.Value)),
		"the most frequent class, ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

var riskOptions = risk.AssessOptions{}

func errorsOf(t *testing.T, p *problem.Problem, m *rr.Model) *inference.Errors {
	return fixture.Must[*inference.Errors](t)(inference.Estimate(t.Context(), p, m, inference.Corrected))
}
