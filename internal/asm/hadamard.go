package asm

// hadamardRun is the number of elements that go through all their stages before the next ones are
// looked at: a first-level cache of 32 kB.
const hadamardRun = 1 << 12

// hadamardLeast is the shortest transform in assembly, eight of the widest vectors.
const hadamardLeast = 64

// hadamardSigns are the signs of an element in stages 0 to 2: the second of two is subtracted.
var hadamardSigns = [3][8]float64{
	{1, -1, 1, -1, 1, -1, 1, -1},
	{1, 1, -1, -1, 1, 1, -1, -1},
	{1, 1, 1, 1, -1, -1, -1, -1},
}

// Hadamard replaces x by H D x, where H is the Hadamard matrix of ±1 in Sylvester's order,
//
//	H_ij = (-1)^(number of ones in i AND j),   H H = n I
//
// and D the diagonal matrix of d, or the identity if d is nil. It performs the stages in the order
// of their strides 1, 2, 4, ..., n log2(n) additions in all. A length that is not a power of two, or
// another length of d, panics. d must not share memory with x.
func Hadamard(x, d []float64) {
	n := len(x)
	if n == 0 || n&(n-1) != 0 {
		panic("asm: the length of a Hadamard transform is not a power of two")
	}
	if d != nil && len(d) != n {
		panic("asm: lengths differ")
	}
	if level == Portable || n < hadamardLeast {
		hadamardPortable(x, d)
		return
	}
	run := min(n, hadamardRun)
	for lo := 0; lo < n; lo += run {
		var diagonal *float64
		if d != nil {
			diagonal = &d[lo]
		}
		hadamardStages(x[lo:lo+run], hadamardRuns(x[lo:lo+run], diagonal))
	}
	hadamardStages(x, run)
}

// hadamardRuns performs the first stages and returns the stride of the next.
func hadamardRuns(x []float64, d *float64) (stride int) {
	switch level {
	case AVX512:
		hadamardRunsAVX512(&x[0], d, len(x), &hadamardSigns[0][0])
		return 64
	case AVX2:
		hadamardRunsAVX2(&x[0], d, len(x), &hadamardSigns[0][0])
	default:
		hadamardRunsNEON(&x[0], d, len(x), &hadamardSigns[0][0])
	}
	return 32
}

// hadamardStages performs the stages of a stride and all greater ones, three at a time but for the
// last ones.
func hadamardStages(x []float64, stride int) {
	for left := len(x) / stride; left > 1; {
		radix := 8
		if left == 2 || left == 4 {
			radix = left
		} else if left == 16 {
			radix = 4
		}
		hadamardPass(radix, x, stride)
		stride *= radix
		left /= radix
	}
}

// hadamardPass performs the stages of radix times the stride, a chunk at a time.
func hadamardPass(radix int, x []float64, stride int) {
	count := min(stride, chunk/radix)
	groups := max(1, min(len(x), chunk)/(radix*stride))
	for lo := 0; lo < len(x); lo += groups * radix * stride {
		for j := 0; j < stride; j += count {
			switch level {
			case AVX512:
				hadamardPassAVX512(radix, &x[lo+j], groups, count, stride)
			case AVX2:
				hadamardPassAVX2(radix, &x[lo+j], groups, count, stride)
			default:
				hadamardPassNEON(radix, &x[lo+j], groups, count, stride)
			}
		}
	}
}
