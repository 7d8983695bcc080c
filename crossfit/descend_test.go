package crossfit

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestDescendFindsTheMinimum: of risks with one minimum it is that of the whole grid, for each unit, each penalty is evaluated at most once, and few are.
func TestDescendFindsTheMinimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "grid")
		minima := rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 3).Draw(t, "minima")
		seen := map[int]bool{}
		grid := make([]float64, n)
		for i := range grid {
			grid[i] = float64(i)
		}
		best, err := Descend(grid, func(some []float64) ([][]float64, error) {
			risks := make([][]float64, len(some))
			for i, value := range some {
				a := int(value)
				if seen[a] {
					t.Fatalf("penalty %d is evaluated again", a)
				}
				seen[a] = true
				for _, m := range minima {
					risks[i] = append(risks[i], math.Abs(float64(a-m)))
				}
			}
			return risks, nil
		})
		if err != nil || !slices.Equal(best, minima) {
			t.Fatalf("minima %v, want %v; error %v", best, minima, err)
		}
		reach := 1
		for _, m := range minima {
			reach += max(0, m-n/2) + max(0, n/2-m)
		}
		if len(seen) > reach+2 {
			t.Errorf("%d of %d penalties are evaluated, want at most %d", len(seen), n, reach+2)
		}
	})
}

// TestDescendWithoutRisks: where no risk is finite there is no minimum, and an error ends the search.
func TestDescendWithoutRisks(t *testing.T) {
	best, err := Descend(Lambdas, func(some []float64) ([][]float64, error) {
		return slices.Repeat([][]float64{{math.NaN(), math.Inf(1)}}, len(some)), nil
	})
	if err != nil || !slices.Equal(best, []int{-1, -1}) {
		t.Errorf("minima %v, error %v", best, err)
	}
	failed := errors.New("failed")
	if _, err := Descend(Lambdas, func([]float64) ([][]float64, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
}

// TestDescendOfEachUnit: with several minima too, a unit finds the one that it finds alone, whatever others evaluate.
func TestDescendOfEachUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "grid")
		risk := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(0, 1), n, n), 1, 4).Draw(t, "risks") // by unit
		grid := make([]float64, n)
		for i := range grid {
			grid[i] = float64(i)
		}
		descend := func(units [][]float64) []int {
			best, err := Descend(grid, func(some []float64) ([][]float64, error) {
				var found [][]float64
				for _, value := range some {
					var at []float64
					for _, of := range units {
						at = append(at, of[int(value)])
					}
					found = append(found, at)
				}
				return found, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return best
		}
		all := descend(risk)
		for u := range risk {
			if alone := descend(risk[u : u+1])[0]; alone != all[u] {
				t.Fatalf("unit %d finds %d, alone %d", u, all[u], alone)
			}
		}
	})
}
