package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// waveTerms is the number of coefficients of the cosine, of which the first is 1.
const waveTerms = 9

// waves writes a sum of cosines. The eight partial sums stay in registers; processors reorder enough instructions that the
// few elements at a time need not be more.
func waves(l level) {
	TEXT("waves"+l.name, NOSPLIT, "func(sum, x, shift, amplitude *float64, n int, table *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("waves%s is wavesPortable for n elements, a multiple of 32.", l.name))
	out := Load(Param("sum"), GP64()).(GPVirtual)
	x := Load(Param("x"), GP64()).(GPVirtual)
	shift := Load(Param("shift"), GP64()).(GPVirtual)
	amplitude := Load(Param("amplitude"), GP64()).(GPVirtual)
	left := Load(Param("n"), GP64()).(GPVirtual)
	names := append([]string{"perHalf", "round", "most"}, numbered("c", waveTerms)...)
	t := table{Load(Param("table"), GP64()).(GPVirtual), names, nil}
	t.keep(l, names...)
	sums := l.vectors(8 / l.lanes)
	at := func(base GPVirtual, i int) Mem { return Mem{Base: base, Disp: i * l.bytes()} }
	for i, v := range sums {
		VMOVUPD(at(out, i), v)
	}
	count := l.lanes / 2 // vectors at once, as there are registers for

	TESTQ(left, left)
	JE(LabelRef("done"))
	Label("loop")
	perHalf, round := t.broadcast(l, "perHalf"), t.broadcast(l, "round")
	r, halves := l.vectors(count), l.vectors(count)
	for i, s := range r {
		VMOVUPD(at(x, i), s)
		VFMADD213PD(at(shift, i), perHalf, s)
		VADDPD(round, s, halves[i])
		k := l.vector()
		VSUBPD(round, halves[i], k)
		VSUBPD(k, s, s)
	}
	most := t.broadcast(l, "most")
	z := l.each(r, func(x, to VecVirtual) {
		VMULPD(x, x, to)
		VMINPD(to, most, to) // the second source is the result if either is NaN: NaN
	})
	c := l.horner(t, "c", waveTerms, z)
	for i, v := range c {
		VPSLLQ(Imm(63), halves[i], halves[i])
		if l.lanes == 8 {
			VPXORQ(halves[i], v, v)
		} else {
			VXORPD(halves[i], v, v)
		}
		VFMADD231PD(at(amplitude, i), v, sums[i%len(sums)])
	}
	for _, p := range []GPVirtual{x, shift, amplitude} {
		ADDQ(U32(count*l.bytes()), p)
	}
	SUBQ(U32(count*l.lanes), left)
	JG(LabelRef("loop"))
	Label("done")
	for i, v := range sums {
		VMOVUPD(v, at(out, i))
	}
	VZEROUPPER()
	RET()
}
