package moments

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestCheckRefusesWhatIsNotFinite(t *testing.T) {
	add := func(a float64, weights ...float64) *CoMoments {
		m := NewCoMoments(ID{}, ID{})
		m.Add(mat.NewDense(2, 1, []float64{a, 1}), mat.NewDense(2, 1, []float64{1, 2}), weights)
		return m
	}
	for name, m := range map[string]*CoMoments{
		"squares": add(1e200), "weights": add(1, 1e308, 1e308), "tiny weights": add(1, 1e-320, 1e-320), "values": add(math.Inf(1)),
	} {
		if m.Check() == nil {
			t.Errorf("%s: sums %v of weight %g were accepted", name, m.aa, m.weight)
		}
	}
	for name, m := range map[string]*CoMoments{"plain": add(3), "empty": NewCoMoments(ID{}, ID{}), "no weight": add(1, 0, 0), "small": add(1, 1e-300, 1e-299)} {
		if err := m.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
