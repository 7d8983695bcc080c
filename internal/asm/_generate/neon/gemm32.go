package main

import "fmt"

// sliver32 is the number of bytes from a row of a packed B to the next: asm.Cols32 float32s.
const sliver32 = 4 * 48

// gemm32 writes the micro-kernel of products in mixed precision: gemm for packed float32 operands, with twice the lanes, whose
// tile is then converted, scaled and added to C in float64.
func gemm32() []*function {
	f := newFunction("gemm32NEON", "(width, k int, a *float32, colA int, b *float32, scaleA, scaleB, c *float64, rowC int)",
		fmt.Sprintf("gemm32NEON is gemm32Portable for %d rows and 8 or 12 columns.", tileRows))
	f.scope(func() {
		width := f.argument("width")
		f.instruct(0, "CMP $12, %v", width)
		f.instruct(0, "BEQ wide")
	})
	f.scope(func() { f.tile32(2) })
	f.label("wide")
	f.scope(func() { f.tile32(3) })
	return []*function{f}
}

// tile32 is gemm32 for v vectors of columns.
func (f *function) tile32(v int) {
	k, a, b := f.argument("k"), f.argument("a"), f.argument("b")
	colA := f.argument("colA")
	f.instruct(0, "LSL $2, %v, %v", colA, colA)
	c := f.rows(f.argument("c"), f.bytesOf("rowC"), tileRows)
	for _, row := range c { // needed after the loop
		f.instruct(0, "PRFM (%v), PLDL1KEEP", row)
	}
	acc := f.manyVectors(tileRows * v)
	for _, x := range acc {
		f.zero(x)
	}
	f.loop(fmt.Sprintf("step%d", v), k, 1, fmt.Sprintf("8×%d", 4*v), func() {
		row, column := f.manyVectors(v), f.manyVectors(2)
		f.load(b, 0, row...)
		f.load(a, 0, column...)
		for r := range tileRows {
			for j, y := range row {
				f.addLane32(y, lane{column[r/4], r % 4}, acc[r*v+j])
			}
		}
		f.step(colA, a)
		f.advance(sliver32, b)
	})
	scaleA, scaleB := f.argument("scaleA"), f.argument("scaleB")
	for r, row := range c {
		f.scope(func() {
			scale := f.vector()
			f.loadElement(scaleA, 8*r, scale)
			for j, x := range acc[r*v:][:v] {
				f.addScaled(x, lane{scale, 0}, scaleB, row, 32*j)
			}
		})
	}
	f.result()
}

// addScaled adds the float32s of x, times factors at scaleB and then scaleA, to float64s at c, both so many bytes on.
func (f *function) addScaled(x vector, scaleA lane, scaleB, c general, at int) {
	f.scope(func() {
		wide, factors, sums := f.manyVectors(2), f.manyVectors(2), f.manyVectors(2)
		f.load(scaleB, at, factors...)
		f.load(c, at, sums...)
		f.widen(x, wide[0], wide[1])
		for i, v := range wide {
			f.times(v, factors[i], v)
			f.timesLane(v, scaleA, v)
			f.plus(sums[i], v, sums[i])
		}
		f.store(c, at, sums...)
	})
}
