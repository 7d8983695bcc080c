//go:build arm64 || loong64 || ppc64 || ppc64le || riscv64 || s390x

package asm

const hasFMA = true
