package modelreport

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"mediant/internal/weighted"
	"mediant/report"
)

const (
	// binned is the number of groups of rows by their predictions, leastBin the rows of one at least.
	binned, leastBin = 10, 8
	// drawnPoints bounds the points of all scatter plots of a section.
	drawnPoints = 360
)

// A bin is a group of rows whose predictions lie side by side.
type bin struct {
	rows []int
	of   float64  // the mean prediction
	gap  estimate // the mean of what it is compared with, less the prediction
}

// bins are groups of equal numbers of rows by the predictions of output at. Rows of equal predictions stay together.
func (p *pairs) bins(at int) []bin {
	of, to := p.of[at], p.to[at]
	order := make([]int, len(of))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(of[i], of[j]) })
	groups := max(1, min(binned, len(order)/leastBin))
	var all []bin
	for g := 1; g <= groups && len(order) > 0; g++ {
		end := max(1, len(order)/(groups-g+1))
		for end < len(order) && of[order[end]] == of[order[end-1]] {
			end++
		}
		all, order = append(all, bin{rows: order[:end]}), order[end:]
	}
	for i := range all {
		b := &all[i]
		gap, mean := weighted.New(1), weighted.NewAverages(1)
		for _, r := range b.rows {
			gap.Add(p.weights, r, to[r]-of[r])
			mean.Add(p.weights.Of(r), []float64{of[r]})
		}
		b.of, b.gap = mean.Mean[0], estimate{gap.Mean[0], math.NaN()}
		if len(b.rows) > 1 {
			b.gap = meanOf(gap)
		}
	}
	return all
}

// line is the weighted least-squares line of what output at is compared with, on its predictions; ok is false where these do not vary.
func (p *pairs) line(at int) (intercept, slope float64, ok bool) {
	mean := weighted.NewAverages(2)
	for i := range p.rows() {
		mean.Add(p.weights.Of(i), []float64{p.of[at][i], p.to[at][i]})
	}
	xx, xy := 0.0, 0.0
	for i := range p.rows() {
		w, x := p.weights.Of(i), p.of[at][i]-mean.Mean[0]
		xx += w * x * x
		xy += w * x * (p.to[at][i] - mean.Mean[1])
	}
	if !(xx > 1e-24*mean.Weight*(1+mean.Mean[0]*mean.Mean[0])) {
		return 0, 0, false
	}
	slope = xy / xx
	return mean.Mean[1] - slope*mean.Mean[0], slope, true
}

// scatter are evenly chosen rows of output at, as points.
func (p *pairs) scatter(at, most int) report.Series {
	s := report.Series{Kind: report.Dots}
	n := p.rows()
	most = min(n, most)
	for i := range most {
		r := i * n / most
		s.X, s.Y = append(s.X, p.of[at][r]), append(s.Y, p.to[at][r])
	}
	return s
}

// A comparison is how pairs are called.
type comparison struct{ name, of, to, points string }

// calibrationChart compares predictions of output at with what they are to be.
func (b *builder) calibrationChart(p *pairs, at int, c comparison) report.Chart {
	name := shortName(b.outputName(p.outputs[at]))
	chart := report.Chart{
		Name: fmt.Sprintf("%s-%d", c.name, at+1), Title: name, XLabel: fmt.Sprintf("%s%s", c.of, b.outputUnit(p.outputs[at])), YLabel: fmt.Sprintf("%s%s", c.to, b.outputUnit(p.outputs[at])),
	}
	points := p.scatter(at, drawnPoints/len(p.outputs))
	points.Name = c.points
	means := report.Series{Name: "means of groups, 95 % intervals", Kind: report.Points}
	for _, group := range p.bins(at) {
		means.X, means.Y, means.Err = append(means.X, group.of), append(means.Y, group.of+group.gap.value), append(means.Err, finiteOr(group.gap.margin, 0))
	}
	low, high := slices.Min(p.of[at]), slices.Max(p.of[at])
	same := report.Series{Name: "y = x", Kind: report.Line, X: []float64{low, high}, Y: []float64{low, high}}
	chart.Series = []report.Series{points, means, same}
	chart.Note = "How to read it: means on the line y = x show that the prediction is right on average at every level."
	if a, slope, ok := p.line(at); ok {
		chart.Series = append(chart.Series, report.Series{Name: "calibration line", Kind: report.Line, X: []float64{low, high}, Y: []float64{a + slope*low, a + slope*high}})
		chart.Note += fmt.Sprintf(" The calibration line has intercept %s and slope %s; a slope below 1 means that predictions vary too much, one above 1 too little.", number(a), number(slope))
	}
	return chart
}

// outputName is the name of an output, outputUnit what an axis adds in brackets.
func (b *builder) outputName(j int) string { return b.Model.Y.Names()[j] }

func (b *builder) outputUnit(j int) string {
	switch {
	case b.Model.Probabilities():
		return " (probability)"
	case b.Model.Y.Classes() != nil:
		return " (class score)"
	}
	return fmt.Sprintf(" (units of %s)", short(b.outputName(j), 30))
}

// someOutputs says which outputs have pictures, if not all have.
func (b *builder) someOutputs(p *pairs) []string {
	k := b.Model.Y.Len()
	if len(p.outputs) == k {
		return nil
	}
	if b.Model.Y.Classes() != nil {
		return []string{fmt.Sprintf("Shown are the %d most frequent of %d classes.", len(p.outputs), k)}
	}
	return []string{fmt.Sprintf("Shown are the first %d of %d outputs.", len(p.outputs), k)}
}

// heldOutPairs are predictions of rows of both tables, or why there are none.
func (b *builder) heldOutPairs() (*heldOut, error) {
	if b.held != nil {
		return b.held, nil
	}
	if _, err := b.rows(); err != nil {
		return nil, err
	}
	return nil, reason("there are no held-out predictions")
}

// calibration is the section that compares f(X) with h(U).
func (b *builder) calibration(context.Context) (*report.Section, error) {
	held, err := b.heldOutPairs()
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("For a sample of %s of (X, U): the prediction f(X) against h(U), the prediction of Y from U. ", rows(held.x.rows()))
	if b.Predictions {
		text += "The predictions are those in the table; h was fitted without the fold of the row. "
	} else if b.Choice != nil {
		text += "Each row is predicted by models that were fitted without its fold. "
	} else {
		text += "The model has not learned from these rows. "
	}
	s := &report.Section{Title: "Predictions against h(U)", Text: append([]string{text + "The spread of the points about their means is what X leaves open of h(U), and no error of f."}, b.someOutputs(held.x)...)}
	for at := range held.x.outputs {
		s.Charts = append(s.Charts, b.calibrationChart(held.x, at, comparison{"calibration", "f(X)", "h(U)", "held-out rows"}))
	}
	return s, nil
}

// coupled is the section that compares f(X) with Y on coupled rows, if there are any.
func (b *builder) coupled(ctx context.Context) (*report.Section, error) {
	if b.XY == nil {
		return nil, nil
	}
	p, err := b.coupledPairs(ctx)
	if err != nil {
		return nil, err
	}
	if p.rows() == 0 {
		return nil, reason("no coupled row has Y")
	}
	s := &report.Section{Title: "Predictions against Y", Text: append([]string{fmt.Sprintf("For a sample of %s of coupled (X, Y): the prediction f(X) against Y.", rows(p.rows()))}, b.someOutputs(p)...)}
	for at := range p.outputs {
		s.Charts = append(s.Charts, b.calibrationChart(p, at, comparison{"coupled", "f(X)", "Y", "coupled rows"}))
	}
	return s, nil
}

// residuals is the section on Y - h(U) by the size of h(U).
func (b *builder) residuals(context.Context) (*report.Section, error) {
	held, err := b.heldOutPairs()
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("Residuals Y − h(U) of a sample of %s of (U, Y) in up to ten groups of equal size by h(U)", rows(held.y.rows()))
	if b.Choice != nil {
		text += ", each by the h that was fitted without its fold"
	}
	text += ". A bias of h, the first step, is a bias of the whole model."
	if b.Model.Y.Classes() != nil && !b.Model.Probabilities() {
		text += " Class scores are not probabilities: they overshoot near 0 and 1, which need not change the class of the largest score."
	}
	s := &report.Section{Title: "Residuals of h", Text: append([]string{text}, b.someOutputs(held.y)...)}
	for at, j := range held.y.outputs {
		s.Charts = append(s.Charts, b.residualChart(held.y, at, j))
	}
	return s, nil
}

func (b *builder) residualChart(p *pairs, at, output int) report.Chart {
	c := report.Chart{
		Name: fmt.Sprintf("residuals-%d", at+1), Title: shortName(b.outputName(output)),
		XLabel: "h(U), mean of the group" + b.outputUnit(output), YLabel: "Y − h(U)" + b.outputUnit(output), ReachY: []float64{0},
		Note: "How to read it: an interval that does not reach 0 shows where h is too low (above 0) or too high (below 0)",
	}
	mean := report.Series{Name: "mean with its 95 % interval", Kind: report.LinePoints}
	low := report.Series{Name: "10 % quantile", Kind: report.Line}
	high := report.Series{Name: "90 % quantile", Kind: report.Line}
	for _, group := range p.bins(at) {
		mean.X, mean.Y, mean.Err = append(mean.X, group.of), append(mean.Y, group.gap.value), append(mean.Err, finiteOr(group.gap.margin, 0))
		gaps := make([]float64, len(group.rows))
		for i, r := range group.rows {
			gaps[i] = p.to[at][r] - p.of[at][r]
		}
		slices.Sort(gaps)
		low.X, low.Y = append(low.X, group.of), append(low.Y, quantile(gaps, .1))
		high.X, high.Y = append(high.X, group.of), append(high.Y, quantile(gaps, .9))
	}
	c.Series = []report.Series{mean}
	if b.Model.Y.Classes() == nil { // of zeros and ones they say nothing
		c.Series = append(c.Series, low, high)
		c.Note += "; the quantiles show where Y varies more about h"
	}
	c.Note += "."
	return c
}

// quantile interpolates between sorted values.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
