package bench

import (
	"fmt"
	"testing"

	"mediant/internal/asm"
)

// The bytes of the vector are counted once a transform, 8n, however often it is read and written.
func BenchmarkHadamard(b *testing.B) {
	for n := 64; n <= 1<<16; n *= 2 {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			x := random(1, n).Data
			// Numbers grow until they overflow, which takes no longer.
			calls := max(1, 1<<14/n)
			for b.Loop() {
				for range calls {
					asm.Hadamard(x, nil)
				}
			}
			b.ReportMetric(float64(b.N)*float64(calls)*8*float64(n)/b.Elapsed().Seconds()/1e9, "GB/s")
		})
	}
}
