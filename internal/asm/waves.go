package asm

// WaveStep is what the lengths of the arguments of Waves are multiples of.
const WaveStep = 32

// waveSums is the number of sums that Waves adds up in the end.
const waveSums = 8

// Waves returns a sum of cosines,
//
//	Σ_i amplitude_i cos(x_i + pi shift_i)
//
// in eight sums, of the elements whose i have the same remainder by 8. The argument x_i/pi + shift_i is rounded once, so that a phase is off by at most
// 2^-52 (|x_i| + pi |shift_i|), and a cosine by 2^-51 more. Phases above 2^51 have no digits left: their cosines are some numbers from -1 to 1. Those of NaN and infinities
// are NaN. It panics if lengths differ or are no multiple of 32.
func Waves(x, shift, amplitude []float64) float64 {
	if len(shift) != len(x) || len(amplitude) != len(x) || len(x)%WaveStep != 0 {
		panic("asm: lengths of waves differ, or are no multiple of 32")
	}
	var sum [waveSums]float64
	for len(x) > 0 && level != Portable {
		n := min(len(x), chunk)
		switch level {
		case AVX512:
			wavesAVX512(&sum[0], &x[0], &shift[0], &amplitude[0], n, &wavesTable.perHalf)
		case AVX2:
			wavesAVX2(&sum[0], &x[0], &shift[0], &amplitude[0], n, &wavesTable.perHalf)
		default:
			wavesNEON(&sum[0], &x[0], &shift[0], &amplitude[0], n, &wavesTable.perHalf)
		}
		x, shift, amplitude = x[n:], shift[n:], amplitude[n:]
	}
	wavesPortable(&sum, x, shift, amplitude)
	return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]))
}
