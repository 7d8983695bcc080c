package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// marks are the attributes data-p of a chart's inline SVG by series.
func marks(t *testing.T, c Chart) (svg string, data map[string][]string) {
	t.Helper()
	svg = string(newFigure(&c).inlineSVG())
	data = map[string][]string{}
	for _, m := range regexp.MustCompile(`data-s="([^"]*)" data-p="([^"]*)"`).FindAllStringSubmatch(svg, -1) {
		data[html.UnescapeString(m[1])] = strings.FieldsFunc(m[2], func(r rune) bool { return r == ';' })
	}
	return svg, data
}

func chartOf(s ...Series) Chart {
	return Chart{Name: "c", Title: "T", XLabel: "x", YLabel: "y", Series: s}
}

func TestWhatHasNoPlaceIsCounted(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	c := chartOf(
		Series{Name: "a", Kind: LinePoints, X: []float64{1, 2, 3, 4, 5, nan, -1}, Y: []float64{1, 0, 3, inf, 5, 6, 7}},
		Series{Name: "", Kind: Points, X: []float64{1, 2, 3}, Y: []float64{2, 3, 4}, Err: []float64{3, -1, nan}},
		Series{Name: "none", Kind: Line},
	)
	c.LogX, c.LogY = true, true
	want := []string{
		"a: 4 points are not drawn (not finite, or not positive on a logarithmic axis).",
		"series 2: 2 error bars are not drawn (not finite, or negative).",
		"series 2: 1 error bar reaches down to 0 or below, off the logarithmic axis.",
		"none: no points.",
	}
	if got := newFigure(&c).noteTexts(); !slices.Equal(got, want) {
		t.Errorf("notes are %q, want %q", got, want)
	}
	svg, data := marks(t, c)
	if len(data["a"]) != 3 || len(data[""]) != 3 || len(data["none"]) != 0 {
		t.Errorf("marks are %v", data)
	}
	// Marks 1, 3 and 5 have hidden ones between them: no line joins them.
	if line := regexp.MustCompile(`k-s0"[^>]*><path d="([^"]*)"`).FindAllStringSubmatch(svg, -1); strings.Contains(line[len(line)-1][1], "L") {
		t.Errorf("the line is %s", line[len(line)-1][1])
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Error("a number in the SVG is not finite")
	}
	c.LogX, c.LogY = false, false
	if got := newFigure(&c).noteTexts()[0]; got != "a: 2 points are not drawn (not finite)." {
		t.Errorf("without logarithms: %q", got)
	}
}

func TestMarksStandWhereTheyShould(t *testing.T) {
	c := chartOf(Series{Name: "a", Kind: Points, X: []float64{1, 10, 100}, Y: []float64{3, 2, 1}, Err: []float64{0.5, 0, 1.0 / 3}})
	c.LogX = true
	svg, data := marks(t, c)
	var at [3][2]float64
	for i, m := range data["a"] {
		f := strings.Fields(m)
		at[i][0], _ = strconv.ParseFloat(f[0], 64)
		at[i][1], _ = strconv.ParseFloat(f[1], 64)
		if !strings.Contains(svg, fmt.Sprintf(`<circle cx="%s" cy="%s" r="3"/>`, f[0], f[1])) {
			t.Errorf("no mark at %s", m)
		}
	}
	// Equal steps on both axes; y grows upwards, so that 1 is lowest. Coordinates have one decimal.
	for k := range 2 {
		if step := at[1][k] - at[0][k]; step < 20 || math.Abs(at[2][k]-at[1][k]-step) > 0.11 {
			t.Errorf("positions are %v", at)
		}
	}
	for _, part := range []string{`class="k k-grid"`, ">a</text>", ">x</text>", ">y</text>", ">100</text>"} {
		if !strings.Contains(svg, part) {
			t.Errorf("no %s", part)
		}
	}
	// The bar of the first mark: caps of 5 at half a step below and above it, joined.
	x, y, half := at[0][0], at[0][1], (at[1][1]-at[0][1])/2
	bar := strings.Split(regexp.MustCompile(`k-s0"[^>]*><path d="M([^"]*)"`).FindStringSubmatch(svg)[1], "M")
	for i, want := range [][4]float64{
		{x - 2.5, y + half, x + 2.5, y + half}, {x, y + half, x, y - half}, {x - 2.5, y - half, x + 2.5, y - half},
	} {
		var got [4]float64
		if _, err := fmt.Sscanf(bar[i], "%g %gL%g %g", &got[0], &got[1], &got[2], &got[3]); err != nil {
			t.Fatal(err)
		}
		for k := range got {
			if math.Abs(got[k]-want[k]) > 0.16 { // three roundings to a tenth
				t.Errorf("stroke %d of the error bar is %v, want %v", i+1, got, want)
			}
		}
	}
	if want := "100 1 0.333333"; !strings.HasSuffix(data["a"][2], want) {
		t.Errorf("values are %q, want %q", data["a"][2], want)
	}
}

func TestSeriesDifferWithoutColour(t *testing.T) {
	seen := map[string]bool{}
	for i := range 12 {
		l := lookOf(i)
		key := fmt.Sprintf("%s %T", l.ink.class, l.shape)
		if seen[key] {
			t.Errorf("series %d looks like another: %s", i, key)
		}
		seen[key] = true
	}
	dash, shape, hatched := map[string]bool{}, map[string]bool{}, map[hatch]bool{}
	for i := range 5 {
		l := lookOf(i)
		dash[fmt.Sprint(l.dash)], shape[fmt.Sprintf("%T", l.shape)], hatched[l.hatch] = true, true, true
	}
	if len(dash) != 5 || len(shape) != 5 || len(hatched) != 5 {
		t.Errorf("five series have %d dashes, %d shapes, %d hatches", len(dash), len(shape), len(hatched))
	}
}

func TestBarsOfSeveralSeriesStandSideBySide(t *testing.T) {
	_, data := marks(t, chartOf(
		Series{Name: "a", Kind: Bars, X: []float64{1, 2, 4}, Y: []float64{1, -1, 2}},
		Series{Name: "b", Kind: Bars, X: []float64{1, 2, 4}, Y: []float64{2, 3, 4}},
	))
	x := func(name string, i int) float64 {
		v, err := strconv.ParseFloat(strings.Fields(data[name][i])[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	group := x("a", 1) - x("a", 0) // the least distance of two groups
	for i := range 3 {
		if d := x("b", i) - x("a", i); math.Abs(d-0.4*group) > 0.16 {
			t.Errorf("bars %d are %.1f apart, want 0.4 of %.1f", i, d, group)
		}
	}
}

func TestHatchesDiffer(t *testing.T) {
	seen := map[string]hatch{}
	for _, h := range hatches {
		svg := newSVG(100, 100)
		c := draw.New(svg)
		h.draw(&c, seriesInks[0], vg.Rectangle{Min: vg.Point{X: 10, Y: 10}, Max: vg.Point{X: 30, Y: 70}})
		svg.close()
		if old, ok := seen[svg.body.String()]; ok {
			t.Errorf("hatch %d looks like %d", h, old)
		}
		seen[svg.body.String()] = h
		for _, n := range regexp.MustCompile(`[ML](\S+) ([\d.]+)`).FindAllStringSubmatch(svg.body.String(), -1) {
			x, _ := strconv.ParseFloat(n[1], 64)
			y, _ := strconv.ParseFloat(n[2], 64)
			if x < 10 || x > 30 || y < 30 || y > 90 {
				t.Errorf("hatch %d leaves its bar at %s %s", h, n[1], n[2])
			}
		}
	}
}

// WCAG 2: text needs a contrast of 4.5 to its ground. Series carry meaning, so they get it, too.
func TestContrast(t *testing.T) {
	for _, k := range append([]ink{textInk, mutedInk}, seriesInks...) {
		for scheme, c := range map[string]float64{
			"light": contrast(k.NRGBA, groundInk.NRGBA), "dark": contrast(k.dark, groundInk.dark),
		} {
			if c < 4.5 {
				t.Errorf("%s on %s ground has a contrast of %.2f", k.class, scheme, c)
			}
		}
	}
}

func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// Every chart is a well-formed SVG file of known classes and an image that is not blank, whatever
// is in it.
func TestChartFiles(t *testing.T) {
	charts := []Chart{
		{Name: "empty"}, chartOf(Series{Kind: Bars}), chartOf(Series{Kind: Bars, X: []float64{7}, Y: []float64{-1}, Err: []float64{2}}),
		chartOf(Series{Kind: Points, X: []float64{math.NaN()}, Y: []float64{1}}),
		chartOf(Series{Kind: Line, X: []float64{-1e300, 1e300}, Y: []float64{5e-324, 1e-320}}),
	}
	band := chartOf(Series{Name: "band", Kind: Band, X: []float64{1, 10, 20}, Y: []float64{1, 2, math.NaN()}, Err: []float64{2, 1, 1}})
	charts = append(charts, band)
	band.Series = append(band.Series, Series{Name: "dots", Kind: Dots, X: []float64{1, 2}, Y: []float64{1, 2}})
	band.LogY = true // on which the first has no lower end
	charts = append(charts, band)
	log := chartOf(Series{Name: "b", Kind: Bars, X: []float64{1, 10}, Y: []float64{1e-300, 1e300}})
	log.LogX, log.LogY = true, true
	many := Chart{Name: "many", Title: strings.Repeat("long title ", 40), XLabel: strings.Repeat("W", 300), YLabel: strings.Repeat("y ", 300)}
	for i := range 30 {
		many.Series = append(many.Series, Series{Name: fmt.Sprintf("series %d", i), Kind: []SeriesKind{Bars, LinePoints, Points, Line}[i%4], X: []float64{0, 1}, Y: []float64{0, float64(i)}})
	}
	charts = append(charts, log, many)
	for _, d := range []*Document{nastyDocument(), sample()} {
		for _, s := range d.Sections[:4] {
			charts = append(charts, s.Charts[:1]...)
		}
	}
	class := regexp.MustCompile(`class="(?:k )?([fk]-\w+)"`)
	for _, c := range charts {
		f := newFigure(&c)
		svg := f.svgFile()
		for dec := xml.NewDecoder(bytes.NewReader(svg)); ; {
			if _, err := dec.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Errorf("%s: %v in\n%s", c.Name, err, svg)
				break
			}
		}
		for _, m := range class.FindAllSubmatch(svg, -1) {
			if !bytes.Contains(svg, append(append([]byte("svg ."), m[1]...), '{')) {
				t.Errorf("%s: class %s has no colour", c.Name, m[1])
			}
		}
		b, err := f.png()
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if img.Bounds().Dx() != 1000 || img.Bounds().Dy() < 500 {
			t.Errorf("%s: image is %v", c.Name, img.Bounds())
		}
		if dark := darkPixels(img); dark < 500 {
			t.Errorf("%s: image has %d dark pixels", c.Name, dark)
		}
	}
}
