// Package registertest_test is a module of another's in all but its place: it has a kernel and maps of its own, of which this module knows
// what they register, and uses exported names alone.
package registertest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/features"
	"mediant/features/featurestest"
	"mediant/kernels"
	"mediant/kernels/kerneltest"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// Triangles is the kernel Π_j E max(0, 1 - |x_j - y_j| Z/b) of a Z from 0 to 1 to the power of an order: its spectral distribution is
// not known here, so that it has no Fourier features.
type Triangles struct{ order, bandwidth float64 }

// Sech is Π_j 1/cosh((x_j - y_j)/b), whose frequencies have a hyperbolic secant distribution.
type Sech struct{ bandwidth float64 }

func init() {
	kernels.Register(kernels.Registration[Triangles]{
		Name: "triangles", Parameters: []string{"ORDER"},
		New:       func(p []float64, bandwidth float64) (Triangles, error) { return newTriangles(p[0], bandwidth) },
		Bandwidth: kernels.MedianL1,
		Describe: func(k Triangles) (kernels.Desc, error) {
			return kernels.Desc{Bandwidth: k.bandwidth, Parameters: map[string]float64{"order": k.order}}, nil
		},
		Restore: func(d kernels.Desc) (Triangles, error) { return newTriangles(d.Parameters["order"], d.Bandwidth) },
	})
	kernels.Register(kernels.Registration[Sech]{
		Name: "sech", Bandwidth: kernels.MedianL1, Bandwidths: kernels.MedianPerColumn,
		New:      func(_ []float64, bandwidth float64) (Sech, error) { return newSech(bandwidth) },
		Describe: func(k Sech) (kernels.Desc, error) { return kernels.Desc{Bandwidth: k.bandwidth}, nil },
		Restore:  func(d kernels.Desc) (Sech, error) { return newSech(d.Bandwidth) },
	})
}

func newTriangles(order, bandwidth float64) (Triangles, error) {
	if !(order > 0 && bandwidth > 0) || math.IsInf(order*bandwidth, 1) {
		return Triangles{}, fmt.Errorf("triangles: order %g and bandwidth %g, want positive numbers", order, bandwidth)
	}
	return Triangles{order, bandwidth}, nil
}

func newSech(bandwidth float64) (Sech, error) {
	if !(bandwidth > 0) || math.IsInf(bandwidth, 1) {
		return Sech{}, fmt.Errorf("sech: bandwidth %g, want a positive number", bandwidth)
	}
	return Sech{bandwidth}, nil
}

// productTo stores the product over columns of a function of the difference.
func productTo(dst *mat.Dense, x, y mat.Matrix, of func(d float64) float64) {
	n, width := x.Dims()
	m, _ := y.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, m)
	}
	if r, c := dst.Dims(); r != n || c != m {
		panic(mat.ErrShape)
	}
	right := mat.NewDense(m, width, nil)
	kernels.EachRow(y, func(j int, row []float64) { right.SetRow(j, row) })
	kernels.EachRow(x, func(i int, row []float64) {
		for j := range m {
			value := 1.0
			for c, v := range right.RawRowView(j) {
				value *= of(row[c] - v)
			}
			dst.Set(i, j, value)
		}
	})
}

func ones(dst []float64, x mat.Matrix) {
	if n, _ := x.Dims(); len(dst) != n {
		panic(mat.ErrShape)
	}
	for i := range dst {
		dst[i] = 1
	}
}

// GramTo implements kernels.Kernel. The mean over Z is that of triangles, which are positive semidefinite, so that it is, and so are
// products: with r = |d|/b, 1 - r p/(1+p) up to r = 1, and r^-p/(1+p) beyond, for the order p.
func (k Triangles) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	productTo(dst, x, y, func(d float64) float64 {
		r := math.Abs(d) / k.bandwidth
		if r <= 1 {
			return 1 - r*k.order/(1+k.order)
		}
		return math.Pow(r, -k.order) / (1 + k.order)
	})
}

// DiagTo implements kernels.Kernel.
func (k Triangles) DiagTo(dst []float64, x mat.Matrix) { ones(dst, x) }

// GramTo implements kernels.Kernel.
func (k Sech) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	productTo(dst, x, y, func(d float64) float64 { return 1 / math.Cosh(d/k.bandwidth) })
}

// DiagTo implements kernels.Kernel.
func (k Sech) DiagTo(dst []float64, x mat.Matrix) { ones(dst, x) }

// FrequenciesTo implements kernels.Spectral.
func (k Sech) FrequenciesTo(dst *mat.Dense, rnd *rand.Rand) {
	dst.Apply(func(int, int, float64) float64 {
		return 2 / math.Pi * math.Log(math.Tan(math.Pi/2*rnd.Float64())) / k.bandwidth
	}, dst)
}

// Hinges is the map of max(0, x_j - t) at some quantiles t of each column, beside x itself.
type Hinges struct{ at *mat.Dense } // columns × knots

func init() {
	features.Register(features.Registration[*Hinges]{
		Name: "hinges", Argument: "KNOTS",
		Validate: func(s features.Spec) error {
			_, err := knots(s)
			return err
		},
		Size: func(s features.Spec, in int) int {
			k, _ := knots(s)
			return in * (k + 1)
		},
		Fit: func(_ context.Context, s features.Spec, rows mat.Matrix, _ uint64, _ string) (*Hinges, []string, error) {
			k, err := knots(s)
			if err != nil {
				return nil, nil, err
			}
			return newHinges(rows, k), nil, nil
		},
		Marshal: func(m *Hinges) (any, []float64) {
			_, k := m.at.Dims()
			return settings{k}, m.at.RawMatrix().Data
		},
		Unmarshal: func(in, _ int, text json.RawMessage, weights []float64) (*Hinges, error) {
			var s settings
			if err := json.Unmarshal(text, &s); err != nil {
				return nil, err
			}
			if s.Knots < 1 || len(weights) != in*s.Knots {
				return nil, fmt.Errorf("%d knots and %d weights of %d columns", s.Knots, len(weights), in)
			}
			return &Hinges{mat.NewDense(in, s.Knots, weights)}, nil
		},
	})
}

type settings struct {
	Knots int `json:"knots"`
}

func knots(s features.Spec) (k int, err error) {
	if _, err = fmt.Sscanf(s.Argument, "%d", &k); err == nil && (k < 1 || k > 100) {
		err = errors.New("knots must be from 1 to 100")
	}
	return k, err
}

func newHinges(rows mat.Matrix, k int) *Hinges {
	n, in := rows.Dims()
	columns := make([][]float64, in)
	kernels.EachRow(rows, func(_ int, row []float64) {
		for j, v := range row {
			columns[j] = append(columns[j], v)
		}
	})
	m := &Hinges{mat.NewDense(in, k, nil)}
	for j, c := range columns {
		slices.Sort(c)
		for t := range k {
			m.at.Set(j, t, c[(t+1)*n/(k+1)])
		}
	}
	return m
}

// Dims implements features.Map.
func (m *Hinges) Dims() (in, out int) {
	in, k := m.at.Dims()
	return in, in * (k + 1)
}

// MapTo implements features.Map.
func (m *Hinges) MapTo(dst *mat.Dense, x mat.Matrix) {
	n, width := x.Dims()
	in, out := m.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, out)
	}
	if r, c := dst.Dims(); r != n || c != out || width != in {
		panic(mat.ErrShape)
	}
	kernels.EachRow(x, func(i int, row []float64) {
		phi := dst.RawRowView(i)[:0]
		for j, v := range row {
			phi = append(phi, v)
			for _, t := range m.at.RawRowView(j) {
				phi = append(phi, max(0, v-t))
			}
		}
	})
}

// ID implements features.Map.
func (m *Hinges) ID() moments.ID { return features.Identity(m) }

// Secret is a map that is not registered.
type Secret struct{ *features.Linear }

func TestPromises(t *testing.T) {
	kerneltest.Run(t, Triangles{2, 3}, 2)
	kerneltest.Run(t, Sech{2}, 2)
	rnd := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(130, 3, nil)
	x.Apply(func(i, j int, _ float64) float64 { return float64(1-(i+j)%2) * rnd.NormFloat64() }, x)
	featurestest.Run(t, newHinges(x, 3), x)
}

// drawn are two tables without a common row, X of two columns.
func drawn(t *testing.T) (xu, uy tables.Source) {
	rnd := rand.New(rand.NewPCG(3, 4))
	draw := func() (a, b, u, y []float64) {
		for range 300 {
			p, q := rnd.Float64(), rnd.Float64()
			v := p*q + .2*rnd.NormFloat64()
			a, b, u, y = append(a, p), append(b, q), append(u, v), append(y, v*v+.1*rnd.NormFloat64())
		}
		return a, b, u, y
	}
	a, b, u, _ := draw()
	xu, err := tables.FromColumns(tables.Numbers("a", a), tables.Numbers("b", b), tables.Numbers("u", u))
	if err != nil {
		t.Fatal(err)
	}
	_, _, u, y := draw()
	uy, err = tables.FromColumns(tables.Numbers("u", u), tables.Numbers("y", y))
	if err != nil {
		t.Fatal(err)
	}
	return xu, uy
}

func fit(t *testing.T, s problem.Setup) *mediant.Model {
	t.Helper()
	xu, uy := drawn(t)
	s.Seed = 1
	m, err := mediant.Fit(context.Background(), xu, uy, mediant.Options{Setup: s, Method: rr.Joint{W: rr.Value(.5)}, NoCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// predicts returns the predictions of m for some rows.
func predicts(t *testing.T, m *mediant.Model) []float64 {
	t.Helper()
	var y mat.Dense
	if err := m.PredictTo(&y, mat.NewDense(4, 2, []float64{0, 0, .3, .8, .5, .5, 1, .9})); err != nil {
		t.Fatal(err)
	}
	return y.RawMatrix().Data
}

// TestFitSaveLoad: by the names that --phi and --psi take, kernels and maps of one's own are fitted, saved, loaded, and predict the same
// bits; models saved again are the same bytes, and so are those of a second fit.
func TestFitSaveLoad(t *testing.T) {
	for _, c := range []struct{ phi, psi, in string }{
		{"nystrom:triangles:2", "sech", `"kernel":{"kernel":"triangles","bandwidth":`},
		{"sech", "nystrom:sech", `"kernel":{"kernel":"sech","bandwidth":`},
		{"additive:sech", "hinges:4", `{"kernel":"sech","bandwidth":`},
		{"hinges:5", "hinges:3", `"kind":"hinges","in":2,"out":12,"settings":{"knots":5}`},
	} {
		t.Run(c.phi, func(t *testing.T) {
			var s problem.Setup
			var err error
			if s.Phi, err = features.ParseSpec(c.phi); err != nil {
				t.Fatal(err)
			}
			if s.Psi, err = features.ParseSpec(c.psi); err != nil {
				t.Fatal(err)
			}
			if s.Phi.String() != c.phi {
				t.Errorf("%s is written %s", c.phi, s.Phi)
			}
			s.Phi.Size, s.Psi.Size = 24, 24
			m := fit(t, s)
			var file, again, twice bytes.Buffer
			if err := m.Save(&file); err != nil {
				t.Fatal(err)
			}
			text, err := m.Header()
			var header bytes.Buffer
			if err := errors.Join(err, json.Compact(&header, text)); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(header.String(), c.in) {
				t.Errorf("%s is not in the header %s", c.in, header.String())
			}
			loaded, err := mediant.Load(bytes.NewReader(file.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := predicts(t, loaded), predicts(t, m); !slices.Equal(got, want) {
				t.Errorf("predictions %v after loading, want %v", got, want)
			}
			if err := loaded.Save(&again); err != nil || !bytes.Equal(again.Bytes(), file.Bytes()) {
				t.Errorf("a loaded model is saved as other bytes, error %v", err)
			}
			if err := fit(t, s).Save(&twice); err != nil || !bytes.Equal(twice.Bytes(), file.Bytes()) {
				t.Errorf("a second fit gives other bytes, error %v", err)
			}
		})
	}
}

// TestSearch: a search takes a kernel's multiples of the bandwidth, and a map as it is.
func TestSearch(t *testing.T) {
	xu, uy := drawn(t)
	hinges, err := features.ParseSpec("hinges:3")
	if err != nil {
		t.Fatal(err)
	}
	setup := problem.Setup{Phi: hinges, Psi: features.Spec{Kernel: "sech", Size: 16}}
	m, err := mediant.Fit(context.Background(), xu, uy, mediant.Options{Setup: setup, NoCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	tried := make(map[string]bool)
	for _, trial := range m.Search {
		tried[trial.Name] = true
	}
	if !tried["sech, 0.5 × median bandwidth"] || !tried["sech, 2 × median bandwidth"] {
		t.Errorf("tried %v", tried)
	}
}

// TestFixedMaps: maps that there are take the place of those that are fitted. One that is not registered predicts, and saving says so.
func TestFixedMaps(t *testing.T) {
	knots := mat.NewDense(2, 1, []float64{.2, .4})
	m := fit(t, problem.Setup{Phi: features.Fixed(&Hinges{knots}), Psi: features.Spec{Size: 16}})
	if l, ok := m.F.(*rr.Linear); !ok || l.Map.ID() != (&Hinges{knots}).ID() {
		t.Errorf("f is a %T, or of another map", m.F)
	}
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := mediant.Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := predicts(t, loaded), predicts(t, m); !slices.Equal(got, want) {
		t.Errorf("predictions %v after loading, want %v", got, want)
	}
	m = fit(t, problem.Setup{Phi: features.Fixed(Secret{features.NewLinear(2)}), Psi: features.Fixed(features.NewLinear(1))})
	predicts(t, m)
	if err := m.Save(&file); err == nil || !strings.Contains(err.Error(), "Secret is not registered (features.Register)") {
		t.Errorf("a map that is not registered: error %v", err)
	}
	xu, uy := drawn(t)
	_, err = mediant.Fit(context.Background(), xu, uy, mediant.Options{Setup: problem.Setup{Phi: features.Fixed(features.NewLinear(3))}, Method: rr.TwoStep{}, NoCheck: true})
	if err == nil || !strings.Contains(err.Error(), "takes 3 columns, encoded rows have 2") {
		t.Errorf("a map of other columns: error %v", err)
	}
}
