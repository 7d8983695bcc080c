package main

import (
	"fmt"
	"math"

	"mediant/check"
	"mediant/risk"
	"mediant/rr"
)

const (
	// farInterval times the half-width of an interval of 95 % is five standard errors, which few rows or heavy tails do not explain.
	farInterval = 2.5
	// farRatio is how many times as large, or as small, an error is at least: less is no matter for doubt, however many rows show it.
	farRatio = 1.5
	// leastCoupled rows are needed for a standard error that can be relied on.
	leastCoupled = 20
)

// unexpectedError is the finding that the error in coupled rows is far out of the interval that was estimated at the fit, nil if it is not. Of
// classes it is the share of those that are wrong, else the MSE.
func unexpectedError(a *risk.Assessment, score rr.Score) *check.Finding {
	if a == nil || score.Rows < leastCoupled {
		return nil
	}
	var e, estimated errorRate
	name := "the MSE"
	switch {
	case score.Accuracy != nil && a.Accuracy != nil:
		n, wrong := float64(score.Rows), 1-*score.Accuracy
		share := (n*wrong + 2) / (n + 4) // of Agresti and Coull, since none of a few rows may be wrong
		e = errorRate{wrong, z95 * math.Sqrt(share*(1-share)/(n+4))}
		estimated = errorRate{1 - a.Accuracy.Value, (a.Accuracy.Hi - a.Accuracy.Lo) / 2}
		name = "the share of rows whose class is wrong"
	case score.SE != nil && a.Risk.Known != nil:
		e = errorRate{score.MSE, z95 * *score.SE}
		estimated = errorRate{a.Risk.MSE, a.Risk.Hi - a.Risk.MSE}
	default:
		return nil
	}
	if !e.farFrom(estimated) {
		return nil
	}
	times := ""
	if estimated.value > 0 {
		times = fmt.Sprintf("%s times ", formatNumber(e.value/estimated.value))
	}
	f := check.Finding{Code: check.LaterError, Severity: check.Warning, Table: check.Later, Rows: score.Rows, Of: score.Rows + score.Dropped,
		What: fmt.Sprintf("%s is %s, %swhat the fit estimated: %s (95 %% interval %s to %s)", name, formatNumber(e.value), times,
			formatNumber(estimated.value), formatNumber(max(0, estimated.value-estimated.margin)), formatNumber(estimated.value+estimated.margin)),
		Effect: "either Y is not in the row of its X or in another unit, or these rows are of another population, or X says more of Y than U does, which no estimate without coupled rows has seen",
		Remedy: fmt.Sprintf("look at how X and Y were joined; --accept %s if the rows are right", check.LaterError)}
	return &f
}

// z95 is the 97.5 % point of the standard normal distribution.
const z95 = 1.959963984540054

// An errorRate is an error with half the width of its interval of 95 %.
type errorRate struct{ value, margin float64 }

// farFrom reports whether the two differ by more than either interval explains, and by a factor that matters.
func (e errorRate) farFrom(other errorRate) bool {
	least, most := min(e.value, other.value), max(e.value, other.value)
	return most > farRatio*least && most-least > farInterval*math.Hypot(e.margin, other.margin)
}
