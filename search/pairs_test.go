package search

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// pairTables are X of seven columns of which U has the first four with noise, and Y = 3 sin 3u3 + 3 u4² + noise, with 5 u1 u2 or 3 u1 + 2 sin 3u2.
func pairTables(t *testing.T, n int, product bool) (xu, uy tables.Source) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(3, 8))
	first, second := mat.NewDense(n, 11, nil), mat.NewDense(n, 5, nil)
	for i := range n {
		for _, to := range [][2][]float64{{first.RawRowView(i)[:7], first.RawRowView(i)[7:]}, {make([]float64, 7), second.RawRowView(i)[:4]}} {
			for j := range to[0] {
				to[0][j] = 2*rnd.Float64() - 1
			}
			for j := range to[1] {
				to[1][j] = to[0][j] + .2*rnd.NormFloat64()
			}
		}
		u := second.RawRowView(i)
		if u[4] = 3*math.Sin(3*u[2]) + 3*u[3]*u[3] + .3*rnd.NormFloat64(); product {
			u[4] += 5 * u[0] * u[1]
		} else {
			u[4] += 3*u[0] + 2*math.Sin(3*u[1])
		}
	}
	xu = fixture.Must[tables.Source](t)(tables.FromMatrix([]string{"a", "b", "c", "d", "e", "f", "g", "u1", "u2", "u3", "u4"}, first))
	return xu, fixture.Must[tables.Source](t)(tables.FromMatrix([]string{"u1", "u2", "u3", "u4", "y"}, second))
}

// TestPairsOfRelatedColumns: where h(U) has a product of two columns, pairs of the columns of X that U depends on win, and the final map has these alone; of a sum of functions of one column each an additive map wins. Set maps and plans, whose maps depend on no rows, have none.
func TestPairsOfRelatedColumns(t *testing.T) {
	choose := func(product bool) *Choice {
		t.Helper()
		var s Search
		xu, uy := pairTables(t, 300, product)
		s.Seed, s.W, s.Precision, s.Phi.Size = 1, rr.Value(1), Never, 64
		s.Psi = features.Spec{Kind: features.AdditiveFeatures, Pairs: true, Size: 60, Multiple: 1}
		c, err := s.Choose(t.Context(), xu, uy)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	among := func(c *Choice) (tried int, chosen bool) {
		for _, trial := range c.Trials {
			if trial.Stage == "phi" && strings.Contains(trial.Name, "pairs:gaussian among 4 columns") {
				tried++
				chosen = chosen || trial.Chosen
			}
		}
		return tried, chosen
	}
	c := choose(true)
	if tried, chosen := among(c); tried < 3 || !chosen {
		for _, trial := range c.Trials {
			t.Logf("%s %s %v", trial.Stage, trial.Name, trial.Chosen)
		}
		t.Errorf("%d trials of pairs, chosen %v", tried, chosen)
	}
	phi, ok := c.Problem.Phi().(*features.Additive)
	if !ok || len(phi.Sizes()) != 6 {
		t.Errorf("phi is %s", features.Describe(c.Problem.Phi()))
	}
	winners := 0
	for _, trial := range c.Trials {
		if trial.Stage == "phi" && trial.Chosen {
			winners++
		}
	}
	if winners != 1 {
		t.Errorf("%d candidates for phi are chosen", winners)
	}
	set := problem.Setup{Phi: features.Spec{Kind: features.AdditiveFeatures}}
	for i, s := range []Search{{planned: true}, {Setup: set}, {PhiCandidates: []features.Spec{{}}}, {Components: Always}} {
		if s.triesPairs(false, 7) {
			t.Errorf("search %d tries pairs", i)
		}
	}
	if s := (Search{}); !s.triesPairs(false, 7) || s.triesPairs(true, 7) || s.triesPairs(false, 2) {
		t.Error("pairs are for three dense columns or more")
	}
	for _, trial := range choose(false).Trials {
		if trial.Stage == "phi" && trial.Chosen && !strings.HasPrefix(trial.Name, "additive") {
			t.Errorf("of a sum of functions of one column %s is chosen", trial.Name)
		}
	}
}

// TestPairCandidates: of few columns and of many there are none; a choice is read back from JSON, as checkpoints write it.
func TestPairCandidates(t *testing.T) {
	for columns, want := range map[int]int{1: 0, 2: 0, 3: 5, 11: 5, 12: 0} {
		if got := PairCandidates(columns); len(got) != want {
			t.Errorf("%d columns have %d candidates, want %d", columns, len(got), want)
		}
	}
	want := comparedMaps{Phi: 2, Psi: 1, Pairs: &pairsChoice{[]int{0, 3, 4}, 2}}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got comparedMaps
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read back: %+v (%v)", got, err)
	}
	spec := got.Pairs.spec(100)
	if spec.Size != 100 || spec.Multiple != 2 || !slices.Equal(*spec.Among, []int{0, 3, 4}) || candidateName(spec) != "pairs:gaussian among 3 columns, 2 × median bandwidth" {
		t.Errorf("%+v, %s", spec, candidateName(spec))
	}
}
