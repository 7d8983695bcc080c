package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// sliver32 is the number of bytes from a row of a packed B to the next: asm.Cols32 float32s.
const sliver32 = 4 * 48

// gemm32 writes the micro-kernel of products in mixed precision: gemm for float32 operands, with twice the lanes, whose
// tile is then converted, scaled and added to C in float64.
func gemm32(l level) {
	TEXT("gemm32"+l.name, NOSPLIT, "func(width, k int, a *float32, colA int, b *float32, scaleA, scaleB, c *float64, rowC int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("gemm32%s is gemm32Portable for %d rows and at most %d columns.", l.name, l.rows, 6*l.lanes))

	width := Load(Param("width"), GP64())
	for v := 1; v < 3; v++ {
		CMPQ(width, Imm(uint64(2*v*l.lanes)))
		JLE(LabelRef(fmt.Sprintf("vectors%d", v)))
	}
	for v := 3; v > 0; v-- {
		if v < 3 {
			Label(fmt.Sprintf("vectors%d", v))
		}
		l.tile32(v)
	}
}

// tile32 is gemm32 for v vectors of columns.
func (l level) tile32(v int) {
	step := fmt.Sprintf("step%d", v)
	k := Load(Param("k"), GP64())
	a := Load(Param("a"), GP64()).(GPVirtual)
	colA := Load(Param("colA"), GP64()).(GPVirtual)
	SHLQ(Imm(2), colA)
	b := Load(Param("b"), GP64()).(GPVirtual)
	c := Load(Param("c"), GP64()).(GPVirtual)
	rowC := scaled("rowC")

	// C is needed after the loop; by then it is in the cache.
	next := GP64()
	MOVQ(c, next)
	for r := range l.rows {
		for j := 0; j < 2*v*l.bytes(); j += 64 {
			PREFETCHT0(Mem{Base: next, Disp: j})
		}
		if r < l.rows-1 {
			ADDQ(rowC, next)
		}
	}

	acc := l.vectors(l.rows * v)
	for _, x := range acc {
		l.zero(x)
	}
	Label(step)
	cols := l.vectors(v)
	for j, x := range cols {
		VMOVUPS(Mem{Base: b, Disp: j * l.bytes()}, x)
	}
	for r := range l.rows {
		x := l.vector()
		VBROADCASTSS(Mem{Base: a, Disp: 4 * r}, x)
		for j := range cols {
			VFMADD231PS(x, cols[j], acc[r*v+j])
		}
	}
	ADDQ(colA, a)
	ADDQ(Imm(sliver32), b)
	DECQ(k)
	JNE(LabelRef(step))

	l.add32(acc, v, c, rowC)
}

// add32 adds the tile to C, scaled, and returns.
func (l level) add32(acc []VecVirtual, v int, c, rowC GPVirtual) {
	scaleA, scaleB := Load(Param("scaleA"), GP64()).(GPVirtual), Load(Param("scaleB"), GP64()).(GPVirtual)
	for r := range l.rows {
		scale := l.vector()
		VBROADCASTSD(Mem{Base: scaleA, Disp: 8 * r}, scale)
		for j := range v {
			for half, x := range l.widened(acc[r*v+j]) {
				at := (2*j + half) * l.bytes()
				VMULPD(Mem{Base: scaleB, Disp: at}, x, x)
				VMULPD(scale, x, x)
				VADDPD(Mem{Base: c, Disp: at}, x, x)
				VMOVUPD(x, Mem{Base: c, Disp: at})
			}
		}
		if r < l.rows-1 {
			ADDQ(rowC, c)
		}
	}
	VZEROUPPER()
	RET()
}

// widened returns the float32s of x, which is spent, as two vectors of float64s.
func (l level) widened(x VecVirtual) [2]VecVirtual {
	low, high := l.vector(), l.vector()
	if l.lanes == 8 {
		VCVTPS2PD(x.AsY(), low)
		VEXTRACTF64X4(Imm(1), x, x.AsY())
		VCVTPS2PD(x.AsY(), high)
	} else {
		VCVTPS2PD(x.AsX(), low)
		VEXTRACTF128(Imm(1), x, x.AsX())
		VCVTPS2PD(x.AsX(), high)
	}
	return [2]VecVirtual{low, high}
}
