package report

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mediant/internal/browsertest"
)

// TestBrowser opens pages in headless Chromium. One browser serves all cases: it takes a second to
// start, a page much less.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts a browser")
	}
	browser := browsertest.Open(t)
	pages := map[string]*Document{"/sample": sample(), "/nasty": nastyDocument()}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d := pages[r.URL.Path]; d != nil {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			d.WriteHTML(w)
			return
		}
		http.NotFound(w, r)
	}))
	defer server.Close()
	for name, check := range map[string]func(*testing.T, *browsertest.Tab){
		"/sample": checkSample,
		"/nasty":  checkNasty,
	} {
		t.Run(name[1:], func(t *testing.T) {
			tab := browsertest.OpenTab(t, browser, server.URL+name)
			tab.CheckLayout()
			check(t, tab)
			tab.MustBe("no element came from a name", `document.querySelectorAll("img,iframe,object,embed,link,base,form").length === 0 &&
				document.scripts.length === 1 && document.querySelectorAll("style").length === 1`)
			tab.CheckQuiet(server.URL + name)
		})
	}
}

func checkSample(t *testing.T, tab *browsertest.Tab) {
	tab.MustBe("12 charts", `document.querySelectorAll(".plot svg").length === 12`)
	tab.MustBe("marks are drawn and seen", `[...document.querySelectorAll(".plot svg")].every(s => {
		const shapes = [...s.querySelectorAll("circle,path")].filter(e => /[fk]-s\d/.test(e.parentNode.getAttribute("class")));
		return shapes.length > 0 && shapes.every(e => {
			const box = e.getBoundingClientRect(), style = getComputedStyle(e);
			return box.width + box.height > 2 && (style.fill !== "none" || style.stroke !== "none") && style.visibility === "visible";
		});
	})`)
	tab.MustBe("marks lie where their values are shown", `(() => {
		const svg = document.querySelector(".plot svg"), first = svg.querySelector("g[data-s='2Step-RR']").dataset.p.split(";")[0].split(" ");
		return [...svg.querySelectorAll("circle")].some(c => c.getAttribute("cx") === first[0] && c.getAttribute("cy") === first[1]);
	})()`)
	tab.MustBe("a formula is laid out: numerators stand above denominators", `(() => {
		const all = [...document.querySelectorAll("math mfrac")];
		return all.length > 0 && all.every(f => {
			const [over, under] = [...f.children].map(e => e.getBoundingClientRect());
			return over.width > 0 && over.bottom <= under.top + 1;
		});
	})()`)
	checkSorting(t, tab)
	checkValues(t, tab)
	checkDark(t, tab)
	if pdf := tab.PDF(); !bytes.HasPrefix(pdf, []byte("%PDF-")) || len(pdf) < 20_000 {
		t.Errorf("printing gave %d bytes", len(pdf))
	}
	if dir := os.Getenv("MEDIANT_SCREENSHOTS"); dir != "" {
		tab.Screenshots(dir)
	}
}

// column is a JavaScript function of the texts of a column of the first table.
const column = `(i => [...document.querySelector("tbody").rows].map(r => r.cells[i].textContent).join())`

func checkSorting(t *testing.T, tab *browsertest.Tab) {
	original := tab.Eval(column + "(3)")
	const aria = `(document.querySelectorAll("thead th")[3].getAttribute("aria-sort") || "none")`
	const values = `[...document.querySelector("tbody").rows].map(r => Number(r.cells[3].dataset.v))`
	const ascending = values + `.every((v, i, all) => !i || v >= all[i - 1])`
	const descending = values + `.every((v, i, all) => !i || v <= all[i - 1])`
	tab.Run(chromedp.Click(`thead th:nth-child(4) button`))
	tab.MustBe("a click sorts", ascending)
	tab.MustBe("and says so", aria+` === "ascending"`)
	if tab.Eval(column+"(3)") == original {
		t.Error("the sample was sorted before")
	}
	tab.Run(chromedp.Focus(`thead th:nth-child(4) button`), chromedp.KeyEvent(kb.Enter))
	tab.MustBe("Enter turns the order", aria+` === "descending" && `+descending)
	tab.Run(chromedp.KeyEvent(" "))
	tab.MustBe("Space brings the first order back", aria+` === "none"`)
	if got := tab.Eval(column + "(3)"); got != original {
		t.Errorf("after three clicks the column is %s, want %s", got, original)
	}
}

func checkValues(t *testing.T, tab *browsertest.Tab) {
	const tip = `(document.getElementById("tip").className === "on" ? document.getElementById("tip").textContent : "")`
	tab.MustBe("nothing is shown at first", tip+` === ""`)
	tab.Run(chromedp.Focus(`tbody td:nth-child(3)`))
	tab.MustBe("focus shows all digits", tip+` === document.querySelector("tbody td:nth-child(3)").dataset.v && `+tip+`.length > 10`)
	tab.Run(chromedp.KeyEvent(kb.ArrowRight))
	tab.MustBe("an arrow moves on", tip+` === document.querySelector("tbody td:nth-child(4)").dataset.v`)
	tab.Run(chromedp.KeyEvent(kb.Escape))
	tab.MustBe("Escape hides it", tip+` === ""`)

	// The third mark of the first series, under the pointer.
	var at struct{ X, Y float64 }
	tab.Eval(`document.querySelector(".plot").scrollIntoView({block: "center", behavior: "instant"})`)
	tab.Get(`(() => {
			const svg = document.querySelector(".plot svg"), m = svg.querySelector("g[data-s='2Step-RR']").dataset.p.split(";")[2].split(" ");
			const box = svg.getBoundingClientRect(), k = box.width / svg.viewBox.baseVal.width;
			return {X: box.left + m[0] * k, Y: box.top + m[1] * k};
		})()`, &at)
	tab.Run(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at.X+1, at.Y+1))
	tab.MustBe("hover shows a mark's values", `/^2Step-RR\nrows n: 400\nmean squared error: 0\.0\d+ ± 0\.0\d+$/.test(`+tip+`)`)
	tab.MustBe("the value is seen", `(() => { const b = document.getElementById("tip").getBoundingClientRect();
		return getComputedStyle(document.getElementById("tip")).visibility === "visible" && b.left >= 0 && b.right <= innerWidth && b.top >= 0; })()`)
	tab.Run(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 1, 1))
	tab.MustBe("and leaves with the pointer", tip+` === ""`)
	tab.Run(chromedp.Focus(`.plot`), chromedp.KeyEvent(kb.ArrowRight))
	tab.MustBe("keys reach marks", tip+`.startsWith("2Step-RR\nrows n: 100\n")`)
	tab.Run(chromedp.KeyEvent(kb.ArrowDown))
	tab.MustBe("and other series", tip+`.startsWith("Joint-RR, w = 1/2\n")`)
	tab.Run(chromedp.Focus(`#chart-claim-3 + .plot`), chromedp.KeyEvent(kb.ArrowRight))
	tab.MustBe("bars say their names", tip+`.startsWith("train\nJoint-RR\n")`)
}

func checkDark(t *testing.T, tab *browsertest.Tab) {
	colours := `[getComputedStyle(document.documentElement).backgroundColor, ` +
		`getComputedStyle(document.querySelector(".plot text")).fill, getComputedStyle(document.querySelector(".plot circle")).fill].join()`
	for _, c := range []struct{ scheme, want string }{
		{"dark", "rgb(21, 24, 29),rgb(227, 230, 235),rgb(116, 171, 234)"},
		{"light", "rgb(255, 255, 255),rgb(31, 37, 48),rgb(31, 95, 168)"},
	} {
		tab.Prefer(c.scheme)
		if got := strings.Trim(tab.Eval(colours), `"`); got != c.want {
			t.Errorf("%s: ground, text and mark are %s, want %s", c.scheme, got, c.want)
		}
	}
}

func checkNasty(t *testing.T, tab *browsertest.Tab) {
	for i, n := range nasty {
		tab.MustBe("shown as it is: "+n, fmt.Sprintf(`document.querySelectorAll("h2")[%d].textContent === %q`, i, n))
		tab.MustBe("in the chart, too: "+n, fmt.Sprintf(
			`document.querySelectorAll("g[data-s]")[%d].dataset.s === %q`, 3*i, n))
	}
	// Show every value there is: names pass through the script here.
	tab.MustBe("names shown by the script are text", `(() => {
		for (const plot of document.querySelectorAll(".plot")) {
			plot.focus();
			for (const key of ["ArrowRight", "ArrowDown"]) plot.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
		}
		for (const b of document.querySelectorAll("th button")) b.click();
		return document.getElementById("tip").children.length === 0 && document.getElementById("tip").textContent !== "";
	})()`)
}
