package main

// exp writes the exponential in place, sixteen elements at a time: so many that none waits for the one before it.
func exp() []*function {
	const vectors = 8
	f := newFunction("expNEON", "(x *float64, n int, scale float64, table *float64)",
		"expNEON is expPortable for n elements, a multiple of 64.")
	c := f.constants(append([]string{"lowest", "highest", "perLog", "round", "log", "logLow", "one", "unbiased"}, numbered("q", 10)...))
	x, n, scale := f.argument("x"), f.argument("n"), f.number("scale")
	f.loop("groups", n, 2*vectors, "16 elements", func() {
		r := f.manyVectors(vectors)
		f.load(x, 0, r...)
		c.with(func(limits []vector) {
			for _, v := range r {
				f.times(scale, v, v)
				f.larger(v, limits[0], v)
				f.smaller(v, limits[1], v)
			}
		}, "lowest", "highest")
		shifted := c.toIntegers(r, "perLog")
		c.remainders(r, shifted, "log", "logLow")
		q := c.horner("q", 10, r)
		c.with(func(one []vector) {
			for i, v := range r {
				square := f.vector()
				f.times(v, v, square)
				f.add(square, q[i], v)
				f.plus(one[0], v, v)
				f.release(square)
			}
		}, "one")
		f.release(q...)
		c.timesPowersOfTwo(r, shifted)
		f.store(x, 0, r...)
		f.advance(16*vectors, x)
	})
	f.result()
	return []*function{f}
}

// timesPowersOfTwo multiplies v by 2^k, rounding once: the low bits of shifted are k + 2^10, and the factor is split into
// two that are normal, of which only the second can make the product round.
func (c constants) timesPowersOfTwo(v, shifted []vector) {
	f := c.f
	c.with(func(unbiased []vector) {
		for i, v := range v {
			half := f.vector()
			f.shiftRight(shifted[i], 1, half)
			f.minusIntegers(shifted[i], half, shifted[i])
			for _, exponent := range []vector{half, shifted[i]} {
				f.shiftLeft(exponent, 52, exponent)
				f.plusIntegers(unbiased[0], exponent, exponent)
				f.times(v, exponent, v)
			}
			f.release(half)
		}
	}, "unbiased")
}
