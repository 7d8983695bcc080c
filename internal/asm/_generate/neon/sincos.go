package main

// terms is the number of coefficients of each series.
const terms = 6

// sincos writes the sine and cosine, eight elements at a time, up to the first eight that have one out of range.
func sincos() []*function {
	f := newFunction("sincosNEON", "(sin, cos, x *float64, n int, scale float64, table *float64) (done int)",
		"sincosNEON is sincosPortable for n elements, a multiple of 64. It stops before",
		"elements out of range and returns how many come before them, a multiple of 8.")
	f.circular("sin", "cos")
	g := newFunction("cosNEON", "(cos, x *float64, n int, scale float64, table *float64) (done int)",
		"cosNEON is sincosNEON without the sine.")
	g.circular("cos")
	return []*function{f, g}
}

// circular writes the loop over x for the named results.
func (f *function) circular(results ...string) {
	const vectors = 4
	names := []string{"negativeZero", "perQuarter", "round", "quarter", "quarterLow", "quarterLowest", "one", "half", "two"}
	c := f.constants(append(append(names, numbered("s", terms)...), numbered("c", terms)...))
	var to []general
	for _, name := range results {
		to = append(to, f.argument(name))
	}
	x, left, done := f.argument("x"), f.argument("n"), f.general()
	f.move(left, done)
	scale, one := f.number("scale"), f.integer(1)
	f.loop("groups", left, 2*vectors, "8 elements", func() {
		r := f.manyVectors(vectors)
		f.load(x, 0, r...)
		turns := c.toIntegers(r, "perQuarter")
		c.leaveOutOfRange(turns, "groupsEnd")
		c.remainders(r, turns, "quarter", "quarterLow", "quarterLowest")
		var signs []vector
		if len(results) == 2 { // sums lose the sign of -0, which no cosine needs
			signs = c.signs(r)
		}
		sine, cosine := c.series(r)
		for i, sign := range signs {
			f.or(sign, sine[i], sine[i])
		}
		for i, name := range results {
			v := f.manyVectors(vectors)
			for j := range v {
				if name == "sin" {
					f.ofQuarter(turns[j], one, cosine[j], sine[j], v[j])
					c.flip(turns[j], v[j])
				} else {
					f.ofQuarter(turns[j], one, sine[j], cosine[j], v[j])
					f.plusIntegers(turns[j], one, turns[j])
					c.flip(turns[j], v[j])
				}
				f.times(scale, v[j], v[j])
			}
			f.store(to[i], 0, v...)
			f.release(v...)
		}
		f.advance(16*vectors, append(to, x)...)
	})
	f.instruct(0, "SUB %v, %v, %v", left, done, done)
	f.instruct(0, "MOVD %v, %s", done, f.parameter("done"))
	f.result()
}

// leaveOutOfRange jumps to the label if any of turns differs from round above its lowest 31 bits.
func (c constants) leaveOutOfRange(turns []vector, label string) {
	f := c.f
	f.scope(func() {
		round, out, next := c.load("round"), f.vector(), f.vector()
		f.exclusive(turns[0], round, out)
		for _, v := range turns[1:] {
			f.exclusive(v, round, next)
			f.or(out, next, out)
		}
		first, second := f.general(), f.general()
		f.element(lane{out, 0}, first)
		f.element(lane{out, 1}, second)
		f.instruct(0, "ORR %v, %v, %v", first, second, first)
		f.instruct(0, "LSR $31, %v, %v", first, first)
		f.instruct(0, "CBNZ %v, %s", first, label)
	})
}

// signs returns the sign bits of x.
func (c constants) signs(x []vector) []vector {
	to := c.f.manyVectors(len(x))
	c.with(func(negativeZero []vector) {
		for i, v := range x {
			c.f.and(v, negativeZero[0], to[i])
		}
	}, "negativeZero")
	return to
}

// series returns sin r, in the registers of r, and cos r.
func (c constants) series(r []vector) (sine, cosine []vector) {
	f := c.f
	z := f.manyVectors(len(r))
	for i, v := range r {
		f.times(v, v, z[i])
	}
	cos := c.horner("c", terms, z)
	c.with(func(half []vector) {
		for i := range z {
			first, square := c.load("one"), f.vector()
			f.subtract(half[0], z[i], first)
			f.times(z[i], z[i], square)
			f.add(square, cos[i], first)
			f.release(square, cos[i])
			cosine = append(cosine, first)
		}
	}, "half")
	sin := c.horner("s", terms, z)
	for i, v := range r {
		f.times(v, z[i], z[i])
		f.add(z[i], sin[i], v)
	}
	f.release(sin...)
	f.release(z...)
	return r, cosine
}

// ofQuarter stores odd where turns is odd and even elsewhere.
func (f *function) ofQuarter(turns, one, odd, even, to vector) {
	f.test(turns, one, to)
	f.choose(odd, even, to)
}

// flip changes the sign of x where bit 1 of turns is set.
func (c constants) flip(turns, x vector) {
	f := c.f
	sign := f.vector()
	f.shiftRight(turns, 1, sign)
	f.shiftLeft(sign, 63, sign)
	f.exclusive(x, sign, x)
	f.release(sign)
}
