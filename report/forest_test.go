package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// forest is a chart of n named intervals around 1, 2, ...
func forest(n int) Chart {
	c := Chart{Name: "forest", Title: "effects", XLabel: "effect"}
	s := Series{Name: "raw", Kind: Intervals}
	for i := range n {
		c.YNames = append(c.YNames, fmt.Sprintf("experiment %d", i+1))
		s.X, s.Y, s.Err = append(s.X, float64(i+1)), append(s.Y, -float64(i)), append(s.Err, .5)
	}
	c.Series = []Series{s}
	return c
}

// TestForestPlot: rows go down, names stand beside them, bars lie along x, and 0 has a line.
func TestForestPlot(t *testing.T) {
	c := forest(3)
	svg, data := marks(t, c)
	var at [3][2]float64
	for i, m := range data["raw"] {
		f := strings.Fields(m)
		at[i][0], _ = strconv.ParseFloat(f[0], 64)
		at[i][1], _ = strconv.ParseFloat(f[1], 64)
	}
	if !(at[0][0] < at[1][0] && at[1][0] < at[2][0] && at[0][1] < at[1][1] && at[1][1] < at[2][1]) { // y of an SVG grows downwards
		t.Errorf("marks are at %v", at)
	}
	for _, name := range c.YNames {
		if !strings.Contains(svg, ">"+name+"</text>") {
			t.Errorf("no %q", name)
		}
	}
	bar := regexp.MustCompile(`k-s0"[^>]*><path d="M([^"]*)"`).FindStringSubmatch(svg)[1]
	var got [4]float64
	if _, err := fmt.Sscanf(strings.Split(bar, "M")[1], "%g %gL%g %g", &got[0], &got[1], &got[2], &got[3]); err != nil {
		t.Fatal(err)
	}
	half := (at[1][0] - at[0][0]) / 2
	for k, want := range []float64{at[0][0] - half, at[0][1], at[0][0] + half, at[0][1]} {
		if d := got[k] - want; d > .16 || d < -.16 { // roundings to a tenth
			t.Errorf("the bar is %v, want %v", got, at[0])
		}
	}
	f := newFigure(&c)
	if f.x.min > 0 {
		t.Errorf("x begins at %g", f.x.min)
	}
	many := forest(60)
	if low, high := f.height(false), newFigure(&many).height(false); high < low+30*rowNameSkip {
		t.Errorf("60 names have the height %v, 3 have %v", high, low)
	}
	if page := newPageChart(&c); page.YNames != `["experiment 1","experiment 2","experiment 3"]` || !strings.Contains(f.description(), "3 points from 1 to 3") {
		t.Errorf("the page has the names %s and says %q", page.YNames, f.description())
	}
	c.LogY = true
	if err := c.check(); err == nil || !strings.Contains(err.Error(), "logarithmic y axis") {
		t.Errorf("names on a logarithmic axis: %v", err)
	}
}
