package modelreport

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/distribution"
	"mediant/internal/rowops"
	"mediant/report"
)

// distribution is the section on the distribution of Y given X, if the model has one.
func (b *builder) distribution(ctx context.Context) (*report.Section, error) {
	d := b.Model.Distribution
	if d == nil || b.Predictions {
		return nil, nil
	}
	a := b.Distribution
	if a == nil {
		a = d.Assessment
	}
	s := &report.Section{Title: "The distribution of Y", Text: []string{"The model also predicts the distribution of Y given X. What follows requires that Y is independent of X given U, in distribution and not only in mean, which the two tables cannot show."}}
	if a != nil {
		s.Text = append(s.Text, crpsText(a)+fmt.Sprintf(" Intervals of the nominal level %s contain an estimated %s of Y.", percent(a.Nominal), percent(a.Level)))
		if o := a.Overlap; o != nil {
			s.Text = append(s.Text, fmt.Sprintf("Both are of the %d of %d rows whose U the second table has.", o.Rows, o.Of))
		}
		s.Charts = append(s.Charts, b.coverageChart(a))
		s.Tables = append(s.Tables, coverageTable(a))
	}
	if fan, err := b.fanChart(ctx, d); err != nil {
		if err := b.tried(ctx, "the fan of quantiles", err); err != nil {
			return nil, err
		}
	} else {
		s.Charts = append(s.Charts, fan)
	}
	return s, nil
}

// crpsText is a sentence on the CRPS.
func crpsText(a *distribution.Assessment) string {
	c := a.CRPS
	if c.Value < 0 {
		return fmt.Sprintf("The continuous ranked probability score (CRPS) cannot be estimated here: too few rows of the second table have U where the first has it, or few rows have most of the weight, and the estimate is below 0. It is at most %s (95 %% interval).", number(max(c.Hi, 0)))
	}
	return fmt.Sprintf("The continuous ranked probability score (CRPS) is %s (95 %% interval %s to %s), that of the distribution of Y alone %s.", number(c.Value), number(c.Lo), number(c.Hi), number(c.Constant))
}

// coverageChart has the share of Y in intervals against their nominal level.
func (b *builder) coverageChart(a *distribution.Assessment) report.Chart {
	c := report.Chart{
		Name: "coverage", Title: "Share of Y in prediction intervals", XLabel: "nominal level", YLabel: "share of Y",
		Note: "How to read it: below the line y = x intervals of a nominal level contain less of Y than they say, above it more. Bars are 95 % intervals of the estimate.",
	}
	points := report.Series{Name: "estimated without coupled rows", Kind: report.LinePoints}
	for _, l := range a.Levels {
		points.X, points.Y, points.Err = append(points.X, l.Nominal), append(points.Y, l.Coverage.Value), append(points.Err, l.Coverage.Hi-l.Coverage.Value)
	}
	c.Series = []report.Series{points}
	if score := b.DistributionScore; score != nil {
		counted := report.Series{Name: "on coupled rows", Kind: report.Points}
		for _, l := range score.Levels {
			counted.X, counted.Y, counted.Err = append(counted.X, l.Nominal), append(counted.Y, l.Coverage), append(counted.Err, 1.96*l.SE)
		}
		c.Series = append(c.Series, counted)
	}
	c.Series = append(c.Series, report.Series{Name: "y = x", Kind: report.Line, X: []float64{0, 1}, Y: []float64{0, 1}})
	return c
}

// coverageTable has the coverage by groups of rows.
func coverageTable(a *distribution.Assessment) report.Table {
	t := report.Table{Columns: []string{"rows", fmt.Sprintf("share of Y in intervals of the nominal level %s", percent(a.Nominal)), "95 % interval"}}
	for _, g := range a.Groups {
		if g.Coverage != nil {
			t.Rows = append(t.Rows, []report.Cell{report.TextCell(shortName(g.Name)), report.TextCell(percent(g.Coverage.Value)), report.TextCell(percent(g.Coverage.Lo) + " to " + percent(g.Coverage.Hi))})
		}
	}
	return t
}

// fanGroups is the number of groups of rows of a fan.
const fanGroups = 24

// fanChart has quantiles of Y against the predicted mean: means over groups of a sample of rows of X.
func (b *builder) fanChart(ctx context.Context, d *distribution.CDF) (report.Chart, error) {
	e, err := b.rows()
	if err != nil {
		return report.Chart{}, err
	}
	x, err := e.SampleX(ctx)
	if err != nil {
		return report.Chart{}, err
	}
	n, _ := x.Dims()
	var chosen, cdf mat.Dense
	some := make([]int, min(n, heldOutRows))
	for i := range some {
		some[i] = i * n / len(some)
	}
	d.PredictTo(&cdf, rowops.Choose(&chosen, x, some))
	order := make([]int, len(some))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(d.Mean(cdf.RawRowView(i)), d.Mean(cdf.RawRowView(j))) })
	levels := []float64{.05, .25, .5, .75, .95}
	series := []report.Series{{Name: "90 % of Y", Kind: report.Band}, {Name: "50 % of Y", Kind: report.Band}, {Name: "median", Kind: report.Line}}
	groups := min(fanGroups, len(order))
	for g := range groups {
		rows := order[g*len(order)/groups : (g+1)*len(order)/groups]
		mean, q := 0., make([]float64, len(levels))
		for _, i := range rows {
			mean += d.Mean(cdf.RawRowView(i)) / float64(len(rows))
			for j, p := range levels {
				q[j] += d.Quantile(cdf.RawRowView(i), p) / float64(len(rows))
			}
		}
		for j := range series {
			series[j].X = append(series[j].X, mean)
		}
		for j, ends := range [][2]float64{{q[0], q[4]}, {q[1], q[3]}} {
			series[j].Y, series[j].Err = append(series[j].Y, (ends[0]+ends[1])/2), append(series[j].Err, math.Abs(ends[1]-ends[0])/2)
		}
		series[2].Y = append(series[2].Y, q[2])
	}
	return report.Chart{
		Name: "fan", Title: "Predicted quantiles of Y", XLabel: "predicted mean" + b.outputUnit(0), YLabel: "Y" + b.outputUnit(0), Series: series,
		Note: "How to read it: rows of X in groups by the mean of their predicted distributions. Strips reach from the 5 % to the 95 % quantile, and from the 25 % to the 75 % quantile, as predicted and not tuned.",
	}, nil
}
