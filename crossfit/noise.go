package crossfit

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"mediant/moments"
)

// Noise says how much normal noise, added for privacy, the sums of each fold of a table have. Its zero value is none.
type Noise struct{ Left, Right SideNoise }

// SideNoise is the noise in the sums of one side a: the standard deviations of each element of Σa (First) and of the diagonal of Σaa' (Second), whose other elements have it over sqrt(2), so
// that the noise of Σaa' does not depend on the basis. Norm bounds |a|.
type SideNoise struct{ First, Second, Norm float64 }

// Sums over folds have co-moments S + N, where S is positive semidefinite and the symmetric N is not. A training set gets as much on the diagonals of Saa and Sbb as the spectral norm of N is, a
// penalty that every fit has beside its own. Held-out sums stay as they are: the noise in them has the mean 0, and so has what it does to a risk.

// Floor returns what is added to the diagonals of Saa and Sbb of m, sums over the given number of folds.
func (n Noise) Floor(m *moments.CoMoments, folds int) (left, right float64) {
	p, q := m.Dims()
	if n.Right.Second == 0 {
		q = 0 // Y, of which nothing is solved
	}
	return n.Left.floor(p+q, m.MeanA(), folds), n.Right.floor(p+q, m.MeanB(), folds)
}

// floor is a bound of the spectral norm of N. That of the noise of a matrix of products of the given order is at most second·(sqrt(2 order) + 5), but for a probability of
// exp(-25/2) [Davidson and Szarek, Local operator theory, random matrices and Banach spaces, 2001, Theorem 2.11]. The noise e of Σa moves -W āā' by about -(āe' + eā'), of rank 2 and norm |ā||e|. The norm of a sum of both is θ + R²/(4θ)
// where θ, that of rank 2, is above half the R of the other, and R elsewhere [Benaych-Georges and Nadakuditi, Adv. Math. 227, 2011].
func (s SideNoise) floor(order int, mean []float64, folds int) float64 {
	root := math.Sqrt(float64(folds))
	radius := root * s.Second * (math.Sqrt(2*float64(order)) + 5)
	spike := root * s.First * math.Sqrt(float64(len(mean))) * min(floats.Norm(mean, 2), s.Norm)
	if spike > radius/2 {
		return spike + radius*radius/(4*spike)
	}
	return radius
}

// Pessimistic returns held-out sums of one fold in which every square (v'a)² of a function is larger by a standard deviation of its noise, Second |v|²: choices by a mean of squares would
// take the function with the largest coefficients otherwise, whose noise is largest. It is m itself if there is no noise.
func (n Noise) Pessimistic(m *moments.CoMoments) *moments.CoMoments {
	if n == (Noise{}) {
		return m
	}
	return m.PlusDiagonal(n.Left.Second, n.Right.Second)
}

// Solvable returns m with its Floor on the diagonals, as a training set of the given number of folds; m itself if there is no noise.
func (n Noise) Solvable(m *moments.CoMoments, folds int) *moments.CoMoments {
	if n == (Noise{}) {
		return m
	}
	return m.PlusDiagonal(n.Floor(m, folds))
}

// NoiseOf returns the noise in the sums of the sides of m.
func (s Splitter) NoiseOf(m *moments.CoMoments) Noise {
	return s.Noise[[2]moments.ID{m.Left(), m.Right()}]
}
