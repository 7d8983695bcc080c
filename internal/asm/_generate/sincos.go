package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// sincos writes the sine and cosine, 32 elements at most at a time, up to the first group that has an
// element out of range.
func sincos(l level) {
	TEXT("sincos"+l.name, NOSPLIT, "func(sin, cos, x *float64, n int, scale float64, table *float64) (done int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("sincos%s is sincosPortable for n elements, a multiple of 32. It stops before", l.name),
		"elements out of range and returns how many come before them, a multiple of 8.")
	sin := Load(Param("sin"), GP64()).(GPVirtual)
	cos := Load(Param("cos"), GP64()).(GPVirtual)
	l.circular("sincos", func(i int, s, c VecVirtual) {
		VMOVUPD(s, Mem{Base: sin, Disp: i * l.bytes()})
		VMOVUPD(c, Mem{Base: cos, Disp: i * l.bytes()})
	}, sin, cos)

	TEXT("cos"+l.name, NOSPLIT, "func(cos, x *float64, n int, scale float64, table *float64) (done int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("cos%s is sincos%s without the sine.", l.name, l.name))
	cos = Load(Param("cos"), GP64()).(GPVirtual)
	l.circular("cos", func(i int, _, c VecVirtual) {
		VMOVUPD(c, Mem{Base: cos, Disp: i * l.bytes()})
	}, cos)
}

// circular writes the loop over x of the functions sin, or cos alone, whose results go to store.
func (l level) circular(what string, store func(i int, s, c VecVirtual), outs ...GPVirtual) {
	at := map[string]int{"sincos": 32, "cos": 24}[what] // of scale among the arguments
	x := Load(Param("x"), GP64()).(GPVirtual)
	left := Load(Param("n"), GP64()).(GPVirtual)
	scale := l.vector()
	VBROADCASTSD(NewParamAddr("scale", at), scale)
	names := []string{"limit", "negativeZero", "perQuarter", "round", "quarter", "quarterLow", "quarterLowest", "one", "half", "two"}
	t := table{Load(Param("table"), GP64()).(GPVirtual), append(append(names, numbered("s", 6)...), numbered("c", 6)...)}
	done := GP64()
	XORQ(done, done)
	count := l.vectorsAtOnce()
	group := count * l.lanes

	TESTQ(left, left)
	JE(LabelRef("done"))
	Label("loop")
	r := l.vectors(count)
	for i, v := range r {
		VMOVUPD(Mem{Base: x, Disp: i * l.bytes()}, v)
	}
	l.leaveIfOut(r, t.broadcast(l, "limit"), t.broadcast(l, "negativeZero"))

	perQuarter, round := t.broadcast(l, "perQuarter"), t.broadcast(l, "round")
	turns := l.each(r, func(x, to VecVirtual) {
		VMOVAPD(round, to)
		VFMADD231PD(perQuarter, x, to)
	})
	quarters := []VecVirtual{t.broadcast(l, "quarter"), t.broadcast(l, "quarterLow"), t.broadcast(l, "quarterLowest")}
	for i, v := range r {
		k := l.vector()
		VSUBPD(round, turns[i], k)
		for _, q := range quarters {
			VFNMADD231PD(q, k, v)
		}
	}
	z := l.each(r, func(x, to VecVirtual) { VMULPD(x, x, to) })
	c := l.horner(t, "c", 6, z)
	half, one := t.broadcast(l, "half"), t.broadcast(l, "one")
	for i := range c {
		u, z2 := l.vector(), l.vector()
		VMOVAPD(one, u)
		VFNMADD231PD(half, z[i], u)
		VMULPD(z[i], z[i], z2)
		VFMADD213PD(u, z2, c[i])
	}
	s := l.horner(t, "s", 6, z)
	negativeZero := t.broadcast(l, "negativeZero")
	for i := range s {
		VMULPD(r[i], z[i], z[i])
		VFMADD213PD(r[i], z[i], s[i])
		l.keepSign(s[i], r[i], negativeZero)
	}
	two := t.broadcast(l, "two")
	for i := range s {
		sine, cosine := l.swapOdd(s[i], c[i], turns[i])
		// Bit 1 of the quarter turns is the sign of the sine, and of their successor that of the
		// cosine. Shifted to the top, one more quarter turn is bit 62, which is all that 2.0 has.
		VPSLLQ(Imm(62), turns[i], turns[i])
		next := l.vector()
		VPADDQ(two, turns[i], next)
		l.flip(cosine, next, negativeZero)
		VMULPD(scale, cosine, cosine)
		if what == "sincos" {
			l.flip(sine, turns[i], negativeZero)
			VMULPD(scale, sine, sine)
		}
		store(i, sine, cosine)
	}
	for _, p := range append(outs, x) {
		ADDQ(U32(8*group), p)
	}
	ADDQ(U32(group), done)
	SUBQ(U32(group), left)
	JG(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	Store(done, ReturnIndex(0))
	RET()
}

// leaveIfOut jumps to done if any of x is not at most limit in size.
func (l level) leaveIfOut(x []VecVirtual, limit, negativeZero VecVirtual) {
	notLessOrEqual := Imm(6)
	if l.lanes == 8 {
		out := K()
		for i, v := range x {
			size := l.vector()
			VPANDNQ(v, negativeZero, size)
			if i == 0 {
				VCMPPD(notLessOrEqual, limit, size, out)
				continue
			}
			next := K()
			VCMPPD(notLessOrEqual, limit, size, next)
			KORW(next, out, out)
		}
		KTESTB(out, out)
		JNE(LabelRef("done"))
		return
	}
	out := l.vector()
	for i, v := range x {
		size := l.vector()
		VANDNPD(v, negativeZero, size)
		if i == 0 {
			VCMPPD(notLessOrEqual, limit, size, out)
			continue
		}
		VCMPPD(notLessOrEqual, limit, size, size)
		VORPD(size, out, out)
	}
	bits := GP32()
	VMOVMSKPD(out, bits)
	TESTL(bits, bits)
	JNE(LabelRef("done"))
}

// swapOdd returns s and c, exchanged where the lowest bit of turns is 1.
func (l level) swapOdd(s, c, turns VecVirtual) (sine, cosine VecVirtual) {
	odd := l.vector()
	VPSLLQ(Imm(63), turns, odd)
	sine, cosine = l.vector(), l.vector()
	if l.lanes == 8 {
		k := K()
		VPMOVQ2M(odd, k)
		VBLENDMPD(c, s, k, sine)
		VBLENDMPD(s, c, k, cosine)
		return sine, cosine
	}
	VBLENDVPD(odd, c, s, sine)
	VBLENDVPD(odd, s, c, cosine)
	return sine, cosine
}
