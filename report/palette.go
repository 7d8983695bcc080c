package report

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An ink is a colour with the name of the CSS class that stands for it in SVG, where a style sheet
// gives it one colour on light ground and another on dark. Images take the light one.
type ink struct {
	color.NRGBA
	class string
	dark  color.NRGBA
}

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xff}
}

var (
	groundInk = ink{rgb(0xffffff), "ground", rgb(0x15181d)}
	textInk   = ink{rgb(0x1f2530), "ink", rgb(0xe3e6eb)}
	mutedInk  = ink{rgb(0x59616e), "muted", rgb(0xa0a8b4)}
	gridInk   = ink{rgb(0xe4e7ec), "grid", rgb(0x2b313a)}
)

// seriesInks have a contrast of 4.5 or more to the ground, light and dark (tested), and neighbours
// differ in hue for all common kinds of colour blindness as far as eight colours can.
var seriesInks = []ink{
	{rgb(0x1f5fa8), "s0", rgb(0x74abea)},
	{rgb(0xb8480f), "s1", rgb(0xf0935f)},
	{rgb(0x1f7a4d), "s2", rgb(0x69c593)},
	{rgb(0x85409a), "s3", rgb(0xcb93da)},
	{rgb(0x7d6200), "s4", rgb(0xd8b74c)},
	{rgb(0x0b7285), "s5", rgb(0x59c3d3)},
	{rgb(0xb02a5b), "s6", rgb(0xf088ae)},
	{rgb(0x535b67), "s7", rgb(0xb0b8c4)},
}

// through is k at an opacity, for what something else is seen through.
func (k ink) through(alpha uint8) ink {
	k.A = alpha
	return k
}

func inks() []ink { return append([]ink{groundInk, textInk, mutedInk, gridInk}, seriesInks...) }

// A look is how one series differs from the others. Colours, shapes, dashes and hatches have
// different numbers, so that no two of the first 24 series agree in colour and shape.
type look struct {
	ink   ink
	shape draw.GlyphDrawer
	dash  []vg.Length
	hatch hatch
}

var (
	shapes = []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, diamond{}, wedge{}, cross{},
	}
	dashes = [][]vg.Length{
		nil, {6, 3}, {1.5, 2.5}, {8, 2.5, 1.5, 2.5}, {3, 2}, {12, 4}, {8, 2, 1.5, 2, 1.5, 2},
	}
	hatches = []hatch{solid, rising, level, falling, hollow}
)

func lookOf(i int) look {
	return look{
		ink:   seriesInks[i%len(seriesInks)],
		shape: shapes[i%len(shapes)],
		dash:  dashes[i%len(dashes)],
		hatch: hatches[i%len(hatches)],
	}
}

type diamond struct{}

func (diamond) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	r := 1.2 * sty.Radius
	fillPolygon(c, vg.Point{X: pt.X - r, Y: pt.Y}, vg.Point{X: pt.X, Y: pt.Y - r},
		vg.Point{X: pt.X + r, Y: pt.Y}, vg.Point{X: pt.X, Y: pt.Y + r})
}

// A wedge is a triangle on its tip.
type wedge struct{}

func (wedge) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	r := 1.25 * sty.Radius
	x := r * vg.Length(math.Sqrt(3)/2)
	fillPolygon(c, vg.Point{X: pt.X, Y: pt.Y - r},
		vg.Point{X: pt.X + x, Y: pt.Y + r/2}, vg.Point{X: pt.X - x, Y: pt.Y + r/2})
}

// A cross is thicker than plot's, which is lost beside filled shapes.
type cross struct{}

func (cross) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: sty.Color, Width: 1.6})
	r := sty.Radius
	var p vg.Path
	p.Move(vg.Point{X: pt.X - r, Y: pt.Y - r})
	p.Line(vg.Point{X: pt.X + r, Y: pt.Y + r})
	p.Move(vg.Point{X: pt.X - r, Y: pt.Y + r})
	p.Line(vg.Point{X: pt.X + r, Y: pt.Y - r})
	c.Stroke(p)
}

func fillPolygon(c *draw.Canvas, corners ...vg.Point) {
	c.Fill(polygon(corners...))
}

func polygon(corners ...vg.Point) vg.Path {
	var p vg.Path
	p.Move(corners[0])
	for _, q := range corners[1:] {
		p.Line(q)
	}
	p.Close()
	return p
}

// chartFonts are Liberation Sans, in which charts are measured, and fonts of the same widths.
const chartFonts = `"Liberation Sans",Arial,Helvetica,sans-serif`

// chartCSS colours every chart whose ancestor, or root, matches scope: ".f-" classes fill, ".k-"
// classes stroke. It uses no CSS variables, which many readers of SVG files do not know.
func chartCSS(scope string) string {
	var light, dark strings.Builder
	for _, k := range inks() {
		fmt.Fprintf(&light, "%[1]s .f-%[2]s{fill:%[3]s}%[1]s .k-%[2]s{stroke:%[3]s}\n", scope, k.class, hex(k.NRGBA))
		fmt.Fprintf(&dark, "%[1]s .f-%[2]s{fill:%[3]s}%[1]s .k-%[2]s{stroke:%[3]s}\n", scope, k.class, hex(k.dark))
	}
	return fmt.Sprintf("%[1]s text{font-family:%[2]s}%[1]s .k{fill:none;stroke-linejoin:round}\n%[3]s"+
		"@media screen and (prefers-color-scheme:dark){\n%[4]s}\n", scope, chartFonts, &light, &dark)
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
