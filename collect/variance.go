package collect

import "math"

// A Variance is the variance of an estimate from two independent tables of n and m rows, as the sum of three parts (docs/theory.md, section 24).
type Variance struct {
	XU   float64 `json:"xu"`             // from the rows of S_X, in proportion to 1/n
	UY   float64 `json:"uy"`             // from those of S_Y, in proportion to 1/m
	Both float64 `json:"both,omitempty"` // from both together, in proportion to 1/(nm)
}

// Total returns the sum of the parts.
func (v Variance) Total() float64 { return v.XU + v.UY + v.Both }

// SE returns the standard error.
func (v Variance) SE() float64 { return math.Sqrt(v.Total()) }

// With returns the variance with xu times as many rows of S_X and uy times as many of S_Y.
func (v Variance) With(xu, uy float64) Variance {
	return Variance{XU: v.XU / xu, UY: v.UY / uy, Both: v.Both / (xu * uy)}
}

// Shares returns the parts as shares of their sum; zeros where that is 0.
func (v Variance) Shares() Variance {
	total := v.Total()
	if total == 0 {
		return Variance{}
	}
	return Variance{XU: v.XU / total, UY: v.UY / total, Both: v.Both / total}
}

// best returns the additional rows, not rounded, that the budget buys with the least variance (24.3).
func (v Variance) best(n Rows, c Costs) Rows {
	v = v.Shares() // the scale does not matter
	ownXU, ownUY := c.XU*n.XU, c.UY*n.UY
	total := c.Budget + ownXU + ownUY
	both := v.Both * (ownXU / total) * (ownUY / total)
	x, y := math.Sqrt(v.XU*(ownXU/total)+both), math.Sqrt(v.UY*(ownUY/total)+both)
	share := .5
	if x+y > 0 {
		share = x / (x + y)
	}
	spent := min(max(share*total-ownXU, 0), c.Budget)
	return Rows{XU: spent / c.XU, UY: (c.Budget - spent) / c.UY}
}
