//go:build !noasm

package asm

// detected returns the level of all processors that Go runs on.
func detected() Level { return NEON }
