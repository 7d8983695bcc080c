package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// rectify adds the parts of z beyond ±t to two sums, two vectors at a time and then one.
func rectify(l level) {
	TEXT("rectify"+l.name, NOSPLIT, "func(positive, negative, z *float64, n int, t float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("rectify%s is rectifyPortable for n elements, a multiple of 8.", l.name))
	positive, negative := Load(Param("positive"), GP64()).(GPVirtual), Load(Param("negative"), GP64()).(GPVirtual)
	z, n := Load(Param("z"), GP64()).(GPVirtual), Load(Param("n"), GP64()).(GPVirtual)
	t := l.vector()
	VBROADCASTSD(NewParamAddr("t", 32), t)
	zero := l.number(math.Copysign(0, -1)) // which leaves sums as they are

	Label("loop")
	TESTQ(n, n)
	JE(LabelRef("done"))
	for i := range 8 / l.lanes {
		at := func(base GPVirtual) Mem { return Mem{Base: base, Disp: i * l.bytes()} }
		above, below := l.vector(), l.vector()
		VMOVUPD(at(z), above)
		VADDPD(t, above, below)
		VSUBPD(t, above, above)
		VSUBPD(below, zero, below)
		VMAXPD(zero, above, above) // -0 where it is not above 0, or not a number
		VMAXPD(zero, below, below)
		VADDPD(at(positive), above, above)
		VADDPD(at(negative), below, below)
		VMOVUPD(above, at(positive))
		VMOVUPD(below, at(negative))
	}
	for _, base := range []GPVirtual{positive, negative, z} {
		ADDQ(Imm(64), base)
	}
	SUBQ(Imm(8), n)
	JMP(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}
