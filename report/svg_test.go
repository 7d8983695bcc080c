package report

import (
	"image"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// A canvas is upside down in SVG; transforms apply in the order of their calls, the last one first.
func TestSVGTransforms(t *testing.T) {
	c := newSVG(100, 50)
	line := func() { c.Stroke(segment(vg.Point{X: 1, Y: 2}, vg.Point{X: 4, Y: 2})) }
	line()
	c.Push()
	c.Translate(vg.Point{X: 10, Y: 10})
	c.Rotate(math.Pi / 2)
	line() // (1, 2) -> (-2, 1) -> (8, 11)
	c.Scale(2, 3)
	line() // (2, 6) -> (-6, 2) -> (4, 12); (8, 6) -> (-6, 8) -> (4, 18)
	c.Pop()
	line()
	c.close()
	const want = `M1 48L4 48` + `M8 39L8 36` + `M4 38L4 32` + `M1 48L4 48`
	if got := c.body.String(); !strings.Contains(got, `d="`+want+`"`) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSVGPaths(t *testing.T) {
	c := newSVG(100, 50)
	c.SetLineWidth(0)
	c.Stroke(segment(vg.Point{}, vg.Point{X: 1}))
	if c.body.Len()+c.path.Len() > 0 {
		t.Error("a line of no width is drawn")
	}
	c.SetLineWidth(1)
	c.SetLineDash([]vg.Length{1.5, 2}, 0)
	var p vg.Path
	p.Move(vg.Point{X: 1, Y: 50})
	p.Line(vg.Point{X: 1.01, Y: 50}) // the same point, to a tenth
	p.Line(vg.Point{X: 2, Y: 50.04})
	p.Close()
	c.Stroke(p)
	c.close()
	const want = `<g class="k k-ink" stroke-width="1" stroke-dasharray="1.5 2"><path d="M1 0L2 0Z"/></g>` + "\n"
	if got := c.body.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for name, draw := range map[string]func(){
		"image": func() { c.DrawImage(vg.Rectangle{}, image.NewGray(image.Rect(0, 0, 1, 1))) },
		"arc": func() {
			var p vg.Path
			p.Arc(vg.Point{}, 1, 0, 1)
			c.Stroke(p)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			draw()
		}()
	}
}

func TestSVGText(t *testing.T) {
	known, unknown := chartOf(), chartOf()
	known.XLabel, unknown.XLabel = "a & b", "日本"
	for _, c := range []struct {
		chart Chart
		want  string
	}{
		// Liberation Sans has the widths of Arial, in thousandths: 556 + 278 + 667 + 278 + 556, times 11.5.
		{known, ` textLength="28" lengthAdjust="spacingAndGlyphs">a &amp; b</text>`},
		{unknown, `">日本</text>`}, // its width is not known here
	} {
		if svg := string(newFigure(&c.chart).inlineSVG()); !strings.Contains(svg, c.want) {
			t.Errorf("no %s in\n%s", c.want, svg)
		}
	}
}

func TestWrap(t *testing.T) {
	sty := style(10, textInk, false)
	for _, c := range []struct {
		text  string
		lines int
		want  string
	}{
		{"", 2, ""},
		{"one two three four", 3, "one two|three four"},
		{"one two three four five six seven", 2, "one two|three fou…"},
		{"incomprehensibilities", 1, "incompr…"},
	} {
		got := wrap(c.text, sty, 50, c.lines)
		if strings.Join(got, "|") != c.want {
			t.Errorf("wrap(%q) = %q, want %q", c.text, got, c.want)
		}
		for _, line := range got {
			if sty.Width(line) > 50 {
				t.Errorf("%q is %g wide", line, sty.Width(line))
			}
		}
	}
}
