// Package browsertest opens pages in headless Chromium, for tests of what writes them.
package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A Tab is a page in a browser with all that it said or asked for.
type Tab struct {
	t    *testing.T
	ctx  context.Context
	mu   sync.Mutex
	said []string
	urls []string
}

// Open starts Debian's Chromium, or skips the test where it is absent.
func Open(t *testing.T) context.Context {
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed (Debian: apt-get install chromium): the page is not tested in a browser")
	}
	flags := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()), chromedp.Headless, chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.NoFirstRun,
	}
	for _, f := range []string{"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync"} {
		flags = append(flags, chromedp.Flag(f, true))
	}
	ctx, stop := chromedp.NewExecAllocator(t.Context(), flags...)
	t.Cleanup(stop)
	ctx, closeBrowser := chromedp.NewContext(ctx)
	t.Cleanup(func() {
		closeBrowser()
		chromedp.WaitClosed(ctx) // before the profile is removed
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("chromium does not start: %v", err)
	}
	return ctx
}

// OpenTab opens a page in a tab of its own.
func OpenTab(t *testing.T, browser context.Context, url string) *Tab {
	ctx, stop := chromedp.NewContext(browser)
	t.Cleanup(stop)
	b := &Tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	b.Run(chromedp.Navigate(url))
	return b
}

func (b *Tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		b.said = append(b.said, fmt.Sprintf("console.%s", e.Type))
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		b.said = append(b.said, e.Entry.Text+" "+e.Entry.URL)
	case *cdpage.EventJavascriptDialogOpening:
		b.said = append(b.said, "dialog: "+e.Message)
	case *network.EventRequestWillBeSent:
		b.urls = append(b.urls, e.Request.URL)
	}
}

// patience is for one step; a step takes milliseconds on a machine that does nothing else.
const patience = 30 * time.Second

// Run runs actions in the page.
func (b *Tab) Run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

func call[P, R any](b *Tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		b.t.Fatal(err)
	}
}

// Eval returns the JSON of an expression's value.
func (b *Tab) Eval(js string) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[[]byte](js))
	if err != nil {
		b.t.Fatalf("%v in %s", err, js)
	}
	return string(out)
}

// Get reads the value of an expression.
func (b *Tab) Get(js string, into any) {
	b.t.Helper()
	if err := json.Unmarshal([]byte(b.Eval(js)), into); err != nil {
		b.t.Fatal(err)
	}
}

// MustBe reports an expression that is not true.
func (b *Tab) MustBe(what, js string) {
	b.t.Helper()
	if got := b.Eval("Boolean(" + js + ")"); got != "true" {
		b.t.Errorf("not so: %s", what)
	}
}

// WaitFor waits until an expression is true.
func (b *Tab) WaitFor(what, js string) {
	b.t.Helper()
	for end := time.Now().Add(patience); b.Eval("Boolean("+js+")") != "true"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("does not happen: %s", what)
		}
	}
}

// Prefer makes the reader prefer a colour scheme, light or dark.
func (b *Tab) Prefer(scheme string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

// Width makes the window so many pixels wide.
func (b *Tab) Width(pixels int64) {
	b.t.Helper()
	b.Run(chromedp.EmulateViewport(pixels, 900))
}

// CheckLayout looks at a page of a report at the widths of a telephone and of a desk: nothing is wider than the window, and all charts are seen.
func (b *Tab) CheckLayout() {
	b.t.Helper()
	for _, width := range []int64{400, 1400} {
		b.Width(width)
		b.MustBe("no horizontal scroll at "+fmt.Sprint(width), `document.documentElement.scrollWidth <= innerWidth`)
		b.MustBe("charts have visible sizes at "+fmt.Sprint(width), `[...document.querySelectorAll(".plot svg")].every(s => {
			const b = s.getBoundingClientRect();
			return b.width >= 300 && b.height >= 150 && b.right <= innerWidth;
		})`)
		b.MustBe("text of charts is 11 pixels high at "+fmt.Sprint(width), `[...document.querySelectorAll(".plot svg")].every(s => {
			const scale = s.getBoundingClientRect().width / s.viewBox.baseVal.width;
			return [...s.querySelectorAll("text")].every(t => parseFloat(getComputedStyle(t).fontSize) * scale >= 11);
		})`)
		b.MustBe("text of charts does not overlap, and is not cut, at "+fmt.Sprint(width), `[...document.querySelectorAll(".plot svg")].every(s => {
			const all = [...s.querySelectorAll("text")].map(t => t.getBoundingClientRect()), whole = s.getBoundingClientRect();
			return all.every((a, i) => a.left >= whole.left - 2 && a.right <= whole.right + 2 && a.top >= whole.top - 2 && a.bottom <= whole.bottom + 2 &&
				all.slice(i + 1).every(b => Math.min(a.right, b.right) - Math.max(a.left, b.left) < 3 || Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) < 3));
		})`)
	}
}

// CheckQuiet wants no word of the page and no request but for itself.
func (b *Tab) CheckQuiet(url string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.said) > 0 {
		b.t.Errorf("the page complained: %q", b.said)
	}
	if len(b.urls) != 1 || b.urls[0] != url {
		b.t.Errorf("the browser asked for %q, want only %s", b.urls, url)
	}
}

// CheckWithin wants no word of the page and requests to one server alone.
func (b *Tab) CheckWithin(server string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.said) > 0 {
		b.t.Errorf("the page complained: %q", b.said)
	}
	for _, url := range b.urls {
		if !strings.HasPrefix(url, server) && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "blob:"+server) {
			b.t.Errorf("the browser asked for %q", url)
		}
	}
}

// PDF prints the page.
func (b *Tab) PDF() []byte {
	b.t.Helper()
	pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF())
	if err != nil {
		b.t.Fatal(err)
	}
	return pdf
}

// Screenshots are for whoever changes the style; no test compares them.
func (b *Tab) Screenshots(dir string) {
	for _, scheme := range []string{"light", "dark"} {
		b.Prefer(scheme)
		for _, width := range []int64{400, 1400} {
			b.Run(chromedp.EmulateViewport(width, 2600))
			png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
			if err != nil {
				b.t.Fatal(err)
			}
			if err := os.WriteFile(fmt.Sprintf("%s/%s-%d.png", dir, scheme, width), png, 0o666); err != nil {
				b.t.Fatal(err)
			}
		}
	}
}
