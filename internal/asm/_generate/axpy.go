package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// axpy writes y + alpha x: four vectors at a time, then one, then elements.
func axpy(l level) {
	TEXT("axpy"+l.name, NOSPLIT, "func(alpha float64, x, y *float64, n int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("axpy%s is axpyPortable for n elements.", l.name))
	alpha := l.vector()
	VBROADCASTSD(NewParamAddr("alpha", 0), alpha)
	x := Load(Param("x"), GP64()).(GPVirtual)
	y := Load(Param("y"), GP64()).(GPVirtual)
	n := Load(Param("n"), GP64())

	run := func(name, next string, vectors int) {
		elements := vectors * l.lanes
		Label(name)
		CMPQ(n, Imm(uint64(elements)))
		JL(LabelRef(next))
		for i := range vectors {
			v := l.vector()
			VMOVUPD(Mem{Base: y, Disp: i * l.bytes()}, v)
			VFMADD231PD(Mem{Base: x, Disp: i * l.bytes()}, alpha, v)
			VMOVUPD(v, Mem{Base: y, Disp: i * l.bytes()})
		}
		ADDQ(U32(8*elements), x)
		ADDQ(U32(8*elements), y)
		SUBQ(U32(elements), n)
		JMP(LabelRef(name))
	}
	run("vectors", "vector", 4)
	run("vector", "element", 1)
	Label("element")
	TESTQ(n, n)
	JE(LabelRef("done"))
	v, low := XMM(), alpha.AsX()
	VMOVSD(Mem{Base: y}, v)
	VFMADD231SD(Mem{Base: x}, low, v)
	VMOVSD(v, Mem{Base: y})
	ADDQ(Imm(8), x)
	ADDQ(Imm(8), y)
	DECQ(n)
	JMP(LabelRef("element"))
	Label("done")
	VZEROUPPER()
	RET()
}
