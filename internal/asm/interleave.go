package asm

// Interleave transposes eight rows: it stores element (l, p), at src[l row + p], in dst[p width + l], for
// l < 8 and p < depth. Operands shorter than that panic. dst must not share memory with src.
func Interleave(dst []float64, width, depth int, src []float64, row int) {
	if depth == 0 {
		return
	}
	_ = dst[(depth-1)*width+7]
	_ = src[7*row+depth-1]
	done := 0
	switch level {
	case AVX512:
		if done = depth &^ 7; done > 0 {
			interleaveAVX512(&dst[0], width, done, &src[0], row)
		}
	case AVX2:
		if done = depth &^ 3; done > 0 {
			interleaveAVX2(&dst[0], width, done, &src[0], row)
		}
	case NEON:
		if done = depth &^ 3; done > 0 {
			interleaveNEON(&dst[0], width, done, &src[0], row)
		}
	}
	if done < depth {
		interleavePortable(dst[done*width:], width, depth-done, src[done:], row)
	}
}
