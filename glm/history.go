package glm

import "gonum.org/v1/gonum/floats"

// remembered is the number of steps from which L-BFGS learns the curvature.
const remembered = 20

// A history has the last steps and the changes of the gradient over them, from the oldest to the newest.
type history struct{ steps, changes [][]float64 }

// add adds a step unless the gradient says that the curvature along it is not positive, which is rounding.
func (h *history) add(step, change []float64) {
	if !(floats.Dot(step, change) > 1e-12*floats.Dot(step, step)) {
		return
	}
	h.steps, h.changes = append(h.steps, step), append(h.changes, change)
	if len(h.steps) > remembered {
		h.steps, h.changes = h.steps[1:], h.changes[1:]
	}
}

// direction is minus the gradient times the inverse of the curvature, as far as it is known; before the first step the curvature is taken to be its bound.
func (h *history) direction(gradient []float64) []float64 {
	d := make([]float64, len(gradient))
	floats.SubTo(d, d, gradient)
	shares := make([]float64, len(h.steps))
	for i := len(h.steps) - 1; i >= 0; i-- {
		shares[i] = floats.Dot(h.steps[i], d) / floats.Dot(h.steps[i], h.changes[i])
		floats.AddScaled(d, -shares[i], h.changes[i])
	}
	if last := len(h.steps) - 1; last >= 0 {
		floats.Scale(floats.Dot(h.steps[last], h.changes[last])/floats.Dot(h.changes[last], h.changes[last]), d)
	}
	for i := range h.steps {
		back := floats.Dot(h.changes[i], d) / floats.Dot(h.steps[i], h.changes[i])
		floats.AddScaled(d, shares[i]-back, h.steps[i])
	}
	return d
}
