package features

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/rowops"
	"mediant/kernels"
)

// kMeansPlusPlus picks rows by D² sampling: the first uniformly, each next one with probability
// proportional to its squared distance from the nearest row picked [Arthur and Vassilvitskii,
// k-means++, SODA 2007]. Like randomlyPivoted it draws proposals by the distances at the start of a
// round and accepts them with probability (now) / (at the start), which leaves that distribution as it is;
// block is the number of proposals. It ends early when every row equals a picked one.
func kMeansPlusPlus(ctx context.Context, x mat.Matrix, m, block int, rnd *rand.Rand) (picked []int, err error) {
	n, _ := x.Dims()
	nearest := make([]float64, n)
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	accepted := []int{rnd.IntN(n)}
	var dist mat.Dense
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		picked = append(picked, accepted...)
		dist.Reset()
		kernels.SqDistTo(&dist, x, rowops.Pick(x, accepted))
		for i := range nearest {
			for _, d := range dist.RawRowView(i) {
				nearest[i] = min(nearest[i], d)
			}
		}
		proposed := propose(nearest, block, rnd)
		if proposed == nil || len(picked) == m {
			return picked, nil
		}
		accepted = thinNearest(x, nearest, proposed, m-len(picked), rnd)
	}
}

// thinNearest accepts proposals in turn, each with probability its squared distance from the nearest
// row picked or accepted over that from the nearest picked before. The first is always accepted.
func thinNearest(x mat.Matrix, nearest []float64, proposed []int, limit int, rnd *rand.Rand) (accepted []int) {
	own := rowops.Pick(x, proposed)
	var dist mat.Dense
	kernels.SqDistTo(&dist, own, own)
	var among []int // positions of the accepted in proposed
	for t, i := range proposed {
		now := nearest[i]
		for _, s := range among {
			now = min(now, dist.At(t, s))
		}
		if chance := rnd.Float64() * nearest[i]; len(accepted) < limit && chance < now {
			accepted, among = append(accepted, i), append(among, t)
		}
	}
	return accepted
}
