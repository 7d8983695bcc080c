package experiments

import (
	"fmt"

	"mediant/report"
)

// A Reproduced is a Reproduction with its outcomes: the raw results, the same for the same seed.
type Reproduced struct {
	Experiment Reproduction `json:"experiment"`
	Outcomes   []Outcome    `json:"outcomes"`
}

// Document reports means with standard errors, curves against d, and the results of single draws.
func (r Reproduced) Document() *report.Document {
	e := r.Experiment
	d := &report.Document{
		Title: "The synthetic experiment of Yamane et al. (2021), section 6.1",
		Summary: []string{
			fmt.Sprintf("X uniform on [-1, 1]^d, U_j = X_j³ + uniform[-1/2, 1/2]. Y = |U|² + N(0, %[1]g) satisfies conditional mean independence, Y = |X|² + N(0, %[1]g) violates it. %[2]d rows of (X, U), %[2]d of (U, Y), %[3]d coupled test rows, %[4]d draws, seed %[5]d.", e.Noise, e.Rows, e.TestRows, e.Repetitions, e.Seed),
			"Kernels: ridge regression on random features, all settings chosen from the two tables alone. Networks: 4 layers, the hidden ones of 20 rectifiers, Adam at 1e-3 with betas 0.9 and 0.999, 200 epochs, and batches of 32 rows, which the paper does not state; with the mean embedding and the integral they are h, and the distribution of U given X is estimated by kernels. The w that is chosen for kernels is among 1, 0.8, 0.5 and 0.3, for networks among 1, 0.5 and 0.2.",
			"Excess: the mean of (f(x) - E[Y|x])², the error less that of the best prediction.",
		},
	}
	for _, direct := range []bool{false, true} {
		d.Sections = append(d.Sections, r.section(direct))
	}
	d.Sections = append(d.Sections, r.draws(), r.times())
	return d
}

// learners are those of a table, in order.
var learners = []string{Kernels, Networks}

// section is one setting.
func (r Reproduced) section(direct bool) report.Section {
	s := report.Section{
		Title:    "Conditional mean independence holds",
		Text:     []string{"Y depends on X through U alone."},
		Formulas: []string{`U_j = X_j^3 + \epsilon_j,\quad Y = \sum_j U_j^2 + \eta`},
	}
	name := "holds"
	if direct {
		s.Title, name = "Conditional mean independence is violated", "violated"
		s.Formulas = []string{`U_j = X_j^3 + \epsilon_j,\quad Y = \sum_j X_j^2 + \eta`, `\text{limit} = E(Y - E[E[Y|U]|X])^2`}
		s.Text = []string{"The limit is the error of E[E[Y|U]|X], the best that tables of (X, U) and of (U, Y) determine; the Bayes error, that of E[Y|X], needs coupled rows."}
	}
	s.Tables = []report.Table{r.errors(direct), r.chosen(direct), r.excesses(direct)}
	if t := r.torchTable(); t != nil && !direct {
		s.Text = append(s.Text, published, indistinguishable)
		s.Tables = append(s.Tables, *t)
	}
	for _, learner := range learners {
		s.Charts = append(s.Charts, r.curves(direct, learner, name))
	}
	return s
}

// errors is the table of mean squared errors.
func (r Reproduced) errors(direct bool) report.Table {
	t := report.Table{Caption: "Mean squared error on coupled rows ± standard error", Columns: []string{"method", "learner"}}
	bayes, limit := []report.Cell{report.TextCell("Bayes"), report.TextCell("")}, []report.Cell{report.TextCell("limit of uncoupled data"), report.TextCell("")}
	for _, d := range r.Experiment.Dims {
		t.Columns = append(t.Columns, fmt.Sprintf("d = %d", d))
		distribution := r.Experiment.distribution(d, direct)
		bayes, limit = append(bayes, report.Number(distribution.Bayes())), append(limit, report.Number(distribution.Limit()))
	}
	for _, method := range ReproducedMethods() {
		for _, learner := range learners {
			row := []report.Cell{report.TextCell(method), report.TextCell(learner)}
			for _, d := range r.Experiment.Dims {
				mse, _, _ := Means(r.Outcomes, d, direct, method, learner)
				row = append(row, meanCell(mse))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	t.Rows = append(t.Rows, bayes)
	if direct {
		t.Rows = append(t.Rows, limit)
	}
	return t
}

// chosen is what comes out where the tables choose everything, w too: Joint-RR by kernels, which is 2Step-RR at w = 1.
func (r Reproduced) chosen(direct bool) report.Table {
	t := report.Table{
		Caption: "What the two tables choose by themselves: Joint-RR, w chosen, by kernels. Excess: over the Bayes error",
		Columns: []string{"d", "mean squared error", "Bayes", "excess"},
	}
	if direct {
		t.Columns = append(t.Columns, "limit of uncoupled data", "above the limit")
	}
	for _, d := range r.Experiment.Dims {
		distribution := r.Experiment.distribution(d, direct)
		mse, excess, _ := Means(r.Outcomes, d, direct, JointChosenMethod, Kernels)
		row := []report.Cell{report.Number(float64(d)), meanCell(mse), report.Number(distribution.Bayes()), meanCell(excess)}
		if direct {
			row = append(row, report.Number(distribution.Limit()), meanCell(Mean{mse.Value - distribution.Limit(), mse.SE}))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// meanCell shows a mean with its standard error, and sorts by the mean.
func meanCell(m Mean) report.Cell {
	return report.Cell{Text: fmt.Sprintf("%.4f ± %.4f", m.Value, m.SE), Value: &m.Value}
}

// excesses compares kernels with the paper's networks.
func (r Reproduced) excesses(direct bool) report.Table {
	t := report.Table{
		Caption: "Excess over the Bayes error ± standard error, and that of kernels as a share of that of networks",
		Columns: []string{"method", "d", "kernels", "networks", "ratio"},
	}
	for _, method := range ReproducedMethods() {
		for _, d := range r.Experiment.Dims {
			_, ours, _ := Means(r.Outcomes, d, direct, method, Kernels)
			_, theirs, _ := Means(r.Outcomes, d, direct, method, Networks)
			t.Rows = append(t.Rows, []report.Cell{
				report.TextCell(method), report.Number(float64(d)), meanCell(ours), meanCell(theirs), report.Number(ours.Value / theirs.Value),
			})
		}
	}
	return t
}

// curves draws mean errors against d.
func (r Reproduced) curves(direct bool, learner, name string) report.Chart {
	c := report.Chart{
		Name: name + "-" + learner, Title: "Mean squared error of " + learner + ", bars of one standard error",
		XLabel: "dimension d", YLabel: "mean squared error", LogY: true,
	}
	bayes, limit := report.Series{Name: "Bayes", Kind: report.Line}, report.Series{Name: "limit of uncoupled data", Kind: report.Line}
	for _, d := range r.Experiment.Dims {
		distribution := r.Experiment.distribution(d, direct)
		bayes.X, bayes.Y = append(bayes.X, float64(d)), append(bayes.Y, distribution.Bayes())
		limit.X, limit.Y = append(limit.X, float64(d)), append(limit.Y, distribution.Limit())
	}
	for _, method := range ReproducedMethods() {
		s := report.Series{Name: method, Kind: report.LinePoints}
		for _, d := range r.Experiment.Dims {
			mse, _, _ := Means(r.Outcomes, d, direct, method, learner)
			s.X, s.Y, s.Err = append(s.X, float64(d)), append(s.Y, mse.Value), append(s.Err, mse.SE)
		}
		c.Series = append(c.Series, s)
	}
	c.Series = append(c.Series, bayes)
	if direct {
		c.Series = append(c.Series, limit)
	}
	return c
}

// draws shows every draw, a chart for each setting and dimension.
func (r Reproduced) draws() report.Section {
	s := report.Section{Title: "Single draws", Text: []string{"Each point is the mean squared error of one method on one draw of the tables."}}
	for i, direct := range []bool{false, true} {
		name := []string{"holds", "violated"}[i]
		for _, d := range r.Experiment.Dims {
			s.Charts = append(s.Charts, r.drawChart(d, direct, name))
		}
	}
	return s
}

func (r Reproduced) drawChart(d int, direct bool, name string) report.Chart {
	c := report.Chart{
		Name: fmt.Sprintf("draws-%s-%d", name, d), Title: fmt.Sprintf("d = %d, conditional mean independence: %s", d, name),
		YLabel: "mean squared error", LogY: true, XNames: ReproducedMethods(),
	}
	for i, learner := range learners {
		s := report.Series{Name: learner, Kind: report.Points}
		for _, o := range r.Outcomes {
			if o.D == d && o.Direct == direct && o.Learner == learner {
				s.X, s.Y = append(s.X, float64(methodAt(o.Method))+.2*float64(i)-.1), append(s.Y, o.MSE)
			}
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// methodAt is the place of a method in ReproducedMethods.
func methodAt(method string) int {
	for i, m := range ReproducedMethods() {
		if m == method {
			return i
		}
	}
	return -1
}

// times is the table of seconds.
func (r Reproduced) times() report.Section {
	t := report.Table{Caption: "Mean seconds of a fit where conditional mean independence holds", Columns: []string{"method", "learner"}}
	for _, d := range r.Experiment.Dims {
		t.Columns = append(t.Columns, fmt.Sprintf("d = %d", d))
	}
	for _, method := range ReproducedMethods() {
		for _, learner := range learners {
			row := []report.Cell{report.TextCell(method), report.TextCell(learner)}
			for _, d := range r.Experiment.Dims {
				_, _, seconds := Means(r.Outcomes, d, false, method, learner)
				row = append(row, report.Number(seconds))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return report.Section{
		Title: "Time",
		Text: []string{
			"Draws are fitted side by side, so that these are seconds of a busy machine. 2Step-RR by kernels has the one search of features, penalties and w in it that all methods by kernels use; of the networks naive has the h of 2Step-RR, and the choice of w the final fits of the two before it. The mean embedding and the integral share their network h, which counts for the former, both mean embeddings the penalty and both integrals the density, which count for kernels.",
		},
		Tables: []report.Table{t},
	}
}
