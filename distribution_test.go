package mediant

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
)

// TestFileKeepsTheDistribution: saved and loaded, a model has the distribution, predicts the same and is saved in the same bytes; a section that is damaged is an error that names it, and a model
// without a distribution has no such section.
func TestFileKeepsTheDistribution(t *testing.T) {
	x := fixture.Ramp(60)
	xu, uy := fixture.Table(t, "x", x, "u", x), fixture.Table(t, "u", x, "y", fixture.Ramp(60))
	for name, spec := range map[string]features.Spec{"linear": {Kind: features.LinearFeatures}, "nystrom": {Kind: features.NystromFeatures, Size: 8}} {
		m, err := Fit(t.Context(), xu, uy, Options{Setup: problem.Setup{Phi: spec, Psi: spec}, Method: rr.TwoStep{}, NoCheck: true, Distribution: true, Risk: risk.AssessOptions{Form: risk.CovariateShift}})
		if err != nil {
			t.Fatal(err)
		}
		if form := m.Distribution.Assessment.CRPS.Form; form != risk.CovariateShift {
			t.Errorf("%s: the CRPS has form %d, the risk form 2", name, form)
		}
		var first, second bytes.Buffer
		if err := m.Save(&first); err != nil {
			t.Fatal(err)
		}
		again := fixture.Must[*Model](t)(Load(bytes.NewReader(first.Bytes())))
		if err := again.Save(&second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: saved again in other bytes: %v", name, err)
		}
		var a, b mat.Dense
		rows := mat.NewDense(2, 1, []float64{-1, .4})
		m.Distribution.PredictTo(&a, rows)
		again.Distribution.PredictTo(&b, rows)
		if !mat.EqualApprox(&a, &b, 1e-12) || again.Held < again.Distribution.Bytes() || again.Distribution.Assessment.Nominal != m.Distribution.Assessment.Nominal {
			t.Errorf("%s: loaded, it predicts %v, want %v", name, mat.Formatted(&b), mat.Formatted(&a))
		}
		for old, new := range map[string]string{`"thresholds":[`: `"thresholds":[9e9,`, `"index_knots":{"x":[`: `"index_knots":{"x":[9e9,`, `"u":[`: `"u":[9e9,`, `"min":`: `"min":9e9,"m":`} {
			file := withSections(t, m, func(h *header, _ *[]float64) {
				for i, s := range h.Sections {
					if s.Package == "distribution" {
						h.Sections[i].Header = json.RawMessage(strings.Replace(string(s.Header), old, new, 1))
					}
				}
			})
			if _, err := Load(bytes.NewReader(file)); err == nil || !strings.Contains(err.Error(), "distribution") {
				t.Errorf("%s: with %s: %v", name, new, err)
			}
		}
		m.SetDistribution(nil)
		plain := new(bytes.Buffer)
		if err := m.Save(plain); err != nil || bytes.Contains(plain.Bytes(), []byte("distribution")) || m.Held != 0 {
			t.Errorf("%s: without the distribution %v", name, err)
		}
	}
	if _, err := Fit(t.Context(), xu, fixture.Table(t, "u", x, "y", x, "z", x), Options{Method: rr.TwoStep{}, NoCheck: true, Distribution: true, Setup: problem.Setup{Phi: features.Spec{Kind: features.LinearFeatures}, Psi: features.Spec{Kind: features.LinearFeatures}}}); err == nil || !strings.Contains(err.Error(), "Y is 2 columns") {
		t.Errorf("of two outputs: %v", err)
	}
}
