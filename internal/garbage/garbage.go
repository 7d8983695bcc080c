// Package garbage sets how much garbage may pile up before it is collected.
package garbage

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// matrices is the garbage in percent of what is in use: matrices without pointers take next to no time to mark, and memory that is used again need not be had from the system.
	matrices = 25
	// inUse bytes are so many that collections are rare with it; scanned bytes that may hold pointers take about 10 ms to mark.
	inUse, scanned = 64 << 20, 32 << 20
)

// OfMatrices has garbage collected when it is a quarter of what is in use, where it would be as much, until restore is called: for work on large matrices in a heap that is large by now
// and has few pointers. Else, and where GOGC is set, it does nothing.
func OfMatrices() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	// Both are of the last collection, which has been where much was read.
	if live, pointers := read("/gc/heap/live:bytes"), read("/gc/scan/heap:bytes"); live < inUse || pointers > scanned {
		return func() {}
	}
	before := debug.SetGCPercent(matrices)
	return func() { debug.SetGCPercent(before) }
}

// Most has garbage collected when it is twice what is in use, until restore is called: for work that keeps little of what it reads. Where GOGC is set it does nothing.
func Most() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(200)
	return func() { debug.SetGCPercent(before) }
}

// read is a number of the runtime, 0 where it has none of that name.
func read(name string) uint64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return s[0].Value.Uint64()
}
