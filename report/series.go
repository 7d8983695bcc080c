package report

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A mark is a point of a series at positions of the axes. Its error bar reaches from low to high;
// low is -Inf if it has no lower end on a logarithmic axis. Of Intervals both are along x.
type mark struct {
	index     int // in the series
	shown     bool
	bar       bool // has an error bar
	x, y      float64
	low, high float64
}

// A drawing is a series on its axes. It is a plot.Plotter.
type drawing struct {
	Series
	look
	x, y     *axis
	marks    []mark
	hidden   int // marks without a place on the axes
	badErrs  int // error bars that are not finite or negative
	openErrs int // error bars without a lower end
	// Of Bars, as positions: where this series' bar stands from x, and how wide it is.
	offset, width float64
}

var _ plot.Plotter = (*drawing)(nil)

func newDrawing(s Series, l look, x, y *axis) *drawing {
	d := &drawing{Series: s, look: l, x: x, y: y}
	for i := range s.X {
		m := mark{index: i, shown: x.holds(s.X[i]) && y.holds(s.Y[i])}
		if m.shown {
			m.x, m.y = x.position(s.X[i]), y.position(s.Y[i])
			d.addErr(&m)
		} else {
			d.hidden++
		}
		d.marks = append(d.marks, m)
	}
	return d
}

func (d *drawing) addErr(m *mark) {
	if d.Err == nil {
		return
	}
	along, v, e := d.y, d.Y[m.index], d.Err[m.index]
	if d.Kind == Intervals {
		along, v = d.x, d.X[m.index]
	}
	if !(e >= 0) || !along.holds(v+e) {
		d.badErrs++
		return
	}
	m.bar = true
	m.low, m.high = math.Inf(-1), along.position(v+e)
	if along.holds(v - e) {
		m.low = along.position(v - e)
	} else {
		d.openErrs++
	}
}

// reach widens the axes to what d will draw.
func (d *drawing) reach() {
	for _, m := range d.marks {
		if !m.shown {
			continue
		}
		d.x.add(m.x)
		d.y.add(m.y)
		if m.bar {
			along := d.y
			if d.Kind == Intervals {
				along = d.x
			}
			along.add(m.high)
			if !math.IsInf(m.low, 0) {
				along.add(m.low)
			}
		}
		if d.Kind == Bars {
			reach := math.Abs(d.offset) + 0.75*d.width // half of the bar, and some air
			d.x.add(m.x-reach, m.x+reach)
			if !d.y.log {
				d.y.add(0)
			}
		}
	}
}

// Plot draws error bars below lines below marks.
func (d *drawing) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	if d.Kind == Bars {
		d.plotBars(&c, toX, toY)
	}
	switch d.Kind {
	case Band:
		d.plotBand(&c, toX, toY)
	case Intervals:
		d.plotIntervals(&c, toX, toY)
	default:
		d.plotErrs(&c, toX, toY)
	}
	if d.Kind == Line || d.Kind == LinePoints || d.Kind == Band {
		c.StrokeLines(d.line(), d.runs(toX, toY)...)
	}
	if d.Kind == Points || d.Kind == Dots || d.Kind == LinePoints || d.Kind == Intervals {
		for _, m := range d.marks {
			if m.shown {
				c.DrawGlyph(d.glyph(), vg.Point{X: toX(m.x), Y: toY(m.y)})
			}
		}
	}
}

func (d *drawing) line() draw.LineStyle {
	return draw.LineStyle{Color: d.ink, Width: 1.6, Dashes: d.dash}
}

func (d *drawing) glyph() draw.GlyphStyle {
	if d.Kind == Dots {
		return draw.GlyphStyle{Color: d.ink.through(0x80), Radius: 1.8, Shape: d.shape}
	}
	return draw.GlyphStyle{Color: d.ink, Radius: 3, Shape: d.shape}
}

// runs are the unbroken pieces of the line.
func (d *drawing) runs(toX, toY func(float64) vg.Length) [][]vg.Point {
	var runs [][]vg.Point
	for _, marks := range d.pieces(func(m mark) bool { return m.shown }) {
		run := make([]vg.Point, len(marks))
		for i, m := range marks {
			run[i] = vg.Point{X: toX(m.x), Y: toY(m.y)}
		}
		runs = append(runs, run)
	}
	return runs
}

// pieces are runs of marks with a property: one without it breaks them.
func (d *drawing) pieces(has func(mark) bool) [][]mark {
	var pieces [][]mark
	broken := true
	for _, m := range d.marks {
		if !has(m) {
			broken = true
			continue
		}
		if broken {
			pieces, broken = append(pieces, nil), false
		}
		last := &pieces[len(pieces)-1]
		*last = append(*last, m)
	}
	return pieces
}

// bandAlpha is the opacity of strips, of 255.
const bandAlpha = 0x38

// plotBand fills the strip of a Band, in which marks without an end of their bar leave a gap.
func (d *drawing) plotBand(c *draw.Canvas, toX, toY func(float64) vg.Length) {
	c.SetColor(d.ink.through(bandAlpha))
	for _, marks := range d.pieces(func(m mark) bool { return m.bar }) {
		var corners []vg.Point
		for _, m := range marks {
			corners = append(corners, vg.Point{X: toX(m.x), Y: toY(m.high)})
		}
		for _, m := range slices.Backward(marks) {
			low := c.Min.Y
			if !math.IsInf(m.low, 0) {
				low = toY(m.low)
			}
			corners = append(corners, vg.Point{X: toX(m.x), Y: low})
		}
		fillPolygon(c, corners...)
	}
}

// capWidth is of the bars across the ends of error bars.
const capWidth = 5.0

func (d *drawing) plotErrs(c *draw.Canvas, toX, toY func(float64) vg.Length) {
	sty := draw.LineStyle{Color: d.ink, Width: 1}
	if d.Kind == Bars {
		sty.Color = textInk
	}
	for _, m := range d.marks {
		if !m.bar {
			continue
		}
		x, low, high := toX(m.x+d.offset), c.Min.Y, toY(m.high)
		if !math.IsInf(m.low, 0) {
			low = toY(m.low)
			c.StrokeLine2(sty, x-capWidth/2, low, x+capWidth/2, low)
		}
		c.StrokeLine2(sty, x, low, x, high)
		c.StrokeLine2(sty, x-capWidth/2, high, x+capWidth/2, high)
	}
}

// plotIntervals draws the bars of Intervals, along x.
func (d *drawing) plotIntervals(c *draw.Canvas, toX, toY func(float64) vg.Length) {
	sty := draw.LineStyle{Color: d.ink, Width: 1}
	for _, m := range d.marks {
		if !m.bar {
			continue
		}
		y, low, high := toY(m.y), c.Min.X, toX(m.high)
		if !math.IsInf(m.low, 0) {
			low = toX(m.low)
			c.StrokeLine2(sty, low, y-capWidth/2, low, y+capWidth/2)
		}
		c.StrokeLine2(sty, low, y, high, y)
		c.StrokeLine2(sty, high, y-capWidth/2, high, y+capWidth/2)
	}
}

func (d *drawing) plotBars(c *draw.Canvas, toX, toY func(float64) vg.Length) {
	base := c.Min.Y
	if !d.y.log {
		base = toY(0)
	}
	for _, m := range d.marks {
		if !m.shown {
			continue
		}
		left, right := toX(m.x+d.offset-d.width/2), toX(m.x+d.offset+d.width/2)
		top := toY(m.y)
		d.hatch.draw(c, d.ink, vg.Rectangle{
			Min: vg.Point{X: left, Y: min(base, top)},
			Max: vg.Point{X: right, Y: max(base, top)},
		})
	}
}

// thumbnail draws d's entry of the legend into c.
func (d *drawing) thumbnail(c draw.Canvas) {
	mid := c.Center()
	if d.Kind == Bars {
		d.hatch.draw(&c, d.ink, vg.Rectangle{
			Min: vg.Point{X: mid.X - 6, Y: mid.Y - 4}, Max: vg.Point{X: mid.X + 6, Y: mid.Y + 4},
		})
		return
	}
	if d.Kind == Band {
		c.SetColor(d.ink.through(bandAlpha))
		c.Fill(polygon(vg.Point{X: c.Min.X, Y: mid.Y - 5}, vg.Point{X: c.Max.X, Y: mid.Y - 5}, vg.Point{X: c.Max.X, Y: mid.Y + 5}, vg.Point{X: c.Min.X, Y: mid.Y + 5}))
	}
	if d.Kind != Points && d.Kind != Dots && d.Kind != Intervals {
		c.StrokeLine2(d.line(), c.Min.X, mid.Y, c.Max.X, mid.Y)
	}
	if d.Kind != Line && d.Kind != Band {
		c.DrawGlyph(d.glyph(), mid)
	}
}

// standBars puts the bars of several series beside each other: together they take four fifths of
// the distance to the next group.
func standBars(all []*drawing) {
	var bars []*drawing
	gap := math.Inf(1)
	at := map[float64]bool{}
	for _, d := range all {
		if d.Kind != Bars {
			continue
		}
		bars = append(bars, d)
		for _, m := range d.marks {
			if m.shown {
				at[m.x] = true
			}
		}
	}
	xs := slices.Sorted(maps.Keys(at))
	for i := 1; i < len(xs); i++ {
		gap = min(gap, xs[i]-xs[i-1])
	}
	if math.IsInf(gap, 0) {
		gap = 1
	}
	n := float64(len(bars))
	for i, d := range bars {
		d.width = 0.8 * gap / n
		d.offset = (float64(i) - (n-1)/2) * d.width
	}
}
