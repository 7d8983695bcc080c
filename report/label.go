package report

import (
	"fmt"
	"html"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const boldWeight = xfont.WeightBold

func escape(s string) string { return html.EscapeString(clean(s)) }

func cleanAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = clean(s)
	}
	return out
}

// wrap breaks s into lines of at most the given width; what does not fit into so many is cut.
func wrap(s string, sty text.Style, width vg.Length, lines int) []string {
	var out []string
	words := strings.Fields(s)
	for len(words) > 0 && len(out) < lines-1 {
		n := 1
		for n < len(words) && sty.Width(strings.Join(words[:n+1], " ")) <= width {
			n++
		}
		out = append(out, ellipsis(strings.Join(words[:n], " "), sty, width))
		words = words[n:]
	}
	if len(words) > 0 {
		out = append(out, ellipsis(strings.Join(words, " "), sty, width))
	}
	return out
}

// ellipsis cuts s to the given width.
func ellipsis(s string, sty text.Style, width vg.Length) string {
	if sty.Width(s) <= width {
		return s
	}
	letters := []rune(s)
	// The longest start that fits: widths grow with letters, but for kerning.
	fits, over := 0, len(letters)
	for over-fits > 1 {
		mid := (fits + over) / 2
		if sty.Width(string(letters[:mid])+"…") <= width {
			fits = mid
		} else {
			over = mid
		}
	}
	return strings.TrimSpace(string(letters[:fits])) + "…"
}

// A legendEntry stands in a row of the legend, at x from its left.
type legendEntry struct {
	of   *drawing
	text string
	row  int
	x    vg.Length
}

// layLegend fills rows from left to right. Series without a name have no entry.
func (f *figure) layLegend() (entries []legendEntry, rows int) {
	const space, between = 5, 14
	width := vg.Length(chartWidth - 2*chartInset)
	sty := style(tickSize, textInk, false)
	var x vg.Length
	for _, d := range f.series {
		name := clean(d.Name)
		if strings.TrimSpace(name) == "" {
			continue
		}
		name = ellipsis(name, sty, width-legendThumb-space)
		need := legendThumb + space + sty.Width(name)
		if rows == 0 || x+need > width {
			rows, x = rows+1, 0
		}
		entries = append(entries, legendEntry{of: d, text: name, row: rows - 1, x: x})
		x += need + between
	}
	return entries, rows
}

// drawLegend draws at the top of c: beside the data it would hide some.
func (f *figure) drawLegend(c draw.Canvas) {
	sty := style(tickSize, textInk, false)
	for _, e := range f.legend {
		x, top := c.Min.X+e.x, c.Max.Y-vg.Length(e.row*legendLine)
		e.of.thumbnail(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: top - legendLine + 5}, Max: vg.Point{X: x + legendThumb, Y: top},
		}})
		c.FillText(sty, vg.Point{X: x + legendThumb + 5, Y: top - tickSize + 1}, e.text)
	}
}

// noteTexts are the chart's own note, and what of its data is not drawn, and why.
func (f *figure) noteTexts() []string {
	var notes []string
	if note := clean(f.chart.Note); strings.TrimSpace(note) != "" {
		notes = append(notes, note)
	}
	why := "not finite"
	if f.x.log || f.y.log {
		why += ", or not positive on a logarithmic axis"
	}
	for i, d := range f.series {
		name := clean(d.Name)
		if strings.TrimSpace(name) == "" {
			name = fmt.Sprintf("series %d", i+1)
		}
		if len(d.marks) == 0 {
			notes = append(notes, fmt.Sprintf("%s: no points.", name))
		}
		if d.hidden > 0 {
			notes = append(notes, fmt.Sprintf("%s: %s not drawn (%s).", name, count(d.hidden, "point is", "points are"), why))
		}
		if d.badErrs > 0 {
			notes = append(notes, fmt.Sprintf("%s: %s not drawn (not finite, or negative).", name,
				count(d.badErrs, "error bar is", "error bars are")))
		}
		if d.openErrs > 0 {
			notes = append(notes, fmt.Sprintf("%s: %s down to 0 or below, off the logarithmic axis.", name,
				count(d.openErrs, "error bar reaches", "error bars reach")))
		}
	}
	return notes
}

func count(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// svgAttributes end the start tag of an SVG element.
func (f *figure) svgAttributes(height vg.Length) string {
	return fmt.Sprintf(`viewBox="0 0 %d %s" role="img" aria-label="%s">`,
		chartWidth, coord(height.Points()), escape(f.description()))
}

// description says in words what the chart shows.
func (f *figure) description() string {
	c := f.chart
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %s%s against %s%s.", c.Title, c.YLabel, logNote(c.LogY), c.XLabel, logNote(c.LogX))
	for _, d := range f.series {
		low, high, n := d.span()
		fmt.Fprintf(&b, " %s: ", d.Name)
		if n == 0 {
			b.WriteString("no points.")
			continue
		}
		fmt.Fprintf(&b, "%s from %s to %s.", count(n, "point", "points"), FormatNumber(low), FormatNumber(high))
	}
	return b.String()
}

func logNote(log bool) string {
	if log {
		return " (logarithmic)"
	}
	return ""
}

// span is of d's y that are drawn, of Intervals of its x.
func (d *drawing) span() (low, high float64, n int) {
	for _, m := range d.marks {
		if !m.shown {
			continue
		}
		y := d.Y[m.index]
		if d.Kind == Intervals {
			y = d.X[m.index]
		}
		if n == 0 {
			low, high = y, y
		}
		low, high, n = min(low, y), max(high, y), n+1
	}
	return low, high, n
}
