package rr_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediant/effect"
	"mediant/features"
	"mediant/inference"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
	"mediant/tables/copies"
)

// A copiedTable has numbers by column and row.
type copiedTable struct {
	names   []string
	columns [][]float64
}

// of has the given rows.
func (c copiedTable) of(rows []int) copiedTable {
	out := copiedTable{names: c.names}
	for _, values := range c.columns {
		var own []float64
		for _, i := range rows {
			own = append(own, values[i])
		}
		out.columns = append(out.columns, own)
	}
	return out
}

func (c copiedTable) rows() int { return len(c.columns[0]) }

func (c copiedTable) pasted(times int) copiedTable {
	var rows []int
	for range times {
		for i := range c.rows() {
			rows = append(rows, i)
		}
	}
	return c.of(rows)
}

func (c copiedTable) source(t testing.TB) tables.Source {
	t.Helper()
	var columns []tables.ColumnData
	for j, name := range c.names {
		columns = append(columns, tables.Numbers(name, c.columns[j]))
	}
	src, err := tables.FromColumns(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// drawCopied draws tables of Y = u + v² with noise, digits after the point of all numbers.
func drawCopied(rnd *rand.Rand, n, m int, digits float64) (xu, uy copiedTable) {
	xu, uy = copiedTable{names: []string{"x", "t", "u", "v"}, columns: make([][]float64, 4)}, copiedTable{names: []string{"u", "v", "y"}, columns: make([][]float64, 3)}
	add := func(c *copiedTable, row ...float64) {
		for j, v := range row {
			c.columns[j] = append(c.columns[j], math.Round(v*math.Pow(10, digits))/math.Pow(10, digits))
		}
	}
	for i := range n {
		x := 2 * rnd.NormFloat64()
		add(&xu, x, float64(i%2), x+.3*rnd.NormFloat64(), rnd.NormFloat64())
	}
	for range m {
		u, v := 2*rnd.NormFloat64(), rnd.NormFloat64()
		add(&uy, u, v, u+v*v+rnd.NormFloat64())
	}
	return xu, uy
}

// withoutCopies are notes but those of copies.
func withoutCopies(notes []string) []string {
	return slices.DeleteFunc(slices.Clone(notes), func(note string) bool { return strings.Contains(note, "copies of others") })
}

// TestPastedTablesFitAsOnce: tables that were pasted several times give to the byte the model, risk, diagnosis and effect of the tables
// as they were, with a note that says how many rows are copies.
func TestPastedTablesFitAsOnce(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		ctx := context.Background()
		rnd := rand.New(rand.NewPCG(rapid.Uint64Range(1, 1e6).Draw(r, "seed"), 3))
		xu, uy := drawCopied(rnd, rapid.IntRange(40, 90).Draw(r, "n"), rapid.IntRange(40, 90).Draw(r, "m"), float64(rapid.IntRange(1, 6).Draw(r, "digits")))
		timesX, timesY := rapid.IntRange(1, 5).Draw(r, "times xu"), rapid.IntRange(2, 5).Draw(r, "times uy")
		small := features.Spec{Size: 16}
		setup := problem.Setup{Phi: small, Psi: small, Seed: 5, Folds: 3, Roles: tables.RoleOptions{X: []string{"x"}, U: []string{"u", "v"}, Y: []string{"y"}}}
		precision := rapid.Bool().Draw(r, "precision")
		errors := rapid.Bool().Draw(r, "errors")
		once, copied := [2]tables.Source{xu.source(t), uy.source(t)}, [2]tables.Source{xu.pasted(timesX).source(t), uy.pasted(timesY).source(t)}
		files := make([][]byte, 2)
		for i, src := range [][2]tables.Source{once, copied} {
			p, err := problem.Prepare(ctx, setup, src[0], src[1])
			if err == nil && precision {
				p, err = search.WeighByPrecision(ctx, p)
			}
			if err != nil {
				r.Fatal(err)
			}
			c, err := search.ChoiceOf(p, rr.TwoStep{LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-3)}, risk.AssessOptions{})
			if err != nil {
				r.Fatal(err)
			}
			m, err := recorded(c.Fit(ctx))
			if err != nil {
				r.Fatal(err)
			}
			if errors {
				if err := addErrors(c.Problem, m, inference.Corrected); err != nil {
					r.Fatal(err)
				}
			}
			if m.Assessment, err = c.Assessment(ctx); err != nil {
				r.Fatal(err)
			}
			if said := len(m.Notes) - len(withoutCopies(m.Notes)); i == 1 && said != 1+min(timesX-1, 1) {
				r.Fatalf("copies are said %d times: %q", said, m.Notes)
			}
			m.Notes = withoutCopies(m.Notes)
			var file bytes.Buffer
			if err := m.Save(&file); err != nil {
				r.Fatal(err)
			}
			files[i] = file.Bytes()
		}
		if !bytes.Equal(files[0], files[1]) {
			r.Fatal("the model of pasted tables is another one")
		}
		effect := effect.Estimator{Setup: problem.Setup{Psi: small, Seed: 5, Roles: tables.RoleOptions{U: []string{"u", "v"}, Y: []string{"y"}}}, Treatment: "t"}
		a, err := effect.Estimate(ctx, once[0], once[1])
		if err != nil {
			r.Fatal(err)
		}
		b, err := effect.Estimate(ctx, copied[0], copied[1])
		if err != nil {
			r.Fatal(err)
		}
		if !reflect.DeepEqual(a.Effects, b.Effects) || a.Treated != b.Treated || a.Rows != b.Rows {
			r.Fatalf("the effect is %+v, of pasted tables %+v", a, b)
		}
	})
}

// TestKeepCopies: copies that are to stay count as rows of their own.
func TestKeepCopies(t *testing.T) {
	xu, uy := drawCopied(rand.New(rand.NewPCG(1, 2)), 60, 60, 4)
	setup := problem.Setup{Phi: features.Spec{Size: 16}, Psi: features.Spec{Size: 16}, Roles: tables.RoleOptions{X: []string{"x"}, U: []string{"u", "v"}}}
	for _, keep := range []bool{false, true} {
		setup.Copies = copies.Unset
		if keep {
			setup.Copies = copies.Keep
		}
		p, err := problem.Prepare(context.Background(), setup, xu.source(t), uy.pasted(3).source(t))
		if err != nil {
			t.Fatal(err)
		}
		want := 60.
		if keep {
			want = 180
		}
		if got := p.UY().Weight(); got != want || keep != (len(withoutCopies(p.Notes())) == len(p.Notes())) {
			t.Errorf("kept %v: %g rows, want %g; notes %q", keep, got, want, p.Notes())
		}
	}
}

// TestSomeCopiesAreOneObservation: rows of which a few are there several times are as many observations as they are different, with the weight of
// their copies.
func TestSomeCopiesAreOneObservation(t *testing.T) {
	xu, uy := drawCopied(rand.New(rand.NewPCG(4, 2)), 200, 200, 6)
	var rows []int
	for i := range 200 {
		rows = append(rows, i)
		if i%10 == 0 {
			rows = append(rows, i, i)
		}
	}
	setup := problem.Setup{Phi: features.Spec{Size: 16}, Psi: features.Spec{Size: 16}, Folds: 5, Roles: tables.RoleOptions{X: []string{"x"}, U: []string{"u", "v"}}}
	copied, err := problem.Prepare(context.Background(), setup, xu.source(t), uy.of(rows).source(t))
	if err != nil {
		t.Fatal(err)
	}
	if copied.UY().Rows() != 200 || math.Abs(copied.UY().Weight()-200) > 1e-9 {
		t.Errorf("%d rows of weight %g, want 200", copied.UY().Rows(), copied.UY().Weight())
	}
	setup.Copies = copies.Keep
	kept, err := problem.Prepare(context.Background(), setup, xu.source(t), uy.of(rows).source(t))
	if err != nil {
		t.Fatal(err)
	}
	setup.Copies = copies.One
	once, err := problem.Prepare(context.Background(), setup, xu.source(t), uy.of(rows).source(t))
	if err != nil {
		t.Fatal(err)
	}
	without, err := problem.Prepare(context.Background(), setup, xu.source(t), uy.source(t))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := once.UY().MeanB()[0], without.UY().MeanB()[0]; got != want || once.UY().Rows() != 200 {
		t.Errorf("%d rows that count once have the mean %g, without copies %g", once.UY().Rows(), got, want)
	}
	if got, want := copied.UY().MeanB()[0], kept.UY().MeanB()[0]; math.Abs(got-want) > 1e-12 {
		t.Errorf("the mean of Y is %g, with copies as rows %g", got, want)
	}
	solver := rr.TwoStep{LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-3)}
	a, err := risk.Assess(context.Background(), copied, risk.Fitted(solver), risk.AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := risk.Assess(context.Background(), kept, risk.Fitted(solver), risk.AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Risk.SE <= b.Risk.SE {
		t.Errorf("the standard error is %g, with copies as observations %g", a.Risk.SE, b.Risk.SE)
	}
}
