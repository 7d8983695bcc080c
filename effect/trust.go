package effect

import (
	"math"

	"mediant/moments"
	"mediant/risk"
)

// A Violation is the smallest one at which the interval of an effect touches 0. If in equal U the mean of Y of the treated differs by delta(U) from that of others
// and from S_Y, the effect is the estimated one plus the mean of delta over the treated (docs/theory.md, section 17). A violation of ToZero against the sign of the
// effect moves the interval to 0, and no smaller one does.
type Violation struct {
	// ToZero is in units of Y, 0 if the interval contains 0.
	ToZero float64 `json:"to_zero"`
	// GivenU is the standard deviation of Y given U, of held-out rows of S_Y, and ToZeroSD is ToZero/GivenU, nil where Y does not vary given U.
	GivenU   float64  `json:"sd_given_u"`
	ToZeroSD *float64 `json:"to_zero_sd"`
}

func violationOf(e risk.Interval, variance float64) Violation {
	v := Violation{GivenU: math.Sqrt(max(variance, 0))}
	if e.Lo > 0 || e.Hi < 0 {
		v.ToZero = min(math.Abs(e.Lo), math.Abs(e.Hi))
	}
	if v.GivenU > 0 {
		v.ToZeroSD = finite(v.ToZero / v.GivenU)
	}
	return v
}

// WeightsOfU describe the weights |r(U)| that the rows of S_Y have in an effect.
type WeightsOfU struct {
	// EffectiveRows is (sum |r|)²/sum r² [Kish, Survey sampling, 1965], and Largest the share of the largest |r| in their sum.
	EffectiveRows float64 `json:"effective_rows"`
	Largest       float64 `json:"largest_share"`
}

// weightSums are sums over the rows of S_Y of |r|.
type weightSums struct{ sum, squares, largest float64 }

// add adds row i of a block that w is of.
func (s *weightSums) add(w moments.Weights, i int, r float64) {
	rows, one := w.FrequencyOf(i), w.FactorOf(i)*math.Abs(r)
	s.sum += rows * one
	s.squares += rows * one * one
	if rows > 0 {
		s.largest = max(s.largest, one)
	}
}

func (s *weightSums) summary() WeightsOfU {
	if s.sum == 0 {
		return WeightsOfU{}
	}
	return WeightsOfU{EffectiveRows: s.sum * s.sum / s.squares, Largest: s.largest / s.sum}
}
