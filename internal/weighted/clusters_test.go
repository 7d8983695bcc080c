package weighted

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"mediant/moments"
)

// clusteredOf are the means of rows in clusters.
func clusteredOf(rows [][]float64, w []float64, clusters []int32) *Means {
	s := New(2)
	for i, r := range rows {
		s.Add(moments.Weights{Factor: w, Cluster: clusters}, i, r...)
	}
	return s
}

// TestClustersAreTheFormula compares with (27.1) and (27.2) of docs/theory.md; clusters of one row are rows.
func TestClustersAreTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, w := drawSpread(t)
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "clusters"), 2))
		single, clusters := make([]int32, len(rows)), make([]int32, len(rows))
		for i := range rows {
			single[i], clusters[i] = int32(len(rows)-1-i), int32(2*rnd.IntN(4)) // odd ones have no row
		}
		clusters[0], clusters[len(rows)-1] = 0, 2
		if d := math.Abs(clusteredOf(rows, w, single).Variance(3, -2) - spreadOf(rows, w).Variance(3, -2)); d > spreadTol {
			t.Errorf("clusters of one row are off by %g", d)
		}
		s := clusteredOf(rows, w, clusters)
		total, values := 0.0, make([]float64, len(rows))
		for i, r := range rows {
			values[i] = 3*r[0] - 2*r[1]
			total += w[i]
		}
		mean, sums := stat.Mean(values, w), map[int32]float64{}
		for i, v := range values {
			sums[clusters[i]] += w[i] * (v - mean) / total
		}
		want, n := 0.0, float64(len(sums))
		for _, v := range sums {
			want += v * v
		}
		want *= n / (n - 1)
		if d := math.Abs(s.Variance(3, -2) - want); d > spreadTol {
			t.Errorf("the variance is off by %g", d)
		}
		cov := s.Covariance()
		if d := math.Abs(9*cov.At(0, 0) - 12*cov.At(0, 1) + 4*cov.At(1, 1) - want); d > spreadTol {
			t.Errorf("the covariance is off by %g", d)
		}
		if got := CountClusters(s); got != len(sums) {
			t.Errorf("%d clusters, want %d", got, len(sums))
		}
		// The same sample twice, as two that share all clusters, has four times the variance, and no more degrees of freedom.
		twice := SumVariance(Term{Of: s, Gradient: []float64{3, -2}}, Term{Of: s, Gradient: []float64{3, -2}})
		if math.Abs(twice.Variance-4*want) > 4*spreadTol || twice.Freedom > max(n-1, 1) {
			t.Errorf("twice: %+v, want a variance of %g from %g", twice, 4*want, n-1)
		}
		other := make([]int32, len(rows))
		for i, c := range clusters {
			other[i] = c + 100
		}
		apart := SumVariance(Term{Of: s, Gradient: []float64{3, -2}}, Term{Of: clusteredOf(rows, w, other), Gradient: []float64{3, -2}})
		if math.Abs(apart.Variance-2*want) > 2*spreadTol {
			t.Errorf("of other clusters: %g, want %g", apart.Variance, 2*want)
		}
	})
	if v := clusteredOf([][]float64{{1, 2}, {3, 4}}, nil, []int32{5, 5}).Variance(1, 0); !math.IsNaN(v) {
		t.Errorf("the variance of one cluster is %g", v)
	}
}
