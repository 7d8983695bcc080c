package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/baselines"
	"mediant/encode"
	"mediant/features"
	"mediant/kernels"
	"mediant/losses"
	"mediant/mlp"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
	"mediant/tables/csv"
)

// closeness is how close a graph must be to the model, over 1,000 rows, relative to the outputs, which are about 1.
const closeness = 1e-9

// newRows is how many rows are predicted.
const newRows = 1000

// A sample is what models are fitted to, and new rows.
type sample struct {
	xu, uy, fresh func() tables.Source
	reading       tables.Reading
}

// draw makes tables of rows that row draws, in columns x…, u and y; x has some further rows.
func draw(t *testing.T, columns []string, opt csv.Options, row func(r *rand.Rand) (x []string, u, y string)) sample {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	texts := [3]strings.Builder{}
	head := strings.Join(columns, ",")
	fmt.Fprintln(&texts[0], head+",u")
	fmt.Fprintln(&texts[1], "u,y")
	fmt.Fprintln(&texts[2], head)
	for range 300 {
		x, u, _ := row(r)
		fmt.Fprintln(&texts[0], strings.Join(x, ",")+","+u)
		_, u, y := row(r)
		fmt.Fprintln(&texts[1], u+","+y)
	}
	for range newRows {
		x, _, _ := row(r)
		fmt.Fprintln(&texts[2], strings.Join(x, ","))
	}
	open := func(i int) func() tables.Source {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i, ".csv"))
		if err := os.WriteFile(path, []byte(texts[i].String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return func() tables.Source {
			src, err := csv.Open(context.Background(), path, opt)
			if err != nil {
				t.Fatal(err)
			}
			return src
		}
	}
	return sample{open(0), open(1), open(2), tables.Reading{NA: opt.NA}}
}

// positive are three columns of numbers of at least 0, with zeros.
func positive(t *testing.T) sample {
	return draw(t, []string{"a", "b", "c"}, csv.Options{}, func(r *rand.Rand) ([]string, string, string) {
		x := []float64{math.Max(0, r.NormFloat64()), r.Float64(), 3 * r.ExpFloat64()}
		u := x[0] + x[1]*x[2] + r.Float64()
		return []string{fmt.Sprint(x[0]), fmt.Sprint(x[1]), fmt.Sprint(x[2])}, fmt.Sprint(u), fmt.Sprint(math.Sin(u) + r.NormFloat64())
	})
}

// mixed are columns of all kinds: numbers with missing ones, constants, constants where they are there, levels, levels that are numbers, and missing levels.
func mixed(t *testing.T, label bool) sample {
	opt := csv.Options{NA: []string{"?", "b=-7", "[ab]=-99", "siz*=0"}, Text: []string{"size", "flag"}}
	return draw(t, []string{"a", "colour", "gone", "b", "size", "one", "flag"}, opt, func(r *rand.Rand) ([]string, string, string) {
		a, b := r.NormFloat64(), 100+r.Float64()
		colours := []string{"red", "green", "Blue é", "", "?"}
		colour := colours[r.IntN(5)]
		x := []string{fmt.Sprint(a), colour, []string{"7", ""}[r.IntN(2)], fmt.Sprint(b), []string{"1", "2", "10"}[r.IntN(3)], "5", []string{"true", "false"}[r.IntN(2)]}
		if r.IntN(5) == 0 {
			x[0] = ""
		}
		u := a*a + b - 100 + float64(len(colour)) + r.Float64()
		y := fmt.Sprint(u + r.NormFloat64())
		if label {
			y = []string{"low", "mid", "high"}[min(2, int(u/3))]
		}
		return x, fmt.Sprint(u), y
	})
}

// wide are forty columns of numbers.
func wide(t *testing.T) sample {
	names := wideNames()
	return draw(t, names, csv.Options{}, func(r *rand.Rand) ([]string, string, string) {
		x, sum := make([]string, len(names)), 0.
		for j := range x {
			v := 10 + r.NormFloat64()
			x[j], sum = fmt.Sprint(v), sum+v-10
		}
		return x, fmt.Sprint(sum + r.Float64()), fmt.Sprint(math.Abs(sum))
	})
}

func wideNames() []string {
	names := make([]string, 40)
	for j := range names {
		names[j] = fmt.Sprint("x", j)
	}
	return names
}

func fit(t *testing.T, s sample, setup problem.Setup, method rr.Method) *mediant.Model {
	t.Helper()
	m, err := rr.Fit(context.Background(), setup, method, s.xu(), s.uy())
	if err != nil {
		t.Fatal(err)
	}
	return &mediant.Model{Model: m, Reading: s.reading}
}

// A runner runs graphs in onnxruntime.
type runner struct {
	folder string
	cases  map[string]checked
}

// checked is a graph that is to be compared with the predictions of a model.
type checked struct {
	model  *mediant.Model
	values *mat.Dense
}

func newRunner(t *testing.T) *runner {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed: graphs are not run")
	}
	path := os.Getenv("NODE_PATH") // read here so that a cached result is for this path
	if exec.Command("node", "-e", "require('onnxruntime-node')").Run() != nil {
		t.Skipf("onnxruntime-node is not in NODE_PATH %q (npm install --ignore-scripts onnxruntime-node): graphs are not run", path)
	}
	return &runner{t.TempDir(), map[string]checked{}}
}

// add exports a model and predicts new rows with it.
func (r *runner) add(t *testing.T, name string, m *mediant.Model, src tables.Source) {
	t.Helper()
	r.addRows(t, name, m, src, src, newRows)
}

// export writes a graph and n rows for it.
func (r *runner) export(t *testing.T, name string, m *mediant.Model, src tables.Source, n int) {
	t.Helper()
	var b bytes.Buffer
	if err := ONNX(&b, m); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	r.write(t, name+".onnx", b.Bytes())
	feeds, err := json.Marshal(feedsOf(t, m, src, n))
	must(t, err)
	r.write(t, name+".json", feeds)
}

// addRows is add with n rows for the model and for the graph.
func (r *runner) addRows(t *testing.T, name string, m *mediant.Model, src, forGraph tables.Source, n int) {
	t.Helper()
	r.export(t, name, m, forGraph, n)
	values := mat.NewDense(n, m.Y.Len(), nil)
	for block, err := range m.Predict(context.Background(), src) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		n, k := block.Values.Dims()
		values.Slice(block.Start, block.Start+n, 0, k).(*mat.Dense).Copy(block.Values)
	}
	r.cases[name] = checked{m, values}
}

func (r *runner) write(t *testing.T, name string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.folder, name), raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A feed is an input of a graph, as run.js reads it.
type feed struct {
	Type string `json:"type"`
	Dims []int  `json:"dims"`
	Data []any  `json:"data"`
}

// feedsOf are the columns that a model uses, as the source has them.
func feedsOf(t *testing.T, m *mediant.Model, src tables.Source, n int) map[string]feed {
	t.Helper()
	p, err := partsOf(m)
	if err != nil {
		t.Fatal(err)
	}
	in := inputsOf(p.X)
	feeds := map[string]feed{}
	take := func(name, kind string, columns []int, cell func(b tables.Batch, sel *tables.Selection, i, at int) any) {
		if len(columns) == 0 {
			return
		}
		var want []tables.Column
		for _, c := range columns {
			want = append(want, m.X.Columns()[c])
		}
		sel, err := tables.Select(src.Columns(), want)
		if err != nil {
			t.Fatal(err)
		}
		f := feed{Type: kind, Dims: []int{n, len(columns)}}
		for b, err := range tables.NewGuard("", src).Batches(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.Rows {
				for at := range columns {
					_, place := sel.Place(at)
					f.Data = append(f.Data, cell(b, sel, i, place))
				}
			}
		}
		feeds[name] = f
	}
	take("numbers", "float64", in.numbers, func(b tables.Batch, _ *tables.Selection, i, place int) any {
		if v := b.Num.At(i, place); !math.IsNaN(v) {
			return v
		}
		return nil
	})
	take("texts", "string", in.texts, func(b tables.Batch, _ *tables.Selection, i, place int) any { return strings.Clone(b.Text[place][i]) })
	if len(in.rows) == 1 {
		places := p.X.Columns[in.rows[0]].Places
		f := feed{Type: "float64", Dims: []int{n, places}}
		for b, err := range tables.NewGuard("", src).Batches(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.Rows {
				row := make([]any, places)
				for j := range row {
					row[j] = 0.
				}
				at, values := b.Sparse[0].Row(i)
				for s, j := range at {
					if j < places {
						row[j] = values[s]
					}
				}
				f.Data = append(f.Data, row...)
			}
		}
		feeds["rows"] = f
	}
	return feeds
}

// check runs all graphs and compares.
func (r *runner) check(t *testing.T) {
	t.Helper()
	r.run(t)
	for name, c := range r.cases {
		t.Run(name, func(t *testing.T) { r.compare(t, name, c) })
	}
}

func (r *runner) run(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("node", "testdata/run.js", r.folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// An output of a graph, or a message of why there is none.
type output struct {
	Message string
	Dims    []int
	Data    []any
}

func (r *runner) outputs(t *testing.T, name string) (got map[string]output) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(r.folder, name+".out.json"))
	must(t, err)
	must(t, json.Unmarshal(raw, &got))
	if e, failed := got["error"]; failed {
		t.Fatal(e.Message)
	}
	return got
}

func (r *runner) compare(t *testing.T, name string, c checked) {
	got := r.outputs(t, name)
	output := "predictions"
	if c.model.Y.Classes() != nil {
		output = "scores"
		if c.model.Probabilities() {
			output = "probabilities"
		}
	}
	n, k := c.values.Dims()
	if d := got[output].Dims; len(d) != 2 || d[0] != n || d[1] != k {
		t.Fatalf("%s has the dimensions %v, want %d×%d; there are %d outputs", output, d, n, k, len(got))
	}
	worst := 0.
	for i := range n {
		for j := range k {
			v, ok := got[output].Data[i*k+j].(float64)
			if !ok {
				t.Fatalf("row %d is %v, want %g", i, got[output].Data[i*k+j], c.values.At(i, j))
			}
			worst = max(worst, math.Abs(v-c.values.At(i, j)))
		}
		if c.model.Y.Classes() == nil {
			continue
		}
		if label, want := got["label"].Data[i], c.model.Label(c.values.RawRowView(i)); label != want {
			t.Fatalf("row %d is %v, want %q", i, label, want)
		}
	}
	t.Logf("largest difference %.1g of values to %.3g", worst, mat.Max(c.values))
	if !(worst <= closeness) {
		t.Errorf("differs by %g, want at most %g", worst, closeness)
	}
}

// TestONNXPredictors: the models of every method, of numbers and classes, on columns of all kinds.
func TestONNXPredictors(t *testing.T) {
	run := newRunner(t)
	numbers, labels, three, many := mixed(t, false), mixed(t, true), positive(t), wide(t)
	small := problem.Setup{Phi: features.Spec{Size: 64}, Psi: features.Spec{Size: 64}}
	additive := problem.Setup{Phi: features.Spec{Kind: features.AdditiveFeatures, Size: 60}, Psi: features.Spec{Kind: features.AdditiveFeatures, Size: 60}}
	nystrom := problem.Setup{Phi: features.Spec{Kind: features.NystromFeatures, Size: 64}}
	plain := small
	plain.NoStandardize, plain.NoIntercept = true, true
	brief := mlp.Learner{Epochs: 2}
	for _, c := range []struct {
		name   string
		of     sample
		setup  problem.Setup
		method rr.Method
	}{
		{"two steps", numbers, small, rr.TwoStep{}},
		{"two steps as they are", numbers, plain, rr.TwoStep{}},
		{"classes by squared error", labels, small, rr.TwoStep{}},
		{"joint", numbers, small, rr.Joint{}},
		{"log loss", labels, small, rr.Generalized{Loss: losses.Log{}, LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-3), Temperature: 1.5}},
		{"poisson", many, small, rr.Generalized{Loss: losses.Poisson{}, LambdaF: rr.Value(1e-2), LambdaH: rr.Value(1e-2)}},
		{"naive", numbers, small, baselines.Naive{}},
		{"naive of classes", labels, small, baselines.Naive{}},
		{"embedding", numbers, small, baselines.MeanEmbedding{}},
		{"integral", numbers, small, baselines.Integral{}},
		{"integral by rows", three, small, baselines.Integral{Estimator: baselines.NadarayaWatson}},
		{"network", numbers, small, rr.TwoStep{F: brief, H: brief}},
		{"network of classes", labels, small, rr.TwoStep{F: mlp.Learner{Epochs: 2, Output: mlp.SquareSoftmax}, H: brief}},
		{"network by softmax", labels, small, rr.TwoStep{F: mlp.Learner{Epochs: 2, Output: mlp.Softmax}, H: mlp.Learner{Epochs: 2, Output: mlp.Softmax}}},
		{"additive", three, additive, rr.TwoStep{}},
		{"landmarks of all kinds of columns", numbers, nystrom, rr.TwoStep{}},
		{"landmarks of many columns", many, nystrom, rr.TwoStep{}},
		{"small penalties", three, nystrom, rr.TwoStep{LambdaF: rr.Value(1e-9), LambdaH: rr.Value(1e-6)}},
	} {
		run.add(t, c.name, fit(t, c.of, c.setup, c.method), c.of.fresh())
	}
	run.check(t)
}

// TestONNXComponents: f by components is a linear predictor like others.
func TestONNXComponents(t *testing.T) {
	run := newRunner(t)
	r := rand.New(rand.NewPCG(5, 6))
	source := func(n int, names ...string) tables.Source {
		var columns []tables.ColumnData
		values := map[string][]float64{}
		for range n {
			x, v := r.NormFloat64(), r.NormFloat64()
			row := map[string]float64{"x": x, "z": v, "u": x + .3*r.NormFloat64(), "v": v*v + .3*r.NormFloat64()}
			row["y"] = row["u"]*row["u"] + row["v"]
			for _, name := range names {
				values[name] = append(values[name], row[name])
			}
		}
		for _, name := range names {
			columns = append(columns, tables.Numbers(name, values[name]))
		}
		src, err := tables.FromColumns(columns...)
		must(t, err)
		return src
	}
	spec := features.Spec{Kind: features.AdditiveFeatures, Size: 80}
	m, err := rr.Fit(context.Background(), problem.Setup{Phi: spec, Psi: spec}, rr.TwoStep{Components: true}, source(500, "x", "z", "u", "v"), source(500, "u", "v", "y"))
	must(t, err)
	run.add(t, "components", &mediant.Model{Model: m}, source(newRows, "x", "z"))
	run.check(t)
}

// TestONNXFixedMaps: maps and kernels that only programs make.
func TestONNXFixedMaps(t *testing.T) {
	run := newRunner(t)
	s := positive(t)
	gauss, err := kernels.NewGaussian(1.5)
	must(t, err)
	laplace, err := kernels.NewLaplacian(2)
	must(t, err)
	doubled, err := kernels.NewScale(2, gauss)
	must(t, err)
	sum, err := kernels.NewSum(doubled, laplace)
	must(t, err)
	scaled, err := kernels.NewScale(1./3, kernels.Linear{})
	must(t, err)
	product, err := kernels.NewProduct(gauss, sum)
	must(t, err)
	tensorOf, err := kernels.NewTensor([][]int{{2, 0}, {1}}, []kernels.Kernel{gauss, laplace})
	must(t, err)
	sumOf, err := kernels.NewAdditive([][]int{{2, 0}, {1}}, []kernels.Kernel{gauss, laplace})
	must(t, err)
	narrow, err := kernels.NewGaussian(1e-3)
	must(t, err)
	landmarks := mat.NewDense(6, 3, []float64{.1, 0, 1, 0, .3, 1, 1, 1, 1, 2, 0, 0, -1, .5, .5, 0, 0, 0})
	made := func(m features.Map, err error) features.Map {
		must(t, err)
		return m
	}
	nystrom := func(k kernels.Kernel) features.Map { m, err := features.NewNystrom(k, landmarks); return made(m, err) }
	fourier := func(in int) features.Map { m, err := features.NewFourier(gauss, in, 30, 1, "a"); return made(m, err) }
	maps := map[string]features.Map{}
	maps["sum"], maps["product"], maps["tensor"], maps["groups"], maps["narrow"], maps["scaled"] = nystrom(sum), nystrom(product), nystrom(tensorOf), nystrom(sumOf), nystrom(narrow), nystrom(scaled)
	structured, err := features.NewStructured(gauss, 3, 200, 1, "a")
	maps["structured"] = made(structured, err)
	orthogonal, err := features.NewOrthogonal(gauss, 3, 50, 1, "a")
	maps["orthogonal"] = made(orthogonal, err)
	two, err := features.NewAdditive(sumOf, 3, 42, 1, "a")
	maps["additive of groups"] = made(two, err)
	columns, err := features.NewColumns(3, []int{2, 0}, fourier(2))
	maps["columns"] = made(columns, err)
	bias, err := features.WithBias(nystrom(gauss))
	maps["bias"] = made(bias, err)
	metric, err := features.NewMetric(mat.NewSymDense(3, []float64{2, .5, 0, .5, 1, .1, 0, .1, 1}))
	must(t, err)
	chain, err := features.NewChain(metric, fourier(3))
	maps["chain"] = made(chain, err)
	clip, err := features.NewClip([]float64{-.2, 0, -1}, []float64{.3, .5, 1})
	must(t, err)
	monomials, err := features.NewPolynomial(3, 2)
	must(t, err)
	clipped, err := features.NewChain(clip, monomials)
	maps["clip"] = made(clipped, err)
	atLandmarks, err := features.NewChain(metric, nystrom(gauss))
	maps["landmarks in a metric"] = made(atLandmarks, err)
	sketch, err := features.NewTensorSketch(3, 1, 7, 1, "a")
	maps["tensor sketch of degree 1"] = made(sketch, err)
	odd, err := features.NewTensorSketch(3, 4, 33, 1, "a")
	maps["tensor sketch of 33"] = made(odd, err)
	for name, m := range maps {
		run.add(t, name, fit(t, s, problem.Setup{Phi: features.Fixed(m)}, rr.TwoStep{}), s.fresh())
	}
	run.check(t)
}

// TestONNXPatches: features of images, by both ways of comparing patches and of pooling.
func TestONNXPatches(t *testing.T) {
	run := newRunner(t)
	s := wide(t)
	r := rand.New(rand.NewPCG(7, 8))
	rows := mat.NewDense(300, 40, nil)
	rows.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, rows)
	image := features.ImageShape{Planes: 2, Height: 4, Width: 5}
	for name, spec := range map[string]features.PatchSpec{
		"rectifiers": {Image: image, Side: 2, Filters: 6, Grid: 2, Threshold: .1},
		"gaussian":   {Image: image, Side: 3, Filters: 5, Grid: 1, Bandwidth: .7},
		"overlap":    {Image: image, Side: 1, Filters: 4, Grid: 2, Threshold: .1, Overlap: true, Root: true},
	} {
		m, err := features.FitPatches(spec, rows, 1, "a")
		must(t, err)
		run.add(t, name, fit(t, s, problem.Setup{Phi: features.Fixed(m)}, rr.TwoStep{}), s.fresh())
	}
	run.check(t)
}

// TestONNXSparseRows: rows of a sparse column are given densely.
func TestONNXSparseRows(t *testing.T) {
	run := newRunner(t)
	r := rand.New(rand.NewPCG(3, 4))
	words := func(n, places int) *mat.Dense {
		x := mat.NewDense(n, places, nil)
		x.Apply(func(_, _ int, _ float64) float64 { return float64(max(0, r.IntN(6)-3)) }, x)
		return x
	}
	sparse := func(x *mat.Dense) tables.Source {
		src, err := tables.FromSparse("words", encode.CSROf(x))
		must(t, err)
		return src
	}
	x := words(300, 30)
	u, y := make([]float64, 300), make([]float64, 300)
	for i := range u {
		u[i] = x.At(i, 0) + r.Float64()
		y[i] = u[i] * u[i]
	}
	ofU, err := tables.FromColumns(tables.Numbers("u", u))
	must(t, err)
	xu, err := tables.HStack(sparse(x), ofU)
	must(t, err)
	uy, err := tables.FromColumns(tables.Numbers("u", u), tables.Numbers("y", y))
	must(t, err)
	for name, spec := range map[string]features.Spec{"words": {Size: 64}, "landmarks of words": {Kind: features.NystromFeatures, Size: 64}} {
		m, err := rr.Fit(context.Background(), problem.Setup{Phi: spec}, rr.TwoStep{}, xu, uy)
		must(t, err)
		run.add(t, name, &mediant.Model{Model: m}, sparse(words(newRows, 33)))
	}
	run.check(t)
}

// TestONNXRows: levels by other spellings are those levels as in the model, unknown ones are none; rows that the model refuses give NaN.
func TestONNXRows(t *testing.T) {
	run := newRunner(t)
	s := mixed(t, false)
	m := fit(t, s, problem.Setup{}, rr.TwoStep{})
	spelt, err := tables.FromColumns(
		tables.Numbers("a", []float64{0, 1, -99, -7}), tables.Strings("colour", []string{"?", "grey", "red", ""}), tables.Numbers("gone", []float64{7, math.NaN(), 7, 7}),
		tables.Numbers("b", []float64{100, math.NaN(), -7, -99}), tables.Strings("size", []string{"1.0", "2", "3", "10.0"}), tables.Numbers("one", []float64{5, 5, 6, 5}),
		tables.Strings("flag", []string{"TRUE", "False", "true", "yes"}))
	must(t, err)
	plain, err := tables.FromColumns(
		tables.Numbers("a", []float64{0, 1, math.NaN(), -7}), tables.Strings("colour", []string{"", "grey", "red", ""}), tables.Numbers("gone", []float64{7, math.NaN(), 7, 7}),
		tables.Numbers("b", []float64{100, math.NaN(), math.NaN(), math.NaN()}), tables.Strings("size", []string{"1", "2", "3", "10"}), tables.Numbers("one", []float64{5, 5, 6, 5}),
		tables.Strings("flag", []string{"true", "false", "true", "yes"}))
	must(t, err)
	run.addRows(t, "spellings", m, plain, spelt, 4)

	histograms := positive(t)
	chi2, err := features.ParseSpec("chi2")
	must(t, err)
	sections, err := features.ParseSpec("nystrom:expchi2")
	must(t, err)
	negative, err := tables.FromColumns(tables.Numbers("a", []float64{1, -1}), tables.Numbers("b", []float64{1, 1}), tables.Numbers("c", []float64{0, 0}))
	must(t, err)
	for name, spec := range map[string]features.Spec{"map": chi2, "sections": sections} {
		m := fit(t, histograms, problem.Setup{Phi: spec, NoStandardize: true}, rr.TwoStep{})
		run.export(t, name, m, negative, 2)
	}
	run.check(t)
	for _, name := range []string{"map", "sections"} {
		if got := run.outputs(t, name)["predictions"].Data; len(got) != 2 || got[0] == nil || got[1] != nil {
			t.Errorf("%s: rows with and without a negative entry give %v, want a number and NaN", name, got)
		}
	}
}

// TestONNXRefuses: what ONNX cannot express is named.
func TestONNXRefuses(t *testing.T) {
	s := positive(t)
	landmarks := mat.NewDense(2, 3, []float64{1, 0, 0, 0, 1, 0})
	gauss, err := kernels.NewGaussian(1)
	must(t, err)
	within, err := features.NewNystrom(gauss, landmarks)
	must(t, err)
	chain, err := features.NewChain(within, features.NewLinear(2))
	must(t, err)
	own, err := features.NewNystrom(ownKernel{}, landmarks)
	must(t, err)
	values, err := kernels.NewPrecomputed(mat.NewDense(3, 3, []float64{1, .5, 0, .5, 1, 0, 0, 0, 1}), nil)
	must(t, err)
	number, err := features.NewNystrom(values, mat.NewDense(2, 1, []float64{0, 2}))
	must(t, err)
	text := draw(t, []string{"note", "a"}, csv.Options{}, func(r *rand.Rand) ([]string, string, string) {
		return []string{fmt.Sprint("some words ", r.IntN(1e6), " and ", r.IntN(1e6)), fmt.Sprint(r.Float64())}, fmt.Sprint(r.Float64()), fmt.Sprint(r.Float64())
	})
	rows := draw(t, []string{"row"}, csv.Options{}, func(r *rand.Rand) ([]string, string, string) {
		return []string{fmt.Sprint(r.IntN(3))}, fmt.Sprint(r.Float64()), fmt.Sprint(r.Float64())
	})
	for _, c := range []struct {
		want string
		of   sample
		with problem.Setup
	}{
		{`the hashed free text of column "note"`, text, problem.Setup{}},
		{`Nyström features within another map`, s, problem.Setup{Phi: features.Fixed(chain)}},
		{`the sections of the kernel "own"`, s, problem.Setup{Phi: features.Fixed(own)}},
		{`features of the kind "own"`, s, problem.Setup{Phi: features.Fixed(ownMap{})}},
		{`the sections of the kernel "precomputed"`, rows, problem.Setup{Phi: features.Fixed(number), NoStandardize: true}},
	} {
		err := ONNX(new(bytes.Buffer), fit(t, c.of, c.with, rr.TwoStep{}))
		var refused *UnsupportedError
		if !errors.As(err, &refused) || err.Error() != "export: ONNX cannot express "+c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
	if err := ONNX(new(bytes.Buffer), &mediant.Model{}); err == nil {
		t.Error("a record without a model is exported")
	}
}

// ownKernel is the linear kernel as one of another module.
type ownKernel struct{ kernels.Linear }

// ownMap is the first column as a map of another module.
type ownMap struct{}

func init() {
	kernels.Register(kernels.Registration[ownKernel]{
		Name: "own", Describe: func(ownKernel) (kernels.Desc, error) { return kernels.Desc{}, nil },
		Restore: func(kernels.Desc) (ownKernel, error) { return ownKernel{}, nil },
	})
	features.Register(features.Registration[ownMap]{
		Name: "own", Marshal: func(ownMap) (any, []float64) { return nil, nil },
		Unmarshal: func(_, _ int, _ json.RawMessage, _ []float64) (ownMap, error) { return ownMap{}, nil },
	})
}

func (ownMap) Dims() (in, out int) { return 3, 1 }

func (m ownMap) ID() moments.ID { return features.Identity(m) }

func (ownMap) MapTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, 1)
	}
	for i := range n {
		dst.Set(i, 0, x.At(i, 0))
	}
}

// TestLevelKeys: a spelling that two levels share is neither's.
func TestLevelKeys(t *testing.T) {
	keys, values := levelKeys([]string{"", "1", "1.0", "2", "True", "a"}, []string{"?", "2", "-9", "x"})
	got := map[string]int64{}
	for i, key := range keys {
		got[key] = values[i]
	}
	want := map[string]int64{"": 0, "?": 0, "-9": 0, "-9.0": 0, "x": 0, "1": 1, "1.0": 2, "2": 3, "2.0": 3, "True": 4, "true": 4, "TRUE": 4, "a": 5}
	if diff := cmp.Diff(want, got); diff != "" || len(keys) != len(got) {
		t.Errorf("%d keys: %s", len(keys), diff)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// named replaces the placeholders of a name of a map or kernel.
var named = strings.NewReplacer("NU", "1.7", "ALPHA", "0.8", "PERIOD", "2.5", "DEGREE", "3")

// TestONNXMaps: every map and kernel that --phi takes gives a graph that agrees with the model, or is refused by name.
func TestONNXMaps(t *testing.T) {
	run := newRunner(t)
	s := positive(t)
	for _, name := range mapNames() {
		spec, err := features.ParseSpec(name)
		if err != nil {
			t.Fatal(err)
		}
		spec.Size = 64
		m := fit(t, s, problem.Setup{Phi: spec, NoStandardize: strings.Contains(name, "chi2")}, rr.TwoStep{})
		run.add(t, strings.ReplaceAll(name, ":", " "), m, s.fresh())
	}
	run.check(t)
}

// mapNames are the names of all maps, with each kernel.
func mapNames() []string {
	var list []string
	for _, name := range features.Names() {
		name = named.Replace(name)
		if !strings.Contains(name, "KERNEL") {
			list = append(list, name)
			continue
		}
		for _, kernel := range kernels.Names(nil) {
			full := strings.Replace(name, "KERNEL", named.Replace(kernel), 1)
			if _, err := features.ParseSpec(full); err == nil {
				list = append(list, full)
			}
		}
	}
	return list
}
