package kernels_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
	"mediant/kernels/kerneltest"
)

// TestOwnKernel: that of the example keeps the promises of a kernel, alone and in combinations.
func TestOwnKernel(t *testing.T) {
	k := must(NewSech(2))
	kerneltest.Run(t, k, 3)
	kerneltest.Run(t, must(kernels.NewSum(k, gaussian(t, 1))), 3)
	kerneltest.Run(t, must(kernels.NewTensor([][]int{{2}, {0, 1}}, []kernels.Kernel{k, laplacian(t, 1)})), 3)
}

func TestNames(t *testing.T) {
	names := kernels.Names(nil)
	for _, want := range []string{"gaussian", "matern32", "matern:NU", "polynomial:DEGREE", "linear", "sech", "wave:ORDER:SHIFT"} {
		if !slices.Contains(names, want) {
			t.Errorf("%q lacks %q", names, want)
		}
	}
	spectral := kernels.Names(func(k kernels.Kernel) bool { _, ok := k.(kernels.Spectral); return ok })
	if !slices.Contains(spectral, "sech") || !slices.Contains(spectral, "rq:ALPHA") || slices.Contains(spectral, "linear") {
		t.Errorf("%q are not the kernels with a spectral distribution", spectral)
	}
	if !slices.IsSorted(names) || slices.Contains(names, "sum") {
		t.Errorf("%q: not sorted, or with kernels that have no name", names)
	}
}

// wave is linear and has two parameters in its name, which descriptions keep, and wants rows of two columns with no entry above 9.
type wave struct {
	kernels.Linear
	order, shift float64
}

func (wave) Width() int { return 2 }

func (wave) CheckRows(x mat.Matrix) (err error) {
	kernels.EachRow(x, func(i int, row []float64) {
		for j, v := range row {
			if v > 9 && err == nil {
				err = &kernels.RowError{Row: i, Column: j, Value: v, Want: "wave: want at most 9"}
			}
		}
	})
	return err
}

// twice is a kernel that is made of another one.
type twice struct {
	kernels.Kernel
	of kernels.Kernel
}

func (k twice) Part() kernels.Kernel { return k.of }

func newTwice(of kernels.Kernel) twice { return twice{must(kernels.NewScale(2, of)), of} }

func init() {
	kernels.Register(kernels.Registration[wave]{
		Name: "wave", Parameters: []string{"ORDER", "SHIFT"}, Aliases: map[string][]float64{"wave3": {3, 0}},
		New: func(p []float64, _ float64) (wave, error) { return wave{order: p[0], shift: p[1]}, nil },
		Describe: func(k wave) (kernels.Desc, error) {
			return kernels.Desc{Parameters: map[string]float64{"order": k.order, "shift": k.shift}}, nil
		},
		Restore: func(d kernels.Desc) (wave, error) {
			return wave{order: d.Parameters["order"], shift: d.Parameters["shift"]}, nil
		},
	})
	kernels.Register(kernels.Registration[twice]{
		Name:     "twice",
		Describe: func(k twice) (kernels.Desc, error) { return kernels.Desc{Parameters: map[string]float64{}}, nil },
		Restore: func(d kernels.Desc) (twice, error) {
			if len(d.Parts) != 1 {
				return twice{}, errors.New("twice: want one part")
			}
			of, err := d.Parts[0].New()
			if err != nil {
				return twice{}, err
			}
			return newTwice(of), nil
		},
	})
}

func TestOwnParameters(t *testing.T) {
	for name, want := range map[string]wave{"wave:2:-0.5": {order: 2, shift: -.5}, "wave3": {order: 3}} {
		if k, err := kernels.ByName(name, 0); err != nil || k != want {
			t.Errorf("%s: %v and error %v, want %v", name, k, err, want)
		}
	}
	for _, name := range []string{"wave", "wave:2", "wave:2:0.5:1", "wave:2:00", "wave3:1:1", "twice"} {
		if k, err := kernels.ByName(name, 0); err == nil {
			t.Errorf("%s: %v, want an error", name, k)
		}
	}
	for _, k := range []kernels.Kernel{wave{order: 2, shift: .1}, newTwice(wave{order: 1}), must(kernels.NewSum(newTwice(newTwice(gaussian(t, 3)))))} {
		text, err := descriptionOf(k)
		if err != nil {
			t.Fatal(err)
		}
		var d kernels.Desc
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatal(err)
		}
		back, err := d.New()
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if again, _ := descriptionOf(back); string(again) != string(text) {
			t.Errorf("%s has become %s", text, again)
		}
	}
	if _, err := (kernels.Desc{Kind: "wave", Parameters: map[string]float64{"order": 1, "shift": 2, "more": 3}}).New(); err == nil {
		t.Error("a parameter too many was not refused")
	}
}

// descriptionOf is the description of k in JSON.
func descriptionOf(k kernels.Kernel) ([]byte, error) {
	d, err := kernels.Describe(k)
	if err != nil {
		return nil, err
	}
	return json.Marshal(d)
}

// TestOwnKernelWithin a combination: columns that it needs and entries that it refuses are found.
func TestOwnKernelWithin(t *testing.T) {
	k := must(kernels.NewTensor([][]int{{0}, {3, 1}}, []kernels.Kernel{gaussian(t, 1), newTwice(wave{})}))
	if kernels.Width(newTwice(wave{})) != 2 || kernels.Width(k) != 4 {
		t.Errorf("widths %d and %d, want 2 and 4", kernels.Width(newTwice(wave{})), kernels.Width(k))
	}
	if _, err := kernels.NewTensor([][]int{{3}}, []kernels.Kernel{wave{}}); err == nil {
		t.Error("a group of one column for a kernel that needs two: no error")
	}
	x := mat.NewDense(2, 4, []float64{99, 1, 99, 2, 0, 0, 0, 10})
	var entry *kernels.RowError
	if err := kernels.CheckRows(k, x); !errors.As(err, &entry) || entry.Row != 1 || entry.Column != 3 || entry.Value != 10 {
		t.Errorf("error %v, want one of row 1, column 3", err)
	}
	if err := kernels.CheckRows(wave{}, x); !errors.As(err, &entry) || entry.Row != 0 || entry.Column != 0 {
		t.Errorf("error %v, want one of row 0, column 0", err)
	}
}

// TestBandwidthRules: each kernel goes by the distances that it is a function of, and so does one for each column.
func TestBandwidthRules(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{0, 1, 3, 5, 1, 2})
	for name, want := range map[string]float64{
		"gaussian": math.Sqrt(13), "matern32": math.Sqrt(13), "rq:2": math.Sqrt(13), "laplacian": 5, "sech": 5, "periodic:7": 1, "expchi2": 1 + 9./7,
	} {
		if got, _, err := kernels.Bandwidth(name, x, nil); err != nil || math.Abs(got-want) > 1e-15*want || !kernels.HasBandwidth(name) {
			t.Errorf("%s: bandwidth %v with error %v, want %v", name, got, err, want)
		}
	}
	for name, want := range map[string][]float64{"gaussian": {2, 3}, "laplacian": {2, 3}, "sech": {2, 3}, "periodic:7": {1, 1}} {
		if got, _, err := kernels.Bandwidths(name, x, nil); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: bandwidths %v with error %v, want %v", name, got, err, want)
		}
	}
	// All columns are seen by one sample, where there are more rows than it has.
	many := mat.NewDense(1500, 2, nil)
	many.Apply(func(i, j int, _ float64) float64 { return math.Sqrt(float64(i * (j + 1))) }, many)
	want, _ := kernels.MedianPerColumn(many, rand.NewPCG(1, 2))
	if got, _, err := kernels.Bandwidths("matern:2", many, rand.NewPCG(1, 2)); err != nil || !slices.Equal(got, want) {
		t.Errorf("bandwidths %v with error %v, want %v", got, err, want)
	}
	x.Set(0, 0, -1)
	for name, want := range map[string]string{"expchi2": "row 0 column 0", "linear": "has no bandwidth", "rbf": "no kernel is called", "rq:0": "alpha is 0"} {
		if _, _, err := kernels.Bandwidth(name, x, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
	if _, _, err := kernels.Bandwidths("rbf", x, nil); err == nil {
		t.Error("bandwidths of no kernel: no error")
	}
	if kernels.HasBandwidth("linear") || kernels.HasBandwidth("rbf") {
		t.Error("a kernel without a bandwidth has one")
	}
	constant := mat.NewDense(2, 2, []float64{1, 4, 2, 4})
	if _, note, err := kernels.Bandwidths("sech", constant, nil); err != nil || !strings.HasPrefix(note, "column 1: ") {
		t.Errorf("note %q with error %v, want one of column 1", note, err)
	}
}

// nameless is registered by no test.
type nameless struct{ kernels.Linear }

func TestRegisterRefuses(t *testing.T) {
	describe := func(nameless) (kernels.Desc, error) { return kernels.Desc{}, nil }
	restore := func(kernels.Desc) (nameless, error) { return nameless{}, nil }
	for what, call := range map[string]func(){
		"a name that is taken": func() {
			kernels.Register(kernels.Registration[nameless]{Name: "gaussian", Describe: describe, Restore: restore})
		},
		"an alias that is taken": func() {
			kernels.Register(kernels.Registration[nameless]{Name: "x", Aliases: map[string][]float64{"matern32": nil}, Describe: describe, Restore: restore})
		},
		"no name": func() { kernels.Register(kernels.Registration[nameless]{Describe: describe, Restore: restore}) },
		"a colon": func() {
			kernels.Register(kernels.Registration[nameless]{Name: "a:b", Describe: describe, Restore: restore})
		},
		"no description": func() { kernels.Register(kernels.Registration[nameless]{Name: "y", Restore: restore}) },
		"no restoring":   func() { kernels.Register(kernels.Registration[nameless]{Name: "y", Describe: describe}) },
		"a type again": func() {
			kernels.Register(kernels.Registration[kernels.Linear]{Name: "y", Describe: func(kernels.Linear) (kernels.Desc, error) { return kernels.Desc{}, nil }, Restore: func(kernels.Desc) (kernels.Linear, error) { return kernels.Linear{}, nil }})
		},
		"an interface": func() {
			kernels.Register(kernels.Registration[kernels.Spectral]{Name: "y", Describe: func(kernels.Spectral) (kernels.Desc, error) { return kernels.Desc{}, nil }, Restore: func(kernels.Desc) (kernels.Spectral, error) { return nil, nil }})
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			call()
		}()
	}
	if _, err := kernels.Describe(nameless{}); err == nil || !strings.Contains(err.Error(), "not registered") {
		t.Errorf("error %v, want that the type is not registered", err)
	}
	for _, name := range []string{"x", "y", "a:b"} {
		if _, err := (kernels.Desc{Kind: name}).New(); err == nil {
			t.Errorf("%q is registered in part", name)
		}
	}
}

func TestEachRow(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{1, 0, 2, 0, 3, 0})
	for _, m := range []mat.Matrix{x, kerneltest.Sparse(x), mat.DenseCopyOf(x.T()).T()} {
		var got []float64
		kernels.EachRow(m, func(i int, row []float64) { got = append(append(got, float64(i)), row...) })
		if want := []float64{0, 1, 0, 2, 1, 0, 3, 0}; !slices.Equal(got, want) {
			t.Errorf("%T: rows %v, want %v", m, got, want)
		}
	}
}
