package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// exp writes the exponential in place, by 64 elements with AVX-512 and 8 with AVX2: so many vectors that none waits
// for the one before it, as far as there are registers.
func exp(l level) {
	TEXT("exp"+l.name, NOSPLIT, "func(x *float64, n int, scale float64, table *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("exp%s is expPortable for n elements, a multiple of 64.", l.name))
	x := Load(Param("x"), GP64()).(GPVirtual)
	n := Load(Param("n"), GP64())
	scale := l.vector()
	VBROADCASTSD(NewParamAddr("scale", 16), scale)
	t := table{Load(Param("table"), GP64()).(GPVirtual),
		append([]string{"lowest", "highest", "perLog", "round", "log", "logLow", "one", "unbiased"}, numbered("q", 10)...), nil}

	TESTQ(n, n)
	JE(LabelRef("done"))
	Label("loop")
	r := l.vectors(map[int]int{4: 2, 8: 8}[l.lanes])
	for i, v := range r {
		VMULPD(Mem{Base: x, Disp: i * l.bytes()}, scale, v)
	}
	perLog, round := t.broadcast(l, "perLog"), t.broadcast(l, "round")
	shifted := l.vectors(len(r))
	l.toIntegers(r, shifted, perLog, round)
	l.testAbove(11, shifted, round)
	JE(LabelRef("inRange"))
	// The second source is the result if either is NaN.
	lowest, highest := t.broadcast(l, "lowest"), t.broadcast(l, "highest")
	for _, v := range r {
		VMAXPD(v, lowest, v)
		VMINPD(v, highest, v)
	}
	l.toIntegers(r, shifted, perLog, round)
	Label("inRange")
	k := l.each(shifted, func(x, to VecVirtual) { VSUBPD(round, x, to) })
	for _, name := range []string{"log", "logLow"} {
		log := t.broadcast(l, name)
		for i, v := range r {
			VFNMADD231PD(log, k[i], v)
		}
	}
	q := l.horner(t, "q", 10, r)
	one, unbiased := t.broadcast(l, "one"), t.broadcast(l, "unbiased")
	for i, v := range r {
		square := l.vector()
		VMULPD(v, v, square)
		VFMADD213PD(v, square, q[i])
		VADDPD(one, q[i], q[i])
		l.timesPowerOfTwo(q[i], k[i], shifted[i], unbiased)
		VMOVUPD(q[i], Mem{Base: x, Disp: i * l.bytes()})
	}
	ADDQ(U32(len(r)*l.bytes()), x)
	SUBQ(U32(len(r)*l.lanes), n)
	JG(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

// timesPowerOfTwo multiplies v by 2^k, rounding once. The low 32 bits of shifted are k + 2^10. Without
// an instruction for it, the factor is split into two that are normal, of which only the second can
// make the product round.
func (l level) timesPowerOfTwo(v, k, shifted, unbiased VecVirtual) {
	if l.lanes == 8 {
		VSCALEFPD(k, v, v)
		return
	}
	half := l.vector()
	VPSRAD(Imm(1), shifted, half)
	VPSUBD(half, shifted, shifted)
	for _, exponent := range []VecVirtual{half, shifted} {
		VPSLLQ(Imm(52), exponent, exponent)
		VPADDQ(unbiased, exponent, exponent)
		VMULPD(exponent, v, v)
	}
}
