package main

import (
	"fmt"
	"slices"
)

// constants are those of a vector function. The routine is given the address of a table of them, and begins by writing
// each to both lanes of a vector on the stack. A multiply-add overwrites its addend: a load makes a fresh one, and
// takes no turn of the units that compute.
type constants struct {
	f     *function
	base  general
	names []string
}

// constants reads the table of the named ones, in their order in memory.
func (f *function) constants(names []string) constants {
	c := constants{f, f.general(), names}
	f.frame = 8 + 16*len(names) // of which 8 make the vectors begin at a multiple of 16
	f.instruct(0, "ADD $16, RSP, %v", c.base)
	f.scope(func() {
		table, v := f.argument("table"), f.vector()
		for i := range names {
			f.broadcast(table, v)
			f.store(c.base, 16*i, v)
			f.advance(8, table)
		}
	})
	return c
}

// load returns a new vector of the named constant.
func (c constants) load(name string) vector {
	i := slices.Index(c.names, name)
	if i < 0 {
		panic(fmt.Sprintf("neon: no constant %q", name))
	}
	v := c.f.vector()
	c.f.load(c.base, 16*i, v)
	return v
}

// with calls do with the named constants and frees them.
func (c constants) with(do func(v []vector), names ...string) {
	var all []vector
	for _, name := range names {
		all = append(all, c.load(name))
	}
	do(all)
	c.f.release(all...)
}

// numbered returns name0 to name(n-1).
func numbered(name string, n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprint(name, i))
	}
	return all
}

// horner returns at each argument in x the polynomial with coefficients name0 to name(n-1), from the highest down, in
// fused multiply-adds.
func (c constants) horner(name string, n int, x []vector) []vector {
	sums := make([]vector, len(x))
	highest := c.load(fmt.Sprint(name, n-1))
	for j := range sums {
		sums[j] = highest
	}
	for i := n - 2; i >= 0; i-- {
		for j, sum := range sums {
			next := c.load(fmt.Sprint(name, i))
			c.f.add(sum, x[j], next)
			if sum != highest {
				c.f.release(sum)
			}
			sums[j] = next
		}
		if i == n-2 {
			c.f.release(highest)
		}
	}
	return sums
}

// toIntegers returns round + per x, integers but for what round adds to them, in their lowest bits.
func (c constants) toIntegers(x []vector, per string) []vector {
	to := make([]vector, len(x))
	c.with(func(per []vector) {
		for i, v := range x {
			to[i] = c.load("round")
			c.f.add(v, per[0], to[i])
		}
	}, per)
	return to
}

// remainders subtracts from each of x the integer in shifted times the sum of the named parts, in their order.
func (c constants) remainders(x, shifted []vector, parts ...string) {
	k := c.f.manyVectors(len(x))
	c.with(func(round []vector) {
		for i, v := range shifted {
			c.f.minus(v, round[0], k[i])
		}
	}, "round")
	for _, name := range parts {
		c.with(func(part []vector) {
			for i, v := range x {
				c.f.subtract(k[i], part[0], v)
			}
		}, name)
	}
	c.f.release(k...)
}
