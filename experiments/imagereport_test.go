package experiments

import (
	"math"
	"strings"
	"testing"

	"mediant/features"
)

// made are results of n repetitions: 2step is as accurate as the paper in the first and one point worse in
// each next, joint one point better than 2step.
func made(n int) []*ImageResult {
	var all []*ImageResult
	for i := range n {
		a := .691 - .01*float64(i)
		all = append(all, &ImageResult{Set: CIFAR10, Seed: uint64(i), Rows: 7, Plan: CIFAR10.Plan(), Methods: map[string]ImageMethod{
			"2step": {W: 1, Accuracy: a, MSE: .4, RawMSE: .6},
			"joint": {W: .5, Accuracy: a + .01, MSE: .212, RawMSE: .5},
		}, Seconds: ImageSeconds{Total: 10 + float64(i)}})
	}
	return all
}

func TestSummariseImages(t *testing.T) {
	s := SummariseImages(made(3))
	two, joint := s.Methods[0], s.Methods[1]
	for what, got := range map[string][2]float64{
		"accuracy":  {two.Accuracy.Value, .681},
		"its error": {two.Accuracy.SE, .01 / math.Sqrt(3)},
		"of joint":  {joint.Accuracy.Value, .691},
		"MSE":       {joint.MSE.Value, .212},
		"raw MSE":   {two.RawMSE.Value, .6},
		"seconds":   {s.Seconds.Value, 11},
		"the paper": {s.Paper.Accuracy, .691},
		"its MSE":   {s.Paper.MSE, .424},
	} {
		if math.Abs(got[0]-got[1]) > 1e-12 {
			t.Errorf("%s is %g, want %g", what, got[0], got[1])
		}
	}
}

// Errors of 0.2 ± 0.03 by 0.4 ± 0.08: the ratio 1/2 has the relative error (0.15² + 0.2²)^½ = 1/4.
func TestRatios(t *testing.T) {
	s := ImageSummary{Paper: ImageScore{Accuracy: .6, AccuracySE: .08, MSE: .4, MSESE: .08}}
	errors, mse := s.Ratios(ImageMean{Accuracy: Mean{Value: .8, SE: .03}, MSE: Mean{Value: .2, SE: .03}})
	for _, m := range []Mean{errors, mse} {
		if math.Abs(m.Value-.5) > 1e-15 || math.Abs(m.SE-.125) > 1e-15 {
			t.Errorf("ratio %g ± %g, want 0.5 ± 0.125", m.Value, m.SE)
		}
	}
}

func TestImageReport(t *testing.T) {
	for n, want := range map[int]string{1: "Fewer than 8 repetitions", 8: "over 8 repetitions: p = 0.00781 for accuracy, p = 0.00781 for MSE"} {
		d := ImageReport(made(n))
		dir := t.TempDir()
		if err := d.WriteFiles(dir); err != nil {
			t.Fatal(err)
		}
		if text := d.Sections[0].Text[0]; !strings.Contains(text, want) {
			t.Errorf("%d repetitions: %q, want %q", n, text, want)
		}
		rows := d.Sections[0].Tables[0].Rows
		if ratio := *rows[2][7].Value; ratio != .5 || rows[2][7].Mark != "good" {
			t.Errorf("joint has %g of the paper's MSE, marked %q", ratio, rows[2][7].Mark)
		}
		// An MSE without spread: what is left is the paper's error, 0.001 of 0.424.
		if n == 8 && math.Abs(*rows[2][8].Value-.5*.001/.424) > 1e-12 || n == 1 && rows[2][8].Text != "–" {
			t.Errorf("%d repetitions: the ratio of the MSE has the error %+v", n, rows[2][8])
		}
		if rows[0][2].Value == nil || math.Abs(*rows[0][2].Value-.11) > 1e-12 {
			t.Errorf("the paper's accuracy has the error %+v, want 0.11", rows[0][2])
		}
		if ratio := *rows[1][3].Value; ratio < 1 || n == 8 && math.Abs(ratio-.344/.309) > 1e-12 {
			t.Errorf("%d repetitions: 2step has %g of the paper's errors", n, ratio)
		}
		if got := len(d.Sections[2].Tables[0].Rows); got != 2*n {
			t.Errorf("%d rows of repetitions, want %d", got, 2*n)
		}
		if c := d.Sections[1].Charts[0]; len(c.Series[0].X) != n || math.Abs(c.Series[0].X[0]-69.1) > 1e-9 {
			t.Errorf("the scatter plot has %v", c.Series[0].X)
		}
	}
}

// TestLogReport: of log loss there is 2step alone, with its log loss in both tables.
func TestLogReport(t *testing.T) {
	all := made(8)
	for i, r := range all {
		r.Loss = LogLoss
		r.Methods = map[string]ImageMethod{"2step": {W: 1, Accuracy: .7, MSE: .4, LogLoss: .5 + .1*float64(i%2)}}
	}
	d := ImageReport(all)
	if err := d.WriteFiles(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if len(d.Sections) != 2 || len(d.Sections[0].Text) != 0 || !strings.Contains(d.Summary[1], "softmax") {
		t.Errorf("%d sections, %q, %q", len(d.Sections), d.Sections[0].Text, d.Summary[1])
	}
	means := d.Sections[0].Tables[0]
	last := len(means.Columns) - 2
	if len(means.Rows) != 2 || means.Columns[last] != "log loss" || means.Rows[0][last].Text != "–" || math.Abs(*means.Rows[1][last].Value-.55) > 1e-12 {
		t.Errorf("table %+v", means)
	}
	if of := d.Sections[1].Tables[0]; len(of.Rows) != 8 || of.Columns[len(of.Columns)-1] != "log loss" || *of.Rows[1][len(of.Columns)-1].Value != .6 {
		t.Errorf("repetitions %+v", of)
	}
}

func TestMade(t *testing.T) {
	run := ImageRun{Data: stripedData(), Plan: smallPlan, Rows: 9, Seed: 2}
	result := ImageResult{Set: CIFAR10, Data: "stripes", Plan: smallPlan, Rows: 9, Seed: 2, Methods: map[string]ImageMethod{"2step": {}, "joint": {}}}
	if !run.Made(&result) {
		t.Error("a result of the run is not taken for one")
	}
	for i, change := range []func(*ImageResult){
		func(r *ImageResult) { r.Seed = 3 }, func(r *ImageResult) { r.Rows = 8 }, func(r *ImageResult) { r.Data = "" },
		func(r *ImageResult) { r.Set = Digits }, func(r *ImageResult) { r.Methods = map[string]ImageMethod{"2step": {}, "joint": {}, "half": {}} }, func(r *ImageResult) { r.Plan.X = []features.PatchSpec{{Side: 2, Filters: 9, Grid: 1, Threshold: .1}} },
	} {
		other := result
		change(&other)
		if run.Made(&other) {
			t.Errorf("change %d is not seen", i)
		}
	}
}
