package solvers

import (
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"mediant/moments"
)

// Screen returns the Components by which each group of psi keeps those groups of phi that it is found to depend
// on, from the moments of (phi, psi) over S_X; phi and psi are the numbers of features of each group. Every pair of
// groups is tested for independence by the Hilbert-Schmidt criterion of the kernels that the features stand for
// [Gretton et al., A kernel statistical test of independence, NIPS 2008],
//
//	T = n |C_jg|²,   C_jg the centred cross moments of group j of phi and g of psi
//
// whose distribution under independence is taken as a gamma distribution of mean n/(n-1) tr A_j tr B_g, which all
// permutations of the rows have, and variance 2 |A_j|² |B_g|², A_j and B_g being centred second moments. Of the p-values
// those are kept that the procedure of Benjamini and Hochberg (J. Royal Statist. Soc. B 57, 1995) rejects: on average at
// most the share rate of the kept groups is independent of theirs. A row of weight k counts as k rows. It costs as much as
// reading the moments. CoMoments of other sizes, or without weight, panics.
func Screen(xu *moments.CoMoments, phi, psi []int, rate float64) Components {
	c := Components{Phi: phi, Psi: psi, Kept: make([][]int, len(psi))}
	values := pValues(xu, phi, psi)
	most := rejected(values, rate)
	for i, p := range values {
		if p <= most {
			g := i / len(phi)
			c.Kept[g] = append(c.Kept[g], i%len(phi))
		}
	}
	return c
}

// pValues tests each pair of groups, those of phi fastest.
func pValues(xu *moments.CoMoments, phi, psi []int) []float64 {
	var a, b mat.SymDense
	var cross mat.Dense
	xu.LeftTo(&a, true)
	xu.RightTo(&b, true)
	xu.CrossTo(&cross, true)
	if p, q := cross.Dims(); sum(phi) != p || sum(psi) != q {
		panic(mat.ErrShape)
	}
	left, right := momentsOf(&a, phi), momentsOf(&b, psi)
	values := make([]float64, 0, len(phi)*len(psi))
	for _, r := range right {
		for _, l := range left {
			values = append(values, dependence(xu.Weight(), squares(&cross, l, r), l, r))
		}
	}
	return values
}

// rejected returns the largest p-value that the procedure of Benjamini and Hochberg rejects, the largest of the i
// smallest of m that is at most i/m times rate, or -1 if there is none.
func rejected(values []float64, rate float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	for i := len(sorted); i > 0; i-- {
		if p := sorted[i-1]; p <= float64(i)/float64(len(sorted))*rate {
			return p
		}
	}
	return -1
}

// groupMoments summarise the centred second moments of a group of features, columns lo to hi.
type groupMoments struct {
	lo, hi         int
	trace, squares float64 // of the matrix; the sum of its squares
}

// momentsOf are those of groups of the given sizes.
func momentsOf(a *mat.SymDense, sizes []int) []groupMoments {
	out := make([]groupMoments, len(sizes))
	lo := 0
	for g, size := range sizes {
		s := groupMoments{lo: lo, hi: lo + size}
		s.squares = squares(a, s, s)
		for i := s.lo; i < s.hi; i++ {
			s.trace += a.At(i, i)
		}
		out[g], lo = s, s.hi
	}
	return out
}

// squares sums the squares of the block of c that two groups have.
func squares(c mat.Matrix, rows, cols groupMoments) float64 {
	total := 0.0
	for i := rows.lo; i < rows.hi; i++ {
		for j := cols.lo; j < cols.hi; j++ {
			v := c.At(i, j)
			total += v * v
		}
	}
	return total
}

// dependence returns the p-value of cross moments whose squares sum to cross; 1 for a group that is constant.
func dependence(n, cross float64, a, b groupMoments) float64 {
	mean, variance := n/(n-1)*a.trace*b.trace, 2*a.squares*b.squares
	if !(mean > 0 && variance > 0) || n < 2 {
		return 1
	}
	return mathext.GammaIncRegComp(mean*mean/variance, n*cross*mean/variance)
}
