package mediant

import (
	"bytes"
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
)

// TestAssessmentIsSaved: the model file has all of it.
func TestAssessmentIsSaved(t *testing.T) {
	ctx := context.Background()
	xu, uy := fixture.Surrogates(t, 90, 80, true)
	p := problemtest.Prepared(t, problemtest.Setup(features.FourierFeatures), xu, uy)
	fitted, err := rr.Joint{}.Fit(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	m := Model{Model: fitted}
	for _, form := range []risk.Form{risk.SameDistribution, risk.CovariateShift} {
		if m.Assessment, err = risk.Assess(ctx, p, risk.Fitted(rr.Joint{}), risk.AssessOptions{Form: form}); err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := m.Save(&file); err != nil {
			t.Fatal(err)
		}
		got, err := Load(&file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(m.Assessment, got.Assessment, cmpopts.IgnoreUnexported(risk.Assessment{})); d != "" {
			t.Errorf("form %d, saved and loaded: %s", form, d)
		}
	}
}

func TestSearchIsSaved(t *testing.T) {
	xu, uy := fixture.Surrogates(t, 60, 60, false)
	small := features.Spec{Kernel: "gaussian", Size: 8}
	m, err := Fit(context.Background(), xu, uy, Options{Setup: problem.Setup{Phi: small, Psi: small}, NoCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	m.Search = append(m.Search, search.Trial{Stage: "phi", Name: "none", Error: "of the candidate"})
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	got, err := Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(m.Search, got.Search, cmpopts.IgnoreUnexported(search.Trial{})); d != "" {
		t.Errorf("saved and loaded: %s", d)
	}
}
