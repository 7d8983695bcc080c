package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Orders of the triangular solve's tile, the same for every level so that all round alike.
const (
	solveRows = 8
	solveCols = 24
)

// solve writes the forward substitution with a lower triangle of order 8, stored by rows of 8, on a
// tile of 8×24: a vector of columns at a time at AVX2, all three at once at AVX-512.
func solve(l level) {
	TEXT("solve"+l.name, NOSPLIT, "func(t, x *float64, rowX int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("solve%s is solvePortable.", l.name))
	t := Load(Param("t"), GP64()).(GPVirtual)
	x := Load(Param("x"), GP64()).(GPVirtual)
	row := scaled("rowX")
	at := rowAddresses(x, row, solveRows)

	vectors := 1
	if l.lanes == 8 {
		vectors = solveCols / l.lanes
	}
	loops := solveCols / (vectors * l.lanes)
	count := GP64()
	if loops > 1 {
		MOVQ(U64(uint64(loops)), count)
		Label("strip")
	}
	tile := l.vectors(solveRows * vectors)
	for r := range solveRows {
		for j := range vectors {
			VMOVUPD(at[r].Offset(j*l.bytes()), tile[r*vectors+j])
		}
	}
	for r := range solveRows {
		coef := l.vector()
		for s := range r {
			VBROADCASTSD(Mem{Base: t, Disp: 8 * (r*solveRows + s)}, coef)
			for j := range vectors {
				VFNMADD231PD(coef, tile[s*vectors+j], tile[r*vectors+j])
			}
		}
		VBROADCASTSD(Mem{Base: t, Disp: 8 * (r*solveRows + r)}, coef)
		for j := range vectors {
			v := tile[r*vectors+j]
			VDIVPD(coef, v, v)
			VMOVUPD(v, at[r].Offset(j*l.bytes()))
		}
	}
	if loops > 1 {
		ADDQ(Imm(uint64(vectors*l.bytes())), x)
		DECQ(count)
		JNE(LabelRef("strip"))
	}
	VZEROUPPER()
	RET()
}
