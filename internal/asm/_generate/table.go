package main

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A table names the constants of a vector function in their order in memory. The routine is given
// their address, so that they are written down once, in Go, beside the portable twin. They are
// broadcast where they are used, unless kept: loads are nearly free beside the arithmetic of several vectors.
type table struct {
	base  GPVirtual
	names []string
	kept  map[string]VecVirtual
}

// keep loads constants that then stay in registers, where there are 32 of them.
func (t *table) keep(l level, names ...string) {
	if l.lanes < 8 {
		return
	}
	kept := map[string]VecVirtual{}
	for _, name := range names {
		kept[name] = t.broadcast(l, name)
	}
	t.kept = kept
}

// broadcast returns a vector of the named constant.
func (t table) broadcast(l level, name string) VecVirtual {
	i := slices.Index(t.names, name)
	if i < 0 {
		panic(fmt.Sprintf("generate: no constant %q", name))
	}
	if v, ok := t.kept[name]; ok {
		return v
	}
	v := l.vector()
	VBROADCASTSD(Mem{Base: t.base, Disp: 8 * i}, v)
	return v
}

// numbered returns name0 to name(n-1).
func numbered(name string, n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprint(name, i))
	}
	return all
}

// horner returns at each argument in x the polynomial with coefficients name0 to name(n-1), from the
// highest down, in fused multiply-adds.
func (l level) horner(t table, name string, n int, x []VecVirtual) []VecVirtual {
	sum := l.vectors(len(x))
	for i := n - 1; i >= 0; i-- {
		c := t.broadcast(l, fmt.Sprint(name, i))
		for j, s := range sum {
			if i == n-1 {
				VMOVAPD(c, s)
			} else {
				VFMADD213PD(c, x[j], s)
			}
		}
	}
	return sum
}

// each returns the results of do for each of x.
func (l level) each(x []VecVirtual, do func(x, to VecVirtual)) []VecVirtual {
	to := l.vectors(len(x))
	for i := range x {
		do(x[i], to[i])
	}
	return to
}

// toIntegers stores round + per x in to, an integer but for what round adds to it, in its lowest bits.
func (l level) toIntegers(x, to []VecVirtual, per, round VecVirtual) {
	for i, v := range to {
		VMOVAPD(round, v)
		VFMADD231PD(per, x[i], v)
	}
}

// testAbove sets the flags of the processor to equal if no element of x differs from round above its lowest
// bits, and to unequal otherwise.
func (l level) testAbove(bits uint64, x []VecVirtual, round VecVirtual) {
	out := l.vector()
	if l.lanes == 8 {
		VPXORQ(round, x[0], out)
		for _, v := range x[1:] {
			VPTERNLOGQ(Imm(0xf6), round, v, out) // out | (v ^ round)
		}
		VPSRLQ(Imm(bits), out, out)
		k := K()
		VPTESTMQ(out, out, k)
		KTESTB(k, k)
		return
	}
	next := l.vector()
	VXORPD(round, x[0], out)
	for _, v := range x[1:] {
		VXORPD(round, v, next)
		VORPD(next, out, out)
	}
	VPSRLQ(Imm(bits), out, out)
	VPTEST(out, out)
}

// flip changes the sign of x where mask has a sign bit, for sign -0; mask is spent.
func (l level) flip(x, mask, sign VecVirtual) {
	if l.lanes == 8 {
		VPTERNLOGQ(Imm(0x78), sign, mask, x) // x ^ (mask & sign)
		return
	}
	VANDPD(sign, mask, mask)
	VXORPD(mask, x, x)
}

// keepSign gives x, zero or of the sign of from, that sign, for sign -0; from is spent.
func (l level) keepSign(x, from, sign VecVirtual) {
	if l.lanes == 8 {
		VPTERNLOGQ(Imm(0xf8), sign, from, x) // x | (from & sign)
		return
	}
	VANDPD(sign, from, from)
	VORPD(from, x, x)
}
