package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"mediant"
	"mediant/export/page/internal/browser"
	"mediant/features"
	"mediant/internal/browsertest"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// most is how large a page of a small model may be.
const most = 12e6

// smallModel predicts a label, or a number, from numbers and levels. Names of columns are text that would be markup.
func smallModel(t *testing.T, classes bool) *mediant.Model {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	const n = 300
	var a, u, v, y []float64
	var colour, label []string
	for range n {
		x, c := r.NormFloat64(), r.IntN(3)
		a, colour = append(a, x), append(colour, []string{"red", "green", "blue, pale"}[c])
		u = append(u, x+float64(c)+.1*r.NormFloat64())
		w := 2*r.NormFloat64() + 1
		v, y = append(v, w), append(y, w*w)
		label = append(label, []string{"small", `"large"`, "middle, of"}[min(2, int(math.Abs(w)))])
	}
	of := tables.Numbers("y", y)
	if classes {
		of = tables.Strings("y", label)
	}
	xu, err := tables.FromColumns(tables.Numbers("<b>a</b>", a), tables.Strings("colour", colour), tables.Numbers("u", u))
	must(t, err)
	uy, err := tables.FromColumns(tables.Numbers("u", v), of)
	must(t, err)
	m, err := rr.Fit(context.Background(), problem.Setup{Phi: features.Spec{Size: 32}, Psi: features.Spec{Size: 32}}, rr.TwoStep{}, xu, uy)
	must(t, err)
	return &mediant.Model{Model: m}
}

// newRows are rows to predict as CSV.
func newRows(n int) string {
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	b.WriteString("colour,<b>a</b>,more\n")
	for range n {
		fmt.Fprintf(&b, "%s,%g,1\n", []string{"red", "green", `"blue, pale"`, "grey"}[r.IntN(4)], r.NormFloat64())
	}
	return b.String()
}

// compiled returns a folder with the compiled library.
func compiled(t *testing.T) fs.FS {
	t.Helper()
	folder := t.TempDir()
	if out, err := exec.Command("go", "run", "generate.go", "-o", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return os.DirFS(folder)
}

// TestPage opens pages in a browser, drops files on them, and compares what they predict with this program's predictions.
func TestPage(t *testing.T) {
	if testing.Short() {
		t.Skip("short: compiles the library, and starts a browser")
	}
	chromium := browsertest.Open(t)
	program := compiled(t)
	for _, classes := range []bool{false, true} {
		t.Run(fmt.Sprint("classes ", classes), func(t *testing.T) {
			m := smallModel(t, classes)
			var b bytes.Buffer
			must(t, write(&b, program, m))
			if b.Len() > most {
				t.Errorf("the page has %d bytes, want at most %d", b.Len(), int(most))
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/page" {
					http.NotFound(w, r)
					return
				}
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				w.Write(b.Bytes())
			}))
			defer server.Close()
			tab := browsertest.OpenTab(t, chromium, server.URL+"/page")
			await(t, tab, "Ready.")
			tab.MustBe("the columns are listed as text", `document.querySelector(".columns").textContent === "<b>a</b>colour" && document.querySelectorAll("b").length === 0`)
			rows := newRows(1000)
			drop(t, tab, "new.csv", rows)
			await(t, tab, "Done: new.csv")
			want, warnings, err := browser.Predict(context.Background(), m, "new.csv", []byte(rows))
			must(t, err)
			if len(warnings) == 0 {
				t.Fatal("an unknown level is no warning")
			}
			tab.Eval(`fetchless = "waiting"; (async () => {
				const blobs = window.savedBlobs; fetchless = await blobs[blobs.length - 1].text();
			})(); 0`)
			var got string
			eventually(t, func() bool { tab.Get("fetchless", &got); return got != "waiting" })
			sameNumbers(t, got, string(want))
			var shown struct {
				Warnings []string
				First    []string
				Rows     int
			}
			tab.Get(`({warnings: [...document.querySelectorAll("#warnings li")].map(e => e.textContent), rows: document.querySelectorAll("tbody tr").length,
				first: [...document.querySelectorAll("tbody td")].slice(0, 1).map(e => e.textContent)})`, &shown)
			if strings.Join(shown.Warnings, "\n") != strings.Join(warnings, "\n") || shown.Rows != 20 {
				t.Errorf("%d rows and the warnings %q, want 20 and %q", shown.Rows, shown.Warnings, warnings)
			}
			if first := strings.Trim(strings.Split(strings.Split(string(want), "\n")[1], `",`)[0], `"`); classes && strings.ReplaceAll(first, `""`, `"`) != shown.First[0] {
				t.Errorf("the first label is shown as %q, want %q", shown.First[0], first)
			}
			drop(t, tab, "other.csv", "a,b\n1,2\n")
			awaitWith(t, tab, "<b>a</b>") // which is missing
			tab.MustBe("results of another file are gone", `document.getElementById("result").hidden`)
			drop(t, tab, "new.csv", newRows(3))
			await(t, tab, "Done: new.csv")
			tab.MustBe("three rows are shown", `document.querySelectorAll("tbody tr").length === 3`)
			for _, width := range []int64{400, 1400} {
				tab.Width(width)
				tab.MustBe(fmt.Sprint("no horizontal scroll at ", width), `document.documentElement.scrollWidth <= innerWidth`)
			}
			tab.CheckQuiet(server.URL + "/page")
		})
	}
}

// drop lets go of a file over the page. Blobs that the page makes are kept for the test, since its policy lets nothing fetch them.
func drop(t *testing.T, tab *browsertest.Tab, name, content string) {
	t.Helper()
	text, err := json.Marshal(content)
	must(t, err)
	tab.Eval(fmt.Sprintf(`(() => {
		if (!window.savedBlobs) {
			window.savedBlobs = [];
			const make = URL.createObjectURL;
			URL.createObjectURL = (blob) => { savedBlobs.push(blob); return make.call(URL, blob); };
		}
		const data = new DataTransfer();
		data.items.add(new File([%s], %q));
		document.getElementById("drop").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
		return 0;
	})()`, text, name))
}

func await(t *testing.T, tab *browsertest.Tab, want string) {
	t.Helper()
	var got string
	eventually(t, func() bool { tab.Get(`document.getElementById("status").textContent`, &got); return got == want })
	if got != want {
		t.Fatalf("the page says %q, want %q", got, want)
	}
}

// awaitWith waits for an error that has a text.
func awaitWith(t *testing.T, tab *browsertest.Tab, part string) {
	t.Helper()
	var got string
	eventually(t, func() bool { tab.Get(`document.querySelector(".error")?.textContent || ""`, &got); return got != "" })
	if !strings.Contains(got, part) {
		t.Fatalf("the page says %q, want %q in it", got, part)
	}
}

// eventually waits up to a minute.
func eventually(t *testing.T, so func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !so() && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond)
	}
}

// sameNumbers compares CSV files whose numbers may differ by 1e-9.
func sameNumbers(t *testing.T, got, want string) {
	t.Helper()
	a, b := strings.FieldsFunc(got, separates), strings.FieldsFunc(want, separates)
	if len(a) != len(b) {
		t.Fatalf("%d cells, want %d: %.200s", len(a), len(b), got)
	}
	for i := range a {
		x, errX := strconv.ParseFloat(a[i], 64)
		y, errY := strconv.ParseFloat(b[i], 64)
		if errX != nil || errY != nil {
			if a[i] != b[i] {
				t.Fatalf("cell %d is %q, want %q", i, a[i], b[i])
			}
		} else if !(math.Abs(x-y) <= 1e-9) {
			t.Fatalf("cell %d is %g, want %g", i, x, y)
		}
	}
}

func separates(r rune) bool { return r == ',' || r == '\n' }

// TestNotBuilt: a program without the compiled library says so, and writes nothing.
func TestNotBuilt(t *testing.T) {
	var b bytes.Buffer
	if err := write(&b, fstest.MapFS{}, smallModel(t, false)); !errors.Is(err, ErrNotBuilt) || b.Len() > 0 {
		t.Errorf("error %v, and %d bytes", err, b.Len())
	}
	if err := write(&b, fstest.MapFS{"page.wasm.gz": {}}, smallModel(t, false)); err == nil {
		t.Error("a folder without the script is taken")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
