package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// vectorsAtOnce hide each other's latencies as far as there are registers.
func (l level) vectorsAtOnce() int { return l.lanes / 2 }

// exp writes the exponential in place, x by 32 elements.
func exp(l level) {
	TEXT("exp"+l.name, NOSPLIT, "func(x *float64, n int, scale float64, table *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("exp%s is expPortable for n elements, a multiple of 32.", l.name))
	x := Load(Param("x"), GP64()).(GPVirtual)
	n := Load(Param("n"), GP64())
	scale := l.vector()
	VBROADCASTSD(NewParamAddr("scale", 16), scale)
	t := table{Load(Param("table"), GP64()).(GPVirtual),
		append([]string{"lowest", "highest", "perLog", "round", "log", "logLow", "one"}, numbered("q", 10)...)}

	TESTQ(n, n)
	JE(LabelRef("done"))
	Label("loop")
	r := l.vectors(l.vectorsAtOnce())
	for i, v := range r {
		VMULPD(Mem{Base: x, Disp: i * l.bytes()}, scale, v)
	}
	// The second source is the result if either is NaN.
	lowest, highest := t.broadcast(l, "lowest"), t.broadcast(l, "highest")
	for _, v := range r {
		VMAXPD(v, lowest, v)
		VMINPD(v, highest, v)
	}
	perLog, round := t.broadcast(l, "perLog"), t.broadcast(l, "round")
	shifted := l.each(r, func(x, to VecVirtual) {
		VMOVAPD(round, to)
		VFMADD231PD(perLog, x, to)
	})
	k := l.each(shifted, func(x, to VecVirtual) { VSUBPD(round, x, to) })
	log, logLow := t.broadcast(l, "log"), t.broadcast(l, "logLow")
	for i, v := range r {
		VFNMADD231PD(log, k[i], v)
		VFNMADD231PD(logLow, k[i], v)
	}
	q := l.horner(t, "q", 10, r)
	one := t.broadcast(l, "one")
	for i, v := range r {
		square := l.vector()
		VMULPD(v, v, square)
		VFMADD231PD(square, q[i], v)
		VADDPD(one, v, v)
		l.timesPowerOfTwo(v, k[i], shifted[i], one)
		VMOVUPD(v, Mem{Base: x, Disp: i * l.bytes()})
	}
	ADDQ(U32(len(r)*l.bytes()), x)
	SUBQ(U32(len(r)*l.lanes), n)
	JG(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

// timesPowerOfTwo multiplies v by 2^k, rounding once. The low 32 bits of shifted are k too. Without
// an instruction for it, the factor is split into two that are normal, of which only the second can
// make the product round.
func (l level) timesPowerOfTwo(v, k, shifted, one VecVirtual) {
	if l.lanes == 8 {
		VSCALEFPD(k, v, v)
		return
	}
	half := l.vector()
	VPSRAD(Imm(1), shifted, half)
	VPSUBD(half, shifted, shifted)
	for _, exponent := range []VecVirtual{half, shifted} {
		VPSLLQ(Imm(52), exponent, exponent)
		VPADDQ(one, exponent, exponent)
		VMULPD(exponent, v, v)
	}
}
