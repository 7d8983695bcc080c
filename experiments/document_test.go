package experiments

import (
	"math"
	"slices"
	"strings"
	"testing"

	"mediant/report"
)

// drawn is a Reproduced whose outcomes are made up: the errors of a method are its place in the list and d.
func drawn(e Reproduction) Reproduced {
	r := Reproduced{Experiment: e}
	for _, direct := range []bool{false, true} {
		for _, d := range e.Dims {
			for i := range e.Repetitions {
				for place, method := range ReproducedMethods() {
					for _, learner := range learners {
						excess := float64(place+d) + float64(i) // mean 1/2 above, standard error 1/2 of two
						r.Outcomes = append(r.Outcomes, Outcome{
							D: d, Direct: direct, Repetition: i, Method: method, Learner: learner, Seconds: 3,
							MSE: excess + e.distribution(d, direct).Bayes(), Excess: excess,
						})
					}
				}
			}
		}
	}
	return r
}

// tableOf finds a table by the beginning of its caption.
func tableOf(t *testing.T, s report.Section, caption string) report.Table {
	t.Helper()
	at := slices.IndexFunc(s.Tables, func(t report.Table) bool { return strings.HasPrefix(t.Caption, caption) })
	if at < 0 {
		t.Fatalf("section %q has no table %q", s.Title, caption)
	}
	return s.Tables[at]
}

func TestEveryMethodHasItsRowAndCurve(t *testing.T) {
	e := PaperReproduction()
	e.Repetitions = 2
	document := drawn(e).Document()
	for i, s := range document.Sections[:2] {
		errors := tableOf(t, s, "Mean squared error on")
		limits := []string{"Bayes"}
		if i == 1 {
			limits = append(limits, "limit of uncoupled data")
		}
		for _, method := range ReproducedMethods() {
			rows := slices.DeleteFunc(slices.Clone(errors.Rows), func(row []report.Cell) bool { return row[0].Text != method })
			if len(rows) != len(learners) || len(rows[0]) != 2+len(e.Dims) {
				t.Errorf("%s: %s has rows %v", s.Title, method, rows)
			}
		}
		for _, c := range s.Charts {
			for _, name := range append(ReproducedMethods(), limits...) {
				at := slices.IndexFunc(c.Series, func(s report.Series) bool { return s.Name == name })
				if at < 0 || len(c.Series[at].X) != len(e.Dims) {
					t.Errorf("%s, %s: no curve of %s", s.Title, c.Title, name)
				} else if slices.Contains(ReproducedMethods(), name) && math.Abs(c.Series[at].Err[0]-.5) > 1e-14 { // errors of size 10 have a spacing of 2e-15
					t.Errorf("%s: bars of %g, want 1/2", name, c.Series[at].Err[0])
				}
			}
		}
	}
	if single := document.Sections[2]; len(single.Charts) != 2*len(e.Dims) {
		t.Errorf("%d charts of single draws, want %d", len(single.Charts), 2*len(e.Dims))
	}
}

func TestChosenMethodStandsBesideItsLimits(t *testing.T) {
	e := PaperReproduction()
	e.Repetitions = 2
	document := drawn(e).Document()
	// Joint-RR with w chosen is the fourth: excess 3 + d + 1/2.
	held := tableOf(t, document.Sections[0], "What the two tables choose")
	if row := held.Rows[1]; row[1].Text != "8.8659 ± 0.5000" || row[3].Text != "8.5000 ± 0.5000" { // 0.1 + 5·0.053175
		t.Errorf("d = 5: %v", row)
	}
	violated := tableOf(t, document.Sections[1], "What the two tables choose")
	if row := violated.Rows[1]; len(row) != 6 || *row[2].Value != .1 || row[5].Text != "8.3685 ± 0.5000" { // 8.6 less 0.1 + 5·0.0263
		t.Errorf("d = 5, violated: %v", row)
	}
}

func TestPyTorchStandsBesideTheSameExperimentOnly(t *testing.T) {
	e := PaperReproduction()
	e.Repetitions = 2
	held := drawn(e).Document().Sections[0]
	rows := tableOf(t, held, "Mean squared error beside PyTorch's").Rows
	if len(rows) != 3*len(e.Dims) {
		t.Errorf("%d rows, want 3 methods in %d dimensions", len(rows), len(e.Dims))
	}
	// 2Step-RR is the second: at d = 2 an excess of 1 + 2 + 1/2, PyTorch's 0.217 - 0.20635.
	at := slices.IndexFunc(rows, func(r []report.Cell) bool { return r[0].Text == TwoStepMethod })
	if v := *rows[at][5].Value; v < 3.5/.01066 || v > 3.5/.01064 {
		t.Errorf("ratio %g, want 3.5/0.01065", v)
	}
	if !strings.Contains(strings.Join(held.Text, " "), "two_step=True") {
		t.Errorf("the public program's differences are not reported: %q", held.Text)
	}
	for _, change := range []func(*Reproduction){
		func(e *Reproduction) { e.Rows = 500 }, func(e *Reproduction) { e.Noise = 1 }, func(e *Reproduction) { e.Dims = []int{3} },
	} {
		other := e
		change(&other)
		if drawn(other).torchTable() != nil {
			t.Errorf("%+v stands beside PyTorch's errors of another experiment", other)
		}
	}
}
