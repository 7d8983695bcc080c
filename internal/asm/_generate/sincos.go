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
	Doc(fmt.Sprintf("sincos%s is sincosPortable for n elements, a multiple of 64. It stops before", l.name),
		"elements out of range and returns how many come before them, a multiple of 8.")
	sin := Load(Param("sin"), GP64()).(GPVirtual)
	cos := Load(Param("cos"), GP64()).(GPVirtual)
	l.circular(32, nil, func(t table, scale VecVirtual, r, turns []VecVirtual) {
		l.bothSeries(t, scale, r, turns, sin, cos)
	}, sin, cos)

	TEXT("cos"+l.name, NOSPLIT, "func(cos, x *float64, n int, scale float64, table *float64) (done int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("cos%s is sincos%s without the sine.", l.name, l.name))
	cos = Load(Param("cos"), GP64()).(GPVirtual)
	kept := []string{"perQuarter", "round", "quarter", "quarterLow", "quarterLowest", "half", "one", "two", "negativeZero"}
	l.circular(24, kept, func(t table, scale VecVirtual, r, turns []VecVirtual) {
		l.oneSeries(t, scale, r, turns, cos)
	}, cos)
}

// circular writes the loop over x: the reduction to r and quarter turns, and what finish does with them and stores
// at outs. The argument scale is at bytes from the first. Registers hold the constants to keep.
func (l level) circular(at int, keep []string, finish func(t table, scale VecVirtual, r, turns []VecVirtual), outs ...GPVirtual) {
	x := Load(Param("x"), GP64()).(GPVirtual)
	left := Load(Param("n"), GP64()).(GPVirtual)
	scale := l.vector()
	VBROADCASTSD(NewParamAddr("scale", at), scale)
	names := []string{"negativeZero", "perQuarter", "round", "quarter", "quarterLow", "quarterLowest", "one", "half", "two"}
	t := table{Load(Param("table"), GP64()).(GPVirtual), append(append(names, numbered("s", terms)...), numbered("c", terms)...), nil}
	t.keep(l, keep...)
	done := GP64()
	XORQ(done, done)
	count := l.lanes / 2 // vectors at once, as there are registers for
	group := count * l.lanes

	TESTQ(left, left)
	JE(LabelRef("done"))
	Label("loop")
	r := l.vectors(count)
	for i, v := range r {
		VMOVUPD(Mem{Base: x, Disp: i * l.bytes()}, v)
	}
	perQuarter, round := t.broadcast(l, "perQuarter"), t.broadcast(l, "round")
	turns := l.vectors(count)
	l.toIntegers(r, turns, perQuarter, round)
	l.testAbove(31, turns, round)
	JNE(LabelRef("done"))
	quarters := []VecVirtual{t.broadcast(l, "quarter"), t.broadcast(l, "quarterLow"), t.broadcast(l, "quarterLowest")}
	for i, v := range r {
		k := l.vector()
		VSUBPD(round, turns[i], k)
		for _, q := range quarters {
			VFNMADD231PD(q, k, v)
		}
	}
	finish(t, scale, r, turns)
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

// terms is the number of coefficients of each series.
const terms = 6

// bothSeries stores sines and cosines.
func (l level) bothSeries(t table, scale VecVirtual, r, turns []VecVirtual, sin, cos GPVirtual) {
	z := l.each(r, func(x, to VecVirtual) { VMULPD(x, x, to) })
	c := l.horner(t, "c", terms, z)
	half, one := t.broadcast(l, "half"), t.broadcast(l, "one")
	for i := range c {
		u, z2 := l.vector(), l.vector()
		VMOVAPD(one, u)
		VFNMADD231PD(half, z[i], u)
		VMULPD(z[i], z[i], z2)
		VFMADD213PD(u, z2, c[i])
	}
	s := l.horner(t, "s", terms, z)
	negativeZero := t.broadcast(l, "negativeZero")
	for i := range s {
		VMULPD(r[i], z[i], z[i])
		VFMADD213PD(r[i], z[i], s[i])
		l.keepSign(s[i], r[i], negativeZero)
	}
	two := t.broadcast(l, "two")
	for i := range s {
		sine, cosine := l.vector(), l.vector()
		choose := l.whereOdd(turns[i])
		choose(c[i], s[i], sine)
		choose(s[i], c[i], cosine)
		l.signs(sine, cosine, turns[i], two, negativeZero)
		VMULPD(scale, sine, sine)
		VMULPD(scale, cosine, cosine)
		VMOVUPD(sine, Mem{Base: sin, Disp: i * l.bytes()})
		VMOVUPD(cosine, Mem{Base: cos, Disp: i * l.bytes()})
	}
}

// oneSeries stores cosines. Each element takes the coefficients of the series that it needs, so that there is
// one to sum where bothSeries has two. Zero, whose sign that cares for, is no sine that is needed here.
func (l level) oneSeries(t table, scale VecVirtual, r, turns []VecVirtual, cos GPVirtual) {
	z := l.each(r, func(x, to VecVirtual) { VMULPD(x, x, to) })
	choose := make([]func(odd, even, to VecVirtual), len(r))
	for i := range r {
		choose[i] = l.whereOdd(turns[i])
	}
	// What is written under a mask counts as read before: more registers would be live all around the loop.
	sum, term, factor := l.vectors(len(r)), l.vector(), l.vector()
	for j := terms - 1; j >= 0; j-- {
		s, c := t.broadcast(l, fmt.Sprint("s", j)), t.broadcast(l, fmt.Sprint("c", j))
		for i := range sum {
			if j == terms-1 {
				choose[i](s, c, sum[i])
				continue
			}
			choose[i](s, c, term)
			VFMADD213PD(term, z[i], sum[i])
		}
	}
	half, one := t.broadcast(l, "half"), t.broadcast(l, "one")
	for i := range sum {
		first := l.vector()
		VMOVAPD(one, first)
		VFNMADD231PD(half, z[i], first)
		choose[i](r[i], first, first)
		choose[i](r[i], z[i], factor)
		VMULPD(z[i], factor, factor)
		VFMADD213PD(first, factor, sum[i])
	}
	two, negativeZero := t.broadcast(l, "two"), t.broadcast(l, "negativeZero")
	for i := range sum {
		l.signs(nil, sum[i], turns[i], two, negativeZero)
		VMULPD(scale, sum[i], sum[i])
		VMOVUPD(sum[i], Mem{Base: cos, Disp: i * l.bytes()})
	}
}

// signs gives sine, unless nil, and cosine their signs after turns, which are spent. Bit 1 of the quarter turns
// is the sign of the sine, and of their successor that of the cosine. Shifted to the top, one more quarter turn
// is bit 62, which is all that 2.0 has.
func (l level) signs(sine, cosine, turns, two, negativeZero VecVirtual) {
	VPSLLQ(Imm(62), turns, turns)
	next := l.vector()
	VPADDQ(two, turns, next)
	l.flip(cosine, next, negativeZero)
	if sine != nil {
		l.flip(sine, turns, negativeZero)
	}
}

// whereOdd returns a function that stores in to the elements of odd where the lowest bit of turns is 1, and
// those of even elsewhere.
func (l level) whereOdd(turns VecVirtual) func(odd, even, to VecVirtual) {
	top := l.vector()
	VPSLLQ(Imm(63), turns, top)
	if l.lanes == 8 {
		k := K()
		VPMOVQ2M(top, k)
		return func(odd, even, to VecVirtual) { VBLENDMPD(odd, even, k, to) }
	}
	return func(odd, even, to VecVirtual) { VBLENDVPD(top, odd, even, to) }
}
