package modelreport

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"mediant/internal/weighted"
	"mediant/report"
	"mediant/tables"
)

const (
	// strongest is the number of columns with a picture, listedStrengths that of the columns in the table.
	strongest, listedStrengths = 6, 20
	// curvePoints are those of a curve along a column of numbers, fewValues so few distinct ones that each is a point, and shownLevels the most frequent levels.
	curvePoints, fewValues, shownLevels = 20, 10, 8
	// textLevels is the number of distinct cells in a sample above which text has no axis.
	textLevels = 100
)

// dependence is the section on what f depends on.
func (b *builder) dependence(ctx context.Context) (*report.Section, error) {
	e, err := b.rows()
	if err != nil {
		return nil, err
	}
	r, err := b.sampleX(ctx, e)
	if err != nil {
		return nil, err
	}
	all, shuffled, err := b.strengths(ctx, r)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, reason("X is one column of sparse rows, which is one strength and has no axis")
	}
	columns := b.Model.X.Columns()
	s := &report.Section{Title: "What f depends on", Text: b.dependenceTexts(r)}
	t := report.Table{Columns: []string{"column of X", "strength"}}
	for _, c := range all[:min(len(all), listedStrengths)] {
		t.Rows = append(t.Rows, []report.Cell{report.TextCell(shortName(columns[c.column].Name)), {Text: percent(c.share), Value: &c.share}})
	}
	s.Tables = []report.Table{t}
	if all[0].share > 1 {
		s.Text = append(s.Text, "A strength above 100 % comes from the sample, or from shuffled rows that do not occur, where columns go together.")
	}
	if shuffled < len(columns) {
		s.Text = append(s.Text, fmt.Sprintf("%d of %d columns were shuffled, those whose groups of rows differ most in f.", shuffled, len(columns)))
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range all {
		if len(s.Charts) == strongest {
			break
		}
		d, err := b.along(ctx, r, c.column)
		if err != nil {
			return nil, err
		}
		if d == nil {
			b.leaveOut("partial dependence on "+shortName(columns[c.column].Name), "free text, or a column without values, has no axis")
			continue
		}
		chart := b.dependenceChart(d, len(s.Charts)+1, columns[c.column].Name, c.share)
		for _, series := range chart.Series {
			for i, y := range series.Y {
				margin := 0.
				if series.Err != nil {
					margin = finiteOr(series.Err[i], 0)
				}
				low, high = min(low, y-margin), max(high, y+margin)
			}
		}
		s.Charts = append(s.Charts, chart)
	}
	for i := range s.Charts {
		s.Charts[i].ReachY = []float64{low, high}
	}
	return s, nil
}

func (b *builder) dependenceTexts(r *xRows) []string {
	text := fmt.Sprintf("The strength of a column is half the mean squared change of f(X) if its values are shuffled among %s of (X, U), as a share of the variance of f(X). "+
		"The curves are partial dependence: the mean of f over these rows if this column alone has the value for all of them. ", rows(r.batch.Rows))
	if b.Model.SE != nil {
		text += "Bands are 95 % intervals by standard errors of f; they contain neither the bias of its penalty nor the noise of Y."
	} else {
		text += "There are no bands, because the fit kept no standard errors (fit --se)."
	}
	all := []string{text + " All charts have one scale. A curve says what f does, not what a change of the column would cause; where columns of X go together, it averages over rows that do not occur."}
	k := b.Model.Y.Len()
	if shown := len(b.outputs()); shown < k {
		all = append(all, fmt.Sprintf("Shown are %d of %d outputs; strengths are of all.", shown, k))
	}
	if b.severalUnits() {
		all = append(all, "Each output is shown less its mean and in standard deviations of its column of Y.")
	}
	return all
}

// severalUnits reports whether several columns of Y share an axis.
func (b *builder) severalUnits() bool { return b.Model.Y.Classes() == nil && b.Model.Y.Len() > 1 }

// A curve is the partial dependence on a column: the mean of each output of b.outputs at each value.
type curve struct {
	values []float64
	levels []string // in place of values
	mean   [][]float64
	margin [][]float64 // of 95 % intervals; nil without standard errors
}

// along computes the partial dependence on a column; nil if it has no axis.
func (b *builder) along(ctx context.Context, r *xRows, column int) (*curve, error) {
	c := &curve{}
	n := 0
	if r.kind(column) == tables.Numeric {
		c.values = grid(r.values(column))
		n = len(c.values)
	} else {
		c.levels = frequentLevels(r.cells(column))
		n = len(c.levels)
	}
	if n == 0 {
		return nil, nil
	}
	for v := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := r.with(column, func(dst []float64) {
			for i := range dst {
				dst[i] = c.values[v]
			}
		}, func(dst []string) {
			for i := range dst {
				dst[i] = c.levels[v]
			}
		}, func(changed tables.Batch) error { return b.addPoint(c, r, changed) })
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

// addPoint adds the means for changed rows.
func (b *builder) addPoint(c *curve, r *xRows, changed tables.Batch) error {
	f, err := r.predict(changed)
	if err != nil {
		return err
	}
	mean := weighted.NewAverages(b.Model.Y.Len())
	for i, w := range r.weights {
		mean.Add(w, f.RawRowView(i))
	}
	var errors []float64
	if b.Model.SE != nil {
		errors = b.Model.SE.OfMean(r.encoded(changed), r.weights)
	}
	var means, margins []float64
	for _, j := range b.outputs() {
		shift, unit := 0., 1.
		if b.severalUnits() && b.base != nil {
			if shift = b.base.means[j]; b.base.variances[j] > 0 {
				unit = math.Sqrt(b.base.variances[j])
			}
		}
		means = append(means, (mean.Mean[j]-shift)/unit)
		if errors != nil {
			margins = append(margins, weighted.Normal95*errors[j]/unit)
		}
	}
	c.mean = append(c.mean, means)
	if errors != nil {
		c.margin = append(c.margin, margins)
	}
	return nil
}

// grid are the values of a column at which a curve is drawn: all of few, or quantiles from 2 to 98 %.
func grid(values []float64) []float64 {
	var present []float64
	for _, v := range values {
		if !math.IsNaN(v) {
			present = append(present, v)
		}
	}
	slices.Sort(present)
	distinct := slices.Compact(slices.Clone(present))
	if len(distinct) <= fewValues {
		return distinct
	}
	var at []float64
	for i := range curvePoints {
		at = append(at, quantile(present, .02+.96*float64(i)/(curvePoints-1)))
	}
	return slices.Compact(at)
}

// frequentLevels are the most frequent cells, "" for missing ones among them; none of free text.
func frequentLevels(cells []string) []string {
	count := map[string]int{}
	for _, c := range cells {
		count[c]++
	}
	var levels []string
	for l := range count {
		levels = append(levels, l)
	}
	if len(levels) > textLevels || 2*len(levels) > len(cells) {
		return nil
	}
	slices.SortFunc(levels, func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	return levels[:min(len(levels), shownLevels)]
}

func (b *builder) dependenceChart(c *curve, number int, column string, share float64) report.Chart {
	label := "mean of f(X)"
	if b.severalUnits() {
		label += " (standard deviations of Y)"
	} else {
		label += b.outputUnit(0)
	}
	chart := report.Chart{
		Name: fmt.Sprintf("dependence-%d", number), Title: fmt.Sprintf("%s, strength %s", shortName(column), percent(share)), XLabel: shortName(column), YLabel: label,
		Note: "How to read it: where the curve is flat f does not depend on the column, on average over the others.",
	}
	x := c.values
	if c.levels != nil {
		for i, l := range c.levels {
			if x = append(x, float64(i)); l == "" {
				l = "(missing)"
			}
			chart.XNames = append(chart.XNames, short(l, 25))
		}
	}
	outputs := b.outputs()
	for at, j := range outputs {
		s := report.Series{Kind: report.LinePoints, X: x}
		if c.levels != nil {
			s.Kind = report.Points
		}
		if len(outputs) > 1 {
			s.Name = shortName(b.outputName(j))
		}
		for v := range c.mean {
			s.Y = append(s.Y, c.mean[v][at])
			if c.margin != nil {
				s.Err = append(s.Err, c.margin[v][at])
			}
		}
		if s.Err != nil && c.levels == nil && len(x) > fewValues {
			s.Kind = report.Band
		}
		chart.Series = append(chart.Series, s)
	}
	return chart
}
