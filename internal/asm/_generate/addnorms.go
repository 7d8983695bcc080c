package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// addnorms writes sums with two norms, and gathers which of them are not large enough.
func addnorms(l level) {
	TEXT("addNorms"+l.name, NOSPLIT, "func(d, norms *float64, n int, norm, near float64) (small int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("addNorms%s is addNormsPortable for n elements, a multiple of 8; small is 0 if none is.", l.name))
	d, norms := Load(Param("d"), GP64()).(GPVirtual), Load(Param("norms"), GP64()).(GPVirtual)
	n := Load(Param("n"), GP64()).(GPVirtual)
	norm, near := l.vector(), l.vector()
	VBROADCASTSD(NewParamAddr("norm", 24), norm)
	VBROADCASTSD(NewParamAddr("near", 32), near)
	small, now, bits := GP64(), GP64(), K()
	XORQ(small, small)

	Label("loop")
	TESTQ(n, n)
	JE(LabelRef("done"))
	sum, v, least := l.vector(), l.vector(), l.vector()
	VADDPD(Mem{Base: norms}, norm, sum)
	VADDPD(Mem{Base: d}, sum, v)
	VMULPD(sum, near, least)
	VMOVUPD(v, Mem{Base: d})
	const notGreater = 0x1a // or not a number
	if l.lanes == 8 {
		VCMPPD(Imm(notGreater), least, v, bits)
		KMOVW(bits, now.As32())
	} else {
		VCMPPD(Imm(notGreater), least, v, v)
		VMOVMSKPD(v, now.As32())
	}
	ORQ(now, small)
	ADDQ(Imm(uint64(l.bytes())), d)
	ADDQ(Imm(uint64(l.bytes())), norms)
	SUBQ(Imm(uint64(l.lanes)), n)
	JMP(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	Store(small, ReturnIndex(0))
	RET()
}
