package main

import "fmt"

// hadamard writes the stages of the Walsh-Hadamard transform: those within sixteen vectors, and those between vectors any
// stride apart, up to three stages in one pass over memory.
func hadamard() []*function { return []*function{hadamardRuns(), hadamardPass()} }

// hadamardRuns writes the transform of runs of sixteen vectors. The stage within a vector is a fused multiply-add: ±x
// plus its neighbour, where the product by ±1 is exact.
func hadamardRuns() *function {
	const run = 16
	f := newFunction("hadamardRunsNEON", "(x, d *float64, n int, signs *float64)",
		fmt.Sprintf("hadamardRunsNEON replaces each run of %d elements, of n in all, by its transform, after", 2*run),
		"multiplying by d unless that is nil.")
	x, d, n := f.argument("x"), f.argument("d"), f.argument("n")
	signs := f.vector()
	f.scope(func() { f.load(f.argument("signs"), 0, signs) })
	transform := func(v []vector) {
		for i := range v {
			w := f.vector()
			f.swapped(v[i], w)
			f.add(v[i], signs, w)
			f.release(v[i])
			v[i] = w
		}
		f.butterflies(v)
		f.store(x, 0, v...)
		f.advance(16*run, x)
	}
	f.instruct(0, "CBZ %v, plain", d)
	f.loop("diagonal", n, 2*run, fmt.Sprint(2*run, " elements, diagonal"), func() {
		v := f.manyVectors(run)
		f.load(x, 0, v...)
		for i := range v {
			factor := f.vector()
			f.load(d, 16*i, factor)
			f.times(v[i], factor, v[i])
			f.release(factor)
		}
		f.advance(16*run, d)
		transform(v)
	})
	f.result()
	f.label("plain")
	f.loop("identity", n, 2*run, fmt.Sprint(2*run, " elements"), func() {
		v := f.manyVectors(run)
		f.load(x, 0, v...)
		transform(v)
	})
	f.result()
	return f
}

// butterflies replaces the vectors by their transform, all stages between them.
func (f *function) butterflies(v []vector) {
	for h := 1; h < len(v); h *= 2 {
		for i := range v {
			if i&h != 0 {
				continue
			}
			difference := f.vector()
			f.minus(v[i], v[i+h], difference)
			f.plus(v[i], v[i+h], v[i])
			f.release(v[i+h])
			v[i+h] = difference
		}
	}
}

// hadamardPass writes one, two or three stages between vectors.
func hadamardPass() *function {
	f := newFunction("hadamardPassNEON", "(radix int, x *float64, groups, count, stride int)",
		"hadamardPassNEON performs log2(radix) stages, for radix 2, 4 or 8, from the one of the given stride on.",
		"Each group is radix runs of stride elements, of which it does the first count, a multiple of 4.")
	radix := f.argument("radix")
	for _, r := range []int{2, 4} {
		f.instruct(0, "CMP $%d, %v", r, radix)
		f.instruct(0, "BEQ radix%d", r)
	}
	for _, r := range []int{8, 4, 2} {
		f.label(fmt.Sprintf("radix%d", r))
		f.scope(func() { f.hadamardGroups(r) })
	}
	return f
}

// hadamardGroups takes two vectors of each run at a time.
func (f *function) hadamardGroups(radix int) {
	x, groups, count, stride := f.argument("x"), f.argument("groups"), f.argument("count"), f.bytesOf("stride")
	f.loop(fmt.Sprintf("groups%d", radix), groups, 1, "", func() {
		from, left := f.general(), f.general()
		f.move(x, from)
		f.move(count, left)
		runs := f.rows(from, stride, radix)
		f.loop(fmt.Sprintf("vectors%d", radix), left, 4, fmt.Sprintf("radix %d", radix), func() {
			first, second := f.manyVectors(radix), f.manyVectors(radix)
			for i, run := range runs {
				f.load(run, 0, first[i], second[i])
			}
			f.butterflies(first)
			f.butterflies(second)
			for i, run := range runs {
				f.store(run, 0, first[i], second[i])
			}
			f.advance(32, runs...)
		})
		for range radix {
			f.step(stride, x)
		}
	})
	f.result()
}
