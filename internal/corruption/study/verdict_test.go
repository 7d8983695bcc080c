package study

import (
	"testing"

	"mediant/check"
)

// TestVerdicts has the verdict on an interval of 1 to 3 for each way in which a run can end.
func TestVerdicts(t *testing.T) {
	result := func(estimate, truth float64) *Result {
		return &Result{Estimate: &estimate, SE: 1 / 1.96, Lo: estimate - 1, Hi: estimate + 1, Truth: truth}
	}
	finding := func(r *Result, severity check.Severity, columns ...string) *Result {
		r.Findings = []check.Finding{{Code: "c", Severity: severity, Columns: columns}}
		r.Doubted = severity > check.Note
		return r
	}
	for _, c := range []struct {
		clean, spoilt *Result
		columns       []string
		unseen        bool
		want          Verdict
	}{
		{result(2, 2), &Result{Refused: "no"}, nil, false, Refused},
		{result(2, 2), &Result{}, nil, false, Refused},
		{result(2, 2), finding(result(2, 9), check.Note, "u"), []string{"u"}, false, Named},
		{result(2, 2), finding(result(2, 9), check.Note, "u"), nil, false, Named},
		{finding(result(2, 2), check.Note, "u"), finding(result(2, 9), check.Note, "u"), []string{"u"}, false, SilentWrong},
		{result(2, 2), finding(result(2, 9), check.Note, "v"), []string{"u"}, false, SilentWrong},
		{result(2, 2), finding(result(2, 9), check.Warning, "v"), []string{"u"}, false, Warned},
		{result(2, 2), &Result{Estimate: new(float64), Lo: -1, Hi: 1, Truth: 9, Said: []string{`"u" is odd`}}, []string{"u"}, false, Named},
		{result(2, 2), result(2, 2.9), nil, false, Right},
		{result(2, 2.95), result(2, 3.1), nil, false, Negligible},
		{result(2, 2.5), result(2, 3.1), nil, false, SilentWrong},
		{result(2, 2.5), result(2, 3.1), nil, true, UnseenWrong},
		{result(2, 3.5), result(2, 9), nil, false, WrongAsClean},
		{result(2, 2), &Result{Estimate: new(float64), Hi: 1, Truth: 9, NoTruth: "no"}, nil, false, NotCompared},
	} {
		r := Run{Clean: c.clean, Spoilt: c.spoilt, Columns: c.columns}
		if r.classify(c.unseen); r.Verdict != c.want {
			t.Errorf("%+v, %+v: %s, want %s", c.clean, c.spoilt, r.Verdict, c.want)
		}
	}
	uncertain := result(2, 3.5)
	if uncertain.holds() {
		t.Error("3.5 is within 1 to 3")
	}
	if uncertain.TruthSE = 1; !uncertain.holds() { // 2 ± 1.96·√(1/1.96² + 1) = 2 ± 2.2
		t.Error("3.5 ± 1.96 is not within 1 to 3")
	}
}
