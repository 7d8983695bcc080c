// Package bench holds the benchmarks of the numeric kernels, and of predictions over HTTP.
//
//	go test ./bench -bench . -benchtime 1s
//
// BenchmarkPeak is the yardstick: the micro-kernel of products in the first cache, which comes
// within a few per cent of the processor's fused multiply-adds. Matrix benchmarks report GFLOPS,
// vector functions elements a second, Hadamard transforms the bytes of their vector, counted once.
package bench
