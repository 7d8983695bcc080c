package theory

import "math"

// An accumulator is a sum of floats with Neumaier's compensation: its error is at most 2 eps of the
// result plus n²eps² of the sum of absolute values (Neumaier, ZAMM 54, 1974). The zero value is 0.
type accumulator struct{ sum, lost float64 }

func (a *accumulator) add(v float64) {
	t := a.sum + v
	if math.Abs(a.sum) >= math.Abs(v) {
		a.lost += (a.sum - t) + v
	} else {
		a.lost += (v - t) + a.sum
	}
	a.sum = t
}

func (a *accumulator) value() float64 { return a.sum + a.lost }
