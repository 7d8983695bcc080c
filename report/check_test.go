package report

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRefusals(t *testing.T) {
	one := []float64{1}
	for name, c := range map[string]struct {
		section Section
		want    string
	}{
		"ragged row": {
			Section{Tables: []Table{{Caption: "c", Columns: []string{"a", "b"}, Rows: [][]Cell{{{}, {}}, {{}}}}}},
			`report: section "s": table 1 "c": row 2 has 1 cells, want 2`,
		},
		"no columns": {Section{Tables: []Table{{}}}, `has no columns`},
		"mark": {
			Section{Tables: []Table{{Columns: []string{"a"}, Rows: [][]Cell{{{Mark: "x\" onclick=\"y"}}}}}},
			`row 1, column "a": mark "x\" onclick=\"y" is not known`,
		},
		"no name":       {Section{Charts: []Chart{{}}}, `name has 0 letters, want 1 to 100`},
		"long name":     {Section{Charts: []Chart{{Name: strings.Repeat("a", 101)}}}, `name has 101 letters`},
		"path":          {Section{Charts: []Chart{{Name: "../a"}}}, `name is not made of a-z, 0-9 and hyphens`},
		"capital":       {Section{Charts: []Chart{{Name: "A"}}}, `name is not made of`},
		"option":        {Section{Charts: []Chart{{Name: "-rf"}}}, `starts with a hyphen`},
		"device":        {Section{Charts: []Chart{{Name: "com1"}}}, `is a device on Windows`},
		"null device":   {Section{Charts: []Chart{{Name: "nul"}}}, `is a device on Windows`},
		"same name":     {Section{Charts: []Chart{{Name: "a"}, {Name: "a"}}}, `chart "a": another chart has this name`},
		"names and log": {Section{Charts: []Chart{{Name: "a", LogX: true, XNames: []string{"x"}}}}, `names along a logarithmic`},
		"kind": {
			Section{Charts: []Chart{{Name: "a", Series: []Series{{Name: "n"}}}}}, `series 1 "n": kind "" is not known`,
		},
		"band": {
			Section{Charts: []Chart{{Name: "a", Series: []Series{{Name: "n", Kind: Band, X: one, Y: one}}}}}, `series 1 "n": is a band without a width`,
		},
		"lengths": {
			Section{Charts: []Chart{{Name: "a", Series: []Series{{Name: "n", Kind: Line, X: one}}}}},
			`report: section "s": chart "a": series 1 "n": has 1 x and 0 y`,
		},
		"error bars": {
			Section{Charts: []Chart{{Name: "a", Series: []Series{{Kind: Line, X: one, Y: one, Err: []float64{}}}}}},
			`has 0 error bars and 1 y`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.section.Title = "s"
			d := &Document{Sections: []Section{{Title: "good"}, c.section}}
			dir := filepath.Join(t.TempDir(), "out")
			for format, write := range map[string]func(io.Writer) error{
				"HTML": d.WriteHTML, "JSON": d.WriteJSON,
				"Markdown": func(w io.Writer) error { return d.WriteMarkdown(w, "") },
				"files":    func(io.Writer) error { return d.WriteFiles(dir) },
			} {
				var b bytes.Buffer
				if err := write(&b); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: error is %v, want %s", format, err, c.want)
				}
				if b.Len() > 0 {
					t.Errorf("%s: %d bytes were written", format, b.Len())
				}
			}
			if _, err := os.Stat(dir); err == nil {
				t.Error("a directory was made")
			}
		})
	}
}

func TestGoodNames(t *testing.T) {
	for _, name := range []string{"a", "theorem-1", "0", "com", "com10", "console", strings.Repeat("z", 100)} {
		if err := checkName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// A failing writer is an error of each format, not a panic or silence.
func TestWriterErrors(t *testing.T) {
	d := sample()
	for name, write := range map[string]func(io.Writer) error{
		"HTML": d.WriteHTML, "JSON": d.WriteJSON, "text": d.Sections[0].Tables[0].WriteText,
		"Markdown": func(w io.Writer) error { return d.WriteMarkdown(w, "") },
	} {
		if err := write(brokenWriter{}); err == nil || !strings.HasPrefix(err.Error(), "report: ") {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
