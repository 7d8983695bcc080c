package glm_test

import (
	"fmt"
	"testing"

	"mediant/glm"
	"mediant/losses"
)

// BenchmarkFit compares both solvers on 2,000 rows of two classes.
func BenchmarkFit(b *testing.B) {
	for _, p := range []int{64, 256, 512} {
		s := drawn(1, 2000, p, 2, losses.Log{}, false)
		for _, solver := range []glm.Solver{glm.Newton, glm.Bound} {
			b.Run(fmt.Sprintf("%d features, solver %d", p, solver), func(b *testing.B) {
				for b.Loop() {
					m, err := glm.Fit(b.Context(), s.in(512), p, 2, losses.Log{}, 1e-4, glm.Options{Solver: solver})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(m.Steps), "passes")
				}
			})
		}
	}
}
