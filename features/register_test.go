package features_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/fixture"
	"mediant/kernels"
	"mediant/moments"
)

// TestOwnMap: that of the example keeps the promises of a map, alone and within others.
func TestOwnMap(t *testing.T) {
	x := fixture.NormalRows(120, 3)
	x.Apply(func(i, j int, v float64) float64 {
		if (i+j)%3 == 0 {
			return 0
		}
		return v
	}, x)
	spec := fixture.Must[features.Spec](t)(features.ParseSpec("rectified"))
	spec.Size = 20
	m, _, err := spec.Fit(x, 1, "phi")
	if err != nil {
		t.Fatal(err)
	}
	featurestest.Run(t, m, x)
	featurestest.Run(t, fixture.Must[*features.Concat](t)(features.NewConcat(features.NewLinear(3), m)), x)
	featurestest.Run(t, fixture.Must[*features.Chain](t)(features.NewChain(m, features.NewLinear(20))), x)
	featurestest.Run(t, fixture.Must[*features.Columns](t)(features.NewColumns(4, []int{3, 0, 1}, m)), fixture.NormalRows(120, 4))
	if got, want := features.Bytes(m), 8.*20*3; got != want {
		t.Errorf("%g bytes, want %g", got, want)
	}
	if size := spec.LeastSize(120); size.Features != 20 || spec.MapBytes(features.Size{In: 3, Features: 20}) < features.Bytes(m) {
		t.Errorf("%d features of %g bytes were foretold", size.Features, spec.MapBytes(features.Size{In: 3, Features: 20}))
	}
	if spec.Size = 0; spec.Estimate(3) != 512 || !spec.HasSize() {
		t.Errorf("%d features by default, want 512", spec.Estimate(3))
	}
}

// steps has as many features as its argument says, the column scaled, and no rows above 9.
type steps struct {
	Count int     `json:"count"`
	Scale float64 `json:"-"`
}

func (m steps) Dims() (in, out int) { return 1, m.Count }

func (m steps) MapTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, m.Count)
	}
	kernels.EachRow(x, func(i int, row []float64) {
		for j := range m.Count {
			dst.Set(i, j, m.Scale*row[0])
		}
	})
}

func (m steps) ID() moments.ID { return features.Identity(m) }

func (m steps) String() string { return fmt.Sprintf("steps, %d of them", m.Count) }

func (m steps) CheckRows(x mat.Matrix) (err error) {
	kernels.EachRow(x, func(i int, row []float64) {
		if row[0] > 9 {
			err = &kernels.RowError{Row: i, Value: row[0], Want: "steps: want at most 9"}
		}
	})
	return err
}

func countOf(s features.Spec) (count int, err error) {
	_, err = fmt.Sscanf(s.Argument, "%d", &count)
	return count, err
}

func init() {
	features.Register(features.Registration[steps]{
		Name: "steps", Argument: "COUNT",
		Validate: func(s features.Spec) error {
			_, err := countOf(s)
			return err
		},
		Size: func(s features.Spec, _ int) int {
			count, _ := countOf(s)
			return count
		},
		Fit: func(_ context.Context, s features.Spec, rows mat.Matrix, _ uint64, _ string) (steps, []string, error) {
			count, _ := countOf(s)
			if n, _ := rows.Dims(); n == 1 {
				return steps{}, nil, errors.New("a single row")
			}
			return steps{count, rows.At(0, 0)}, []string{"scaled"}, nil
		},
		Marshal: func(m steps) (any, []float64) { return m, []float64{m.Scale} },
		Unmarshal: func(_, _ int, settings json.RawMessage, weights []float64) (m steps, err error) {
			if err := json.Unmarshal(settings, &m); err != nil {
				return m, err
			}
			if len(weights) != 1 {
				return m, fmt.Errorf("%d weights, want 1", len(weights))
			}
			m.Scale = weights[0]
			return m, nil
		},
	})
}

func TestOwnMapOfArgument(t *testing.T) {
	spec := fixture.Must[features.Spec](t)(features.ParseSpec("steps:4"))
	if spec.Argument != "4" || spec.String() != "steps:4" || spec.HasSize() || spec.Estimate(1) != 4 {
		t.Errorf("%+v, written %s, of %d features", spec, spec, spec.Estimate(1))
	}
	m, notes, err := spec.Fit(mat.NewDense(2, 1, []float64{.5, 1}), 1, "phi")
	if err != nil || !slices.Equal(notes, []string{"phi: scaled"}) {
		t.Fatalf("error %v, notes %q", err, notes)
	}
	header, weights := must2(features.Marshal(m))
	const want = `{"kind":"steps","in":1,"out":4,"settings":{"count":4},"arrays":[{"name":"weights","rows":1,"cols":1}]}`
	if string(header) != want {
		t.Errorf("header %s, want %s", header, want)
	}
	if back, err := features.Unmarshal(header, weights); err != nil || back != m {
		t.Errorf("%v with error %v, want %v", back, err, m)
	}
	if got := features.Describe(m); got != "steps, 4 of them" {
		t.Errorf("described as %q", got)
	}
	for damage, want := range map[string]string{
		`"count":4`: "makes the map", `"out":4`: "makes the map", `"settings":{"count":4},`: "unexpected end",
	} {
		damaged := strings.Replace(string(header), damage, strings.Replace(damage, "4", "3", 1), 1)
		if want == "unexpected end" {
			damaged = strings.Replace(string(header), damage, "", 1)
		}
		if _, err := features.Unmarshal(json.RawMessage(damaged), weights); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", damaged, err, want)
		}
	}
	two := strings.Replace(string(header), `"arrays":[`, `"arrays":[{"name":"weights","rows":1,"cols":1},`, 1)
	if _, err := features.Unmarshal(json.RawMessage(two), []float64{1, 1}); err == nil || !strings.Contains(err.Error(), "want at most 1") {
		t.Errorf("two arrays: error %v", err)
	}
	if _, _, err := features.Marshal(steps{4, math.Inf(1)}); err == nil || !strings.Contains(err.Error(), "not finite") {
		t.Errorf("an infinite weight: error %v", err)
	}
	within := fixture.Must[*features.Columns](t)(features.NewColumns(3, []int{2}, m))
	var entry *kernels.RowError
	if err := features.CheckRows(within, mat.NewDense(1, 3, []float64{1, 2, 10})); !errors.As(err, &entry) || entry.Column != 2 {
		t.Errorf("error %v, want one of column 2", err)
	}
}

func TestOwnMapRefuses(t *testing.T) {
	for _, text := range []string{"steps", "steps:", "steps:x", "rectified:2", "rectified:"} {
		if s, err := features.ParseSpec(text); err == nil {
			t.Errorf("%q is %+v, want an error", text, s)
		}
	}
	row := mat.NewDense(1, 1, []float64{1})
	for want, spec := range map[string]features.Spec{
		"a single row":           {Kind: "steps", Argument: "2"},
		"argument \"\"":          {Kind: "steps"},
		"argument \"2\"":         {Argument: "2"},
		"kernel \"laplacian\"":   {Kind: "rectified", Kernel: "laplacian"},
		"bandwidth 1":            {Kind: "rectified", Bandwidth: 1},
		"the map takes 1 column": {Kind: "steps", Argument: "2"},
	} {
		rows := mat.Matrix(row)
		if strings.HasPrefix(want, "the map") {
			rows = mat.NewDense(2, 2, nil)
		}
		if _, _, err := spec.Fit(rows, 1, "phi"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one with %q", spec, err, want)
		}
	}
}

// TestFixed: a map that there is takes the place of one that is fitted.
func TestFixed(t *testing.T) {
	m := steps{3, 2}
	spec := features.Fixed(m)
	got, notes, err := spec.Fit(mat.NewDense(2, 1, nil), 1, "phi")
	if err != nil || notes != nil || got != features.Map(m) {
		t.Errorf("%v with error %v and notes %q, want %v", got, err, notes, m)
	}
	if spec.HasSize() || spec.IsAuto() || spec.Estimate(1) != 3 || spec.WithSize(2) != spec || spec.String() != "steps, 3 of them" {
		t.Errorf("%s has a size, %d features, or is auto", spec, spec.Estimate(1))
	}
	if other := features.Fixed(m); other == spec {
		t.Error("specs of two maps are equal")
	}
	if got := spec.MapBytes(features.Size{In: 1, Features: 3}); got != 8 {
		t.Errorf("%g bytes were foretold, it has %g", got, features.Bytes(m))
	}
	if got := features.Fixed(unregistered{features.NewLinear(2)}).MapBytes(features.Size{In: 2, Features: 2}); got != 32 {
		t.Errorf("%g bytes were foretold of a map that is not registered, want 32", got)
	}
	spec.Size = 7 // as a search does
	if err := spec.Validate(); err != nil {
		t.Error(err)
	}
	if _, _, err := spec.Fit(mat.NewDense(2, 4, nil), 1, "phi"); err == nil || !strings.Contains(err.Error(), "takes 1 columns, encoded rows have 4") {
		t.Errorf("rows of four columns: error %v", err)
	}
	for _, change := range []func(s *features.Spec){
		func(s *features.Spec) { s.Kernel = "laplacian" }, func(s *features.Spec) { s.Quasi = true }, func(s *features.Spec) { s.Bandwidth = 1 },
		func(s *features.Spec) { s.LandmarkRows = mat.NewDense(1, 1, nil) }, func(s *features.Spec) { s.Kind = features.LinearFeatures },
	} {
		other := features.Fixed(m)
		if change(&other); other.Validate() == nil {
			t.Errorf("%+v was not refused", other)
		}
	}
}

// unregistered is a Map that has no place in files.
type unregistered struct{ *features.Linear }

// folding folds to a map that is not registered.
type folding struct{ *features.Linear }

func (m folding) Fold(coef *mat.Dense) (features.Map, *mat.Dense) { return unregistered(m), coef }

func init() {
	features.Register(features.Registration[folding]{
		Name:    "folding",
		Marshal: func(folding) (any, []float64) { return nil, nil },
		Unmarshal: func(in, _ int, _ json.RawMessage, _ []float64) (folding, error) {
			return folding{features.NewLinear(in)}, nil
		},
	})
}

// TestUnregistered: a map that cannot be stored is part of no other, and folding makes none.
func TestUnregistered(t *testing.T) {
	m := unregistered{features.NewLinear(2)}
	const want = "unregistered is not registered"
	_, _, marshal := features.Marshal(m)
	_, concat := features.NewConcat(features.NewLinear(2), m)
	_, columns := features.NewColumns(2, []int{0, 1}, m)
	_, chain := features.NewChain(m, features.NewLinear(2))
	for i, err := range []error{marshal, concat, columns, chain} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: error %v, want one with %q", i, err, want)
		}
	}
	if features.Bytes(m) != 0 {
		t.Error("it has a size")
	}
	fixture.MustPanic(t, func() { features.Identity(m) })
	both := fixture.Must[*features.Concat](t)(features.NewConcat(folding(m), folding(m)))
	raw, _ := both.Fold(mat.NewDense(4, 1, nil))
	if _, _, err := features.Marshal(raw); err != nil {
		t.Error(err)
	}
}

func TestRegisterRefuses(t *testing.T) {
	marshal := func(unregistered) (any, []float64) { return nil, nil }
	unmarshal := func(int, int, json.RawMessage, []float64) (m unregistered, err error) { return m, nil }
	fit := func(context.Context, features.Spec, mat.Matrix, uint64, string) (m unregistered, notes []string, err error) {
		return m, nil, nil
	}
	for _, name := range []string{"", "a:b", "a b", "gaussian", "matern32", "linear", "auto", "quasi", "steps"} {
		fixture.MustPanic(t, func() {
			features.Register(features.Registration[unregistered]{Name: name, Fit: fit, Marshal: marshal, Unmarshal: unmarshal})
		})
	}
	fixture.MustPanic(t, func() { features.Register(features.Registration[unregistered]{Name: "x", Marshal: marshal}) })
	fixture.MustPanic(t, func() { features.Register(features.Registration[unregistered]{Name: "x", Unmarshal: unmarshal}) })
	fixture.MustPanic(t, func() {
		features.Register(features.Registration[steps]{Name: "x", Marshal: func(steps) (any, []float64) { return nil, nil },
			Unmarshal: func(int, int, json.RawMessage, []float64) (m steps, err error) { return m, nil }})
	})
	if _, _, err := features.Marshal(unregistered{features.NewLinear(1)}); err == nil {
		t.Error("registered after all")
	}
}

func TestNames(t *testing.T) {
	names := features.Names()
	if names[0] != "auto" || !slices.IsSorted(names[1:]) || slices.Contains(names[1:], "auto") {
		t.Errorf("%q does not begin with auto, or is not sorted", names)
	}
	for _, want := range []string{"gaussian", "rq:ALPHA", "quasi:KERNEL", "additive:KERNEL", "nystrom:KERNEL", "linear", "chi2", "countsketch", "tensorsketch:DEGREE", "polynomial:DEGREE", "steps:COUNT", "rectified"} {
		if !slices.Contains(names, want) {
			t.Errorf("%q lacks %q", names, want)
		}
	}
	if slices.Contains(names, "cosine") || slices.Contains(names, "folding") {
		t.Errorf("%q: a kernel without frequencies, or a map that no Spec makes", names)
	}
}
