package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"pgregory.net/rapid"
)

// rendered is what an independent implementation of GitHub-flavoured Markdown makes of d.
func rendered(t *testing.T, d *Document, imageDir string) (*html.Node, string) {
	var md, page bytes.Buffer
	if err := d.WriteMarkdown(&md, imageDir); err != nil {
		t.Fatal(err)
	}
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert(md.Bytes(), &page); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(&page)
	if err != nil {
		t.Fatal(err)
	}
	return root, md.String()
}

func TestMarkdownShowsNamesAsTheyAre(t *testing.T) {
	d := nastyDocument()
	root, text := rendered(t, d, "charts (1)")
	for i, n := range texts(root, atom.H2) {
		if n != nasty[i] {
			t.Errorf("heading is %q, want %q", n, nasty[i])
		}
	}
	var cells []string
	for _, s := range d.Sections {
		cells = append(cells, s.Tables[0].Columns...)
		for _, row := range s.Tables[0].Rows {
			for _, c := range row {
				cells = append(cells, c.shown())
			}
		}
	}
	got := texts(root, atom.Th, atom.Td)
	if len(got) != len(cells) {
		t.Fatalf("%d cells, want %d, in\n%s", len(got), len(cells), text)
	}
	for i := range got {
		if got[i] != cells[i] {
			t.Errorf("cell is %q, want %q", got[i], cells[i])
		}
	}
	images := elements(root, atom.Img)
	if len(images) != 2*len(nasty) {
		t.Fatalf("%d images, want %d", len(images), 2*len(nasty))
	}
	for i, img := range images {
		c := d.Sections[i/2].Charts[i%2]
		if attr(img, "src") != "charts%20%281%29/"+c.Name+".svg" || attr(img, "alt") != c.Title {
			t.Errorf("image is %v", img.Attr)
		}
	}
	if n := len(elements(root, atom.A, atom.Script, atom.Iframe, atom.Svg, atom.Code, atom.Del, atom.Li)); n > 0 {
		t.Errorf("%d elements came from names", n)
	}
}

func TestMarkdownKeepsAnyText(t *testing.T) {
	letters := rapid.StringOfN(rapid.RuneFrom([]rune("ab1 .:)(+-=*_`~#|<>&;![]{}\\$@/\"'^w%\n\tλ")), 0, 30, -1)
	rapid.Check(t, func(rt *rapid.T) {
		s := letters.Draw(rt, "text")
		want := strings.Join(strings.Fields(s), " ")
		if want == "" {
			return
		}
		root, md := rendered(t, &Document{Title: s, Summary: []string{s}, Sections: []Section{{
			Tables: []Table{{Columns: []string{s, "b"}, Rows: [][]Cell{{TextCell(s), TextCell(s)}}}},
		}}}, "")
		got := append(append(texts(root, atom.H1), texts(root, atom.P)...), texts(root, atom.Th, atom.Td)...)
		if all := fmt.Sprintf("%q", got); all != fmt.Sprintf("%q", []string{want, want, want, "b", want, want}) {
			rt.Errorf("%q was written as %q and shows as %s", s, md, all)
		}
	})
}

func TestMarkdownAlignsNumbers(t *testing.T) {
	var b strings.Builder
	d := Document{Title: "T", Sections: []Section{{Title: "S", Text: []string{"p"}, Tables: []Table{{
		Caption: "C", Columns: []string{"distribution", "n"}, Rows: [][]Cell{{TextCell("a"), Number(-2)}},
	}}, Charts: []Chart{{Name: "c", Title: "t", Series: []Series{{Name: "e", Kind: Line}}}}}}}
	if err := d.WriteMarkdown(&b, ""); err != nil {
		t.Fatal(err)
	}
	const want = "# T\n\n## S\n\np\n\n**C**\n\n| distribution | n |\n| --- | ---: |\n| a | -2 |\n\n![t](c.svg)\n\n*e: no points.*\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
