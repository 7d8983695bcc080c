package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// gemm writes the micro-kernel: a tile of C, rows × width, is a sum of k outer products of a column
// of A and a row of B, kept in registers, then scaled by alpha and stored or added.
//
// A is broadcast element by element from any two strides, so that it may be packed, transposed or as
// it comes; rows of B are contiguous. Two pointer additions a step are free beside rows·3 FMAs.
func gemm(l level) {
	TEXT("gemm"+l.name, NOSPLIT, "func(width, k int, a *float64, rowA, colA int, b *float64, rowB int, alpha float64, c *float64, rowC int, add bool)")
	Pragma("noescape")
	Doc(fmt.Sprintf("gemm%s is gemmPortable for %d rows and at most %d columns.", l.name, l.rows, 3*l.lanes))

	width := Load(Param("width"), GP64())
	for v := 1; v < 3; v++ {
		CMPQ(width, Imm(uint64(v*l.lanes)))
		JLE(LabelRef(fmt.Sprintf("vectors%d", v)))
	}
	for v := 3; v > 0; v-- {
		if v < 3 {
			Label(fmt.Sprintf("vectors%d", v))
		}
		l.tile(v)
	}
}

// tile is gemm for v vectors of columns.
func (l level) tile(v int) {
	name := func(s string) string { return fmt.Sprintf("%s%d", s, v) }
	k := Load(Param("k"), GP64())
	a := Load(Param("a"), GP64()).(GPVirtual)
	rowA, colA := scaled("rowA"), scaled("colA")
	b := Load(Param("b"), GP64()).(GPVirtual)
	rowB := scaled("rowB")
	c := Load(Param("c"), GP64()).(GPVirtual)
	rowC := scaled("rowC")

	// C is needed after the loop; by then it is in the cache.
	next := GP64()
	MOVQ(c, next)
	for r := range l.rows {
		for j := 0; j < v*l.bytes(); j += 64 {
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
	rows := rowAddresses(a, rowA, l.rows)
	TESTQ(k, k)
	JE(LabelRef(name("scale")))
	Label(name("step"))
	cols := l.vectors(v)
	for j, x := range cols {
		VMOVUPD(Mem{Base: b, Disp: j * l.bytes()}, x)
	}
	for r, at := range rows {
		x := l.vector()
		VBROADCASTSD(at, x)
		for j := range cols {
			VFMADD231PD(x, cols[j], acc[r*v+j])
		}
	}
	ADDQ(colA, a)
	ADDQ(rowB, b)
	DECQ(k)
	JNE(LabelRef(name("step")))

	Label(name("scale"))
	alpha := l.vector()
	VBROADCASTSD(NewParamAddr("alpha", 56), alpha)
	add := Load(Param("add"), GP8())
	TESTB(add, add)
	JE(LabelRef(name("store")))
	for r := range l.rows {
		for j := range v {
			at, x := Mem{Base: c, Disp: j * l.bytes()}, l.vector()
			VMOVUPD(at, x)
			VFMADD231PD(acc[r*v+j], alpha, x)
			VMOVUPD(x, at)
		}
		if r < l.rows-1 {
			ADDQ(rowC, c)
		}
	}
	VZEROUPPER()
	RET()

	Label(name("store"))
	for r := range l.rows {
		for j := range v {
			x := acc[r*v+j]
			VMULPD(alpha, x, x)
			VMOVUPD(x, Mem{Base: c, Disp: j * l.bytes()})
		}
		if r < l.rows-1 {
			ADDQ(rowC, c)
		}
	}
	VZEROUPPER()
	RET()
}
