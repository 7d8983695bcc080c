package experiments

import (
	"math"
	"testing"

	"mediant/internal/slow"
)

// TestForecasts: the standard error of the risk with twice the rows of either table is within 15 % of what is predicted. Standard errors vary by some 6 % from
// draw to draw, so that the ratio of two means over 30 draws has a standard error of 1.5 %, and what is off systematically is below 5 %: six of them are left. The
// ratio of the distances of two percentiles over R draws has a relative standard error of 1.36/sqrt(R); three of these come on top of the 15 %, which 1 seed in 300
// exceeds, were it off by 15 % on average.
func TestForecasts(t *testing.T) {
	draws := 30
	if slow.Tagged() {
		draws = 200
	}
	for _, c := range []Collection{
		{Model: "linear", Distribution: Curved{D: 3, Spread: 1, Noise: .3}, Choose: LinearModel, Rows: 400},
		{Model: "kernel", Distribution: Synthetic{D: 2, Noise: .1}, Choose: KernelModel(24), Rows: 600},
	} {
		c.TestRows, c.Repetitions, c.Seed = 2000, draws, 1
		r, err := c.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for table, d := range map[string]Doubling{"S_X": r.XU, "S_Y": r.UY} {
			t.Logf("%s, twice the rows of %s: %+v, off by %.1f %%", r.Model, table, d, 100*d.Error())
			if d.Error() > .15 {
				t.Errorf("%s, twice the rows of %s: standard error %.3f times as large, predicted %.3f", r.Model, table, d.SE, d.Predicted)
			}
			if off := math.Abs(d.Predicted/d.SD - 1); off > .15+3*1.36/math.Sqrt(float64(draws)) {
				t.Errorf("%s, twice the rows of %s: standard deviation %.3f times as large, predicted %.3f", r.Model, table, d.SD, d.Predicted)
			}
			if !(d.Predicted > math.Sqrt(.5) && d.Predicted < .97) {
				t.Errorf("%s, twice the rows of %s: predicted %.3f", r.Model, table, d.Predicted)
			}
		}
		if r.ShareXU < .2 || r.ShareXU > .6 {
			t.Errorf("%s: %.2f of the variance from S_X", r.Model, r.ShareXU)
		}
	}
}
