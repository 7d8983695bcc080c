package bench

import (
	"math"
	"testing"

	"mediant/internal/asm"
)

// Vectors of 1,024 stay in the first cache, as a row of features does.
const vector = 1024

// eachElement reports do's elements a second.
func eachElement(b *testing.B, do func(x []float64)) {
	from, x := random(1, vector).Data, make([]float64, vector)
	for b.Loop() {
		copy(x, from)
		do(x)
	}
	b.ReportMetric(float64(b.N)*vector/b.Elapsed().Seconds()/1e9, "G/s")
}

func BenchmarkExp(b *testing.B) { eachElement(b, func(x []float64) { asm.Exp(x, 1) }) }

func BenchmarkGoExp(b *testing.B) {
	eachElement(b, func(x []float64) {
		for i, v := range x {
			x[i] = math.Exp(v)
		}
	})
}

func BenchmarkCos(b *testing.B) { eachElement(b, func(x []float64) { asm.Cos(x, 1) }) }

func BenchmarkGoCos(b *testing.B) {
	eachElement(b, func(x []float64) {
		for i, v := range x {
			x[i] = math.Cos(v)
		}
	})
}

// Pairs a second: twice as many results.
func BenchmarkSincos(b *testing.B) {
	cosines := make([]float64, vector)
	eachElement(b, func(x []float64) { asm.Sincos(x, cosines, x, 1) })
}

func BenchmarkGoSincos(b *testing.B) {
	cosines := make([]float64, vector)
	eachElement(b, func(x []float64) {
		for i, v := range x {
			x[i], cosines[i] = math.Sincos(v)
		}
	})
}
