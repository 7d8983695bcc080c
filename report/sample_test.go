package report

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// nasty are names that must show as they are and do nothing.
var nasty = []string{
	`<img src=x onerror=alert(1)>`,
	`</script><script>alert(2)</script>`,
	`</style><style>*{display:none}</style>`,
	`"><svg onload=alert(3)>`,
	`' onmouseover='alert(4)`,
	`</title></text></svg><iframe src=//evil.example>`,
	`{{.Title}} ${alert(5)} <!-- --> ]]>`,
	`| a | [b](javascript:alert(6)) ![c](http://evil.example/x.png) **d** _e_ ~~f~~`,
	"`code` $x^2$ &lt;i&gt; &#60; # h :smile: www.evil.example @you \\",
	`http://evil.example/?q=1&copy=2`,
}

// sample is a document of the size of `mediant verify`: 12 sections with a chart each, 84 rows.
func sample() *Document {
	rng := rand.New(rand.NewPCG(1, 2))
	d := &Document{
		Title: "Checks of [Yamane21]",
		Summary: []string{
			"Every claim of the paper was checked numerically on distributions whose exact values are known. All 84 checks hold.",
			"Seed 1, 2 cores, 41 s. A check fails if the number on the left differs from that on the right by more than the tolerance.",
		},
	}
	for i := range 12 {
		s := Section{
			Title: []string{
				"Theorem 1: decomposition of the risk", "Theorem 2: closed form of Joint-RR", "Proposition 3: w = 1 is 2Step-RR",
				"Lemma 4: bound by two losses", "Rate in n and m", "Shrinkage as w tends to 0",
			}[i%6],
			Formulas: []string{`E(f-Y)^2 \le \frac{E(f-h)^2}{w} + \frac{E(h-Y)^2}{1-w}`},
			Text: []string{"For each distribution, the left side is computed from the full joint distribution, the right side from the two marginal " +
				"tables alone. Both are exact up to rounding, so that the tolerance is a multiple of the machine precision times the condition of the system."},
		}
		t := Table{Caption: "Both sides of the claim on random finite distributions", Columns: []string{"distribution", "n", "left", "right", "difference", "tolerance", "verdict"}}
		for r := range 7 {
			v := rng.ExpFloat64()
			e := v * 1e-15 * rng.NormFloat64()
			t.Rows = append(t.Rows, []Cell{
				TextCell([]string{"finite, 3 × 4 × 2", "Gaussian, d = 20", "mixture", "heavy tails", "collinear", "skewed", "constant U"}[r]),
				Number(float64(int(100) << r)), Number(v), Number(v + e), Number(e), Number(1e-13), Verdict(r != 5 || i != 3, map[bool]string{true: "holds", false: "fails"}[r != 5 || i != 3]),
			})
		}
		s.Tables = []Table{t}
		s.Charts = []Chart{sampleChart(i, rng)}
		d.Sections = append(d.Sections, s)
	}
	return d
}

func sampleChart(i int, rng *rand.Rand) Chart {
	c := Chart{Name: fmt.Sprintf("claim-%d", i+1), Title: fmt.Sprintf("Error of the estimate, claim %d", i+1), XLabel: "rows n", YLabel: "mean squared error", LogX: true, LogY: true}
	kinds := []SeriesKind{LinePoints, LinePoints, Line, Points}
	for k, name := range []string{"2Step-RR", "Joint-RR, w = 1/2", "slope −1", "naive h(g(x))"} {
		s := Series{Name: name, Kind: kinds[k]}
		for n := 100.0; n <= 12800; n *= 2 {
			y := 20 * float64(k+1) / n * math.Exp(0.2*rng.NormFloat64())
			if kinds[k] == Line {
				y = 10 / n
			}
			s.X, s.Y = append(s.X, n), append(s.Y, y)
			if kinds[k] == LinePoints {
				s.Err = append(s.Err, y/5)
			}
		}
		c.Series = append(c.Series, s)
	}
	switch i % 4 {
	case 1:
		return curves(c)
	case 2:
		return bars(c)
	case 3:
		return scatter(c, rng)
	}
	return c
}

func curves(c Chart) Chart {
	c.LogX, c.LogY, c.XLabel, c.YLabel, c.Series = false, false, "weight w", "objective", nil
	for k := range 6 {
		s := Series{Name: fmt.Sprintf("λ = %g", math.Pow10(-k)), Kind: Line}
		for x := 0.0; x <= 1.0001; x += 0.02 {
			s.X, s.Y = append(s.X, x), append(s.Y, math.Pow(x-0.1*float64(k), 2)+0.05*float64(k))
		}
		c.Series = append(c.Series, s)
	}
	return c
}

func bars(c Chart) Chart {
	c.LogX, c.LogY, c.XLabel = false, false, "method"
	c.XNames = []string{"Joint-RR", "2Step-RR", "naive", "mean embedding", "oracle"}
	c.Series = nil
	for k := range 3 {
		s := Series{Name: []string{"train", "test", "bound"}[k], Kind: Bars}
		for x := range c.XNames {
			s.X, s.Y, s.Err = append(s.X, float64(x)), append(s.Y, 1+0.3*float64(k)+0.1*float64(x)), append(s.Err, 0.1)
		}
		c.Series = append(c.Series, s)
	}
	return c
}

func scatter(c Chart, rng *rand.Rand) Chart {
	c.LogX, c.LogY, c.XLabel, c.YLabel = false, false, "true risk", "uncoupled risk"
	c.Series = []Series{{Name: "models", Kind: Points}, {Name: "y = x", Kind: Line, X: []float64{-2, 3}, Y: []float64{-2, 3}}}
	for range 80 {
		x := rng.NormFloat64()
		c.Series[0].X, c.Series[0].Y = append(c.Series[0].X, x), append(c.Series[0].Y, x+0.3*rng.NormFloat64())
	}
	c.Series[0].Y[3] = math.NaN()
	return c
}

// nastyDocument has each nasty name in every place that takes a string.
func nastyDocument() *Document {
	d := &Document{Title: nasty[0]}
	for i, n := range nasty {
		d.Summary = append(d.Summary, n)
		other := nasty[(i+1)%len(nasty)]
		d.Sections = append(d.Sections, Section{
			Title: n, Text: []string{other},
			Tables: []Table{{
				Caption: n,
				Columns: []string{other, n, "number"},
				Rows: [][]Cell{
					{TextCell(n), {Text: other, Mark: Good}, Number(2.123456789)},
					{TextCell(other), {Text: n, Mark: Bad}, {Text: n, Value: new(1.5)}},
				},
			}},
			Charts: []Chart{{
				Name: fmt.Sprintf("nasty-%d", i), Title: n, XLabel: n, YLabel: other, Note: n,
				Series: []Series{
					{Name: n, Kind: LinePoints, X: []float64{1, 2}, Y: []float64{1, 2}},
					{Name: other, Kind: Bars, X: []float64{1, 2}, Y: []float64{1, math.Inf(1)}},
				},
			}, {
				Name: fmt.Sprintf("nasty-names-%d", i), Title: n, XNames: []string{n, other},
				Series: []Series{{Name: n, Kind: Bars, X: []float64{0, 1}, Y: []float64{1, 2}}},
			}},
		})
	}
	return d
}
