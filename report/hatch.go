package report

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A hatch is how a bar is filled, so that bars differ without colour.
type hatch int

const (
	solid hatch = iota
	rising
	level
	falling
	hollow
)

// hatchGap is between two lines of a hatch.
const hatchGap = 5

func (h hatch) draw(c *draw.Canvas, k ink, r vg.Rectangle) {
	outline := polygon(r.Min, vg.Point{X: r.Max.X, Y: r.Min.Y}, r.Max, vg.Point{X: r.Min.X, Y: r.Max.Y})
	c.SetLineStyle(draw.LineStyle{Color: k, Width: 1.2})
	if h == solid {
		c.SetColor(k)
		c.Fill(outline)
	}
	c.Stroke(outline)
	switch h {
	case level:
		for y := r.Min.Y + hatchGap; y < r.Max.Y; y += hatchGap {
			c.Stroke(segment(vg.Point{X: r.Min.X, Y: y}, vg.Point{X: r.Max.X, Y: y}))
		}
	case rising, falling:
		drawDiagonals(c, r, h == falling)
	}
}

// drawDiagonals strokes the parts in r of the lines x - y = const, or their mirror images.
func drawDiagonals(c *draw.Canvas, r vg.Rectangle, mirrored bool) {
	size := r.Size()
	for at := hatchGap - size.Y; at < size.X; at += hatchGap {
		// From the corner of r, the line has y = x - at, cut to 0 <= x <= size.X, 0 <= y <= size.Y.
		from, to := max(0, at), min(size.X, size.Y+at)
		if from >= to {
			continue
		}
		a, b := vg.Point{X: from, Y: from - at}, vg.Point{X: to, Y: to - at}
		if mirrored {
			a.Y, b.Y = size.Y-a.Y, size.Y-b.Y
		}
		c.Stroke(segment(a.Add(r.Min), b.Add(r.Min)))
	}
}

func segment(a, b vg.Point) vg.Path {
	var p vg.Path
	p.Move(a)
	p.Line(b)
	return p
}
