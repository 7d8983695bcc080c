package main

import "fmt"

type (
	general int // a register of integers and addresses
	vector  int // a register of two float64s
)

// A lane is one element of a vector, by which all of another is multiplied.
type lane struct {
	vector
	i int
}

func (g general) String() string { return fmt.Sprintf("R%d", int(g)) }

// String returns the name of the vector of two 64-bit lanes.
func (v vector) String() string { return fmt.Sprintf("V%d.D2", int(v)) }

// bytes is the name for instructions on bits alone.
func (v vector) bytes() string { return fmt.Sprintf("V%d.B16", int(v)) }

// register is the name for loads and stores.
func (v vector) register() string { return fmt.Sprintf("F%d", int(v)) }

// registers are those that are free. Taking one leaves the slice that others hold as it is, so that a scope
// frees what it took by putting the old slice back.
type registers []int

func (r *registers) take() int {
	if len(*r) == 0 {
		panic("neon: no register is free")
	}
	first := (*r)[0]
	*r = (*r)[1:]
	return first
}

func (f *function) general() general { return general(f.generals.take()) }

func (f *function) vector() vector { return vector(f.vectors.take()) }

func (f *function) manyVectors(n int) []vector {
	v := make([]vector, n)
	for i := range v {
		v[i] = f.vector()
	}
	return v
}

// release frees vectors before their scope ends.
func (f *function) release(v ...vector) {
	free := make(registers, 0, 32)
	for _, v := range v {
		free = append(free, int(v))
	}
	f.vectors = append(free, f.vectors...)
}

// argument returns a register with the named parameter.
func (f *function) argument(name string) general {
	g := f.general()
	f.instruct(0, "MOVD %s, %v", f.parameter(name), g)
	return g
}

// bytesOf returns a register with a parameter that counts float64s, in bytes.
func (f *function) bytesOf(name string) general {
	g := f.argument(name)
	f.instruct(0, "LSL $3, %v, %v", g, g)
	return g
}

// number returns a vector with the named parameter in both lanes.
func (f *function) number(name string) vector {
	v := f.vector()
	f.instruct(0, "FMOVD %s, %s", f.parameter(name), v.register())
	f.spread(v)
	return v
}

// integer returns a vector with the bits in both lanes.
func (f *function) integer(bits uint64) vector {
	v := f.vector()
	f.scope(func() {
		g := f.general()
		f.instruct(0, "MOVD $0x%x, %v", bits, g)
		f.instruct(0, "VDUP %v, %v", g, v)
	})
	return v
}
