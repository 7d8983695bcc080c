package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A level is a set of processor instructions.
type level struct {
	name  string
	lanes int // float64s in a vector
	// rows is the height of gemm's tile in registers; its width is at most three vectors.
	rows int
}

// Three vectors of columns leave room for as many rows as accumulators fit: 8·3 + 3 + 1 of 32
// registers, 4·3 + 3 + 1 of 16.
var (
	avx2   = level{"AVX2", 4, 4}
	avx512 = level{"AVX512", 8, 8}
)

// bytes is the size of a vector.
func (l level) bytes() int { return 8 * l.lanes }

func (l level) vector() VecVirtual {
	if l.lanes == 8 {
		return ZMM()
	}
	return YMM()
}

func (l level) vectors(n int) []VecVirtual {
	v := make([]VecVirtual, n)
	for i := range v {
		v[i] = l.vector()
	}
	return v
}

// zero clears v. The short form clears the rest of the register too, and has no dependencies.
func (l level) zero(v VecVirtual) {
	if l.lanes == 8 {
		VPXORQ(v, v, v)
		return
	}
	VXORPD(v, v, v)
}

// number returns a vector of a constant.
func (l level) number(x float64) VecVirtual {
	v, bits := l.vector(), GP64()
	MOVQ(U64(math.Float64bits(x)), bits)
	MOVQ(bits, v.AsX())
	VBROADCASTSD(v.AsX(), v)
	return v
}

// scaled loads a parameter that counts float64s and makes it bytes.
func scaled(name string) GPVirtual {
	r := Load(Param(name), GP64()).(GPVirtual)
	SHLQ(Imm(3), r)
	return r
}

// rowAddresses returns the addresses of n rows (at most 8) from base on, stride bytes apart. It
// spends a register on each odd multiple of the stride above 1; addressing modes do the rest.
func rowAddresses(base, stride GPVirtual, n int) []Mem {
	at := func(index GPVirtual, scale uint8) Mem { return Mem{Base: base, Index: index, Scale: scale} }
	rows := []Mem{{Base: base}, at(stride, 1), at(stride, 2)}
	odd := func(k int) GPVirtual {
		r := GP64()
		switch k {
		case 3:
			LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, r)
		case 5:
			LEAQ(Mem{Base: stride, Index: stride, Scale: 4}, r)
		case 7:
			LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, r)
			LEAQ(Mem{Base: r, Index: stride, Scale: 4}, r)
		}
		return r
	}
	three := odd(3)
	rows = append(rows, at(three, 1))
	if n > 4 {
		rows = append(rows, at(stride, 4), at(odd(5), 1), at(three, 2), at(odd(7), 1))
	}
	return rows[:n]
}
