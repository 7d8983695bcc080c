package moments

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Arithmetic is how products of rows are summed: Float64 or Mixed. The zero value and Auto are Float64 unless whoever sums decides otherwise.
type Arithmetic string

const (
	// Auto is Mixed where it is faster and the result can be refined to that of Float64 (problem.Mapped.RidgeRefined), else Float64.
	Auto Arithmetic = "auto"
	// Float64 forms and sums all products in float64.
	Float64 Arithmetic = "float64"
	// Mixed rounds rows, less their centres, to float32, sums the products of 256 rows in float32, and such sums in float64; means stay in float64. It takes
	// about half of the time with AVX2, AVX-512 or NEON (internal/asm), and more in portable Go, with the same bits. MixedErrors bounds what it costs.
	Mixed Arithmetic = "mixed"
)

// Validate returns an error unless a is Auto, Float64, Mixed or unset.
func (a Arithmetic) Validate() error {
	switch a {
	case "", Auto, Float64, Mixed:
		return nil
	}
	return fmt.Errorf("moments: Arithmetic is %q, must be %q, %q or %q", string(a), Auto, Float64, Mixed)
}

// IsAuto reports whether a is Auto or unset.
func (a Arithmetic) IsAuto() bool { return a == "" || a == Auto }

// String returns auto, float64 or mixed.
func (a Arithmetic) String() string {
	if a == "" {
		return string(Auto)
	}
	return string(a)
}

// NewCoMoments returns empty co-moments of columns with the given identities, whose rows are summed in this arithmetic. An
// arithmetic that is not valid panics.
func (a Arithmetic) NewCoMoments(left, right ID) *CoMoments {
	if err := a.Validate(); err != nil {
		panic(err)
	}
	m := NewCoMoments(left, right)
	m.mixed = a == Mixed
	return m
}

// Arithmetic returns how rows are summed.
func (m *CoMoments) Arithmetic() Arithmetic { return arithmetic(m.mixed) }

func arithmetic(mixed bool) Arithmetic {
	if mixed {
		return Mixed
	}
	return Float64
}

// sameArithmetic returns an error unless both sums are in the same arithmetic.
func sameArithmetic(what string, got, want bool) error {
	if got != want {
		return fmt.Errorf("moments: %s: sums are in %s arithmetic, want %s", what, arithmetic(got), arithmetic(want))
	}
	return nil
}

const (
	// unitRoundoff is the largest relative error of rounding to float32.
	unitRoundoff = 0x1p-24
	// mixedRows is the number of rows whose products are summed in float32.
	mixedRows = 256
)

// MixedErrors returns two bounds on the error of centred sums of n rows, at least 1, in Mixed arithmetic (docs/theory.md, section 25). Of an element of Saa, Sab or
// Sbb they are relative to the square root of the product of its two diagonal elements, such as sqrt(Saa_ii Sbb_jj) for Sab_ij; of the
// spectral norm of the error of Saa or Sbb, to its trace.
//
// The first holds for all rows. The second bounds the root mean square of the error, and takes rounding errors as uncorrelated and of mean 0, and
// squares of rows as spread evenly over the table. Errors of rounding in float64 come on top.
func MixedErrors(n int) (worst, typical float64) {
	block := float64(min(n, mixedRows))
	roundings := block + 2
	worst = roundings * unitRoundoff / (1 - roundings*unitRoundoff)
	return worst, unitRoundoff * math.Sqrt((block+4)*block/float64(n))
}

// MixedContraction returns a bound on the factor by which a step of iterative refinement reduces the error of ridge regression on a from sums in Mixed arithmetic with a penalty lambda per row
// (docs/theory.md, 25.7). As of MixedErrors, worst holds for all rows and typical under its assumptions; refinement needs one that is well below 1. Co-moments without weight panic.
func (m *CoMoments) MixedContraction(lambda float64) (worst, typical float64) {
	m.mustWeigh()
	worst, typical = MixedErrors(m.rows)
	scale := mat.Trace(m.aa) / m.weight / lambda
	return worst * scale, typical * scale
}

// MixedMoves returns what sums in Mixed arithmetic can do to a ridge regression of b on a with these sums, a penalty lambda per row and coefficients alpha (p×q): for each
// output two bounds on the root mean square over the rows of the difference of its predictions to those of exact sums, relative to the standard
// deviation of the output (docs/theory.md, 25.5 and 25.6). As of MixedErrors, the first holds for all rows and the second is of the mean square under its
// assumptions. They are infinite where lambda is not above the error of the sums, and for outputs that do not
// vary. It costs pq operations. Other shapes and co-moments without weight panic.
func (m *CoMoments) MixedMoves(alpha *mat.Dense, lambda float64) (worst, typical []float64) {
	m.mustWeigh()
	p, q := m.Dims()
	if r, c := alpha.Dims(); r != p || c != q {
		panic(mat.ErrShape)
	}
	trace := mat.Trace(m.aa) / m.weight
	certain, likely := MixedErrors(m.rows)
	rounded := 2 * unitRoundoff / math.Sqrt(float64(m.rows)) // the part of likely that rounding of rows has
	for j := range q {
		output := math.Sqrt(m.bb.At(j, j) / m.weight)
		size, scaled := 0., 0. // of alpha, and in units of the columns of a
		for i := range p {
			v := alpha.At(i, j) / output
			size += v * v
			scaled += v * v * m.aa.At(i, i) / m.weight
		}
		size, scaled = math.Sqrt(trace*size), math.Sqrt(scaled)
		move := func(err, of float64) float64 {
			if !(err*trace < lambda) || !(output > 0) {
				return math.Inf(1)
			}
			return of * math.Sqrt(trace/lambda) / (2 * (1 - err*trace/lambda))
		}
		worst = append(worst, move(certain, certain*(1+size)))
		typical = append(typical, move(likely, likely*(1+scaled)+rounded*size))
	}
	return worst, typical
}
