package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// narrow writes what takes a row of float64s less a centre, times factor, to float32 and to the largest sizes so far.
func narrow(l level) {
	TEXT("narrow"+l.name, NOSPLIT, "func(dst *float32, x, centre, scale *float64, n int, factor float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("narrow%s is narrowPortable for n elements, a multiple of 8.", l.name))
	dst := Load(Param("dst"), GP64()).(GPVirtual)
	scale := Load(Param("scale"), GP64()).(GPVirtual)
	l.eachDeviation(40, []GPVirtual{scale}, func(d VecVirtual, i int) {
		VMULPD(Mem{Base: scale, Disp: i * l.bytes()}, d, d)
		at := Mem{Base: dst, Disp: i * l.bytes() / 2}
		if l.lanes == 8 {
			VCVTPD2PS(d, d.AsY())
			VMOVUPS(d.AsY(), at)
		} else {
			VCVTPD2PSY(d, d.AsX())
			VMOVUPS(d.AsX(), at)
		}
	}, func() { ADDQ(Imm(32), dst) })

	TEXT("largest"+l.name, NOSPLIT, "func(most, x, centre *float64, n int, factor float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("largest%s is largestPortable for n elements, a multiple of 8.", l.name))
	most := Load(Param("most"), GP64()).(GPVirtual)
	sizes, bits := l.vector(), GP64()
	MOVQ(U64(1<<63-1), bits)
	broadcastBits(l, bits, sizes)
	l.eachDeviation(32, []GPVirtual{most}, func(d VecVirtual, i int) {
		at := Mem{Base: most, Disp: i * l.bytes()}
		if l.lanes == 8 {
			VPANDQ(sizes, d, d)
		} else {
			VANDPD(sizes, d, d)
		}
		VMAXPD(at, d, d) // what is there where d is not a number
		VMOVUPD(d, at)
	}, func() {})
}

// eachDeviation calls do with the vectors of (x - centre) factor, of which that parameter is at an offset, eight elements at a
// time; it moves on the addresses of float64s, and next others.
func (l level) eachDeviation(factorAt int, moving []GPVirtual, do func(d VecVirtual, i int), next func()) {
	x, centre := Load(Param("x"), GP64()).(GPVirtual), Load(Param("centre"), GP64()).(GPVirtual)
	n := Load(Param("n"), GP64()).(GPVirtual)
	factor := l.vector()
	VBROADCASTSD(NewParamAddr("factor", factorAt), factor)
	Label("loop")
	TESTQ(n, n)
	JE(LabelRef("done"))
	for i := range 8 / l.lanes {
		d := l.vector()
		VMOVUPD(Mem{Base: x, Disp: i * l.bytes()}, d)
		VSUBPD(Mem{Base: centre, Disp: i * l.bytes()}, d, d)
		VMULPD(factor, d, d)
		do(d, i)
	}
	for _, base := range append(moving, x, centre) {
		ADDQ(Imm(64), base)
	}
	next()
	SUBQ(Imm(8), n)
	JMP(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

// broadcastBits fills a vector with a general register.
func broadcastBits(l level, from GPVirtual, to VecVirtual) {
	low := XMM()
	VMOVQ(from, low)
	VBROADCASTSD(low, to)
}
