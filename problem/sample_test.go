package problem_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/fixture"
	"mediant/moments"
	"mediant/problem"
	"mediant/tables"
)

// TestSampledKeepsFolds: each sampled row is one of the table, in the fold and with the frequency that it has there, and all are there if they are few.
func TestSampledKeepsFolds(t *testing.T) {
	ctx := t.Context()
	n, m := 2500, 2500
	weights := make([]float64, m)
	for i := range weights {
		weights[i] = float64(1 + i%3)
	}
	ys := fixture.Ramp(m)
	ys[7] = math.NaN()
	xu := fixture.Columns(t, tables.Numbers("x", fixture.Ramp(n)), tables.Numbers("u", fixture.Ramp(n)))
	uy := fixture.Columns(t, tables.Numbers("u", fixture.Ramp(m)), tables.Numbers("y", ys), tables.Numbers("w", weights))
	e, err := problem.Encode(ctx, problem.Setup{NoStandardize: true, Folds: 4, Seed: 5, Memory: 1 << 30, Roles: tables.RoleOptions{WeightsUY: "w"}}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	// found has the fold and the frequency of each row, by its U, which is its number.
	type found struct {
		fold      int
		frequency float64
	}
	read := func(e *problem.Encoded) (all [2]map[float64]found) {
		for table := range all {
			all[table] = map[float64]found{}
			do := func(k int, a, _ *mat.Dense, w moments.Weights) {
				rows, _ := a.Dims()
				for i := range rows {
					all[table][a.At(i, 0)] = found{k, w.FrequencyOf(i)}
				}
			}
			var err error
			if table == problem.TableXU {
				err = e.WalkXU(ctx, e.U(), e.U(), do)
			} else {
				err = e.WalkUY(ctx, e.U(), e.Y(), do)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return all
	}
	whole := read(e)
	for _, size := range []int{100, 2000, 5000} {
		s, err := e.Sampled(ctx, size, "test")
		if err != nil {
			t.Fatal(err)
		}
		sources := e.Sources()
		unheld, err := e.WithSources(struct{ tables.Source }{sources[0]}, nil).Subset(ctx, size, "test")
		if err != nil {
			t.Fatal(err)
		}
		left := int64(1 << 30)
		for _, src := range sources {
			if size < n {
				left -= tables.FactsOf(src).Held
			}
		}
		if got := s.Setup().Memory; got != left {
			t.Errorf("%d of %d rows have a limit of %d bytes, want %d", size, n, got, left)
		}
		if diff := cmp.Diff(read(s), read(unheld), cmp.AllowUnexported(found{})); diff != "" {
			t.Errorf("%d of %d rows picked in each pass are others: %s", size, n, diff)
		}
		got := read(s)
		for table, rows := range []int{n, m} {
			want := min(size, rows)
			if s.TableRows()[table] != want || len(got[table]) < want-1 || len(got[table]) > want {
				t.Errorf("%d of %d rows: table %d has %d, want %d, perhaps less the one without Y", size, rows, table, len(got[table]), want)
			}
			count := 0.
			for u, f := range got[table] {
				if whole[table][u] != f {
					t.Fatalf("table %d: row %g is %+v, want %+v", table, u, f, whole[table][u])
				}
				count += f.frequency
			}
			if c := float64(s.Counts()[table]); c < count || c > count+3 {
				t.Errorf("table %d counts %g observations, its rows are %g", table, c, count)
			}
		}
	}
}
