package serve

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/encode"
	"mediant/features"
	"mediant/losses"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// few are features enough for tests.
func few() problem.Setup {
	return problem.Setup{Phi: features.Spec{Size: 32}, Psi: features.Spec{Size: 32}}
}

// fitted are the models of the tests, fitted once: "number" has two numbers and a text in X, standard errors and a distribution; "other" is the like of other rows;
// "plain" has two numbers in X; "classes" is by log loss; "sparse" has a column of
// sparse rows of five places in X.
var fitted = map[string]func() []byte{
	"number": sync.OnceValue(func() []byte { return fit(1, true, false) }), "other": sync.OnceValue(func() []byte { return fit(2, true, false) }),
	"plain": sync.OnceValue(func() []byte { return fit(3, false, false) }), "classes": sync.OnceValue(func() []byte { return fit(4, true, true) }),
	"sparse": sync.OnceValue(fitSparse),
}

var colours = []string{"blue", "green", "red"}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func fit(seed uint64, text, classes bool) []byte {
	rnd := rand.New(rand.NewPCG(seed, 0))
	const n = 300
	draw := func() (x, u, y []tables.ColumnData) {
		a, b, v, w := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		colour, label := make([]string, n), make([]string, n)
		for i := range n {
			c := rnd.IntN(3)
			a[i], b[i], colour[i] = 10*rnd.Float64(), rnd.NormFloat64(), colours[c]
			v[i] = a[i]/5 + b[i] + .3*rnd.NormFloat64()
			if text {
				v[i] += float64(c)
			}
			w[i] = v[i]*v[i] + float64(seed)
			label[i] = colours[min(max(int(v[i]+rnd.NormFloat64()), 0), 2)]
		}
		x = []tables.ColumnData{tables.Numbers("a", a), tables.Numbers("b", b)}
		if text {
			x = append(x, tables.Strings("colour", colour))
		}
		y = []tables.ColumnData{tables.Numbers("y", w)}
		if classes {
			y = []tables.ColumnData{tables.Strings("label", label)}
		}
		return x, []tables.ColumnData{tables.Numbers("u", v)}, y
	}
	x, u, _ := draw()
	xu := must(tables.FromColumns(append(x, u...)...))
	_, u, y := draw()
	uy := must(tables.FromColumns(append(u, y...)...))
	opt := mediant.Options{Setup: few(), NoCheck: true, StandardErrors: !classes, Distribution: !classes, Method: rr.TwoStep{}}
	if classes {
		opt.Method, opt.Loss = nil, losses.Log{}
	}
	return saved(xu, uy, opt)
}

func fitSparse() []byte {
	rnd := rand.New(rand.NewPCG(5, 0))
	const n = 100
	x, u, y := mat.NewDense(n, 5, nil), make([]float64, n), make([]float64, n)
	for i := range n {
		x.Set(i, rnd.IntN(5), rnd.NormFloat64())
		u[i] = x.At(i, 0) - x.At(i, 1) + .1*rnd.NormFloat64()
		y[i] = u[i] * u[i]
	}
	rows := must(tables.FromSparse("x", encode.CSROf(x)))
	xu := must(tables.HStack(rows, must(tables.FromColumns(tables.Numbers("u", u)))))
	uy := must(tables.FromColumns(tables.Numbers("u", u), tables.Numbers("y", y)))
	return saved(xu, uy, mediant.Options{Setup: few(), NoCheck: true, Method: rr.TwoStep{}})
}

// saved is the file of a fitted model.
func saved(xu, uy tables.Source, opt mediant.Options) []byte {
	m := must(mediant.Fit(context.Background(), xu, uy, opt))
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// put writes a model file of a folder, under a name of its own first.
func put(t testing.TB, path, model string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".tmp", fitted[model](), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		t.Fatal(err)
	}
}

// load is a fitted model.
func load(t testing.TB, model string) *mediant.Model {
	t.Helper()
	m, err := mediant.Load(bytes.NewReader(fitted[model]()))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
