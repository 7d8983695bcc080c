package rr_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mediant"
	"mediant/check"
	"mediant/features"
	"mediant/internal/fittest"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
	"mediant/tables/copies"
)

// TestModelsKeepWhatTheyLearned: models of every method know the rows of their tables, also when they are read again.
func TestModelsKeepWhatTheyLearned(t *testing.T) {
	xu, uy := labelled(t)
	for name, m := range models(t) {
		again, err := load(bytes.NewReader(saved(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []*mediant.Model{m, again} {
			for _, c := range []struct {
				src   tables.Source
				roles tables.Roles
				table check.Table
				rows  int // of S_X only those whose colour S_Y has too are learned from
			}{{xu, tables.Roles{X: m.Roles.X, U: m.Roles.U}, check.XU, 40}, {uy, tables.Roles{U: m.Roles.U, Y: m.Roles.Y}, check.UY, 60}} {
				found, err := m.Later(context.Background(), c.src, c.roles, c.table)
				if err != nil {
					t.Fatal(err)
				}
				i := slices.IndexFunc(found, func(f check.Finding) bool { return f.Code == check.LearnedRows })
				if i < 0 || found[i].Table != c.table || found[i].Rows != c.rows || found[i].Of != 60 {
					t.Errorf("%s: %+v", name, found)
				}
			}
		}
	}
}

// TestLaterOfEncoders: what encoders are not prepared for is found with its column and table, and who keeps no profile finds nothing else.
func TestLaterOfEncoders(t *testing.T) {
	xu, uy := labelled(t)
	m := fit(t, fittest.With(problem.Setup{Phi: features.Spec{Size: 10}, Psi: features.Spec{Size: 10}}, rr.TwoStep{}), xu, uy)
	src, err := tables.FromColumns(tables.Strings("colour", []string{"red", "pink", "blue", ""}), tables.Numbers("x", []float64{math.NaN(), 1e6, 0, 0}), tables.Numbers("u", []float64{1, math.NaN(), 2, 3}))
	if err != nil {
		t.Fatal(err)
	}
	find := func(m *mediant.Model, roles tables.Roles, table check.Table) (all []string) {
		t.Helper()
		found, err := m.Later(context.Background(), src, roles, table)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if f.Table != table || f.Severity != check.Warning {
				t.Errorf("%+v", f)
			}
			all = append(all, string(f.Code)+" "+f.Columns[0])
		}
		return all
	}
	x, both := tables.Roles{X: []string{"x"}}, tables.Roles{X: []string{"x"}, U: []string{"colour", "u"}}
	if got, want := find(m, x, check.Later), []string{"later-range x", "later-missing x"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := find(m, both, check.XU), []string{"later-range x", "later-missing x", "later-missing u", "later-level colour"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	old := *m
	old.Learned = nil
	if got, want := find(&old, both, check.XU), []string{"later-missing x", "later-missing u", "later-level colour"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	lacking, _ := tables.FromColumns(tables.Numbers("z", []float64{1}))
	if _, err := m.Later(context.Background(), lacking, x, check.Later); err == nil {
		t.Error("a table without x is compared")
	}
}

// TestLearnedCopies: rows are known again whether they were pasted before the fit or after it, and whether copies counted.
func TestLearnedCopies(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	const n = 100
	var values [4][]float64
	for i := range values {
		for range n {
			values[i] = append(values[i], rnd.NormFloat64())
		}
	}
	pasted := func(times int) (xu, uy tables.Source) {
		t.Helper()
		var of [4][]float64
		for i := range of {
			of[i] = slices.Repeat(values[i], times)
		}
		xu, err := tables.FromColumns(tables.Numbers("x", of[0]), tables.Numbers("u", of[1]))
		if err != nil {
			t.Fatal(err)
		}
		uy, err = tables.FromColumns(tables.Numbers("u", of[2]), tables.Numbers("y", of[3]))
		if err != nil {
			t.Fatal(err)
		}
		return xu, uy
	}
	for _, rule := range []copies.Rule{copies.Unset, copies.One, copies.Keep} {
		for _, times := range []int{1, 10} {
			xu, uy := pasted(times)
			m := fit(t, fittest.With(problem.Setup{Phi: features.Spec{Size: 10}, Psi: features.Spec{Size: 10}, Copies: rule}, rr.TwoStep{}), xu, uy)
			for _, again := range []int{1, 10} {
				xu, _ := pasted(again)
				found, err := m.Later(context.Background(), xu, tables.Roles{X: []string{"x"}, U: []string{"u"}}, check.XU)
				if err != nil || len(found) != 1 || found[0].Code != check.LearnedRows {
					t.Errorf("copies by rule %v, %d times and %d: %+v, %v", rule, times, again, found, err)
				}
			}
		}
	}
}

// TestModelOfFoldsKeepsNothing: it has not learned from all rows.
func TestModelOfFoldsKeepsNothing(t *testing.T) {
	xu, uy := labelled(t)
	s := problem.Setup{Phi: features.Spec{Size: 10}, Psi: features.Spec{Size: 10}, Folds: 3}
	p, err := problem.Prepare(context.Background(), s, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	part, err := p.Without(1)
	if err != nil {
		t.Fatal(err)
	}
	if rr.NewModel(p, "2step").Learned == nil || rr.NewModel(part, "2step").Learned != nil {
		t.Error("what is kept is not of the rows that were learned from")
	}
}

// TestFileWithoutLearned: files that were written before a model kept anything are read.
func TestFileWithoutLearned(t *testing.T) {
	xu, uy := labelled(t)
	m := fit(t, fittest.With(problem.Setup{Phi: features.Spec{Size: 10}, Psi: features.Spec{Size: 10}}, rr.TwoStep{}), xu, uy)
	m.Learned = nil
	raw := saved(t, m)
	if bytes.Contains(raw, []byte(`"package": "check"`)) {
		t.Fatal("nothing is kept, and written")
	}
	again, err := load(bytes.NewReader(raw))
	if err != nil || again.Learned != nil {
		t.Fatalf("%v", err)
	}
	// One whose profile is damaged is none.
	m = fit(t, fittest.With(problem.Setup{Phi: features.Spec{Size: 10}, Psi: features.Spec{Size: 10}}, rr.TwoStep{}), xu, uy)
	raw = saved(t, m)
	damaged := bytes.Replace(raw, []byte(`"fingerprints"`), []byte(`"fingerprintz"`), 1)
	sum := sha256.Sum256(damaged[:len(damaged)-sha256.Size])
	copy(damaged[len(damaged)-sha256.Size:], sum[:])
	if _, err := load(bytes.NewReader(damaged)); err == nil || binary.LittleEndian.Uint32(damaged[8:]) != 2 {
		t.Errorf("read without fingerprints: %v", err)
	}
}
