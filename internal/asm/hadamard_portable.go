package asm

// hadamardPortable is Hadamard in Go.
func hadamardPortable(x, d []float64) {
	for i, v := range d {
		x[i] *= v
	}
	for stride := 1; stride < len(x); stride *= 2 {
		for lo := 0; lo < len(x); lo += 2 * stride {
			butterfly(x[lo:lo+stride], x[lo+stride:lo+2*stride])
		}
	}
}

// butterfly replaces a and b by a + b and a - b.
func butterfly(a, b []float64) {
	b = b[:len(a)]
	for i, v := range a {
		w := b[i]
		a[i], b[i] = v+w, v-w
	}
}
