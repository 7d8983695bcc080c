package rr_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/baselines"
	"mediant/features"
	"mediant/inference"
	"mediant/internal/fittest"
	"mediant/losses"
	"mediant/mlp"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
	"mediant/tables/csv"
)

func saved(t testing.TB, m *mediant.Model) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := m.Save(&buf); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// labelled is a small problem with everything a model file can hold: text, missing values, classes.
func labelled(t testing.TB) (xu, uy tables.Source) {
	t.Helper()
	const n = 60
	rnd := rand.New(rand.NewPCG(6, 6))
	x, u, u2 := make([]float64, n), make([]float64, n), make([]float64, n)
	colour, mood, colour2 := make([]string, n), make([]string, n), make([]string, n)
	for i := range n {
		x[i], u2[i] = rnd.NormFloat64(), rnd.NormFloat64()
		u[i] = x[i] + .1*rnd.NormFloat64()
		colour[i], colour2[i] = []string{"red", "green", ""}[i%3], []string{"red", "green", "blue"}[i%3]
		mood[i] = "1"
		if u2[i] > 0 {
			mood[i] = "10"
		}
	}
	a, err := tables.FromColumns(tables.Numbers("x", x), tables.Strings("colour", colour), tables.Numbers("u", u))
	if err != nil {
		t.Fatal(err)
	}
	b, err := tables.FromColumns(tables.Strings("colour", colour2), tables.Numbers("u", u2), tables.Strings("mood", mood))
	if err != nil {
		t.Fatal(err)
	}
	return a, b
}

// models are one of each kind of predictor and map that a file can hold.
func models(t testing.TB) map[string]*mediant.Model {
	return modelsOf(t, 80, 20) // more features than there are rows
}

// modelsOf are models with so many features and landmarks.
func modelsOf(t testing.TB, size, landmarks int) map[string]*mediant.Model {
	xu, uy := labelled(t)
	small := features.Spec{Size: size}
	picked := nystrom(1, landmarks)
	net := mlp.Learner{Hidden: []int{5, 3}, Epochs: 2}
	out := make(map[string]*mediant.Model)
	for name, m := range map[string]any{
		"fourier":     fittest.With(problem.Setup{Phi: small, Psi: small}, rr.Joint{}),
		"nystrom":     fittest.With(problem.Setup{Phi: picked, Psi: picked}, rr.TwoStep{}),
		"errors":      withErrors{problem.Setup{Phi: picked, Psi: small}, rr.Joint{}, inference.Corrected},
		"chain":       fittest.With(problem.Setup{Phi: features.Spec{Kind: features.AdditiveFeatures, Size: size / 2}, Psi: features.Spec{Kind: features.PolynomialFeatures, Degree: 2}}, baselines.Naive{}),
		"embedding":   fittest.With(problem.Setup{Phi: features.Spec{Kernel: "laplacian", Size: size * 2 / 5 &^ 1}, Psi: small}, baselines.MeanEmbedding{}),
		"singular":    fittest.With(problem.Setup{Phi: small, Psi: small}, rr.TwoStep{LambdaF: rr.Value(0), LambdaH: rr.Value(0)}),
		"supervised":  fittest.With(problem.Setup{Phi: small, Psi: small}, baselines.Oracle{Pairs: pairs(t)}),
		"networks":    rr.TwoStep{F: net, H: mlp.Learner{Hidden: []int{}, Epochs: 2}},
		"shares":      mlp.Joint{Learner: mlp.Learner{Hidden: []int{4}, Output: mlp.SquareSoftmax, Epochs: 2}},
		"one step":    fittest.With(problem.Setup{Psi: small}, rr.TwoStep{F: net}),
		"two nets":    baselines.Naive{G: net, H: net},
		"integral":    fittest.With(problem.Setup{Psi: small}, baselines.Integral{Samples: 5}),
		"generalized": fittest.With(problem.Setup{Phi: small, Psi: small}, rr.Generalized{Loss: losses.Log{}}),
		"watson":      baselines.Integral{Estimator: baselines.NadarayaWatson, H: net},
	} {
		out[name] = fit(t, m, xu, uy)
	}
	return out
}

// pairs is a table of X and Y for the oracle.
func pairs(t testing.TB) tables.Source {
	t.Helper()
	src, err := tables.FromColumns(tables.Numbers("x", []float64{-1, 1, 2, -2}), tables.Strings("mood", []string{"1", "10", "10", "1"}))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// load reads predictors of every package.
func load(r io.Reader) (*mediant.Model, error) {
	return mediant.Load(r, mlp.Format(), baselines.Format())
}

func TestModelFileRoundTrip(t *testing.T) {
	query := mat.NewDense(3, 1, []float64{-1, .2, 3})
	for name, m := range models(t) {
		if name == "nystrom" { // others were read as the files stood
			m.Reading = tables.Reading{NA: []string{".", "x=-99"}, Aliases: map[string]string{"X": "x"}}
		}
		raw := saved(t, m)
		if bytes.Contains(raw, []byte(`"package": "tables"`)) == m.Reading.IsZero() {
			t.Errorf("%s: how files are read is in the header or not: %v", name, m.Reading)
		}
		got, err := load(bytes.NewReader(raw))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Equal(saved(t, got), raw) {
			t.Errorf("%s: saved again, the bytes are others", name)
		}
		if !mat.Equal(predictions(t, got, query), predictions(t, m, query)) {
			t.Errorf("%s: predictions are others", name)
		}
		if !reflect.DeepEqual(got.Reading, m.Reading) {
			t.Errorf("%s: read as %v, want %v", name, got.Reading, m.Reading)
		}
		if m.Y.Classes()[1] != "10" || got.Label([]float64{0, 1}) != "10" {
			t.Errorf("%s: classes %q", name, m.Y.Classes())
		}
		if !strings.Contains(string(raw), `"method": "`+m.Method+`"`) {
			t.Errorf("%s: the header cannot be read by people", name)
		}
	}
}

func TestLoadRefusesDamage(t *testing.T) {
	raw := saved(t, models(t)["nystrom"])
	if _, err := load(strings.NewReader("x,u\n1,2\n")); err == nil || !strings.Contains(err.Error(), "not a mediant model") {
		t.Errorf("a CSV file gives %v", err)
	}
	newer := bytes.Clone(raw)
	newer[8] = 99
	if _, err := load(bytes.NewReader(newer)); err == nil || !strings.Contains(err.Error(), "unsupported") {
		t.Errorf("a newer format gives %v", err)
	}
	for cut := 0; cut < len(raw); cut += 1 + cut/20 {
		if _, err := load(bytes.NewReader(raw[:cut])); err == nil {
			t.Fatalf("accepted the first %d of %d bytes", cut, len(raw))
		}
	}
	rnd := rand.New(rand.NewPCG(1, 9))
	for range 300 {
		bad := bytes.Clone(raw)
		i := rnd.IntN(len(bad))
		bad[i] ^= byte(1 + rnd.IntN(255))
		if _, err := load(bytes.NewReader(bad)); err == nil {
			t.Fatalf("accepted a changed byte %d", i)
		}
	}
}

// mend gives a changed model file a right length of the header and a right checksum, so that a
// change gets past the frame.
func mend(raw []byte, header int) []byte {
	raw = bytes.Clone(raw)
	binary.LittleEndian.PutUint32(raw[12:], uint32(header))
	body := raw[:len(raw)-sha256.Size]
	sum := sha256.Sum256(body)
	return append(body, sum[:]...)
}

func TestLoadRefusesInconsistentHeaders(t *testing.T) {
	refuses(t, saved(t, models(t)["nystrom"]), [][2]string{
		{`"outputs": 2`, `"outputs": 3`},
		{`"outputs": 2`, `"outputs": -2`},
		{`"outputs": 2`, `"outputs": 9000000000000000000`},
		{`"kind": "linear"`, `"kind": "chain"`},
		{`"map_weights": `, `"map_weights": 1`},
		{`"map_weights": `, `"map_weights": -`},
		{`"encoder_x"`, `"encoder_q"`},
		{`"f": {`, `"g": {`},
		{`"program"`, `program`},
	})
	refuses(t, saved(t, models(t)["errors"]), [][2]string{
		{`"standard_errors": [`, `"no_standard_errors": [`},
		{`"standard_errors_shared": [`, `"no_standard_errors_shared": [`},
		{`"standard_errors": [`, `"standard_errors": [1, `},
		{`"standard_errors_shared": [`, `"standard_errors_shared": [1, `},
		{`"standard_errors": [`, `"standard_errors": [-`},
		{`"standard_errors_shared": [`, `"standard_errors_shared": [-`},
	})
}

// refuses changes the header of a model file, which must then be found damaged.
func refuses(t *testing.T, raw []byte, changes [][2]string) {
	t.Helper()
	length := int(binary.LittleEndian.Uint32(raw[12:]))
	header := string(raw[16 : 16+length])
	for _, change := range changes {
		bad := strings.Replace(header, change[0], change[1], 1)
		if bad == header {
			t.Fatalf("the header has no %s", change[0])
		}
		file := append(append(bytes.Clone(raw[:16]), bad...), raw[16+length:]...)
		if _, err := load(bytes.NewReader(mend(file, len(bad)))); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s for %s: error %v", change[1], change[0], err)
		}
	}
}

// TestLoadNeedsFormats: a predictor of another package is read by its format alone, and must say what it is.
func TestLoadNeedsFormats(t *testing.T) {
	raw := saved(t, models(t)["networks"])
	if _, err := mediant.Load(bytes.NewReader(raw), baselines.Format()); err == nil || !strings.Contains(err.Error(), `f: unknown kind "network": a program that reads it gives its format to Load`) {
		t.Errorf("without the format: %v", err)
	}
	whole := unframe(raw)
	for name, edit := range map[string]func(f map[string]any){
		"predicts 2 outputs from 2 columns, want 2 from 1": func(f map[string]any) {
			f["header"] = map[string]any{"widths": []int{2, 5, 2}, "output": "identity"}
			f["numbers"] = 27
		},
		"makes":                 func(f map[string]any) { f["outputs"] = 3 },
		"more":                  func(f map[string]any) { f["header"].(map[string]any)["more"] = 1 },
		"weights are needed":    func(f map[string]any) { f["numbers"] = 1e6 },
		"-1 weights are needed": func(f map[string]any) { f["numbers"] = -1 },
		"unexpected end":        func(f map[string]any) { delete(f, "header") },
	} {
		bad := edited(t, whole, func(header map[string]any) { edit(header["f"].(map[string]any)) })
		_, err := load(bytes.NewReader(bad.file(len(bad.header))))
		if err == nil || !strings.Contains(err.Error(), "damaged model file: ") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// alien is a predictor of no kind that a file knows.
type alien struct{}

func (alien) PredictTo(dst *mat.Dense, x mat.Matrix) {}

func TestSaveRefusesOtherPredictors(t *testing.T) {
	m := *models(t)["networks"]
	for _, f := range []rr.Predictor{alien{}, rr.Chain{First: m.F, Then: alien{}}} {
		m.F = f
		if err := m.Save(io.Discard); err == nil || !strings.Contains(err.Error(), "a predictor of type rr_test.alien cannot be saved: let it implement rr.Storer") {
			t.Errorf("saved a %T: %v", f, err)
		}
	}
}

// FuzzLoad looks for a panic, or a model that cannot be used. Inputs get a right checksum first.
func FuzzLoad(f *testing.F) {
	for _, m := range modelsOf(f, 8, 3) { // small, since the engine copies and minimises what it finds
		f.Add(saved(f, m))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) >= sha256.Size {
			body := raw[:len(raw)-sha256.Size]
			sum := sha256.Sum256(body)
			raw = append(bytes.Clone(body), sum[:]...)
		}
		m, err := load(bytes.NewReader(raw))
		if err != nil {
			return
		}
		for range m.Predict(context.Background(), tableFor(t, m)) {
		}
		saved(t, m)
	})
}

// tableFor is a table with the columns that the model's encoder of X asks for.
func tableFor(t testing.TB, m *mediant.Model) tables.Source {
	var data []tables.ColumnData
	for _, c := range m.X.Columns() {
		if c.Kind == tables.Text {
			data = append(data, tables.Strings(c.Name, []string{"red", ""}))
		} else {
			data = append(data, tables.Numbers(c.Name, []float64{1, 2}))
		}
	}
	src, err := tables.FromColumns(data...)
	if err != nil {
		t.Skip(err) // names that no table can have
	}
	return src
}

func TestSameBytesForAnyThreadsAndReader(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	dir := t.TempDir()
	xu, uy := tablesOf(t, 2600, 1500, 3)
	for name, src := range map[string]tables.Source{"xu.csv": xu, "uy.csv": uy} {
		var buf bytes.Buffer
		if err := csv.Write(context.Background(), &buf, src); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), buf.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open := func(name string, buffer int) tables.Source {
		src, err := csv.Open(context.Background(), filepath.Join(dir, name), csv.Options{ReaderBuffer: buffer})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { src.Close() })
		return src
	}
	for name, method := range map[string]any{
		"joint":     withErrors{problem.Setup{Phi: features.Spec{Size: 128}, Psi: nystrom(1, 100)}, rr.Joint{}, inference.Corrected},
		"naive":     fittest.With(problem.Setup{Phi: features.Spec{Kernel: "laplacian", Size: 64}, Psi: features.Spec{Kind: features.AdditiveFeatures, Size: 64}}, baselines.Naive{}),
		"embedding": fittest.With(problem.Setup{Phi: features.Spec{Orthogonal: true, Size: 66}, Psi: features.Spec{Kind: features.NystromFeatures, Kernel: "matern32", Size: 70}}, baselines.MeanEmbedding{}),
	} {
		var want []byte
		for _, c := range []struct{ threads, buffer int }{{1, 0}, {2, 16}, {8, 100000}, {2, 7777}} {
			runtime.GOMAXPROCS(c.threads)
			m := fit(t, method, open("xu.csv", c.buffer), open("uy.csv", c.buffer))
			got := saved(t, m)
			for b, err := range m.Predict(context.Background(), open("xu.csv", c.buffer)) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, tableBytes(b.Values)...)
			}
			if want == nil {
				want = got
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s: %d threads and a buffer of %d give other bytes", name, c.threads, c.buffer)
			}
		}
	}
}

func tableBytes(m *mat.Dense) []byte {
	raw, err := m.MarshalBinary()
	if err != nil {
		panic(err)
	}
	return raw
}
