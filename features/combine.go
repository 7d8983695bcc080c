package features

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/asm"
	"mediant/internal/parallel"
	"mediant/internal/rowops"
)

// A Combiner is a Map of which a linear combination costs less than the features.
type Combiner interface {
	Map
	// Combine returns the function coef'phi(x).
	Combine(coef []float64) Combination
}

// A Combination is a linear combination of features, safe for concurrent use.
type Combination interface {
	// CombineTo stores that of each row of x in dst, of one column. x may be dense or sparse, as in Map.MapTo. Other shapes panic.
	CombineTo(dst *mat.Dense, x mat.Matrix)
}

var _ Combiner = (*Fourier)(nil)

// cosines are a linear combination of random Fourier features as a sum of cosines.
type cosines struct {
	w frequencies
	// In units of pi, and of as many elements as asm.Waves takes, of which the last are 0.
	shift, amplitude []float64
}

// Combine returns coef'phi(x) as a sum of D/2 cosines,
//
//	sqrt(2/D) Σ_j b_j cos t_j + c_j sin t_j = sqrt(2/D) Σ_j |(b_j, c_j)| cos(t_j - atan2(c_j, b_j)),   t = W'x
//
// in half the time of the features. From their combination it differs by at most the sum over j of 2^-52 (|t_j| + 14) sqrt(2/D) |(b_j, c_j)|, and by the
// rounding of both sums over j. That is what rounding of t_j can do: 2^-52 |t_j| is its last digit or two, the shift and 1/pi round by 2^-52 2 pi more
// (asm.Waves), and cosines, sines and amplitudes by a few units of 2^-52 each. It panics unless there are D coefficients.
func (m *Fourier) Combine(coef []float64) Combination {
	_, count := m.w.dims()
	if len(coef) != 2*count {
		panic(mat.ErrShape)
	}
	padded := (count + asm.WaveStep - 1) / asm.WaveStep * asm.WaveStep
	c := &cosines{m.w, make([]float64, padded), make([]float64, padded)}
	scale := 1 / math.Sqrt(float64(count))
	for j := range count {
		cosine, sine := coef[j], coef[count+j]
		c.shift[j], c.amplitude[j] = -math.Atan2(sine, cosine)/math.Pi, scale*math.Hypot(cosine, sine)
	}
	return c
}

// waveRows is the number of rows whose phases are computed at a time: those of some thousand frequencies stay in the second cache.
const waveRows = 16

// CombineTo implements Combination.
func (c *cosines) CombineTo(dst *mat.Dense, x mat.Matrix) {
	n, columns := x.Dims()
	in, count := c.w.dims()
	if r, one := dst.Dims(); r != n || one != 1 || columns != in {
		panic(mat.ErrShape)
	}
	to := dst.RawMatrix()
	parallel.Blocks(n, rowops.BlockRows, func(lo, hi int) {
		memory := rowops.Scratches.Get().(*rowops.Scratch)
		defer rowops.Scratches.Put(memory)
		phases := memory.Matrix(min(waveRows, hi-lo), len(c.shift))
		for i := range phases.Rows {
			clear(rowops.Row(phases, i)[count:])
		}
		for ; lo < hi; lo += waveRows {
			rows := min(waveRows, hi-lo)
			c.w.phasesTo(rowops.Block(phases, 0, 0, rows, count), x, lo)
			for i := range rows {
				to.Data[(lo+i)*to.Stride] = asm.Waves(rowops.Row(phases, i), c.shift, c.amplitude)
			}
		}
	})
}
