package modelreport

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"mediant"
	"mediant/check"
	"mediant/features"
	"mediant/internal/browsertest"
	"mediant/internal/fixture"
	"mediant/problem"
	"mediant/report"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"

	"net/http"
	"net/http/httptest"
)

// mostBytes is the size that no page may exceed.
const mostBytes = 400_000

// wide are tables of many columns with long names, of levels and numbers, and of many classes.
func wide(t *testing.T, columns, rows, classes int) (xu, uy tables.Source) {
	t.Helper()
	side := func(x, y bool) tables.Source {
		var all []tables.ColumnData
		add := func(prefix string, n int) {
			for j := range n {
				name := fmt.Sprintf("%s%04d %s", prefix, j, strings.Repeat(`<&"`, 100))
				if j%2 == 0 {
					values := make([]float64, rows)
					for i := range values {
						values[i] = float64((i*(j+3))%(rows-j%7)) + .1*float64(i)
					}
					all = append(all, tables.Numbers(name, values))
				} else {
					cells := make([]string, rows)
					for i := range cells {
						cells[i] = fmt.Sprintf("level %d %s", (i*(j+1))%90, strings.Repeat(`"&<`, 70))
					}
					all = append(all, tables.Strings(name, cells))
				}
			}
		}
		add("u", columns/10)
		if x {
			add("x", columns)
		}
		if y {
			label := make([]string, rows)
			for i := range label {
				label[i] = fmt.Sprintf("class %d %s", i%classes, strings.Repeat(`"é漢`, 50))
			}
			all = append(all, tables.Strings("y", label))
		}
		return fixture.Columns(t, all...)
	}
	return side(true, false), side(false, true)
}

// TestSizeIsBounded: with thousands of candidates and findings, hundreds of columns and levels, and a hundred classes, all of long names.
func TestSizeIsBounded(t *testing.T) {
	xu, uy := wide(t, 130, 200, 60)
	ctx := t.Context()
	setup := problem.Setup{Folds: 3, Phi: features.Spec{Kernel: "gaussian", Size: 16}, Psi: features.Spec{Kernel: "gaussian", Size: 16}}
	c := fixture.Must[*search.Choice](t)(search.ChoiceOfTables(ctx, setup, fixed, riskOptions, xu, uy))
	m := fixture.Must[*mediant.Model](t)(mediant.FitChoice(ctx, c))
	risk := 1.
	long := strings.Repeat(`"reason" `, 500)
	s := Subject{Model: m, Choice: c, XU: xu, UY: uy}
	for i := range 4000 {
		trial := search.Trial{Stage: []string{"psi", "phi", "hyperparameters", "method"}[i%4], Name: fmt.Sprint(i, " ", long), Risk: &risk, Difference: &risk, SE: &risk}
		if i%3 == 0 {
			trial.Risk, trial.Error = nil, long
		}
		m.Search = append(m.Search, trial)
		s.Findings = append(s.Findings, check.Finding{Code: check.FarValue, Severity: check.Warning, Columns: []string{long, long, long, long}, What: long, Effect: long, Remedy: long})
		m.Notes, m.Warnings = append(m.Notes, long), append(m.Warnings, long)
	}
	d := document(t, s)
	html := page(t, d)
	if len(html) > mostBytes {
		t.Errorf("the page has %d bytes, may have %d", len(html), mostBytes)
	}
	if len(html) < mostBytes/4 {
		t.Errorf("the page has %d bytes: nothing to see", len(html))
	}
	text := strings.Join(append(section(t, d, "Columns").Text, section(t, d, "What f depends on").Text...), "\n")
	for _, want := range []string{"40 of the 130 columns with the role X are listed.", "60 of 130 columns were shuffled"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := len(section(t, d, "Candidates of the search").Tables); n != 4 {
		t.Errorf("%d tables of candidates, want one for each stage", n)
	}
}

// TestSameBytes: for any number of threads.
func TestSameBytes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var pages []string
	for _, threads := range []int{1, 3} {
		runtime.GOMAXPROCS(threads)
		xu, uy, _ := drawn(t, kind{}, 2200, 2100) // more than a sample
		pages = append(pages, page(t, document(t, fitted(t, xu, uy, options{method: fixed, folds: 3, se: true}))))
	}
	if pages[0] != pages[1] {
		t.Errorf("pages of %d and %d bytes differ", len(pages[0]), len(pages[1]))
	}
}

func TestShort(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"", 5, ""}, {"abcde", 5, "abcde"}, {"abcdef", 5, "abcd…"}, {"ab  ef", 4, "ab…"}, {"漢字漢字", 5, "漢字漢…"}, {"éééé", 4, "éééé"},
		{`""`, 5, `""`}, {`"""`, 5, `"…`}, {"\xff\xfe", 5, "\xff\xfe"}, {"\xff\xfe\xff\xfe\xff\xfe", 5, "\xff\xfe\xff…"},
	} {
		if got := short(c.text, c.most); got != c.want {
			t.Errorf("%q in %d letters: %q, want %q", c.text, c.most, got, c.want)
		}
	}
}

// markup are names of columns and levels that must show as they are spelled.
var markup = []string{`<img src=x onerror=alert(1)>`, `a&b`, `</script><script>alert(2)</script>`, `"><svg onload=alert(3)>`}

// marked are tables whose names and levels are markup.
func marked(t *testing.T) (xu, uy tables.Source) {
	t.Helper()
	n := 120
	level := make([]string, n)
	for i := range level {
		level[i] = markup[i%4]
	}
	u := make([]float64, n)
	y := make([]string, n)
	for i := range u {
		u[i] = float64(i%40) + float64(i)/1000
		y[i] = markup[min(3, i%40/10)]
	}
	return fixture.Columns(t, tables.Numbers(markup[0], fixture.Ramp(n)), tables.Strings(markup[1], level), tables.Numbers(markup[2], u)),
		fixture.Columns(t, tables.Numbers(markup[2], u), tables.Strings(markup[3], y))
}

// TestNamesAreText: markup in names shows as it is spelled.
func TestNamesAreText(t *testing.T) {
	xu, uy := marked(t)
	s := fitted(t, xu, uy, options{method: fixed, folds: 3})
	html := page(t, document(t, s))
	for _, name := range markup[:2] {
		for _, in := range []string{">" + escaped(name) + "</th>", escaped(name) + "</text>"} { // a table and a chart
			if !strings.Contains(html, in) {
				t.Errorf("no %s", in)
			}
		}
	}
	for _, tag := range []string{"<img", "<svg onload", "<script>alert", "onerror=alert(1)>"} {
		if strings.Contains(html, tag) {
			t.Errorf("%s is in the page", tag)
		}
	}
}

func escaped(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;").Replace(s)
}

// TestBrowser opens pages in headless Chromium: a fit with a search, and one whose names are markup.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts a browser")
	}
	browser := browsertest.Open(t)
	xu, uy, _ := drawn(t, kind{}, 150, 140)
	pages := map[string]*report.Document{"/search": document(t, fitted(t, xu, uy, options{}))}
	xu, uy, xy := drawn(t, kind{classes: true}, 150, 140)
	classes := fitted(t, xu, uy, options{method: fixed, folds: 3})
	classes.XY, classes.Score = xy, new(fixture.Must[rr.Score](t)(classes.Model.Evaluate(t.Context(), xy)))
	pages["/classes"] = document(t, classes)
	xu, uy = marked(t)
	pages["/markup"] = document(t, fitted(t, xu, uy, options{method: fixed, folds: 3}))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d := pages[r.URL.Path]; d != nil {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			d.WriteHTML(w)
			return
		}
		http.NotFound(w, r)
	}))
	defer server.Close()
	for path := range pages {
		t.Run(path[1:], func(t *testing.T) {
			tab := browsertest.OpenTab(t, browser, server.URL+path)
			tab.CheckLayout()
			tab.MustBe("each picture has a sentence that says how to read it", `[...document.querySelectorAll("figure")].every(f => f.querySelector(".note").textContent.startsWith("How to read it: "))`)
			tab.MustBe("charts are drawn", `document.querySelectorAll(".plot svg").length >= 10`)
			tab.MustBe("no element runs what a name says", `document.querySelectorAll("img, [onerror], [onload]").length === 0 && document.scripts.length === 1`)
			tab.MustBe("labels stay within their charts", `[...document.querySelectorAll(".plot text")].every(e => {
				const text = e.getBoundingClientRect(), plot = e.closest(".plot").getBoundingClientRect();
				return text.left >= plot.left - 1 && text.right <= plot.right + 12;
			})`)
			tab.CheckQuiet(server.URL + path)
		})
	}
}
