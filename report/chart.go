package report

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Sizes in points, which are the units of the SVG. A page of 400 pixels has 368 for a chart, on which text of 12 of 400 points is 11 pixels high.
const (
	chartWidth  = 400
	plotHeight  = 244 // axes with labels
	chartInset  = 6
	titleSize   = 13
	titleSkip   = titleSize + 4
	titleGap    = 4 // below the title
	labelSize   = 12
	tickSize    = 12
	noteSize    = 10
	noteSkip    = noteSize + 3
	noteGap     = 4 // above the notes
	legendLine  = 17
	legendThumb = 24
)

// mostNames fit along an axis, with a few letters each.
const mostNames = 12

// Names along y have a line each, of at most so many points.
const (
	rowNameSkip  = 16
	rowNameWidth = 140
)

// pngDPI makes images of 1,000 pixels.
const pngDPI = 180

// A figure is a chart ready to be drawn on any canvas.
type figure struct {
	chart  *Chart
	x, y   axis
	series []*drawing
	plot   *plot.Plot
	legend []legendEntry
	rows   int // of the legend
	title  []string
	notes  []string
}

func newFigure(c *Chart) *figure {
	f := &figure{chart: c, x: newAxis(c.LogX), y: newAxis(c.LogY)}
	for i, s := range c.Series {
		f.series = append(f.series, newDrawing(s, lookOf(i), &f.x, &f.y))
	}
	if len(c.XNames) > 0 {
		f.x.names = cleanAll(c.XNames)
		f.x.add(0, float64(len(c.XNames)-1))
	}
	if n := len(c.YNames); n > 0 {
		f.y.names, f.y.down = cleanAll(c.YNames), true
		f.y.add(-float64(n)+.5, .5)
		if !c.LogX {
			f.x.add(0)
		}
	}
	standBars(f.series)
	for _, d := range f.series {
		d.reach()
	}
	for _, v := range c.ReachY {
		if f.y.holds(v) {
			f.y.add(f.y.position(v))
		}
	}
	f.x.settle()
	f.y.settle()
	f.setPlot()
	f.legend, f.rows = f.layLegend()
	f.title = wrap(clean(c.Title), style(titleSize, textInk, true), chartWidth-2*chartInset, 3)
	for _, n := range f.noteTexts() {
		f.notes = append(f.notes, wrap(n, style(noteSize, mutedInk, false), chartWidth-2*chartInset, 3)...)
	}
	return f
}

func (f *figure) setPlot() {
	p := plot.New()
	p.BackgroundColor = nil
	f.setAxis(&p.X, &f.x, f.chart.XLabel, 6, chartWidth*0.8)
	f.setAxis(&p.Y, &f.y, f.chart.YLabel, 7, vg.Length(f.plotHeight())*0.8)
	grid := plotter.NewGrid()
	grid.Horizontal = draw.LineStyle{Color: gridInk, Width: 0.8}
	grid.Vertical = grid.Horizontal
	if f.x.names != nil {
		grid.Vertical.Color = nil
	}
	if f.y.names != nil {
		grid.Horizontal.Color = nil
	}
	p.Add(grid, baseLines{})
	if f.y.names != nil && !f.x.log {
		p.Add(zeroLine{})
	}
	empty := true
	for _, d := range f.series {
		p.Add(d)
		empty = empty && d.hidden == len(d.marks)
	}
	if empty {
		p.Add(noData{})
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = f.x.min, f.x.max, f.y.min, f.y.max
	f.plot = p
}

func (f *figure) setAxis(to *plot.Axis, a *axis, label string, most int, length vg.Length) {
	sty := style(labelSize, textInk, false)
	to.Label.TextStyle.Color, to.Label.TextStyle.Font = sty.Color, sty.Font
	to.Label.Padding = 4
	to.Label.Text = strings.Join(wrap(clean(label), sty, length, 2), "\n")
	tick := style(tickSize, mutedInk, false)
	to.Tick.Label.Color, to.Tick.Label.Font = tick.Color, tick.Font
	to.LineStyle.Width = 0 // baseLines draws it
	to.Tick.LineStyle = axisLine
	to.Tick.Length = 5
	to.Padding = 0
	switch {
	case a.down:
		most = len(a.names)
	case a.names != nil:
		most = mostNames
	}
	ticks := a.ticks(most)
	if a.down {
		for i := range ticks {
			ticks[i].Label = ellipsis(ticks[i].Label, tick, rowNameWidth)
		}
	} else if a.names != nil {
		for i := range ticks {
			room := length*vg.Length(a.every(most)/(a.max-a.min)) - 4
			ticks[i].Label = strings.Join(wrap(ticks[i].Label, tick, room, 2), "\n")
		}
	}
	to.Tick.Marker = plot.ConstantTicks(ticks)
}

// plotHeight is that of the axes with their labels: of names along y it is what they need.
func (f *figure) plotHeight() int { return max(plotHeight, rowNameSkip*len(f.chart.YNames)+50) }

// style has no alignment: its texts start at their point, on the base line.
func style(size vg.Length, k ink, bold bool) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = boldWeight
	}
	return text.Style{Color: k, Font: f, Handler: plot.DefaultTextHandler}
}

// height is of the whole drawing; framed adds what a file needs and a page says itself.
func (f *figure) height(framed bool) vg.Length {
	h := vg.Length(f.plotHeight() + 2*chartInset + legendLine*f.rows)
	if framed {
		h += f.titleHeight() + f.notesHeight()
	}
	return h
}

func (f *figure) titleHeight() vg.Length {
	if len(f.title) == 0 {
		return 0
	}
	return vg.Length(len(f.title))*titleSkip + titleGap
}

func (f *figure) notesHeight() vg.Length {
	if len(f.notes) == 0 {
		return 0
	}
	return vg.Length(len(f.notes))*noteSkip + noteGap
}

// draw draws onto c, whose size is chartWidth by f.height(framed), and returns the part that
// belongs to the data.
func (f *figure) draw(c vg.CanvasSizer, framed bool) draw.Canvas {
	all := draw.New(c)
	if framed {
		all.SetColor(groundInk)
		all.Fill(all.Path())
	}
	all = draw.Crop(all, chartInset, -chartInset, chartInset, -chartInset)
	if framed {
		f.drawLines(&all, f.title, style(titleSize, textInk, true), titleSkip, all.Max.Y)
		all.Max.Y -= f.titleHeight()
		f.drawLines(&all, f.notes, style(noteSize, mutedInk, false), noteSkip, all.Min.Y+f.notesHeight()-noteGap)
		all.Min.Y += f.notesHeight()
	}
	f.drawLegend(all)
	all.Max.Y -= vg.Length(legendLine * f.rows)
	f.plot.Draw(all)
	return f.plot.DataCanvas(all)
}

func (f *figure) drawLines(c *draw.Canvas, lines []string, sty text.Style, skip, top vg.Length) {
	for i, line := range lines {
		c.FillText(sty, vg.Point{X: c.Min.X, Y: top - vg.Length(i)*skip - sty.Font.Size}, line)
	}
}

// png is the framed chart as an image on light ground.
func (f *figure) png() ([]byte, error) {
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(chartWidth, f.height(true)), vgimg.UseDPI(pngDPI))}
	f.draw(c, true)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("report: chart %q: %w", f.chart.Name, err)
	}
	return b.Bytes(), nil
}

// svgFile is the framed chart as a file of its own, light or dark as the reader has it.
func (f *figure) svgFile() []byte {
	c := newSVG(chartWidth, f.height(true))
	f.draw(c, true)
	c.close()
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%s" %s`+"\n<style>%s</style>\n",
		chartWidth, coord(c.height.Points()), f.svgAttributes(c.height), chartCSS("svg"))
	b.Write(c.body.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// inlineSVG is the chart without title and notes for a page that has chartCSS. Groups with data-s,
// a series' name, carry in data-p its marks: place in the drawing, x, y, and error if there is one.
func (f *figure) inlineSVG() []byte {
	c := newSVG(chartWidth, f.height(false))
	data := f.draw(c, false)
	c.close()
	var b bytes.Buffer
	fmt.Fprintf(&b, "<svg %s\n", f.svgAttributes(c.height))
	b.Write(c.body.Bytes())
	toX, toY := f.plot.Transforms(&data)
	for _, d := range f.series {
		fmt.Fprintf(&b, `<g data-s="%s" data-p="`, escape(d.Name))
		for _, m := range d.marks {
			if m.shown {
				x, y := c.now.move.apply(vg.Point{X: toX(m.x + d.offset), Y: toY(m.y)})
				fmt.Fprintf(&b, "%s %s %s;", coord(x), coord(y), d.values(m))
			}
		}
		b.WriteString("\"/>\n")
	}
	b.WriteString("</svg>")
	return b.Bytes()
}

// values are what the page shows of m: six digits are more than a chart can.
func (d *drawing) values(m mark) string {
	six := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	s := six(d.X[m.index]) + " " + six(d.Y[m.index])
	if m.bar {
		s += " " + six(d.Err[m.index])
	}
	return s
}

var axisLine = draw.LineStyle{Color: mutedInk, Width: 0.8}

// baseLines draws the lines of both axes: over the grid, under which plot itself would draw them.
type baseLines struct{}

func (baseLines) Plot(c draw.Canvas, _ *plot.Plot) {
	c.StrokeLine2(axisLine, c.Min.X, c.Min.Y, c.Max.X, c.Min.Y)
	c.StrokeLine2(axisLine, c.Min.X, c.Min.Y, c.Min.X, c.Max.Y)
}

// zeroLine is the vertical line at x = 0.
type zeroLine struct{}

func (zeroLine) Plot(c draw.Canvas, p *plot.Plot) {
	toX, _ := p.Transforms(&c)
	c.StrokeLine2(axisLine, toX(0), c.Min.Y, toX(0), c.Max.Y)
}

// noData says so in the middle of empty axes.
type noData struct{}

func (noData) Plot(c draw.Canvas, _ *plot.Plot) {
	sty := style(labelSize, mutedInk, false)
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
	c.FillText(sty, c.Center(), "no data")
}
