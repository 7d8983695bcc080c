package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// quadratic writes scaled roots and what multiplies by a polynomial of them, a vector at a time: roots are
// slower than anything a loop could add.
func quadratic(l level) {
	TEXT("roots"+l.name, NOSPLIT, "func(dst, x *float64, n int, scale, most float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("roots%s is rootsPortable for n elements, a multiple of 8.", l.name))
	dst, x := Load(Param("dst"), GP64()).(GPVirtual), Load(Param("x"), GP64()).(GPVirtual)
	n := Load(Param("n"), GP64()).(GPVirtual)
	scale, most := l.vector(), l.vector()
	VBROADCASTSD(NewParamAddr("scale", 24), scale)
	VBROADCASTSD(NewParamAddr("most", 32), most)
	l.eachVector(n, func() {
		v := l.vector()
		VSQRTPD(Mem{Base: x}, v)
		VMULPD(scale, v, v)
		VMINPD(v, most, v) // the second source is the result if either is NaN
		VMOVUPD(v, Mem{Base: dst})
	}, dst, x)

	TEXT("quadratic"+l.name, NOSPLIT, "func(dst, x *float64, n int, c float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("quadratic%s is quadraticPortable for n elements, a multiple of 8.", l.name))
	dst, x = Load(Param("dst"), GP64()).(GPVirtual), Load(Param("x"), GP64()).(GPVirtual)
	n = Load(Param("n"), GP64()).(GPVirtual)
	c, one := l.vector(), l.number(1)
	VBROADCASTSD(NewParamAddr("c", 24), c)
	l.eachVector(n, func() {
		r, p := l.vector(), l.vector()
		VMOVUPD(Mem{Base: x}, r)
		VMOVAPD(one, p)
		VFMADD231PD(r, c, p)
		VFMADD213PD(one, r, p)
		VMULPD(Mem{Base: dst}, p, p)
		VMOVUPD(p, Mem{Base: dst})
	}, dst, x)
}

// eachVector writes a function's loop over n elements at the pointers, and its end.
func (l level) eachVector(n GPVirtual, do func(), pointers ...GPVirtual) {
	Label("loop")
	TESTQ(n, n)
	JE(LabelRef("done"))
	do()
	for _, p := range pointers {
		ADDQ(Imm(uint64(l.bytes())), p)
	}
	SUBQ(Imm(uint64(l.lanes)), n)
	JMP(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}
