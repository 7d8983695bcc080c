package collect

import "math"

// A Variance is the variance of an estimate from two independent tables of n and m rows, as the sum of three parts (docs/theory.md, section 24).
type Variance struct {
	XU   float64 `json:"xu"`             // from the rows of S_X, in proportion to 1/n
	UY   float64 `json:"uy"`             // from those of S_Y, in proportion to 1/m
	Both float64 `json:"both,omitempty"` // from both together, in proportion to 1/(nm)
	// FreedomF and FreedomH are the degrees of freedom of f for each row of S_X that it is fitted to, and of h for each of S_Y, below 1: more rows take from the noise
	// of f and h, and so from the variance of a term of the risk. 0 is none, or unknown.
	FreedomF float64 `json:"freedom_f,omitempty"`
	FreedomH float64 `json:"freedom_h,omitempty"`
}

// Total returns the sum of the parts.
func (v Variance) Total() float64 { return v.XU + v.UY + v.Both }

// SE returns the standard error.
func (v Variance) SE() float64 { return math.Sqrt(v.Total()) }

// With returns the variance with xu times as many rows of S_X and uy times as many of S_Y, xu and uy at least 1 (24.4).
func (v Variance) With(xu, uy float64) Variance {
	f, h := noise(v.FreedomF, xu), noise(v.FreedomH, uy)
	return Variance{XU: v.XU / xu * f * f * h * h, UY: v.UY / uy * h, Both: v.Both / (xu * uy), FreedomF: v.FreedomF / xu, FreedomH: v.FreedomH / uy}
}

// noise is what is left of the error on other rows of a regression with so many degrees of freedom a row, with that many times the rows.
func noise(freedom, times float64) float64 { return (1 - freedom) / (1 - freedom/times) }

// Shares returns the parts as shares of their sum; zeros where that is 0.
func (v Variance) Shares() Variance {
	total := v.Total()
	if total == 0 {
		return Variance{}
	}
	return Variance{XU: v.XU / total, UY: v.UY / total, Both: v.Both / total}
}

// best returns the additional rows, not rounded, that the budget buys with the least variance.
func (v Variance) best(n Rows, c Costs) Rows {
	if v.FreedomF == 0 && v.FreedomH == 0 {
		return v.bestAsIs(n, c)
	}
	split := func(share float64) Rows { return Rows{XU: share * c.Budget / c.XU, UY: (1 - share) * c.Budget / c.UY} }
	lo, hi, best := 0., 1., 0.
	for range 6 { // each time an eighth of the range is left
		least, step := math.Inf(1), (hi-lo)/16
		for i := range 17 {
			share := lo + float64(i)*step
			if more := split(share); v.With(1+more.XU/n.XU, 1+more.UY/n.UY).Total() < least {
				least, best = v.With(1+more.XU/n.XU, 1+more.UY/n.UY).Total(), share
			}
		}
		lo, hi = max(best-step, 0), min(best+step, 1)
	}
	return split(best)
}

// bestAsIs is best where f and h stay as they are (24.3).
func (v Variance) bestAsIs(n Rows, c Costs) Rows {
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
