// Package risktest compares assessments in tests of several packages.
package risktest

import (
	"fmt"

	"mediant/risk"
	"mediant/rr"
)

// Numbers are the numbers of an assessment.
func Numbers(a *risk.Assessment) map[string]float64 {
	out := map[string]float64{"risk": a.Risk.MSE, "its error": a.Risk.SE, "lambda_h": a.Risk.LambdaH, "optimism": a.Risk.Optimism}
	for j, o := range a.Risk.Outputs {
		out[fmt.Sprint("risk of output ", j)], out[fmt.Sprint("its error ", j)] = o.MSE, o.SE
	}
	if a.Bracket != nil {
		out["bracket"], out["tight"], out["bracket's upper end"] = a.Bracket.Hi, a.Tight.Hi, a.Bracket.Upper
	}
	if a.Accuracy != nil {
		out["accuracy"], out["its error of accuracy"] = a.Accuracy.Value, a.Accuracy.SE
	}
	return out
}

// Opaque hides that a predictor is linear.
type Opaque struct{ rr.Predictor }
