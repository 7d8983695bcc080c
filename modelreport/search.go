package modelreport

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mediant/report"
	"mediant/search"
)

// stages are those of a search, with what their candidates are compared by.
var stages = []struct{ name, title, by string }{
	{"psi", "Features of U", "squared error of h on held-out rows of (U, Y), with 256 features at most"},
	{"phi", "Features of X", "estimated risk of f, with the features of U that won, and 256 features at most"},
	{"sample", "w and penalties, on a sample of the rows with fewer features", "estimated risk of f"},
	{"hyperparameters", "w, penalties, weights by precision, components", "estimated risk of f"},
	{"method", "Method", "estimated risk of f; a rival is chosen only if it is better by more than a standard error"},
}

// listedTrials bounds the candidates of all stages that are listed, and of one; a search of fit has some 130, and 90 of one stage at most.
const listedTrials, listedOfStage = 200, 100

// candidateLetters are how much of the name of a candidate is shown: all of those of penalties weighted by precision.
const candidateLetters = 70

// candidates is the section on every candidate of the search.
func (b *builder) candidates(context.Context) (*report.Section, error) {
	trials := b.Model.Search
	if len(trials) == 0 {
		return nil, reason("nothing was chosen: all settings were set explicitly")
	}
	s := &report.Section{Title: "Candidates of the search", Text: []string{
		"Every candidate that was tried, the best of each stage first. The difference is to the winner, with its standard error over folds.",
	}}
	if b.severalUnits() {
		s.Text = append(s.Text, "The errors of several columns of Y are each divided by the variance of the column and added; w and penalties are compared for each column, by its own error.")
	}
	left := listedTrials
	for _, stage := range stages {
		for _, output := range append([]string{""}, b.Model.Y.Names()...) {
			var of []search.Trial
			for _, t := range trials {
				if t.Stage == stage.name && t.Output == output {
					of = append(of, t)
				}
			}
			if len(of) > 0 {
				title := stage.title
				if output != "" {
					title += " of " + output
				}
				t := trialTable(title, stage.by, of, max(10, min(listedOfStage, left)))
				s.Tables, left = append(s.Tables, t), left-len(t.Rows)
			}
		}
	}
	return s, nil
}

// trialTable lists candidates of a stage, those that failed last, and no more than most.
func trialTable(title, by string, trials []search.Trial, most int) report.Table {
	slices.SortStableFunc(trials, func(a, b search.Trial) int {
		switch {
		case a.Chosen != b.Chosen:
			if a.Chosen {
				return -1
			}
			return 1
		case a.Risk == nil || b.Risk == nil:
			return cmp.Compare(failed(a), failed(b))
		}
		return cmp.Compare(*a.Risk, *b.Risk)
	})
	shown := min(len(trials), most)
	t := report.Table{Caption: fmt.Sprintf("%s, by %s", title, by), Columns: []string{"candidate", "risk", "difference", "standard error", "result"}}
	if shown < len(trials) {
		t.Caption += fmt.Sprintf(": the best %d of %d", shown, len(trials))
	}
	for _, c := range trials[:shown] {
		row := []report.Cell{report.TextCell(short(c.Name, candidateLetters)), {}, {}, {}, {}}
		for i, v := range []*float64{c.Risk, c.Difference, c.SE} {
			if v != nil {
				row[i+1] = cell(*v)
			}
		}
		switch {
		case c.Error != "":
			row[4] = report.Verdict(false, "failed: "+short(c.Error, 100))
		case c.Chosen:
			row[4] = report.Verdict(true, "chosen")
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func failed(t search.Trial) int {
	if t.Risk == nil {
		return 1
	}
	return 0
}

// mostSweeps bounds the curves of outputs with hyperparameters of their own.
const mostSweeps = 12

// sweptNames are the axes of the curves.
var sweptNames = map[string]string{
	"w": "w, the weight of Joint-RR (1 is 2Step-RR)", "lambda_f": "lambda_f, the ridge penalty of f", "lambda_h": "lambda_h, the ridge penalty of h",
}

// sweeps is the section on the risk along w and the penalties.
func (b *builder) sweeps(ctx context.Context) (*report.Section, error) {
	all, err := b.alongHyperparameters(ctx)
	if err != nil {
		return nil, err
	}
	s := &report.Section{Title: "Risk along w and the penalties", Text: []string{
		"The estimated risk if one hyperparameter changes and the others stay as chosen. Error bars are standard errors over folds of the difference to the chosen value, whose own bar is 0.",
	}}
	if b.Choice == nil {
		s.Text = append(s.Text, "These are candidates of the search, which the model file keeps; the page of the fit (fit --report) has them over a wider range.")
	}
	if b.Model.Params.Components != nil {
		b.leaveOut("the risk along w", "a fit by components of h has w = 1")
	}
	if m := b.Model.Method; m != "2step" && m != "joint" {
		s.Text = append(s.Text, "The curves are those of the best 2Step-RR or Joint-RR, with which the chosen method was compared.")
	}
	if len(all) > mostSweeps {
		b.leaveOut("the risk along w and the penalties of some outputs", fmt.Sprintf("of %d curves the first %d are drawn", len(all), mostSweeps))
		all = all[:mostSweeps]
	}
	for i, of := range all {
		curve := report.Series{Name: "risk", Kind: report.LinePoints, X: of.Values, Y: of.Risk}
		for _, se := range of.SE {
			curve.Err = append(curve.Err, finiteOr(se, 0))
		}
		name, title, risk := "sweep-"+map[string]string{"w": "w", "lambda_f": "lambda-f", "lambda_h": "lambda-h"}[of.Of], fmt.Sprintf("%s, chosen: %s", of.Of, number(of.Values[of.Chosen])), b.riskLabel()
		if of.Output != "" {
			name, title, risk = fmt.Sprintf("%s-%d", name, i+1), of.Output+": "+title, "estimated risk"
		}
		c := report.Chart{
			Name: name, Title: title,
			XLabel: sweptNames[of.Of], YLabel: risk, LogX: of.Of != "w",
			Series: []report.Series{curve, {Name: "chosen", Kind: report.Points, X: of.Values[of.Chosen : of.Chosen+1], Y: of.Risk[of.Chosen : of.Chosen+1]}},
			Note:   "How to read it: the lowest point has the least estimated risk; values whose bars reach the chosen point are about as good.",
		}
		s.Charts = append(s.Charts, c)
	}
	return s, nil
}

// alongHyperparameters is the risk along each hyperparameter: of the fit, or of the candidates that the model keeps.
func (b *builder) alongHyperparameters(ctx context.Context) ([]search.Sweep, error) {
	if b.Choice != nil {
		return b.Choice.Sweeps(ctx)
	}
	all := search.SweepsOf(b.Model.Search)
	if all == nil {
		return nil, reason("w and the penalties were set explicitly, and a model file keeps no sums from which their risk follows; the page of the fit (fit --report) has it")
	}
	return all, nil
}

// riskLabel names the risk by which candidates are compared.
func (b *builder) riskLabel() string {
	if b.severalUnits() {
		return "estimated risk, in variances of Y"
	}
	return "estimated risk"
}
