package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// interleave writes the transpose of eight rows, in squares as wide as a vector.
func interleave(l level) {
	TEXT("interleave"+l.name, NOSPLIT, "func(dst *float64, width, depth int, src *float64, row int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("interleave%s is interleavePortable for a depth that is a multiple of %d.", l.name, l.lanes))
	dst := Load(Param("dst"), GP64()).(GPVirtual)
	width := scaled("width")
	depth := Load(Param("depth"), GP64())
	src := Load(Param("src"), GP64()).(GPVirtual)
	from := rowAddresses(src, scaled("row"), 8)

	Label("loop")
	TESTQ(depth, depth)
	JE(LabelRef("done"))
	for first := 0; first < 8; first += l.lanes {
		square := l.vectors(l.lanes)
		for i, v := range square {
			VMOVUPD(from[first+i], v)
		}
		to := GP64()
		MOVQ(dst, to)
		for _, v := range l.transposed(square) {
			VMOVUPD(v, Mem{Base: to, Disp: 8 * first})
			ADDQ(width, to)
		}
		if first+l.lanes == 8 {
			MOVQ(to, dst)
		}
	}
	ADDQ(Imm(uint64(l.bytes())), src)
	SUBQ(Imm(uint64(l.lanes)), depth)
	JMP(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

// transposed returns the columns of a square of vectors: elements are exchanged within pairs of rows,
// then pairs of elements between pairs of rows, and, of eight, between fours of rows.
func (l level) transposed(r []VecVirtual) []VecVirtual {
	even, odd := l.pairs(r)
	columns := make([]VecVirtual, l.lanes)
	for parity, t := range [][]VecVirtual{even, odd} {
		for i, c := range l.blocks(t) {
			columns[2*i+parity] = c
		}
	}
	return columns
}

// pairs joins the even, and the odd, elements of rows 0 and 1, 2 and 3, and so on.
func (l level) pairs(r []VecVirtual) (even, odd []VecVirtual) {
	for i := 0; i < len(r); i += 2 {
		e, o := l.vector(), l.vector()
		VUNPCKLPD(r[i+1], r[i], e)
		VUNPCKHPD(r[i+1], r[i], o)
		even, odd = append(even, e), append(odd, o)
	}
	return even, odd
}

// blocks transposes a square of pairs of elements.
func (l level) blocks(t []VecVirtual) []VecVirtual {
	if l.lanes == 4 {
		low, high := l.vector(), l.vector()
		VPERM2F128(Imm(0x20), t[1], t[0], low)
		VPERM2F128(Imm(0x31), t[1], t[0], high)
		return []VecVirtual{low, high}
	}
	const evens, odds = 0x88, 0xdd // blocks 0 and 2, or 1 and 3, of both operands
	shuffle := func(choice uint64, a, b VecVirtual) VecVirtual {
		v := l.vector()
		VSHUFF64X2(Imm(choice), b, a, v)
		return v
	}
	a0, a1 := shuffle(evens, t[0], t[1]), shuffle(odds, t[0], t[1])
	b0, b1 := shuffle(evens, t[2], t[3]), shuffle(odds, t[2], t[3])
	return []VecVirtual{shuffle(evens, a0, b0), shuffle(evens, a1, b1), shuffle(odds, a0, b0), shuffle(odds, a1, b1)}
}
