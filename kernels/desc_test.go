package kernels_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/kernels"
)

// drawDesc draws a description of a right kernel.
func drawDesc(t *rapid.T, depth int) kernels.Desc {
	kinds := []string{
		"gaussian", "laplacian", "matern12", "matern32", "matern52", "matern", "rq", "periodic", "expchi2",
		"polynomial", "linear", "cosine", "chi2", "precomputed",
	}
	if depth > 0 {
		kinds = append(kinds, "sum", "product", "scale", "additive", "tensor")
	}
	d := kernels.Desc{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
	switch d.Kind {
	case "linear", "cosine", "chi2":
		return d
	case "periodic":
		d.Period = math.Exp(rapid.Float64Range(-300, 300).Draw(t, "log period"))
		d.Length = math.Exp(rapid.Float64Range(-13, 20).Draw(t, "log length"))
		return d
	case "precomputed":
		a, b := rapid.Float64Range(0, 9).Draw(t, "value"), rapid.Float64Range(-9, 9).Draw(t, "value")
		d.Values = [][]float64{{a, b}, {b, a}, {b, b}}[:rapid.IntRange(2, 3).Draw(t, "rows")]
		return d
	case "polynomial":
		d.Degree = rapid.IntRange(1, 64).Draw(t, "degree")
		return d
	case "sum", "product", "additive", "tensor":
		for range rapid.IntRange(1, 3).Draw(t, "parts") {
			d.Parts = append(d.Parts, drawDesc(t, depth-1))
		}
	case "scale":
		d.Factor = rapid.Float64Range(1e-3, 1e3).Draw(t, "factor")
		d.Parts = []kernels.Desc{drawDesc(t, depth-1)}
	default:
		switch d.Kind {
		case "matern":
			d.Order = rapid.Float64Range(2.6, 1000).Draw(t, "order")
		case "rq":
			d.Alpha = rapid.Float64Range(0.01, 1e6).Draw(t, "alpha")
		}
		d.Bandwidth = math.Exp(rapid.Float64Range(-300, 300).Draw(t, "log bandwidth"))
	}
	if d.Kind == "additive" || d.Kind == "tensor" {
		for range d.Parts {
			// As many columns as any part drawn here can need.
			d.Groups = append(d.Groups, rapid.Permutation([]int{0, 1, 2, 3, 4}).Draw(t, "group"))
		}
	}
	return d
}

func TestDescriptionsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawDesc(t, 3)
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var read kernels.Desc
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		k, err := read.New()
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, err := kernels.Describe(k)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("description changed on the way (-want +got):\n%s", d)
		}
	})
}

func TestDescriptionsAreRefused(t *testing.T) {
	deep := kernels.Desc{Kind: "linear"}
	for range 17 {
		deep = kernels.Desc{Kind: "sum", Parts: []kernels.Desc{deep}}
	}
	text, err := json.Marshal(deep)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		string(text):               "nested more than 16 deep",
		`{}`:                       `no kernel is called ""`,
		`{"kernel":"rbf"}`:         `no kernel is called "rbf"; there are chi2, cosine`,
		`{"kernel":"gaussian"}`:    "gaussian: bandwidth is 0, must be positive and finite",
		`{"kernel":"polynomial"}`:  "polynomial: degree is 0, must be from 1 to 64",
		`{"kernel":"sum"}`:         "sum: no parts",
		`{"kernel":"product"}`:     "product: no parts",
		`{"kernel":"additive"}`:    "additive: no groups",
		`{"kernel":"scale"}`:       "scale: 0 parts, must be one",
		`{"kernel":"matern72"}`:    "no kernel is called",
		`{"kernel":"polynomial1"}`: "no kernel is called",
		`{"kernel":"tensor"}`:      "tensor: no groups",

		`{"kernel":"matern"}`:                               "matern: order is 0, must be from 0.1",
		`{"kernel":"matern","order":1.5,"bandwidth":1}`:     "order 1.5 is called matern32",
		`{"kernel":"matern:0.7","bandwidth":1}`:             "no kernel is called",
		`{"kernel":"rq","bandwidth":1}`:                     "rq: alpha is 0, must be from 0.01",
		`{"kernel":"periodic","period":1}`:                  "periodic: length is 0, must be from",
		`{"kernel":"expchi2"}`:                              "expchi2: bandwidth is 0",
		`{"kernel":"chi2","bandwidth":1}`:                   "parameters that its kernels do not take",
		`{"kernel":"precomputed"}`:                          "precomputed: 0 rows of 0 values",
		`{"kernel":"precomputed","values":[[1,2]]}`:         "precomputed: 1 rows of 2 values",
		`{"kernel":"precomputed","values":[[1,0],[0]]}`:     "precomputed: row 1 has 1 values, must have 2",
		`{"kernel":"precomputed","values":[[1,0],[2,1]]}`:   "rows 1 and 0 are 2 and 0, must be equal",
		`{"kernel":"tensor","parts":[{"kernel":"linear"}]}`: "tensor: no groups",

		`{"kernel":"linear","bandwidth":1}`:                                 "parameters that its kernels do not take",
		`{"kernel":"sum","parts":[{"kernel":"linear","degree":2}]}`:         "parameters that its kernels do not take",
		`{"kernel":"scale","factor":-1,"parts":[{"kernel":"linear"}]}`:      "scale: factor is -1",
		`{"kernel":"sum","parts":[{"kernel":"laplacian","bandwidth":-1}]}`:  "laplacian: bandwidth is -1",
		`{"kernel":"additive","groups":[[0],[]],"parts":[{}]}`:              "no kernel is called",
		`{"kernel":"additive","groups":[[0,0]],"parts":[{"kernel":"sum"}]}`: "sum: no parts",
	} {
		var d kernels.Desc
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		if k, err := d.New(); k != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v and error %v, want error ...%s...", text, k, err, want)
		}
	}
}

// stranger is a kernel that this package does not know.
type stranger struct{ kernels.Linear }

func TestDescribeRefuses(t *testing.T) {
	deep := kernels.Kernel(kernels.Linear{})
	for range 17 {
		deep = must(kernels.NewSum(deep))
	}
	for _, k := range []kernels.Kernel{
		nil, stranger{}, deep, kernels.Gaussian{}, kernels.Matern{}, kernels.Laplacian{}, kernels.Polynomial{},
		kernels.Sum{}, kernels.Product{}, kernels.Scale{}, kernels.Additive{}, kernels.Tensor{}, kernels.Precomputed{},
		kernels.RationalQuadratic{}, kernels.Periodic{}, kernels.ExpChiSquared{}, must(kernels.NewSum(stranger{})),
	} {
		if d, err := kernels.Describe(k); err == nil {
			t.Errorf("%T: got %v, want an error", k, d)
		}
	}
}

// wide reports whether a precomputed kernel, whose rows have one column, would be given others.
func wide(d kernels.Desc, width int) bool {
	for i, part := range d.Parts {
		columns := width
		if d.Groups != nil {
			columns = len(d.Groups[i])
		}
		if wide(part, columns) {
			return true
		}
	}
	return d.Kind == "precomputed" && width != 1
}

// A description that is accepted gives a kernel that works.
func FuzzDesc(f *testing.F) {
	f.Add(`{"kernel":"gaussian","bandwidth":1}`)
	f.Add(`{"kernel":"scale","factor":2,"parts":[{"kernel":"polynomial","degree":3}]}`)
	f.Add(`{"kernel":"additive","groups":[[0],[2,1]],"parts":[{"kernel":"linear"},{"kernel":"sum","parts":[{"kernel":"linear"}]}]}`)
	f.Add(`{"kernel":"tensor","groups":[[0]],"parts":[{"kernel":"matern","order":0.1,"bandwidth":1e-9}]}`)
	f.Add(`{"kernel":"precomputed","values":[[1,0.5],[0.5,1],[0,1]]}`)
	f.Add(`{"kernel":"periodic","period":1e-9,"length":1}`)
	f.Add(`{"kernel":"additive","groups":[[9223372036854775807]],"parts":[{"kernel":"linear"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var d kernels.Desc
		if json.Unmarshal([]byte(text), &d) != nil {
			return
		}
		k, err := d.New()
		if err != nil {
			return
		}
		width := kernels.Width(k)
		if width < 1 {
			t.Fatalf("width is %d", width)
		}
		if width < 100 && kernels.CheckRows(k, mat.NewDense(1, width, nil)) == nil && !wide(d, width) {
			gram(k, mat.NewDense(2, width, nil), mat.NewDense(3, width, nil))
		}
	})
}

func ExampleDesc() {
	k, err := kernels.ByName("matern32", 0.7)
	if err != nil {
		fmt.Println(err)
		return
	}
	desc, err := kernels.Describe(k)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := json.Marshal(desc)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(text))

	again, err := desc.New()
	fmt.Println(again == k, err)
	// Output:
	// {"kernel":"matern32","bandwidth":0.7}
	// true <nil>
}
