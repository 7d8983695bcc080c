package report

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/color"
	"math"
	"strconv"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// An svgCanvas draws SVG in which colours are classes, texts are texts, coordinates have one
// decimal, and neighbours of one style share a group. plot's own canvas writes each colour, style
// and transform again for every mark: such a page does not follow the reader's choice of dark or
// light, and is several times as long.
type svgCanvas struct {
	width, height vg.Length
	body          bytes.Buffer
	group         string // attributes of the open group; "" if none is open
	path          bytes.Buffer
	now           pen
	saved         []pen
}

var _ vg.CanvasSizer = (*svgCanvas)(nil)

// A pen is what Push saves and Pop restores.
type pen struct {
	color color.Color
	width vg.Length
	dash  []vg.Length
	angle float64 // of the axes, counter-clockwise
	move  affine
}

// An affine maps (x, y) to (a x + c y + e, b x + d y + f).
type affine struct{ a, b, c, d, e, f float64 }

func (m affine) apply(p vg.Point) (x, y float64) {
	px, py := p.X.Points(), p.Y.Points()
	return m.a*px + m.c*py + m.e, m.b*px + m.d*py + m.f
}

// then maps by n first and by m after it, as the later of two transforms in a drawing does.
func (m affine) then(n affine) affine {
	return affine{
		m.a*n.a + m.c*n.b, m.b*n.a + m.d*n.b,
		m.a*n.c + m.c*n.d, m.b*n.c + m.d*n.d,
		m.a*n.e + m.c*n.f + m.e, m.b*n.e + m.d*n.f + m.f,
	}
}

// newSVG returns a canvas whose y, as plot's, grows upwards.
func newSVG(width, height vg.Length) *svgCanvas {
	c := &svgCanvas{width: width, height: height}
	c.now.move = affine{a: 1, d: -1, f: height.Points()}
	vg.Initialize(c)
	return c
}

func (c *svgCanvas) Size() (w, h vg.Length)                    { return c.width, c.height }
func (c *svgCanvas) SetLineWidth(w vg.Length)                  { c.now.width = w }
func (c *svgCanvas) SetLineDash(dash []vg.Length, _ vg.Length) { c.now.dash = dash }
func (c *svgCanvas) SetColor(col color.Color)                  { c.now.color = col }
func (c *svgCanvas) Push()                                     { c.saved = append(c.saved, c.now) }

func (c *svgCanvas) Pop() {
	last := len(c.saved) - 1
	c.now, c.saved = c.saved[last], c.saved[:last]
}

func (c *svgCanvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	c.now.angle += rad
	c.now.move = c.now.move.then(affine{a: cos, b: sin, c: -sin, d: cos})
}

func (c *svgCanvas) Translate(p vg.Point) {
	c.now.move = c.now.move.then(affine{a: 1, d: 1, e: p.X.Points(), f: p.Y.Points()})
}

func (c *svgCanvas) Scale(x, y float64) {
	c.now.move = c.now.move.then(affine{a: x, d: y})
}

// DrawImage panics: no plotter of this package draws images.
func (c *svgCanvas) DrawImage(vg.Rectangle, image.Image) {
	panic("report: images in charts are not supported")
}

// Stroke adds p to the path of the open group if that is of the same style.
func (c *svgCanvas) Stroke(p vg.Path) {
	if c.now.width <= 0 {
		return
	}
	attrs := fmt.Sprintf(`class="k k-%s" stroke-width="%s"`, c.class(), coord(c.now.width.Points()))
	if len(c.now.dash) > 0 {
		attrs += ` stroke-dasharray="`
		for i, d := range c.now.dash {
			if i > 0 {
				attrs += " "
			}
			attrs += coord(d.Points())
		}
		attrs += `"`
	}
	c.open(attrs)
	c.pathData(p)
}

func (c *svgCanvas) Fill(p vg.Path) {
	attrs := fmt.Sprintf(`class="f-%s"`, c.class())
	if k, ok := c.now.color.(ink); ok && k.A < 0xff {
		attrs += fmt.Sprintf(` fill-opacity="%.2g"`, float64(k.A)/0xff)
	}
	c.open(attrs)
	if len(p) == 3 && p[1].Type == vg.ArcComp && math.Abs(p[1].Angle) >= 2*math.Pi {
		x, y := c.now.move.apply(p[1].Pos)
		fmt.Fprintf(&c.body, `<circle cx="%s" cy="%s" r="%s"/>`, coord(x), coord(y), coord(p[1].Radius.Points()))
		return
	}
	c.pathData(p)
	c.endPath()
}

// FillString writes s as text of the width it has in Liberation Sans, whatever font the reader has;
// characters that this font lacks set their own width.
func (c *svgCanvas) FillString(f font.Face, at vg.Point, s string) {
	if f.Font.Size == 0 || s == "" {
		return
	}
	attrs := fmt.Sprintf(`class="f-%s" font-size="%s"`, c.class(), coord(f.Font.Size.Points()))
	if f.Font.Weight > 0 {
		attrs += ` font-weight="bold"`
	}
	c.open(attrs)
	x, y := c.now.move.apply(at)
	fmt.Fprintf(&c.body, `<text x="%s" y="%s"`, coord(x), coord(y))
	if c.now.angle != 0 {
		fmt.Fprintf(&c.body, ` transform="rotate(%s %s %s)"`, coord(-c.now.angle*180/math.Pi), coord(x), coord(y))
	}
	if hasGlyphs(f, s) {
		fmt.Fprintf(&c.body, ` textLength="%s" lengthAdjust="spacingAndGlyphs"`, coord(f.Width(s).Points()))
	}
	fmt.Fprintf(&c.body, `>%s</text>`, html.EscapeString(s))
}

func hasGlyphs(f font.Face, s string) bool {
	var buf sfnt.Buffer
	for _, r := range s {
		if i, err := f.Face.GlyphIndex(&buf, r); err != nil || i == 0 {
			return false
		}
	}
	return true
}

func (c *svgCanvas) class() string {
	if k, ok := c.now.color.(ink); ok {
		return k.class
	}
	return textInk.class
}

// open makes the group of these attributes the open one.
func (c *svgCanvas) open(attrs string) {
	if c.group == attrs {
		return
	}
	c.close()
	c.group = attrs
	fmt.Fprintf(&c.body, "<g %s>", attrs)
}

func (c *svgCanvas) close() {
	c.endPath()
	if c.group != "" {
		c.body.WriteString("</g>\n")
		c.group = ""
	}
}

func (c *svgCanvas) endPath() {
	if c.path.Len() > 0 {
		fmt.Fprintf(&c.body, `<path d="%s"/>`, &c.path)
		c.path.Reset()
	}
}

// pathData leaves out line ends that fall on the point before, as in a curve of many short lines.
func (c *svgCanvas) pathData(p vg.Path) {
	last := ""
	for _, comp := range p {
		x, y := c.now.move.apply(comp.Pos)
		at := coord(x) + " " + coord(y)
		switch comp.Type {
		case vg.MoveComp:
			c.path.WriteString("M" + at)
		case vg.LineComp:
			if at == last {
				continue
			}
			c.path.WriteString("L" + at)
		case vg.CloseComp:
			c.path.WriteByte('Z')
			continue
		default:
			panic("report: arcs and curves in charts are not supported")
		}
		last = at
	}
}

// coord has one decimal: a chart of 400 units is rarely more than twice as many pixels wide.
func coord(v float64) string {
	v = math.Round(v*10) / 10
	return strconv.FormatFloat(v+0, 'f', -1, 64) // + 0 makes -0 a 0
}
