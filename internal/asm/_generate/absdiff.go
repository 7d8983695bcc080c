package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// absdiff adds |x_p - y_pj| over p to 24 sums: the sums of all columns are enough to hide the latency of
// their additions.
func absdiff(l level) {
	TEXT("absDiff"+l.name, NOSPLIT, "func(sum, x, y *float64, n int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("absDiff%s is absDiffPortable for n rows.", l.name))
	sum := Load(Param("sum"), GP64())
	x := Load(Param("x"), GP64())
	y := Load(Param("y"), GP64())
	n := Load(Param("n"), GP64())

	// All bits but the sign.
	size := l.vector()
	if l.lanes == 8 {
		VPTERNLOGQ(Imm(0xff), size, size, size)
	} else {
		VPCMPEQQ(size, size, size)
	}
	VPSRLQ(Imm(1), size, size)
	acc := l.vectors(solveCols / l.lanes)
	for j, v := range acc {
		VMOVUPD(Mem{Base: sum, Disp: j * l.bytes()}, v)
	}
	Label("loop")
	TESTQ(n, n)
	JE(LabelRef("done"))
	v := l.vector()
	VBROADCASTSD(Mem{Base: x}, v)
	for j, a := range acc {
		d := l.vector()
		VSUBPD(Mem{Base: y, Disp: j * l.bytes()}, v, d)
		VANDPD(size, d, d)
		VADDPD(d, a, a)
	}
	ADDQ(Imm(8), x)
	ADDQ(U32(8*solveCols), y)
	DECQ(n)
	JMP(LabelRef("loop"))
	Label("done")
	for j, v := range acc {
		VMOVUPD(v, Mem{Base: sum, Disp: j * l.bytes()})
	}
	VZEROUPPER()
	RET()
}
