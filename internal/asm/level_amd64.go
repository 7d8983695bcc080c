//go:build !noasm

package asm

import "golang.org/x/sys/cpu"

// detected returns the highest level that processor and operating system support.
func detected() Level {
	x := cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA:
		return Portable
	case !x.HasAVX512F || !x.HasAVX512DQ:
		return AVX2
	default:
		return AVX512
	}
}
