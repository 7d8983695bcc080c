package serve

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mediant/internal/browsertest"
	"mediant/internal/predictions"
)

// TestDescription: what the page is made from.
func TestDescription(t *testing.T) {
	server := start(t, Options{}, "number", "classes")
	_, body, _ := ask(t, "GET", server.URL+"/v1/models/number", "")
	var d description
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		t.Fatal(err)
	}
	a, colour := d.Columns[0], d.Columns[2]
	if a.Name != "a" || a.Kind != "numeric" || *a.Min < 0 || *a.Max > 10 || *a.Typical < *a.Min || *a.Typical > *a.Max || strings.Join(colour.Levels, " ") != "blue green red" || colour.Min != nil {
		t.Errorf("columns %s", body)
	}
	if !d.SE || !d.Distrib || d.Label != "" || strings.Join(d.Outputs, " ") != "y" || len(d.Digest) != 64 || d.Digest[:digits] != d.Version {
		t.Errorf("%s", body)
	}
	_, body, _ = ask(t, "GET", server.URL+"/v1/models/classes", "")
	d = description{}
	if err := json.Unmarshal([]byte(body), &d); err != nil || d.SE || d.Distrib || d.Label != "label" || len(d.Outputs) != 3 {
		t.Errorf("%v: %s", err, body)
	}
	_, body, _ = ask(t, "GET", server.URL+"/v1/models", "")
	if !strings.Contains(body, `"name":"classes"`) || strings.Count(body, `"versions":["`) != 2 {
		t.Errorf("%s", body)
	}
	status, body, header := ask(t, "GET", server.URL+"/v1/models/number/card", "")
	if status != 200 || !strings.Contains(body, "Content-Security-Policy") || header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("card: %d %.200s", status, body)
	}
}

// TestPage: in a browser the page shows what the library predicts, follows the keyboard, fits a telephone, and asks no other server.
func TestPage(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts a browser")
	}
	browser := browsertest.Open(t)
	dir := t.TempDir()
	const nasty = `<img src=x onerror=alert(1)>`
	put(t, filepath.Join(dir, "number.mediant"), "number")
	put(t, filepath.Join(dir, "a"+nasty[:4]+".mediant"), "classes")
	r := run(t, Server{}, Options{}, dir)
	tab := browsertest.OpenTab(t, browser, r.url+"/")
	tab.WaitFor("a prediction and curves", `document.querySelector("#result .big") !== null && document.querySelectorAll("#curves svg").length === 3`)
	tab.MustBe("the first model is chosen, and its name is text", `document.getElementById("model").value === "a<img" && document.querySelectorAll("img").length === 0`)
	tab.MustBe("classes have their probabilities", `document.querySelectorAll("#result meter").length === 3 && document.getElementById("level-line").hidden`)
	tab.Run(chromedp.Focus("#model"), chromedp.KeyEvent(kb.ArrowDown))
	tab.WaitFor("the other model", `document.getElementById("interval") !== null && document.querySelectorAll("#curves svg").length === 3`)
	tab.MustBe("numbers have sliders and text a list", `document.querySelectorAll("#row input[type=range]").length === 2 && [...document.querySelectorAll("#row select option")].map(o => o.value).join() === "blue,green,red"`)
	tab.MustBe("every control has a name", `[...document.querySelectorAll("input,select,button")].every(e => e.labels?.length > 0 || e.getAttribute("aria-label") || e.textContent)`)
	tab.MustBe("pictures have words", `[...document.querySelectorAll("svg")].every(s => s.getAttribute("role") === "img" && s.getAttribute("aria-label").includes(" along "))`)

	// The keyboard alone: from one control to the next, and along a slider.
	tab.Run(chromedp.Focus(`#row input[type=range]`))
	before := tab.Eval(`document.querySelector("#row input[type=number]").value`)
	tab.Run(chromedp.KeyEvent(kb.ArrowRight))
	tab.MustBe("an arrow moves the slider and its number", `document.querySelector("#row input[type=number]").value > `+before)
	tab.Run(chromedp.KeyEvent(kb.Tab))
	tab.MustBe("Tab goes to the number", `document.activeElement.type === "number"`)

	// What is shown is what the library predicts.
	tab.Eval(`(() => {
		const [a, b] = document.querySelectorAll("#row input[type=number]");
		a.value = 7; b.value = -1;
		document.querySelector("#row select").value = "blue";
		b.dispatchEvent(new Event("input"));
		return 0;
	})()`)
	want := predicted(t, "number", "a,b,colour\n7,-1,blue\n", predictions.Options{})
	tab.WaitFor("the prediction of the library", `document.querySelector("#result .big").textContent === "y = " + Number((`+jsonNumber(want.numbers[0][0])+`).toPrecision(4))`)
	tab.MustBe("the interval is around f", `(() => { const [lo, hi] = document.getElementById("interval").textContent.match(/interval (\S+) to (\S+)/).slice(1).map(Number); return lo < hi; })()`)
	tab.MustBe("the card says what the error is", `document.getElementById("card").textContent.includes("Mean squared error")`)
	for _, width := range []int64{360, 1400} {
		tab.Run(chromedp.EmulateViewport(width, 800))
		tab.MustBe("no horizontal scroll", `document.documentElement.scrollWidth <= innerWidth`)
		tab.MustBe("what is touched is large enough", `[...document.querySelectorAll("#row input,select")].filter(e => e.offsetParent !== null).every(e => e.getBoundingClientRect().height >= 32)`)
	}
	tab.CheckWithin(r.url)
	if dir := os.Getenv("MEDIANT_SCREENSHOTS"); dir != "" { // for whoever changes the style
		tab.Screenshots(dir)
	}

	// A change of the file shows in the next prediction.
	put(t, filepath.Join(dir, "number.mediant"), "other")
	r.store.Refresh()
	tab.Eval(`document.querySelector("#row select").dispatchEvent(new Event("input"))`)
	want = predicted(t, "other", "a,b,colour\n7,-1,blue\n", predictions.Options{})
	tab.WaitFor("the prediction of the library", `document.querySelector("#result .big").textContent === "y = " + Number((`+jsonNumber(want.numbers[0][0])+`).toPrecision(4))`)
}

// TestPageAsksForToken: with a token the page has no data until it is given.
func TestPageAsksForToken(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts a browser")
	}
	browser := browsertest.Open(t)
	dir := t.TempDir()
	put(t, filepath.Join(dir, "number.mediant"), "number")
	r := run(t, Server{}, Options{Token: "sesame"}, dir)
	tab := browsertest.OpenTab(t, browser, r.url+"/")
	tab.WaitFor("a field for the token", `!document.getElementById("access").hidden`)
	tab.MustBe("no data", `document.getElementById("row").childElementCount === 0`)
	tab.Run(chromedp.Focus("#token"), chromedp.KeyEvent("sesame"), chromedp.KeyEvent(kb.Enter))
	tab.WaitFor("curves", `document.querySelectorAll("#curves svg").length === 3 && document.getElementById("access").hidden`)
}

func jsonNumber(v float64) string { return string(appendJSON(nil, v)) }
