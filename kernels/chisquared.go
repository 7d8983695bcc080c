package kernels

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/asm"
	"mediant/internal/parallel"
)

var (
	_ Kernel = ChiSquared{}
	_ Kernel = ExpChiSquared{}
)

func init() {
	Register(Registration[ChiSquared]{
		Name:     "chi2",
		New:      func([]float64, float64) (ChiSquared, error) { return ChiSquared{}, nil },
		Describe: func(ChiSquared) (Desc, error) { return Desc{}, nil },
		Restore:  func(Desc) (ChiSquared, error) { return ChiSquared{}, nil },
	})
	Register(Registration[ExpChiSquared]{
		Name:      "expchi2",
		Bandwidth: MedianChiSquared,
		New:       func(_ []float64, bandwidth float64) (ExpChiSquared, error) { return NewExpChiSquared(bandwidth) },
		Describe: func(k ExpChiSquared) (Desc, error) {
			return Desc{Bandwidth: k.bandwidth}, checkBandwidth("expchi2", k.bandwidth)
		},
		Restore: func(d Desc) (ExpChiSquared, error) { return NewExpChiSquared(d.Bandwidth) },
	})
}

// ChiSquared is the additive chi-squared kernel of rows without negative entries,
//
//	k(x, y) = Σ_j 2 x_j y_j/(x_j + y_j),    0/0 = 0
//
// for histograms and counts [VedaldiZisserman12, Table 1]: positive semidefinite, and linear in the scale of
// both rows. It has no parameters; the zero value is ready for use.
type ChiSquared struct{}

// GramTo implements Kernel, at the cost of a division and three flops an entry and column; sparse rows are
// unpacked. A negative entry panics with the *RowError of CheckRows.
func (k ChiSquared) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	mustAdmit(k, x, y)
	pairsTo(dst, x, y, harmonicMeans)
}

// harmonicMeans is Σ 2ab/(a + b). The quotient comes first: it is at most 1, and products could overflow.
func harmonicMeans(x, y []float64) float64 {
	var sum float64
	for j, a := range x {
		if b := y[j]; a > 0 && b > 0 {
			sum += 2 * a * (b / (a + b))
		}
	}
	return sum
}

// DiagTo stores the sums of the rows in dst, which are k(x, x).
func (k ChiSquared) DiagTo(dst []float64, x mat.Matrix) {
	prepareDiag(dst, x)
	mustAdmit(k, x)
	EachRow(x, func(i int, row []float64) { dst[i] = harmonicMeans(row, row) })
}

// ExpChiSquared is the exponential chi-squared kernel of rows without negative entries,
//
//	k(x, y) = exp(-D(x, y)/b),    D(x, y) = Σ_j (x_j - y_j)²/(x_j + y_j),    0/0 = 0
//
// with bandwidth b in the units of x. D = Σ x_j + Σ y_j - 2 ΣĤ, Ĥ the terms of ChiSquared, is
// conditionally negative definite, and so k is positive semidefinite [Schoenberg 1938]. The form
// exp(-gamma D) has bandwidth 1/gamma. The zero value is not usable; use NewExpChiSquared.
type ExpChiSquared struct{ bandwidth float64 }

// NewExpChiSquared returns the exponential chi-squared kernel with the given bandwidth, between 1e-150 and
// 1e150.
func NewExpChiSquared(bandwidth float64) (ExpChiSquared, error) {
	if err := checkBandwidth("expchi2", bandwidth); err != nil {
		return ExpChiSquared{}, err
	}
	return ExpChiSquared{bandwidth}, nil
}

// Bandwidth returns b.
func (k ExpChiSquared) Bandwidth() float64 { return k.bandwidth }

// GramTo implements Kernel, at the cost of ChiSquaredDistTo and an exponential an entry. A negative entry
// panics with the *RowError of CheckRows.
func (k ExpChiSquared) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	mustBeSet("ExpChiSquared", k.bandwidth > 0)
	ChiSquaredDistTo(dst, x, y)
	to := dst.RawMatrix()
	for i := range to.Rows {
		asm.Exp(line(to, i), -1/k.bandwidth)
	}
}

// DiagTo stores 1 in all of dst.
func (k ExpChiSquared) DiagTo(dst []float64, x mat.Matrix) {
	onesTo(dst, x)
	mustAdmit(k, x)
}

// ChiSquaredDistTo stores in dst the n×m matrix of D(x_i, y_j) = Σ_k (x_ik - y_jk)²/(x_ik + y_jk), 0/0 = 0,
// of the n rows of x and the m rows of y. It costs a division and three flops an entry and column; sparse
// rows are unpacked. Equal rows are at distance exactly 0. An empty dst is resized; a dst of another
// shape, different widths or no rows panic, and so does a negative entry, with the *RowError of CheckRows.
func ChiSquaredDistTo(dst *mat.Dense, x, y mat.Matrix) {
	mustAdmit(ExpChiSquared{1}, x, y)
	pairsTo(dst, x, y, chiSquaredDist)
}

// chiSquaredDist takes the quotient first: squares could overflow.
func chiSquaredDist(x, y []float64) float64 {
	var sum float64
	for j, a := range x {
		if d := a - y[j]; d != 0 {
			sum += d * (d / (a + y[j]))
		}
	}
	return sum
}

// pairsTo stores of(x_i, y_j) in dst, blocks of x's rows on all processors; y is held densely.
func pairsTo(dst *mat.Dense, x, y mat.Matrix, of func(x, y []float64) float64) {
	n, m, _ := prepare(dst, x, y)
	var unpacked scratch
	right := rowsOf(&unpacked, y, 0, m)
	to := dst.RawMatrix()
	parallel.Blocks(n, tileRows, func(lo, hi int) {
		w := works.Get().(*work)
		defer works.Put(w)
		left := rowsOf(&w.rows, x, lo, hi)
		for i := range hi - lo {
			row, entries := line(left, i), line(to, lo+i)
			for j := range entries {
				entries[j] = of(row, line(right, j))
			}
		}
	})
}

func (ChiSquared) admits(v float64) bool    { return v >= 0 }
func (ChiSquared) domain() string           { return "chi2: want no negative entry" }
func (ExpChiSquared) admits(v float64) bool { return v >= 0 }
func (ExpChiSquared) domain() string        { return "expchi2: want no negative entry" }

// String names k for people.
func (k ExpChiSquared) String() string { return fmt.Sprintf("expchi2 (bandwidth %.4g)", k.bandwidth) }
