package features

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/kernels"
)

// fewRows are few and unevenly spaced, the fourth a copy of the first.
var fewRows = mat.NewDense(5, 1, []float64{0, 0.4, 1, 0, 2.5})

// randomRows draws n standard normal rows of d columns.
func randomRows(n, d int) *mat.Dense {
	rnd := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	x := mat.NewDense(n, d, nil)
	x.Apply(func(int, int, float64) float64 { return rnd.NormFloat64() }, x)
	return x
}

// checkDistribution draws sequences of three rows and compares how often each occurs with its probability:
// the product of potential/(sum of potentials), where next gives the potentials after a sequence.
// No count may be off by more than 5 standard errors: by chance 6e-7 for each of 60 sequences.
func checkDistribution(t *testing.T, pick func(rnd *rand.Rand) []int, potentials func(picked []int) []float64) {
	t.Helper()
	const draws = 8000
	counts := map[string]int{}
	for i := range draws {
		counts[fmt.Sprint(pick(draw.Rand(1, "distribution", i)))]++
	}
	var walk func(picked []int, chance float64)
	walk = func(picked []int, chance float64) {
		if len(picked) == 3 {
			want := chance * draws
			got := float64(counts[fmt.Sprint(picked)])
			if math.Abs(got-want) > 5*math.Sqrt(want*(1-chance))+1e-9 {
				t.Errorf("%v was picked %g times of %d, want %g", picked, got, draws, want)
			}
			return
		}
		p, sum := potentials(picked), 0.0
		for _, v := range p {
			sum += v
		}
		for i, v := range p {
			walk(append(picked[:len(picked):len(picked)], i), chance*v/sum)
		}
	}
	walk(nil, 1)
}

// TestRandomlyPivotedDistribution, with residuals by the textbook's one-at-a-time elimination. Blocks of one
// proposal never reject, of two sometimes end a round early, of many finish in one round.
func TestRandomlyPivotedDistribution(t *testing.T) {
	// Diagonals differ: 1 + x².
	k, err := kernels.NewPolynomial(2)
	if err != nil {
		t.Fatal(err)
	}
	g, err := kernels.NewGaussian(1)
	if err != nil {
		t.Fatal(err)
	}
	for name, k := range map[string]kernels.Kernel{"polynomial": k, "gaussian": g} {
		for _, block := range []int{1, 2, 16} {
			t.Run(fmt.Sprint(name, block), func(t *testing.T) {
				checkDistribution(t, func(rnd *rand.Rand) []int {
					return picked(randomlyPivoted(t.Context(), k, fewRows, 3, block, rnd))
				}, func(picked []int) []float64 {
					var a mat.Dense
					k.GramTo(&a, fewRows, fewRows)
					for _, p := range picked {
						column, pivot := mat.Col(nil, p, &a), a.At(p, p)
						a.Apply(func(i, j int, v float64) float64 { return v - column[i]*column[j]/pivot }, &a)
					}
					potentials := make([]float64, 5)
					for i := range potentials {
						if v := a.At(i, i); v > 1e-13 {
							potentials[i] = v
						}
					}
					return potentials
				})
			})
		}
	}
}

func TestKMeansPlusPlusDistribution(t *testing.T) {
	for _, block := range []int{1, 2, 16} {
		t.Run(fmt.Sprint(block), func(t *testing.T) {
			checkDistribution(t, func(rnd *rand.Rand) []int {
				return picked(kMeansPlusPlus(t.Context(), fewRows, 3, block, rnd))
			}, func(picked []int) []float64 {
				potentials := []float64{1, 1, 1, 1, 1}
				for i := range potentials {
					for s, p := range picked {
						d := fewRows.At(i, 0) - fewRows.At(p, 0)
						if s == 0 || d*d < potentials[i] {
							potentials[i] = d * d
						}
					}
				}
				return potentials
			})
		})
	}
}

// TestRandomlyPivotedEndsAtTheRank: residuals are kept across rounds, and rounding is not taken for
// kernel.
func TestRandomlyPivotedEndsAtTheRank(t *testing.T) {
	x := randomRows(300, 3)
	picked, _ := randomlyPivoted(t.Context(), kernels.Linear{}, x, 50, 4, rand.New(rand.NewPCG(1, 2)))
	if len(picked) != 3 {
		t.Errorf("%d landmarks for a kernel of rank 3", len(picked))
	}
	k, err := kernels.NewPolynomial(3)
	if err != nil {
		t.Fatal(err)
	}
	if picked, _ := randomlyPivoted(t.Context(), k, x, 50, proposals, rand.New(rand.NewPCG(1, 2))); len(picked) != 20 {
		t.Errorf("%d landmarks for a kernel of rank 20", len(picked))
	}
}

func TestPropose(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, weights := range [][]float64{{0, 0}, {math.Inf(1), 1}, {math.NaN()}} {
		if got := propose(weights, 3, rnd); got != nil {
			t.Errorf("weights %v: proposed %v", weights, got)
		}
	}
	for _, i := range propose([]float64{0, 1, 0, 1, 0}, 1000, rnd) {
		if i%2 == 0 {
			t.Fatalf("proposed %d, which has weight 0", i)
		}
	}
}

// picked is what a search for landmarks whose context never ends picks.
func picked(rows []int, err error) []int {
	if err != nil {
		panic(err)
	}
	return rows
}
