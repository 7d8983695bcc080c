package report

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
)

// TestBand: the strip goes along its upper edge and back along its lower one, is seen through, and has a gap where a width is missing.
func TestBand(t *testing.T) {
	c := chartOf(Series{Name: "a", Kind: Band, X: []float64{1, 2, 3, 4, 5}, Y: []float64{1, 2, 3, 2, 1}, Err: []float64{.5, .5, math.NaN(), 1, 1}})
	svg, data := marks(t, c)
	// The legend has a strip of its own; coordinates have one decimal.
	strips := regexp.MustCompile(`f-s0" fill-opacity="0.22">((?:<path d="[^"]*"/>)+)`).FindAllStringSubmatch(svg, -1)
	if len(strips) != 2 {
		t.Fatalf("%d groups of strips, want the legend's and the chart's", len(strips))
	}
	paths := regexp.MustCompile(`d="M([^"]*)Z"`).FindAllStringSubmatch(strips[1][1], -1)
	if len(paths) != 2 {
		t.Fatalf("%d strips, want one on each side of the gap", len(paths))
	}
	var at [5][2]float64
	for i, m := range data["a"] {
		if _, err := fmt.Sscan(m, &at[i][0], &at[i][1]); err != nil {
			t.Fatal(err)
		}
	}
	half := (at[0][1] - at[1][1]) / 2 // of a unit of y
	for p, want := range [][4][2]float64{
		{{at[0][0], at[0][1] - half}, {at[1][0], at[1][1] - half}, {at[1][0], at[1][1] + half}, {at[0][0], at[0][1] + half}},
		{{at[3][0], at[3][1] - 2*half}, {at[4][0], at[4][1] - 2*half}, {at[4][0], at[4][1] + 2*half}, {at[3][0], at[3][1] + 2*half}},
	} {
		for i, corner := range strings.Split(paths[p][1], "L") {
			var x, y float64
			if _, err := fmt.Sscan(corner, &x, &y); err != nil {
				t.Fatal(err)
			}
			if math.Abs(x-want[i][0]) > .11 || math.Abs(y-want[i][1]) > .21 { // roundings to a tenth, and twice those of half
				t.Errorf("corner %d of strip %d is at %.1f %.1f, want %.1f", i, p, x, y, want[i])
			}
		}
	}
	if strings.Contains(svg, "k-s0\" stroke-width=\"1\"") {
		t.Error("a band has error bars")
	}
}

// TestDotsAreSeenThrough: they are smaller than points, and not opaque.
func TestDotsAreSeenThrough(t *testing.T) {
	svg, data := marks(t, chartOf(Series{Name: "a", Kind: Dots, X: []float64{1, 2}, Y: []float64{1, 2}}))
	at := strings.Fields(data["a"][1])
	if want := fmt.Sprintf(`<circle cx="%s" cy="%s" r="1.8"/>`, at[0], at[1]); !strings.Contains(svg, want) || !strings.Contains(svg, `class="f-s0" fill-opacity="0.5"`) {
		t.Errorf("no %s in\n%s", want, svg)
	}
}

// TestReachY: an axis reaches to values that no series has, but for those without a place on it.
func TestReachY(t *testing.T) {
	c := chartOf(Series{Kind: Points, X: []float64{1, 2}, Y: []float64{10, 11}})
	c.ReachY = []float64{0, 30, math.NaN()}
	if f := newFigure(&c); f.y.min > 0 || f.y.max < 30 {
		t.Errorf("the axis goes from %g to %g", f.y.min, f.y.max)
	}
	c.LogY, c.ReachY = true, []float64{0, 1000}
	if f := newFigure(&c); f.y.min < 0.9 || f.y.max < 3 {
		t.Errorf("the logarithmic axis goes from %g to %g", f.y.min, f.y.max)
	}
}

// TestNoteStandsBelow: the chart's own note comes first in every format.
func TestNoteStandsBelow(t *testing.T) {
	c := chartOf(Series{Name: "a", Kind: Points, X: []float64{math.NaN()}, Y: []float64{1}})
	c.Note = "Points on the line are right."
	d := &Document{Sections: []Section{{Charts: []Chart{c}}}}
	var page, text bytes.Buffer
	if err := d.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteMarkdown(&text, ""); err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct{ got, want string }{
		{page.String(), "<p class=\"note\">Points on the line are right.</p>\n<p class=\"note\">a: 1 point is not drawn"},
		{text.String(), "*Points on the line are right.*\n\n*a: 1 point is not drawn"},
		{string(newFigure(&c).svgFile()), ">Points on the line are right.</text>"},
	} {
		if !strings.Contains(f.got, f.want) {
			t.Errorf("no %s in\n%s", f.want, f.got)
		}
	}
}
