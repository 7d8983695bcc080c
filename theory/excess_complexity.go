package theory

import (
	"fmt"
	"math"

	"mediant/report"
)

// runComplexity checks values and rates of Rademacher complexities.
func runComplexity(f complexityFormula, o Options) (Result, error) {
	g := &gauge{reference: "[Yamane21, after Thm 4, and appendix D]; docs/theory.md, 10"}
	sizes, draws := []int{64, 128, 256, 512, 1024, 2048}, 4000
	if o.Quick {
		sizes, draws = []int{64, 256, 1024}, 1000
	}
	t := report.Table{Caption: "Rademacher complexities of two balls of linear functions", Columns: []string{"class", "n", "R_n", "standard error", "R_n sqrt n", "limit"}}
	c := report.Chart{Name: "excess-rademacher", Title: "Rademacher complexity against n", XLabel: "n", YLabel: "R_n", LogX: true, LogY: true}
	l := excessDistributions()[0]
	all := l.complexities(f, sizes, draws, o.Seed)
	for _, r := range all {
		for i, n := range r.n {
			t.Rows = append(t.Rows, append([]report.Cell{words(r.name)}, numbers(n, r.value[i], r.se[i], r.value[i]*math.Sqrt(n), r.limit)...))
		}
		c.Series = append(c.Series, report.Series{Name: r.name, Kind: report.LinePoints, X: r.n, Y: r.value, Err: r.se})
		s := logSlope(r.n, r.value, r.se)
		g.near("slope, "+r.name, "Slope of log R_n against log n.", s.exponent, f.exponent, s.se, slopeAllowance)
		last := len(r.n) - 1
		g.near("constant, "+r.name, fmt.Sprintf("R_n sqrt n at n = %.0f; Bound is its limit r sqrt(v pi/2).", r.n[last]),
			r.value[last]*math.Sqrt(r.n[last]), r.limit, r.se[last]*math.Sqrt(r.n[last]), r.limit*lengthAllowance/r.n[last])
	}
	for i, n := range all[1].n {
		g.near(fmt.Sprintf("Monte Carlo against the exact sum, n = %.0f", n), "R_n of F on X.", all[1].value[i], all[0].value[i], all[1].se[i], 0)
	}
	return Result{Checks: g.checks, Tables: []report.Table{t}, Charts: []report.Chart{c}}, nil
}

// lengthAllowance bounds n times the relative distance of E|Σ z_i|/sqrt n from its limit. With
// independent columns of excess kurtosis k, Edgeworth's expansion gives -k/(32n) in the plane, from
// E |z| (z_j⁴ - 6z_j² + 3) = -3/8 E|z| for standard normal z; k is -2 for signs and -1.2 for U, so this is at
// most 1/(16n), and twice that leaves room for the next order. In the slope over these sizes, 64 to
// 1024 or 2048, an error of the first value by e counts at most 0.4 e.
const (
	lengthAllowance = .125
	slopeAllowance  = .4 * lengthAllowance / 64
)

// A complexityFormula is what is claimed of the Rademacher complexity of a ball of radius r for
// rows of variance v in the plane.
type complexityFormula struct {
	exponent float64
	limit    func(r, v float64) float64 // of R_n sqrt n
}

func complexityConstants() complexityFormula {
	return complexityFormula{exponent: -.5, limit: func(r, v float64) float64 { return r * math.Sqrt(v*math.Pi/2) }}
}
