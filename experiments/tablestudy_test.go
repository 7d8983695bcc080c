package experiments

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// TestTableStudy: a small study of a scenario and of a real table has every draw of ours, which depend on the seed alone, and of the peers where there are any.
func TestTableStudy(t *testing.T) {
	s, err := ScenarioNamed("threeway")
	if err != nil {
		t.Fatal(err)
	}
	s.RowsXU, s.RowsUY = 60, 60
	study := TableStudy{Draws: 2, TestRows: 200, Seed: 3}
	study.Peers, err = FindPeers(t.Context())
	if err != nil && !errors.Is(err, ErrNoPeers) {
		t.Fatal(err)
	}
	methods := 1
	if study.Peers != nil {
		methods += len(PeerNames())
	}
	results, err := study.Scenario(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != methods {
		t.Fatalf("%d methods, want %d", len(results), methods)
	}
	for _, r := range results {
		if len(r.Unexplained) != 2 || len(r.MSE) != 2 || len(r.Seconds) != 2 || r.Accuracy != nil || r.Unexplained[0] == r.Unexplained[1] {
			t.Errorf("%s: %+v", r.Method, r)
		}
		for i, v := range r.Unexplained {
			// 1 - R2 is the MSE over Var(X_1 X_2 X_3) = 1/27; the sample variance of 200 products has a relative standard error of 0.18.
			if ratio := v / (27 * r.MSE[i]); !(ratio > .5 && ratio < 3) {
				t.Errorf("%s: 1 - R2 is %g at an MSE of %g", r.Method, v, r.MSE[i])
			}
		}
	}
	study.Peers, study.Seed = nil, 4
	again, err := study.Scenario(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := again[0].Unexplained[0], results[0].Unexplained[1]; a != b || again[0].Chosen[0] != results[0].Chosen[1] || !strings.Contains(again[0].Chosen[0], ", U: ") {
		t.Errorf("a draw of the same seed has %g and %g, and chose %v and %v", a, b, again[0].Chosen, results[0].Chosen)
	}
	if _, err := (TableStudy{Draws: 1, TestRows: 2}).Scenario(t.Context(), s); err == nil {
		t.Error("a study of one draw was run")
	}
}

// TestScenarioCoverage: truths are the risk of the best prediction and more, and a study is the same again.
func TestScenarioCoverage(t *testing.T) {
	s, err := ScenarioNamed("steps")
	if err != nil {
		t.Fatal(err)
	}
	s.RowsXU, s.RowsUY = 100, 100
	c := ScenarioCoverage{Scenario: s, TestRows: 500, Repetitions: 3, Seed: 1, Choose: SearchedModel(24)}
	r, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	least, explained := s.Variances(20000, 2)
	if r.MeanTruth < .97*least || r.MeanTruth > 4*least || math.Abs(r.MeanMSE-r.MeanTruth) > 5*r.SD+r.MeanTruth || r.MeanHalfWidth <= 0 || r.Scenario != "steps" {
		t.Errorf("the best prediction has %g, the study %+v", least, *r)
	}
	// The risk of the best prediction has an error of some 1 % with 20,000 draws.
	if want := (r.MeanFinal - least) / explained; math.Abs(r.Excess.Value-want) > .05*least/explained || r.Excess.SE <= 0 {
		t.Errorf("an excess of %+v, want %g", r.Excess, want)
	}
	again, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if *again != *r {
		t.Errorf("the study gives %+v, and again %+v", *r, *again)
	}
}
