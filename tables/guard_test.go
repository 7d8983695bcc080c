package tables

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A faulty Source yields what passes says, one element a pass, the last one again and again.
type faulty struct {
	columns []Column
	passes  [][]any // of a Batch, an error, a func() to call
	at      int
}

func (f *faulty) Columns() []Column { return f.columns }

func (f *faulty) Batches(context.Context) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		steps := f.passes[min(f.at, len(f.passes)-1)]
		f.at++
		for _, step := range steps {
			ok := true
			switch s := step.(type) {
			case Batch:
				ok = yield(s, nil)
			case error:
				ok = yield(Batch{}, s)
			case func():
				s()
			}
			if !ok {
				return
			}
		}
	}
}

func numbersBatch(start int, v ...float64) Batch {
	return Batch{Start: start, Rows: len(v), Num: mat.NewDense(len(v), 1, v)}
}

// drain reads passes until one ends with an error.
func drain(ctx context.Context, src Source, passes int) (rows int, err error) {
	for range passes {
		for b, err := range src.Batches(ctx) {
			if err != nil {
				return rows, err
			}
			rows += b.Rows
		}
	}
	return rows, nil
}

func TestGuardRefuses(t *testing.T) {
	x := []Column{{"x", Numeric}}
	l := []Column{{"l", Text}}
	v := []Column{{"v", Vector}}
	good := numbersBatch(0, 1, 2, 3)
	sparse := func(s SparseRows) Batch { return Batch{Rows: 2, Sparse: []SparseRows{s}} }
	for name, c := range map[string]struct {
		columns []Column
		passes  [][]any
		want    string
	}{
		"start":           {x, [][]any{{good, numbersBatch(4, 1)}}, "S_X, pass 1: a batch starts at row 4, want 3"},
		"start from 1":    {x, [][]any{{numbersBatch(1, 1)}}, "starts at row 1, want 0"},
		"no rows":         {x, [][]any{{good, Batch{Start: 3, Num: &mat.Dense{}}}}, "after row 3 has 0 rows"},
		"weights":         {x, [][]any{{Batch{Rows: 1, Num: mat.NewDense(1, 1, nil), weights: rowWeights{weights: []float64{1, 2}, copies: []int{1, 2}, numbers: []int{0, 1}}}}}, "1 rows and the weights of 2"},
		"negative rows":   {x, [][]any{{Batch{Rows: -1}}}, "-1 rows"},
		"no numbers":      {x, [][]any{{Batch{Rows: 2}}}, "no numbers, want 1 columns"},
		"empty numbers":   {x, [][]any{{Batch{Rows: 2, Num: &mat.Dense{}}}}, "0×0, want 2×1"},
		"more columns":    {x, [][]any{{Batch{Rows: 2, Num: mat.NewDense(2, 2, nil)}}}, "2×2, want 2×1"},
		"fewer numbers":   {x, [][]any{{Batch{Rows: 2, Num: mat.NewDense(1, 1, nil)}}}, "1×1, want 2×1"},
		"infinite":        {x, [][]any{{good, numbersBatch(3, 1, math.Inf(1))}}, `column "x": row 5 is +Inf, want a finite number`},
		"no text":         {l, [][]any{{Batch{Rows: 1}}}, "0 columns of text, want 1"},
		"fewer cells":     {l, [][]any{{Batch{Rows: 2, Text: [][]string{{"a"}}}}}, `column "l" of the batch after row 0 has 1 cells, want 2`},
		"no vectors":      {v, [][]any{{Batch{Rows: 1}}}, "0 columns of sparse rows, want 1"},
		"starts":          {v, [][]any{{sparse(SparseRows{Width: 3, Start: []int{0, 0}})}}, "2 starts of sparse rows, want 3"},
		"values":          {v, [][]any{{sparse(SparseRows{Width: 3, Start: []int{0, 0, 1}, Columns: []int{1}})}}, "1 places for 0 values"},
		"beyond":          {v, [][]any{{sparse(SparseRows{Width: 3, Start: []int{0, 0, 2}, Columns: []int{1}, Values: []float64{1}})}}, "sparse row 2 has the values from 0 to 2 of 1"},
		"backwards":       {v, [][]any{{sparse(SparseRows{Width: 3, Start: []int{0, 1, 0}, Columns: []int{1}, Values: []float64{1}})}}, "values from 1 to 0"},
		"place":           {v, [][]any{{sparse(SparseRows{Width: 3, Start: []int{0, 0, 1}, Columns: []int{3}, Values: []float64{1}})}}, "place 3 after -1"},
		"negative place":  {v, [][]any{{sparse(SparseRows{Width: 3, Start: []int{0, 0, 1}, Columns: []int{-1}, Values: []float64{1}})}}, "place -1"},
		"place twice":     {v, [][]any{{sparse(SparseRows{Width: 3, Start: []int{0, 0, 2}, Columns: []int{1, 1}, Values: []float64{1, 2}})}}, "place 1 after 1"},
		"width":           {v, [][]any{{sparse(SparseRows{Width: 1 << 40, Start: []int{0, 0, 0}})}}, "width"},
		"NaN vector":      {v, [][]any{{sparse(SparseRows{Width: 3, Start: []int{0, 0, 1}, Columns: []int{1}, Values: []float64{math.NaN()}})}}, `column "v": row 2 is NaN`},
		"error":           {x, [][]any{{good, errors.New("disk on fire")}}, "S_X, pass 1 after row 3: disk on fire"},
		"error later":     {x, [][]any{{good}, {errors.New("disk on fire")}}, "S_X, pass 2 after row 0: disk on fire"},
		"rows after one":  {x, [][]any{{errors.New("disk on fire"), good}}, "disk on fire"},
		"none later":      {x, [][]any{{good}, {}}, "S_X, pass 2: there are 0 rows, want the 3 of the first pass"},
		"one fewer later": {x, [][]any{{good}, {good}, {numbersBatch(0, 1, 2)}}, "S_X, pass 3: there are 2 rows, want the 3 of"},
		"one more later":  {x, [][]any{{good}, {good, numbersBatch(3, 4)}}, "S_X, pass 2: there are more than the 3 rows"},
		"only later":      {x, [][]any{{}, {good}}, "more than the 0 rows"},
	} {
		_, err := drain(t.Context(), NewGuard("S_X", &faulty{columns: c.columns, passes: c.passes}), 3)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

// counted is a Source that tells how many rows it has.
type counted struct {
	*faulty
	rows int
}

func (c counted) Facts() Facts { return Facts{Rows: c.rows} }

// TestGuardChecksFacts: a Source that has other rows than it tells is found out in its first pass.
func TestGuardChecksFacts(t *testing.T) {
	src := &faulty{columns: []Column{{"x", Numeric}}, passes: [][]any{{numbersBatch(0, 1, 2, 3)}}}
	for rows, want := range map[int]string{2: "pass 1: there are more than the 2 rows of its Facts", 3: "", 4: "pass 1: there are 3 rows, want the 4 of its Facts"} {
		_, err := drain(t.Context(), NewGuard("", counted{src, rows}), 1)
		if want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d rows told: error %v, want %q", rows, err, want)
		}
	}
}

// TestGuardPasses: what is right goes through, whoever yields it; a pass that is not read to its end counts nothing.
func TestGuardPasses(t *testing.T) {
	nan := numbersBatch(0, 1, math.NaN())
	src := &faulty{columns: []Column{{"x", Numeric}}, passes: [][]any{{nan, numbersBatch(2, 3)}}}
	g := NewGuard("", src)
	for range g.Batches(t.Context()) {
		break
	}
	if n, err := drain(t.Context(), g, 2); n != 6 || err != nil {
		t.Errorf("%d rows in two passes, error %v, want 6", n, err)
	}
	if again := NewGuard("other", g); again != g {
		t.Error("a guard is guarded again")
	}
	src.at = 0
	if n, err := g.Count(t.Context()); n != 3 || err != nil || src.at != 0 {
		t.Errorf("%d rows, error %v, in %d passes, want 3 in none: they have been counted", n, err, src.at)
	}
	broken := errors.New("broken")
	if _, err := drain(t.Context(), NewGuard("", &faulty{columns: src.columns, passes: [][]any{{broken}}}), 1); err != broken {
		t.Errorf("error %v, want that of the only table as it is", err)
	}
}

// TestGuardLooksAtTheContext that its source does not look at, at every batch and after the last.
func TestGuardLooksAtTheContext(t *testing.T) {
	for _, after := range []int{0, 1, 2} {
		ctx, cancel := context.WithCancel(t.Context())
		steps := []any{numbersBatch(0, 1), numbersBatch(1, 1)}
		steps = append(steps[:after:after], append([]any{func() { cancel() }}, steps[after:]...)...)
		n, err := drain(ctx, NewGuard("S_X", &faulty{columns: []Column{{"x", Numeric}}, passes: [][]any{steps}}), 1)
		if n != after || !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled after %d batches: %d rows, error %v", after, n, err)
		}
	}
}

func TestGuardLetsPanicsPass(t *testing.T) {
	defer func() {
		if got := recover(); got != "of the source" {
			t.Errorf("panic %v, want that of the source", got)
		}
	}()
	steps := []any{numbersBatch(0, 1), func() { panic("of the source") }}
	drain(t.Context(), NewGuard("S_X", &faulty{columns: []Column{{"x", Numeric}}, passes: [][]any{steps}}), 1)
}

var guardedPassOf = regexp.MustCompile(`NewGuard\("", [\w.\[\]]+\)\.Batches\(`)

// TestEveryPassIsGuarded: no package ranges over the batches of a Source but through a Guard.
func TestEveryPassIsGuarded(t *testing.T) {
	found := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for i, line := range strings.Split(string(text), "\n") {
			if !strings.Contains(line, ".Batches(") || strings.HasPrefix(strings.TrimSpace(line), "//") {
				continue
			}
			found++
			guarded := guardedPassOf.MatchString(line) || filepath.Base(path) == "guard.go" && filepath.Base(filepath.Dir(path)) != "rr"
			for _, name := range []string{"guard.Batches(", "table.Batches(", "s.a.Batches(", "s.b.Batches("} { // of type *Guard
				guarded = guarded || strings.Contains(line, name)
			}
			if !guarded && !strings.HasPrefix(path, "../bench") && !strings.HasPrefix(path, "../internal/tabletest") { // which looks at the batches itself
				t.Errorf("%s:%d ranges over batches without a guard: %s", path, i+1, strings.TrimSpace(line))
			}
		}
		return err
	})
	if err != nil || found < 10 {
		t.Errorf("%d places, error %v", found, err)
	}
}
