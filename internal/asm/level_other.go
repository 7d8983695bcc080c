//go:build (!amd64 && !arm64) || noasm

package asm

func detected() Level { return Portable }
