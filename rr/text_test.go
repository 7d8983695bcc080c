package rr_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/baselines"
	"mediant/diagnose"
	"mediant/encode"
	"mediant/features"
	"mediant/internal/fittest"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// articles are n texts about one of three topics: a title of three words, and a text that goes on for six more.
// Half of the words are those of the topic, the others common to all.
func articles(n int, seed uint64) (title, text, topic []string) {
	rnd := rand.New(rand.NewPCG(seed, 3))
	for i := range n {
		kind := rnd.IntN(3)
		words := []string{fmt.Sprint("n", i)}
		for range 9 {
			if rnd.IntN(2) == 0 {
				words = append(words, fmt.Sprintf("%cword%d", 'a'+kind, rnd.IntN(20)))
			} else {
				words = append(words, fmt.Sprint("common", rnd.IntN(40)))
			}
		}
		title = append(title, strings.Join(words[:4], " "))
		text = append(text, strings.Join(words, " "))
		topic = append(topic, string(rune('A'+kind)))
	}
	return title, text, topic
}

// TestSearchOfText: titles and texts are hashed, searched, saved, read and evaluated. By chance a third of the
// labels are right; a title has at least one word of its topic for 7 of 8, so that .7 of 300 is passed by
// any fit that works at all, and by one that does not less than once in 1e30.
func TestSearchOfText(t *testing.T) {
	ctx := context.Background()
	titleX, textX, _ := articles(400, 1)
	_, textY, topic := articles(400, 2)
	titleT, _, topicT := articles(300, 3)
	xu := source(t, tables.Strings("title", titleX), tables.Strings("text", textX))
	uy := source(t, tables.Strings("text", textY), tables.Strings("topic", topic))
	c, err := search.Search{Setup: problem.Setup{Phi: features.Spec{Size: 128}, Psi: features.Spec{Size: 128}}, Rivals: baselines.Rivals}.Choose(ctx, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range c.Trials {
		if trial.Error != "" && trial.Stage != "method" {
			t.Errorf("%s %s: %s", trial.Stage, trial.Name, trial.Error)
		}
	}
	m, err := recorded(c.Fit(ctx))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Assessment(ctx); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	read, err := mediant.Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	xy := source(t, tables.Strings("title", titleT), tables.Strings("topic", topicT))
	for what, m := range map[string]*mediant.Model{"fitted": m, "read": read} {
		s, err := m.Evaluate(ctx, xy)
		if err != nil {
			t.Fatal(err)
		}
		if *s.Accuracy < .7 {
			t.Errorf("%s: accuracy %.3f", what, *s.Accuracy)
		}
	}
	if _, err := risk.AssessModel(ctx, read.Model, xu, uy, tables.RoleOptions{}, risk.AssessOptions{}); err != nil {
		t.Errorf("assessment of a model of text: %v", err)
	}
	if _, err := diagnose.Diagnose(ctx, read.Model, xu, uy, tables.RoleOptions{}); err != nil {
		t.Errorf("diagnosis of a model of text: %v", err)
	}
}

// TestNaiveOfText: with psi linear in the hashed text and the penalties of 2Step-RR, chaining is 2Step-RR, to
// rounding amplified by systems of condition below 1e5.
func TestNaiveOfText(t *testing.T) {
	ctx := context.Background()
	titleX, textX, _ := articles(300, 4)
	_, textY, topic := articles(300, 5)
	xu := source(t, tables.Strings("title", titleX), tables.Strings("text", textX))
	uy := source(t, tables.Strings("text", textY), tables.Strings("topic", topic))
	setup := problem.Setup{Phi: features.Spec{Size: 64}, Psi: features.Spec{Size: 64}}
	predict := func(m fittest.Fitter) *mat.Dense {
		model, err := m.Fit(ctx, xu, uy)
		if err != nil {
			t.Fatal(err)
		}
		var out mat.Dense
		for b, err := range model.Predict(ctx, xu) {
			if err != nil {
				t.Fatal(err)
			}
			out.CloneFrom(b.Values)
		}
		return &out
	}
	if got, want := predict(fittest.With(setup, baselines.Naive{})), predict(fittest.With(setup, rr.TwoStep{})); !mat.EqualApprox(got, want, 1e-9) {
		t.Error("the naive chain over a linear psi is not 2Step-RR")
	}
	setup.Psi = features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Size: 64}
	if _, err := rr.Fit(ctx, setup, baselines.Naive{}, xu, uy); err == nil || !strings.Contains(err.Error(), "hashed text") {
		t.Errorf("the naive chain over a Gaussian psi: error %v", err)
	}
}

// TestSparseColumns: a linear model of sparse rows is that of the same numbers as columns. Sparse rows are
// divided by one number, which NoStandardize leaves out, and landmarks as many as columns span them all; so both
// are the same ridge regression, and differ by rounding that whitening by a Gram matrix of condition below 1e6
// amplifies to less than 1e-8.
func TestSparseColumns(t *testing.T) {
	ctx := context.Background()
	rnd := rand.New(rand.NewPCG(6, 6))
	const n, d = 1500, 12
	x, u := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	y := make([]float64, n)
	for i := range n {
		for j := range d {
			if rnd.IntN(3) == 0 {
				x.Set(i, j, rnd.NormFloat64())
			}
			if rnd.IntN(3) == 0 {
				u.Set(i, j, x.At(i, j)+rnd.NormFloat64())
			}
			y[i] += u.At(i, j)
		}
	}
	column := func(name string, of mat.Matrix) tables.Source {
		s, err := tables.FromSparse(name, encode.CSROf(of))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	dense := func(prefix string, of *mat.Dense) []tables.ColumnData {
		var out []tables.ColumnData
		for j := range d {
			out = append(out, tables.Numbers(fmt.Sprint(prefix, j), mat.Col(nil, j, of)))
		}
		return out
	}
	beside := func(a, b tables.Source) tables.Source {
		s, err := tables.HStack(a, b)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	target := source(t, tables.Numbers("y", y))
	linear := features.Spec{Kind: features.NystromFeatures, Kernel: "linear", Size: 200}
	fit := func(xu, uy, of tables.Source) *mat.Dense {
		m, err := recorded(rr.Fit(ctx, problem.Setup{NoStandardize: true, Phi: linear, Psi: linear}, rr.TwoStep{}, xu, uy))
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := m.Save(&file); err != nil {
			t.Fatal(err)
		}
		if m, err = mediant.Load(&file); err != nil {
			t.Fatal(err)
		}
		out := mat.NewDense(n, 1, nil)
		for b, err := range m.Predict(ctx, of) {
			if err != nil {
				t.Fatal(err)
			}
			r, _ := b.Values.Dims()
			out.Slice(b.Start, b.Start+r, 0, 1).(*mat.Dense).Copy(b.Values)
		}
		if len(m.Roles.X) == 1 {
			for _, rows := range []mat.Matrix{x, encode.CSROf(x)} {
				var again mat.Dense
				if err := m.PredictTo(&again, rows); err != nil || !mat.Equal(&again, out) {
					t.Errorf("predictions of a %T are not those of the table, or error %v", rows, err)
				}
			}
		}
		return out
	}
	got := fit(beside(column("x", x), column("u", u)), beside(column("u", u), target), column("x", x))
	xs, us := source(t, dense("x", x)...), source(t, dense("u", u)...)
	want := fit(beside(xs, us), beside(us, target), xs)
	if !mat.EqualApprox(got, want, 1e-8) {
		t.Error("a model of sparse rows is another than that of their numbers as columns")
	}
	sized := search.Search{Setup: problem.Setup{Phi: features.Spec{Size: 256}, Psi: features.Spec{Size: 256}}}
	c, err := sized.Choose(ctx, beside(column("x", x), column("u", u)), beside(column("u", u), target))
	if err != nil {
		t.Fatal(err)
	}
	if a, err := c.Assessment(ctx); err != nil || a.Risk.MSE <= 0 {
		t.Errorf("assessment %+v, error %v", a, err)
	}
}
