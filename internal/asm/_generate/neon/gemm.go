package main

import "fmt"

// tileRows is the height of a tile of C in registers. With three vectors of columns it leaves 24 sums, three vectors of B
// and four of A: 31 of 32 registers.
const tileRows = 8

// gemm writes the micro-kernel: a tile of C is a sum of k outer products of a column of A and a row of B, kept in
// registers, then scaled by alpha and stored or added.
func gemm() []*function {
	f := newFunction("gemmNEON", "(width, k int, a *float64, rowA, colA int, b *float64, rowB int, alpha float64, c *float64, rowC int, add bool)",
		fmt.Sprintf("gemmNEON is gemmPortable for %d rows and 4 or 6 columns.", tileRows))
	width, rowA := f.argument("width"), f.argument("rowA")
	f.instruct(0, "CMP $6, %v", width)
	f.instruct(0, "BEQ wide")
	for _, v := range []int{2, 3} {
		if v == 3 {
			f.label("wide")
		}
		f.instruct(0, "CMP $1, %v", rowA)
		f.instruct(0, "BEQ packed%d", v)
		f.tile(v, false)
		f.label(fmt.Sprintf("packed%d", v))
		f.tile(v, true)
	}
	return []*function{f}
}

// tile is gemm for v vectors of columns, where columns of A are contiguous if packed.
func (f *function) tile(v int, packed bool) {
	name, what := fmt.Sprintf("Strided%d", v), fmt.Sprintf("8×%d, strided", 2*v)
	if packed {
		name, what = fmt.Sprintf("Packed%d", v), fmt.Sprintf("8×%d, packed", 2*v)
	}
	f.scope(func() {
		k, a, colA := f.argument("k"), f.argument("a"), f.bytesOf("colA")
		b, rowB := f.argument("b"), f.bytesOf("rowB")
		c := f.rows(f.argument("c"), f.bytesOf("rowC"), tileRows)
		for _, row := range c { // needed after the loop
			f.instruct(0, "PRFM (%v), PLDL1KEEP", row)
		}
		var offsets []general // of rows of A but the first
		if !packed {
			stride := f.bytesOf("rowA")
			offsets = f.rows(stride, stride, tileRows-1)
		}
		acc := f.manyVectors(tileRows * v)
		for _, x := range acc {
			f.zero(x)
		}
		f.loop("step"+name, k, 1, what, func() {
			row := f.manyVectors(v)
			f.load(b, 0, row...)
			if packed {
				f.packedStep(a, row, acc)
			} else {
				f.stridedStep(a, offsets, row, acc)
			}
			f.step(colA, a)
			f.step(rowB, b)
		})
		f.finish(name, v, acc, c)
	})
}

func (f *function) packedStep(a general, row, acc []vector) {
	column := f.manyVectors(tileRows / 2)
	f.load(a, 0, column...)
	for r := range tileRows {
		f.addRow(lane{column[r/2], r % 2}, row, acc[r*len(row):])
	}
}

// stridedStep has an element of A to a register, and takes registers in turn.
func (f *function) stridedStep(a general, offsets []general, row, acc []vector) {
	elements := f.manyVectors(tileRows / 2)
	for r := range tileRows {
		x := elements[r%len(elements)]
		if r == 0 {
			f.loadElement(a, 0, x)
		} else {
			f.instruct(0, "FMOVD (%v)(%v), %s", a, offsets[r-1], x.register())
		}
		f.addRow(lane{x, 0}, row, acc[r*len(row):])
	}
}

func (f *function) addRow(x lane, row, acc []vector) {
	for j, y := range row {
		f.addLane(y, x, acc[j])
	}
}

// finish stores alpha times the sums, or adds it, and returns.
func (f *function) finish(name string, v int, acc []vector, c []general) {
	f.scope(func() {
		alpha := f.vector()
		add := f.general()
		f.instruct(0, "FMOVD %s, %s", f.parameter("alpha"), alpha.register())
		f.instruct(0, "MOVBU %s, %v", f.parameter("add"), add)
		f.instruct(0, "CBZ %v, store%s", add, name)
		old := f.manyVectors(v)
		for r, row := range c {
			f.load(row, 0, old...)
			f.addRow(lane{alpha, 0}, acc[r*v:][:v], old)
			f.store(row, 0, old...)
		}
		f.result()
		f.label("store" + name)
		for r, row := range c {
			sums := acc[r*v:][:v]
			for _, x := range sums {
				f.timesLane(x, lane{alpha, 0}, x)
			}
			f.store(row, 0, sums...)
		}
		f.result()
	})
}
