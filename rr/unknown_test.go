package rr_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"mediant"
	"mediant/diagnose"
	"mediant/features"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// lacking are tables in which U of the first is a level or a number that the second lacks in the given share of rows. Y is a
// function of U alone, of variance about 1.
func lacking(t testing.TB, kind string, share float64, rows int, seed uint64) (xu, uy tables.Source) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 8))
	var x, u, v, y []float64
	var lu, lv []string
	for range rows {
		a, level := rnd.NormFloat64(), rnd.IntN(3)
		x = append(x, a)
		if rnd.Float64() < share {
			u, lu = append(u, a+12), append(lu, fmt.Sprint("only here ", level))
		} else {
			u, lu = append(u, a), append(lu, fmt.Sprint("both ", level))
		}
		b, other := rnd.NormFloat64(), rnd.IntN(3)
		v, lv = append(v, b), append(lv, fmt.Sprint("both ", other))
		if kind == "level" {
			y = append(y, 1.2*float64(other-1))
		} else {
			y = append(y, 1.4*math.Sin(2*b))
		}
	}
	columns := func(numbers []float64, levels []string) tables.ColumnData {
		if kind == "level" {
			return tables.Strings("u", levels)
		}
		return tables.Numbers("u", numbers)
	}
	var err error
	if xu, err = tables.FromColumns(tables.Numbers("x", x), columns(u, lu)); err != nil {
		t.Fatal(err)
	}
	if uy, err = tables.FromColumns(columns(v, lv), tables.Numbers("y", y)); err != nil {
		t.Fatal(err)
	}
	return xu, uy
}

func riskOf(t testing.TB, s problem.Setup, form risk.Form, xu, uy tables.Source) *risk.Assessment {
	t.Helper()
	s.Folds = 5
	s.AllRows = true // whose U S_Y lacks
	p, err := problem.Prepare(context.Background(), s, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	a, err := risk.Assess(context.Background(), p, risk.Fitted(rr.TwoStep{LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-4)}), risk.AssessOptions{Form: form})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestRiskWithoutOverlap: where U of S_X is nowhere in S_Y the interval holds the order of Y's variance, in both forms, for levels and
// numbers and several features, and it is wider where some rows are so; where all rows overlap it is narrow. Nothing is known of Y there,
// so that no narrower interval is right.
func TestRiskWithoutOverlap(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits, which find no race that few do not")
	}
	gaussian := features.Spec{Kernel: "gaussian", Size: 64}
	for name, c := range map[string]struct {
		kind string
		psi  features.Spec
	}{
		"levels, linear": {"level", features.Spec{Kind: features.LinearFeatures}}, "levels, Fourier": {"level", gaussian},
		"levels, Nyström":  {"level", features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Size: 32}},
		"numbers, Fourier": {"number", features.Spec{Kernel: "gaussian", Size: 64, Bandwidth: .3}}, "numbers, additive": {"number", features.Spec{Kind: features.AdditiveFeatures, Size: 64, Bandwidth: .3}},
		"numbers, Nyström": {"number", features.Spec{Kind: features.NystromFeatures, Kernel: "matern32", Size: 64, Bandwidth: .3}},
	} {
		for _, form := range []risk.Form{risk.SameDistribution, risk.CovariateShift} {
			var widths []float64
			for _, share := range []float64{0, .3, 1} {
				xu, uy := lacking(t, c.kind, share, 300, 3)
				a := riskOf(t, problem.Setup{Phi: gaussian, Psi: c.psi}, form, xu, uy)
				widths = append(widths, a.Risk.Hi-a.Risk.Lo)
				if share == 1 && a.Risk.Hi < .5 {
					t.Errorf("%s, form %d: MSE %g, at most %g where nothing is known of Y", name, form, a.Risk.MSE, a.Risk.Hi)
				}
				if share == 1 && a.Bracket != nil && a.Bracket.Upper < .5 {
					t.Errorf("%s: bracket up to %g", name, a.Bracket.Upper)
				}
			}
			if !(widths[0] < .25 && 1.2*widths[0] < widths[1] && 1.2*widths[0] < widths[2]) {
				t.Errorf("%s, form %d: widths %.3g for shares of 0, 0.3 and 1", name, form, widths)
			}
		}
	}
}

// TestRiskBelowZeroIsUnknown: an estimate below 0 is null in JSON and in the model file, its upper end stays.
func TestRiskBelowZeroIsUnknown(t *testing.T) {
	var a risk.Assessment
	raw := []byte(`{"risk":{"mse":null,"se":2,"lo":0,"hi":1.5,"form":1},"bracket":null}`)
	if err := json.Unmarshal(raw, &a); err != nil || a.Risk.Known != nil || a.Risk.Hi != 1.5 {
		t.Errorf("read %+v, %v", a.Risk, err)
	}
	xu, uy := lacking(t, "level", 0, 60, 1)
	m, err := recorded(rr.Fit(context.Background(), problem.Setup{}, rr.TwoStep{}, xu, uy))
	if err != nil {
		t.Fatal(err)
	}
	m.Assessment = &a
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	if text := strings.ReplaceAll(file.String(), " ", ""); !strings.Contains(text, `"mse":null`) {
		t.Error("the file has another risk")
	}
	read, err := mediant.Load(&file)
	if err != nil || read.Assessment.Risk.Known != nil || !math.IsNaN(read.Assessment.Risk.MSE) {
		t.Errorf("read back %+v, %v", read.Assessment.Risk, err)
	}
	var d diagnose.Diagnosis
	if d.AddSensitivity(&a); d.Violation != nil {
		t.Error("a sensitivity of an unknown risk")
	}
}
