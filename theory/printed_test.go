package theory

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestPrintedClaims(t *testing.T) { mustHold(t, printedClaims()) }

// The formula as printed in place of ours must turn red, and ours in place of the printed one too.
func TestPrintedMutations(t *testing.T) {
	for i, item := range printedItems() {
		ours, theirs := item, item
		ours.off, theirs.printedOff = item.printedOff, item.off
		mustCatch(t, []mutant{
			{item.title + ": printed for ours", printedClaimsOf([]printedItem{ours}), ": ours"},
			{item.title + ": ours for printed", printedClaimsOf([]printedItem{theirs}), ": as printed"},
		})
		if item.place == "" || item.title == "" || item.ours == "" || item.printed == "" {
			t.Errorf("item %d lacks words", i)
		}
	}
}

// min over L2 of U of J_w is MSE + (1-w)/w E(f-E[f|U])² + w/(1-w) E(Y-h*)² + 2 E(f-E[f|U])(Y-h*).
func TestLeastUpperIsShrinkageIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l printedDistribution
		total := 0.
		values := rapid.SliceOfN(rapid.Float64Range(.01, 1), 36, 36).Draw(t, "p")
		for _, v := range values {
			total += v
		}
		for i, v := range values {
			l.p[i/12][i/3%4][i%3] = v / total
		}
		copy(l.y[:], rapid.SliceOfN(rapid.Float64Range(-1, 1), 3, 3).Draw(t, "y"))
		copy(l.f[:], rapid.SliceOfN(rapid.Float64Range(-1, 1), 3, 3).Draw(t, "f"))
		l.w = rapid.Float64Range(.1, .9).Draw(t, "w")
		h, fbar := l.conditional()
		want := l.mean(func(x, u int, y float64) float64 {
			d, e := l.f[x]-fbar[u], y-h[u]
			return square(l.f[x]-y) + (1-l.w)/l.w*d*d + l.w/(1-l.w)*e*e + 2*d*e
		})
		// Values are at most 4/w + 4/(1-w) = 44 and rarely above 10; exactly of that.
		if got := l.leastUpper(4, byU); math.Abs(got-want) > 44*exactly {
			t.Errorf("least J_w is %g, want %g", got, want)
		}
	})
}
