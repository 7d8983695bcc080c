package main

import "fmt"

// Results come last. Go's assembler has no names for most instructions on vectors of floating-point numbers: these are
// written as numbers, with the name in Arm's manual and its order of operands, result first, beside them.

// word writes an instruction by its encoding, for operands in the fields of a result d and sources n and m.
func (f *function) word(flops int, encoding uint32, name string, d, n, m int, operands string) {
	encoding |= uint32(m)<<16 | uint32(n)<<5 | uint32(d)
	f.instruct(flops, "WORD $0x%08x // %s %s", encoding, name, operands)
}

func (f *function) three(flops int, encoding uint32, name string, a, b, to vector) {
	f.word(flops, encoding, name, int(to), int(a), int(b), fmt.Sprintf("v%d.2d, v%d.2d, v%d.2d", to, a, b))
}

func (f *function) two(flops int, encoding uint32, name string, x, to vector) {
	f.word(flops, encoding, name, int(to), int(x), 0, fmt.Sprintf("v%d.2d, v%d.2d", to, x))
}

// byLane writes an instruction whose second source is one lane.
func (f *function) byLane(flops int, encoding uint32, name string, a vector, b lane, to vector) {
	encoding |= uint32(b.i) << 11
	f.word(flops, encoding, name, int(to), int(a), int(b.vector), fmt.Sprintf("v%d.2d, v%d.2d, v%d.d[%d]", to, a, b.vector, b.i))
}

// Arithmetic of both lanes.
func (f *function) plus(a, b, to vector)                  { f.three(2, 0x4e60d400, "fadd", a, b, to) }
func (f *function) minus(a, b, to vector)                 { f.three(2, 0x4ee0d400, "fsub", a, b, to) }
func (f *function) times(a, b, to vector)                 { f.three(2, 0x6e60dc00, "fmul", a, b, to) }
func (f *function) over(a, b, to vector)                  { f.three(2, 0x6e60fc00, "fdiv", a, b, to) }
func (f *function) distance(a, b, to vector)              { f.three(2, 0x6ee0d400, "fabd", a, b, to) }  // |a - b|
func (f *function) larger(a, b, to vector)                { f.three(0, 0x4e60f400, "fmax", a, b, to) }  // NaN if either is
func (f *function) smaller(a, b, to vector)               { f.three(0, 0x4ee0f400, "fmin", a, b, to) }  // NaN if either is
func (f *function) above(a, b, to vector)                 { f.three(0, 0x6ee0e400, "fcmgt", a, b, to) } // all bits where a > b
func (f *function) root(x, to vector)                     { f.two(2, 0x6ee1f800, "fsqrt", x, to) }
func (f *function) timesLane(a vector, b lane, to vector) { f.byLane(2, 0x4fc09000, "fmul", a, b, to) }

// absolute clears the signs.
func (f *function) absolute(x, to vector) { f.two(0, 0x4ee0f800, "fabs", x, to) }

// aboveZero sets all bits where x > 0.
func (f *function) aboveZero(x, to vector) {
	f.word(0, 0x4ee0c800, "fcmgt", int(to), int(x), 0, fmt.Sprintf("v%d.2d, v%d.2d, #0", to, x))
}

// belowZero sets all bits where x < 0.
func (f *function) belowZero(x, to vector) {
	f.word(0, 0x4ee0e800, "fcmlt", int(to), int(x), 0, fmt.Sprintf("v%d.2d, v%d.2d, #0", to, x))
}

// Fused multiply-adds: to + a b and to - a b.
func (f *function) add(a, b, to vector)                 { f.instruct(4, "VFMLA %v, %v, %v", b, a, to) }
func (f *function) subtract(a, b, to vector)            { f.instruct(4, "VFMLS %v, %v, %v", b, a, to) }
func (f *function) addLane(a vector, b lane, to vector) { f.byLane(4, 0x4fc01000, "fmla", a, b, to) }
func (f *function) subtractLane(a vector, b lane, to vector) {
	f.byLane(4, 0x4fc05000, "fmls", a, b, to)
}

// addLane32 adds the float32s of a times one of those of b to those of to.
func (f *function) addLane32(a vector, b lane, to vector) {
	encoding := 0x4f801000 | uint32(b.i&1)<<21 | uint32(b.i>>1)<<11
	f.word(8, encoding, "fmla", int(to), int(a), int(b.vector), fmt.Sprintf("v%d.4s, v%d.4s, v%d.s[%d]", to, a, b.vector, b.i))
}

// widen converts the first and the last two float32s of x; narrow rounds a and b to float32.
func (f *function) widen(x, first, last vector) {
	f.word(0, 0x0e617800, "fcvtl", int(first), int(x), 0, fmt.Sprintf("v%d.2d, v%d.2s", first, x))
	f.word(0, 0x4e617800, "fcvtl2", int(last), int(x), 0, fmt.Sprintf("v%d.2d, v%d.4s", last, x))
}
func (f *function) narrow(a, b, to vector) {
	f.word(0, 0x0e616800, "fcvtn", int(to), int(a), 0, fmt.Sprintf("v%d.2s, v%d.2d", to, a))
	f.word(0, 0x4e616800, "fcvtn2", int(to), int(b), 0, fmt.Sprintf("v%d.4s, v%d.2d", to, b))
}

// Instructions on bits and integers.
func (f *function) zero(v vector)             { f.instruct(0, "VMOVI $0, %s", v.bytes()) }
func (f *function) copy(x, to vector)         { f.bits("VORR", x, x, to) }
func (f *function) and(a, b, to vector)       { f.bits("VAND", a, b, to) }
func (f *function) or(a, b, to vector)        { f.bits("VORR", a, b, to) }
func (f *function) exclusive(a, b, to vector) { f.bits("VEOR", a, b, to) }

// insert stores bits of x in to, those that are set in mask.
func (f *function) insert(x, mask, to vector) { f.bits("VBIT", x, mask, to) }

// choose stores bits of a where mask, in which the result is, has ones, and those of b elsewhere.
func (f *function) choose(a, b, mask vector) { f.bits("VBSL", a, b, mask) }

func (f *function) bits(name string, a, b, to vector) {
	f.instruct(0, "%s %s, %s, %s", name, b.bytes(), a.bytes(), to.bytes())
}

func (f *function) plusIntegers(a, b, to vector)  { f.instruct(0, "VADD %v, %v, %v", b, a, to) }
func (f *function) minusIntegers(a, b, to vector) { f.instruct(0, "VSUB %v, %v, %v", b, a, to) }
func (f *function) shiftLeft(x vector, by int, to vector) {
	f.instruct(0, "VSHL $%d, %v, %v", by, x, to)
}
func (f *function) shiftRight(x vector, by int, to vector) {
	f.instruct(0, "VUSHR $%d, %v, %v", by, x, to)
}

// test sets all bits where a and b have a bit in common.
func (f *function) test(a, b, to vector) { f.instruct(0, "VCMTST %v, %v, %v", b, a, to) }

// firsts and seconds join the first, and the second, elements of a and b; swapped exchanges those of x.
func (f *function) firsts(a, b, to vector)  { f.instruct(0, "VZIP1 %v, %v, %v", b, a, to) }
func (f *function) seconds(a, b, to vector) { f.instruct(0, "VZIP2 %v, %v, %v", b, a, to) }
func (f *function) swapped(x, to vector) {
	f.instruct(0, "VEXT $8, %s, %s, %s", x.bytes(), x.bytes(), to.bytes())
}

// spread copies the first lane to the second.
func (f *function) spread(v vector) { f.instruct(0, "VDUP V%d.D[0], %v", int(v), v) }

// element copies a lane to a register of integers.
func (f *function) element(l lane, to general) {
	f.instruct(0, "VMOV V%d.D[%d], %v", int(l.vector), l.i, to)
}

// load reads vectors from base on, two with an instruction.
func (f *function) load(base general, offset int, v ...vector) {
	for ; len(v) > 1; v = v[2:] {
		f.instruct(0, "FLDPQ %d(%v), (%s, %s)", offset, base, v[0].register(), v[1].register())
		offset += 32
	}
	if len(v) > 0 {
		f.instruct(0, "FMOVQ %d(%v), %s", offset, base, v[0].register())
	}
}

// store writes vectors from base on.
func (f *function) store(base general, offset int, v ...vector) {
	for ; len(v) > 1; v = v[2:] {
		f.instruct(0, "FSTPQ (%s, %s), %d(%v)", v[0].register(), v[1].register(), offset, base)
		offset += 32
	}
	if len(v) > 0 {
		f.instruct(0, "FMOVQ %s, %d(%v)", v[0].register(), offset, base)
	}
}

// loadElement reads one float64 to the first lane and clears the second.
func (f *function) loadElement(base general, offset int, v vector) {
	f.instruct(0, "FMOVD %d(%v), %s", offset, base, v.register())
}

func (f *function) storeElement(base general, offset int, v vector) {
	f.instruct(0, "FMOVD %s, %d(%v)", v.register(), offset, base)
}

// broadcast reads one float64 to both lanes.
func (f *function) broadcast(base general, v vector) { f.instruct(0, "VLD1R (%v), [%v]", base, v) }

// advance adds bytes to addresses.
func (f *function) advance(bytes int, bases ...general) {
	for _, base := range bases {
		f.instruct(0, "ADD $%d, %v, %v", bytes, base, base)
	}
}

// step adds a stride in bytes to an address.
func (f *function) step(stride, base general) { f.instruct(0, "ADD %v, %v, %v", stride, base, base) }

func (f *function) move(from, to general) { f.instruct(0, "MOVD %v, %v", from, to) }

func (f *function) result() { f.instruct(0, "RET") }

// rows returns the addresses of n rows from base on, stride bytes apart.
func (f *function) rows(base, stride general, n int) []general {
	rows := []general{base}
	for len(rows) < n {
		next := f.general()
		f.instruct(0, "ADD %v, %v, %v", stride, rows[len(rows)-1], next)
		rows = append(rows, next)
	}
	return rows
}
