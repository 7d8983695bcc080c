package glm_test

import (
	"math"
	"testing"

	"mediant/glm"
	"mediant/losses"
)

// TestWorkOf: the operations for 10 rows of one feature and the intercept.
func TestWorkOf(t *testing.T) {
	counts := glm.WorkOf(losses.Poisson{}, 10, 1, 1) // a pass 4·10·2 for values and gradients, 2·10·4 for the curvature, 8/3 for the system; 8 times
	if want := 8 * (80 + 80 + 8./3); math.Abs(counts.Typical-want) > 1e-9 || counts.Least != counts.Typical || counts.Most != counts.Typical {
		t.Errorf("counts %+v, want %g", counts, want)
	}
	classes := glm.WorkOf(losses.Log{}, 10, 1, 2) // 80 + 8/3 once, 4·10·2·2 + 2·4·2 a pass
	for passes, got := range map[float64]float64{40: classes.Typical, 10: classes.Least, 170: classes.Most} {
		if want := 80 + 8./3 + passes*176; math.Abs(got-want) > 1e-9 {
			t.Errorf("%g passes take %g, want %g", passes, got, want)
		}
	}
}

// TestPassesAreAsMany as WorkOf takes them to be, where classes overlap and for counts.
func TestPassesAreAsMany(t *testing.T) {
	for _, c := range []struct {
		loss           losses.Canonical
		k, least, most int
	}{{losses.Log{}, 6, 10, 170}, {losses.Poisson{}, 1, 5, 8}} {
		s := drawn(3, 1000, 64, c.k, c.loss, false)
		m, err := glm.Fit(t.Context(), s.in(1024), 64, c.k, c.loss, 1e-5, glm.Options{})
		if err != nil || m.Steps < c.least || m.Steps > c.most {
			t.Errorf("%s: %+v, %v, want %d to %d passes", c.loss.Name(), m.Steps, err, c.least, c.most)
		}
	}
}
