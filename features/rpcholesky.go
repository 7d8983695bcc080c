package features

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	blasflags "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/blas"
	"mediant/internal/rowops"
	"mediant/kernels"
)

// randomlyPivoted is accelerated randomly pivoted Cholesky [Chen, Epperly, Tropp and Webber,
// Randomly pivoted Cholesky, 2022; Epperly, Tropp and Webber, Embrace rejection, 2024]: proposals
// drawn by the residual diagonal d at the start of a round are accepted with probability (residual
// now) / (residual at the start), so that each accepted one has the distribution of a pivot drawn by the
// current residual. block is the number of proposals a round. It ends early when no residual exceeds the Nyström cutoff.
func randomlyPivoted(ctx context.Context, k kernels.Kernel, x mat.Matrix, m, block int, rnd *rand.Rand) (picked []int, err error) {
	n, _ := x.Dims()
	residual := make([]float64, n)
	k.DiagTo(residual, x)
	least := residualCutoff(m) * floats.Max(residual)
	factor := rowops.New(n, m) // K ≈ F F'; columns len(picked) on are not yet set
	for len(picked) < m {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i, r := range residual {
			if !(r > least) {
				residual[i] = 0
			}
		}
		proposed := propose(residual, block, rnd)
		if proposed == nil {
			break
		}
		among := residualGram(k, x, factor, proposed, len(picked))
		accepted := thin(among, least, m-len(picked), rnd)
		if len(accepted) == 0 {
			// Even the first proposal, which is always accepted when it has a residual, has none: d
			// was rounding there.
			residual[proposed[0]] = 0
			continue
		}
		picked = extend(k, x, factor, residual, among, proposed, accepted, picked)
	}
	return picked, nil
}

// residualGram returns K_SS - F_S F_S' for the rows s, with the first done columns of the factor.
func residualGram(k kernels.Kernel, x mat.Matrix, factor blas64.General, s []int, done int) blas64.General {
	own := rowops.Pick(x, s)
	gram := rowops.New(len(s), len(s))
	k.GramTo(rowops.View(gram), own, own)
	if done > 0 {
		f := rowops.New(len(s), done)
		for t, i := range s {
			copy(rowops.Row(f, t), rowops.Row(factor, i))
		}
		blas.Gemm(blasflags.NoTrans, blasflags.Trans, -1, f, f, 1, gram)
	}
	return gram
}

// thin runs through the proposals whose residual Gram matrix is a, accepts each with probability
// its residual now over its residual at first, and eliminates the accepted ones. It returns at most
// limit positions; rows of a at these positions hold, right of the diagonal and on it, those of the
// Cholesky factor.
func thin(a blas64.General, least float64, limit int, rnd *rand.Rand) (accepted []int) {
	first := make([]float64, a.Rows)
	for i := range first {
		first[i] = rowops.Row(a, i)[i]
	}
	for i := range first {
		pivot := rowops.Row(a, i)
		chance := rnd.Float64() * first[i]
		if len(accepted) == limit || !(pivot[i] > least) || chance >= pivot[i] {
			continue
		}
		floats.Scale(1/math.Sqrt(pivot[i]), pivot[i:])
		for l := i + 1; l < a.Rows; l++ {
			floats.AddScaled(rowops.Row(a, l)[l:], -pivot[l], pivot[l:])
		}
		accepted = append(accepted, i)
	}
	return accepted
}

// extend adds the accepted proposals to picked, their columns to the factor, and takes what they
// explain from the residual.
func extend(k kernels.Kernel, x mat.Matrix, factor blas64.General, residual []float64, among blas64.General, proposed, accepted, picked []int) []int {
	n, done, more := factor.Rows, len(picked), len(accepted)
	u, own := rowops.New(more, more), make([]int, more)
	for s, i := range accepted {
		own[s] = proposed[i]
		for t := s; t < more; t++ {
			rowops.Row(u, s)[t] = rowops.Row(among, i)[accepted[t]]
		}
	}
	next := rowops.Block(factor, 0, done, n, more)
	k.GramTo(rowops.View(next), x, rowops.Pick(x, own))
	if done > 0 {
		f := rowops.New(more, done)
		for t, i := range own {
			copy(rowops.Row(f, t), rowops.Row(factor, i))
		}
		blas.Gemm(blasflags.NoTrans, blasflags.Trans, -1, rowops.Block(factor, 0, 0, n, done), f, 1, next)
	}
	blas.SolveRight(next, u)
	for i := range residual {
		f := rowops.Row(next, i)
		residual[i] = math.Max(0, residual[i]-floats.Dot(f, f))
	}
	return slices.Concat(picked, own)
}
