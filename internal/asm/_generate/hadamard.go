package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// hadamard writes the stages of the Walsh-Hadamard transform: those within eight vectors, and those
// between vectors any stride apart, up to three stages in one pass over memory.
func hadamard(l level) {
	l.hadamardRuns()
	l.hadamardPass()
}

// hadamardRuns writes the transform of runs of eight vectors. Stages within a vector are a fused
// multiply-add each: ±x plus its neighbour, where the product by ±1 is exact.
func (l level) hadamardRuns() {
	TEXT("hadamardRuns"+l.name, NOSPLIT, "func(x, d *float64, n int, signs *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("hadamardRuns%s replaces each run of %d elements, of n in all, by its transform, after", l.name, 8*l.lanes),
		"multiplying by d unless that is nil.")
	x := Load(Param("x"), GP64()).(GPVirtual)
	d := Load(Param("d"), GP64()).(GPVirtual)
	n := Load(Param("n"), GP64()).(GPVirtual)
	table := Load(Param("signs"), GP64()).(GPVirtual)
	var signs []VecVirtual
	for stage := 0; 1<<stage < l.lanes; stage++ {
		s := l.vector()
		VMOVUPD(Mem{Base: table, Disp: 64 * stage}, s)
		signs = append(signs, s)
	}
	run := func(name string, load func(i int, v VecVirtual), pointers ...GPVirtual) {
		Label(name)
		v := l.vectors(8)
		for i := range v {
			load(i, v[i])
		}
		for stage, s := range signs {
			for _, v := range v {
				w := l.neighbours(v, stage)
				VFMADD213PD(w, s, v)
			}
		}
		l.butterflies(v)
		for i := range v {
			VMOVUPD(v[i], Mem{Base: x, Disp: i * l.bytes()})
		}
		for _, p := range pointers {
			ADDQ(U32(8*l.bytes()), p)
		}
		SUBQ(U32(8*l.lanes), n)
		JG(LabelRef(name))
	}
	at := func(base GPVirtual, i int) Mem { return Mem{Base: base, Disp: i * l.bytes()} }

	TESTQ(d, d)
	JE(LabelRef("plain"))
	run("diagonal", func(i int, v VecVirtual) {
		VMOVUPD(at(d, i), v)
		VMULPD(at(x, i), v, v)
	}, x, d)
	JMP(LabelRef("done"))
	run("plain", func(i int, v VecVirtual) { VMOVUPD(at(x, i), v) }, x)
	Label("done")
	VZEROUPPER()
	RET()
}

// neighbours returns the elements of v exchanged with those 1<<stage away.
func (l level) neighbours(v VecVirtual, stage int) VecVirtual {
	w := l.vector()
	switch {
	case stage == 0:
		VPERMILPD(Imm(1<<l.lanes/3), v, w) // 0101...
	case stage == 1:
		VPERMPD(Imm(0x4e), v, w)
	default:
		VSHUFF64X2(Imm(0x4e), v, v, w)
	}
	return w
}

// butterflies replaces the vectors by their transform, all stages between them.
func (l level) butterflies(v []VecVirtual) {
	for h := 1; h < len(v); h *= 2 {
		for i := range v {
			if i&h != 0 {
				continue
			}
			difference := l.vector()
			VSUBPD(v[i+h], v[i], difference)
			VADDPD(v[i+h], v[i], v[i])
			v[i+h] = difference
		}
	}
}

// hadamardPass writes one, two or three stages between vectors.
func (l level) hadamardPass() {
	TEXT("hadamardPass"+l.name, NOSPLIT, "func(radix int, x *float64, groups, count, stride int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("hadamardPass%s performs log2(radix) stages, for radix 2, 4 or 8, from the one of the given stride on.", l.name),
		fmt.Sprintf("Each group is radix runs of stride elements, of which it does the first count, a multiple of %d.", l.lanes))
	radix := Load(Param("radix"), GP64())
	for _, r := range []int{2, 4} {
		CMPQ(radix, Imm(uint64(r)))
		JE(LabelRef(fmt.Sprintf("radix%d", r)))
	}
	for _, r := range []int{8, 4, 2} {
		Label(fmt.Sprintf("radix%d", r))
		l.hadamardGroups(r)
	}
}

func (l level) hadamardGroups(radix int) {
	name := func(s string) string { return fmt.Sprintf("%s%d", s, radix) }
	x := Load(Param("x"), GP64()).(GPVirtual)
	groups := Load(Param("groups"), GP64()).(GPVirtual)
	count := Load(Param("count"), GP64()).(GPVirtual)
	stride := scaled("stride")
	Label(name("group"))
	from, left := GP64(), GP64()
	MOVQ(x, from)
	MOVQ(count, left)
	addresses := rowAddresses(from, stride, radix)

	Label(name("vectors"))
	v := l.vectors(radix)
	for i := range v {
		VMOVUPD(addresses[i], v[i])
	}
	l.butterflies(v)
	for i := range v {
		VMOVUPD(v[i], addresses[i])
	}
	ADDQ(U32(l.bytes()), from)
	SUBQ(U32(l.lanes), left)
	JG(LabelRef(name("vectors")))

	for range radix {
		ADDQ(stride, x)
	}
	DECQ(groups)
	JNE(LabelRef(name("group")))
	VZEROUPPER()
	RET()
}
