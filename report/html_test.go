package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func htmlOf(t testing.TB, d *Document) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := d.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func parse(t *testing.T, page []byte) *html.Node {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// elements are those of the given names, in their order.
func elements(root *html.Node, names ...atom.Atom) []*html.Node {
	var found []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && slices.Contains(names, n.DataAtom) {
			found = append(found, n)
		}
	}
	return found
}

func texts(root *html.Node, names ...atom.Atom) []string {
	var out []string
	for _, n := range elements(root, names...) {
		out = append(out, textOf(n))
	}
	return out
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func TestHTMLNamesAreText(t *testing.T) {
	d := nastyDocument()
	root := parse(t, htmlOf(t, d))
	if got := texts(root, atom.Title); len(got) != 1 || got[0] != d.Title {
		t.Errorf("titles are %q", got)
	}
	for name, got := range map[string][]string{
		"headings": texts(root, atom.H2), "captions": texts(root, atom.Caption),
	} {
		if !slices.Equal(got, nasty) {
			t.Errorf("%s are %q", name, got)
		}
	}
	if got := texts(root, atom.P)[:len(nasty)]; !slices.Equal(got, d.Summary) {
		t.Errorf("paragraphs are %q", got)
	}
	for _, figure := range elements(root, atom.Figure) {
		caption := textOf(elements(figure, atom.Figcaption)[0])
		svg := elements(figure, atom.Svg)[0]
		if !slices.Contains(nasty, caption) || !strings.HasPrefix(attr(svg, "aria-label"), caption+". ") {
			t.Errorf("figure %q is described as %q", caption, attr(svg, "aria-label"))
		}
	}
	allowed := []atom.Atom{
		atom.Html, atom.Head, atom.Meta, atom.Title, atom.Style, atom.Body, atom.Main, atom.Header, atom.H1, atom.P, atom.Nav,
		atom.Ol, atom.Li, atom.A, atom.Section, atom.H2, atom.Div, atom.Table, atom.Caption, atom.Thead, atom.Tbody, atom.Tr,
		atom.Th, atom.Td, atom.Span, atom.Figure, atom.Figcaption, atom.Svg, atom.Script,
	}
	for n := range root.Descendants() {
		if n.Type == html.CommentNode {
			t.Errorf("comment %q", n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		if n.Namespace == "" && !slices.Contains(allowed, n.DataAtom) ||
			n.Namespace == "svg" && !slices.Contains([]string{"svg", "g", "path", "circle", "text"}, n.Data) {
			t.Errorf("element %s", n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" || a.Key == "href" && !strings.HasPrefix(a.Val, "#s") {
				t.Errorf("attribute %s=%q of %s", a.Key, a.Val, n.Data)
			}
		}
	}
}

func TestHTMLPolicyAllowsWhatThePageHas(t *testing.T) {
	root := parse(t, htmlOf(t, sample()))
	hash := func(name atom.Atom) string {
		all := elements(root, name)
		if len(all) != 1 {
			t.Fatalf("%d elements %s, want 1", len(all), name)
		}
		sum := sha256.Sum256([]byte(textOf(all[0])))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	want := fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'",
		hash(atom.Style), hash(atom.Script))
	for _, m := range elements(root, atom.Meta) {
		if attr(m, "http-equiv") == "Content-Security-Policy" {
			if got := attr(m, "content"); got != want {
				t.Errorf("policy is %s, want %s", got, want)
			}
			return
		}
	}
	t.Error("no policy")
}

func TestHTMLIsAccessible(t *testing.T) {
	root := parse(t, htmlOf(t, sample()))
	if lang := attr(elements(root, atom.Html)[0], "lang"); lang != "en" {
		t.Errorf("lang is %q", lang)
	}
	ids := map[string]bool{}
	for n := range root.Descendants() {
		if id := attr(n, "id"); id != "" {
			if ids[id] {
				t.Errorf("two elements have the id %s", id)
			}
			ids[id] = true
		}
	}
	for n := range root.Descendants() {
		if to := attr(n, "aria-labelledby"); to != "" && !ids[to] {
			t.Errorf("label %s is missing", to)
		}
		if to := attr(n, "href"); to != "" && !ids[to[1:]] {
			t.Errorf("target %s is missing", to)
		}
	}
	for _, th := range elements(root, atom.Th) {
		if scope := attr(th, "scope"); scope != "col" && scope != "row" {
			t.Errorf("scope of %q is %q", textOf(th), scope)
		}
	}
	for _, svg := range elements(root, atom.Svg) {
		if attr(svg, "role") != "img" || !strings.Contains(attr(svg, "aria-label"), "against") {
			t.Errorf("chart is %v", svg.Attr)
		}
	}
	if n := len(elements(root, atom.H1)); n != 1 {
		t.Errorf("%d headings of the first level", n)
	}
}

func TestHTMLCells(t *testing.T) {
	root := parse(t, htmlOf(t, &Document{Sections: []Section{{Tables: []Table{{
		Columns: []string{"a", "b", "c"},
		Rows: [][]Cell{
			{TextCell("x"), Number(math.Pi), Verdict(false, "no")},
			{{Value: new(2.5)}, Number(math.NaN()), {Text: "about 7", Value: new(7.0), Mark: Good}},
		},
	}}}}}))
	body := elements(root, atom.Tbody)[0]
	var got []string
	for _, n := range elements(body, atom.Th, atom.Td) {
		got = append(got, fmt.Sprintf("%s %s %s %q", n.Data, attr(n, "class"), attr(n, "data-v"), textOf(n)))
	}
	want := []string{
		`th   "x"`, `td n 3.141592653589793 "3.142"`, `td bad  "no"`,
		`th  2.5 "2.5"`, `td n  "NaN"`, `td good 7 "about 7"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("cells are\n%q, want\n%q", got, want)
	}
}

func TestHTMLIsSmallAndTheSameEachTime(t *testing.T) {
	for name, make := range map[string]func() *Document{"sample": sample, "nasty": nastyDocument} {
		page := htmlOf(t, make())
		if len(page) > 500_000 {
			t.Errorf("%s has %d bytes, want at most 500,000", name, len(page))
		}
		if !bytes.Equal(page, htmlOf(t, make())) {
			t.Errorf("%s differs from one time to the next", name)
		}
	}
}

// An empty document is a page, too.
func TestHTMLOfNothing(t *testing.T) {
	root := parse(t, htmlOf(t, &Document{}))
	if len(elements(root, atom.Main)) != 1 || len(elements(root, atom.Nav)) != 0 {
		t.Error("no page")
	}
	if got := texts(root, atom.Title, atom.H1); !slices.Equal(got, []string{"Report", "Report"}) {
		t.Errorf("titles are %q", got)
	}
}

func BenchmarkWriteHTML(b *testing.B) {
	d := sample()
	for b.Loop() {
		htmlOf(b, d)
	}
}
