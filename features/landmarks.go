package features

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/internal/rowops"
	"mediant/kernels"
)

const (
	// maxCandidates is the number of rows among which landmarks are looked for: the search keeps a
	// factor of 8 bytes × candidates × landmarks, and candidates × landmarks² flops.
	maxCandidates = 20000
	// proposals is the number of candidates drawn at a time, to be thinned by rejection. It makes the
	// work matrix products and does not change the distribution of what is picked.
	proposals = 128
)

// Landmarks is a rule by which landmarks are picked from rows. The zero value is RandomlyPivoted.
type Landmarks string

const (
	// RandomlyPivoted picks the next landmark with probability proportional to the residual
	// k(x,x) - phi(x)'phi(x) of the landmarks so far.
	RandomlyPivoted Landmarks = ""
	// Uniform picks rows uniformly without replacement.
	Uniform Landmarks = "uniform"
	// KMeansPlusPlus picks the next landmark with probability proportional to the squared Euclidean
	// distance to the nearest landmark so far.
	KMeansPlusPlus Landmarks = "kmeans++"
	// RidgeLeverage picks rows with probability proportional to their ridge leverage scores, how much a row counts in
	// kernel ridge regression.
	RidgeLeverage Landmarks = "leverage"
)

var landmarkRules = []Landmarks{RandomlyPivoted, Uniform, KMeansPlusPlus, RidgeLeverage}

// Pick returns the indices of at most m distinct rows of x in the order they were picked, from the
// stream "purpose/landmarks" of the seed. Rules other than Uniform look at no more than 20,000 rows,
// a uniform sample if x has more. The notes say why there are fewer than m: x has fewer rows, or
// what is left of it is in the span of the landmarks (equal to one of them, for KMeansPlusPlus) to
// rounding. It panics if m < 1 or the rule is unknown.
func (l Landmarks) Pick(k kernels.Kernel, x mat.Matrix, m int, seed uint64, purpose string) (rows []int, notes []string) {
	rows, notes, err := l.pick(context.Background(), k, x, m, seed, purpose)
	if err != nil {
		panic(err) // of a context that never ends
	}
	return rows, notes
}

// pick is Pick until ctx is done, whose error it then returns.
func (l Landmarks) pick(ctx context.Context, k kernels.Kernel, x mat.Matrix, m int, seed uint64, purpose string) (rows []int, notes []string, err error) {
	n, _ := x.Dims()
	if m < 1 {
		panic("features: landmarks: fewer than one wanted")
	}
	if m > n {
		notes = append(notes, fmt.Sprintf("%d landmarks asked for, all %d rows taken", m, n))
		m = n
	}
	rnd := draw.Rand(seed, purpose+"/landmarks", 0)
	if l == Uniform {
		return rnd.Perm(n)[:m], notes, nil
	}
	from := make([]int, n)
	for i := range from {
		from[i] = i
	}
	if n > maxCandidates {
		from = draw.Rand(seed, purpose+"/candidates", 0).Perm(n)[:max(m, maxCandidates)]
		slices.Sort(from)
		x = rowops.Pick(x, from)
	}
	switch l {
	case RandomlyPivoted:
		rows, err = randomlyPivoted(ctx, k, x, m, proposals, rnd)
	case KMeansPlusPlus:
		rows, err = kMeansPlusPlus(ctx, x, m, proposals, rnd)
	case RidgeLeverage:
		rows, err = byLeverage(ctx, k, x, m, rnd)
	default:
		panic("features: landmarks: unknown rule " + string(l))
	}
	if err != nil {
		return nil, nil, err
	}
	if len(rows) < m {
		notes = append(notes, fmt.Sprintf("%d landmarks asked for, %d rows span the others to rounding", m, len(rows)))
	}
	for t, i := range rows {
		rows[t] = from[i]
	}
	return rows, notes, nil
}

// propose draws count indices independently with probability proportional to weights, which are
// not negative. It returns nil if all are 0 or
// their sum is not finite.
func propose(weights []float64, count int, rnd *rand.Rand) []int {
	cumulative := make([]float64, len(weights))
	var sum float64
	for i, w := range weights {
		sum += w
		cumulative[i] = sum
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return nil
	}
	drawn := make([]int, count)
	for t := range drawn {
		at := rnd.Float64() * sum
		// The first index whose cumulative weight exceeds at: never one of weight 0.
		drawn[t] = sort.Search(len(cumulative)-1, func(i int) bool { return cumulative[i] > at })
	}
	return drawn
}
