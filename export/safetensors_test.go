package export

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/baselines"
	"mediant/features"
	"mediant/kernels"
	"mediant/losses"
	"mediant/mlp"
	"mediant/problem"
	"mediant/rr"
)

// A stored tensor is one that a file was read for.
type storedTensor struct {
	Type    string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
	data    []float64
}

// readSafetensors reads a file as its format says, and checks that tensors follow each other without gaps.
func readSafetensors(t *testing.T, raw []byte) (model map[string]any, tensors map[string]storedTensor) {
	t.Helper()
	n := binary.LittleEndian.Uint64(raw)
	if n%8 != 0 || n > uint64(len(raw))-8 {
		t.Fatalf("a header of %d bytes", n)
	}
	var header map[string]json.RawMessage
	must(t, json.Unmarshal(raw[8:8+n], &header))
	var metadata map[string]string
	must(t, json.Unmarshal(header["__metadata__"], &metadata))
	must(t, json.Unmarshal([]byte(metadata["mediant"]), &model))
	delete(header, "__metadata__")
	tensors, body, size := map[string]storedTensor{}, raw[8+n:], 0
	for name, text := range header {
		var of storedTensor
		must(t, json.Unmarshal(text, &of))
		count := 1
		for _, d := range of.Shape {
			count *= d
		}
		if of.Type != "F64" || of.Offsets[1]-of.Offsets[0] != 8*count {
			t.Fatalf("%s: %+v", name, of)
		}
		for at := of.Offsets[0]; at < of.Offsets[1]; at += 8 {
			of.data = append(of.data, math.Float64frombits(binary.LittleEndian.Uint64(body[at:])))
		}
		size += 8 * count
		tensors[name] = of
	}
	if size != len(body) {
		t.Fatalf("tensors of %d bytes in %d", size, len(body))
	}
	return model, tensors
}

// inOrder are the elements of all tensors in their order in the file.
func inOrder(tensors map[string]storedTensor) (all []float64) {
	var list []storedTensor
	for _, of := range tensors {
		list = append(list, of)
	}
	slices.SortFunc(list, func(a, b storedTensor) int { return a.Offsets[0] - b.Offsets[0] })
	for _, of := range list {
		all = append(all, of.data...)
	}
	return all
}

// TestSafetensors: a file has every number of a model, under the names of docs/export.md.
func TestSafetensors(t *testing.T) {
	s, labels := positive(t), mixed(t, true)
	small := problem.Setup{Phi: features.Spec{Size: 8}, Psi: features.Spec{Size: 6}}
	spec := func(name string) problem.Setup {
		of, err := features.ParseSpec(name)
		must(t, err)
		of.Size = 8
		return problem.Setup{Phi: of, Psi: of}
	}
	adaptive := spec("adaptive:2")
	adaptive.Phi.Size, adaptive.Psi.Size = 0, 0
	additive := spec("additive:gaussian")
	additive.Psi = features.Spec{Size: 6}
	for name, c := range map[string]struct {
		of     sample
		setup  problem.Setup
		method rr.Method
		want   map[string][]int // some tensors
	}{
		"fourier":  {s, small, rr.TwoStep{}, map[string][]int{"f.map.frequencies": {3, 4}, "f.coef": {8, 1}, "f.intercept": {1}, "h.map.frequencies": {1, 3}, "h.coef": {6, 1}}},
		"additive": {s, additive, rr.TwoStep{}, map[string][]int{"f.map.frequencies.0": {1, 2}, "f.map.frequencies.2": {1, 1}}},
		"warp":     {s, spec("warped:laplacian"), rr.TwoStep{}, nil},
		"metric":   {s, spec("metric:gaussian"), rr.TwoStep{}, map[string][]int{"f.map.parts.0.scales": {1, 3}}},
		"adaptive": {s, adaptive, rr.TwoStep{}, map[string][]int{"f.map.parts.1.scales": {1, 10}}},
		"landmark": {s, spec("metric:nystrom:gaussian"), rr.TwoStep{}, map[string][]int{"f.map.parts.0.scales": {1, 3}}},
		"linked":   {labels, small, rr.Generalized{Loss: losses.Log{}, LambdaF: rr.Value(.01), LambdaH: rr.Value(.01)}, map[string][]int{"f.parts.0.coef": {8, 3}}},
		"chain":    {s, small, baselines.Naive{}, map[string][]int{"f.parts.0.coef": {8, 1}, "f.parts.1.coef": {6, 1}}},
		"network":  {s, small, rr.TwoStep{F: mlp.Learner{Hidden: []int{5}, Epochs: 1}}, map[string][]int{"f.weights.0": {3, 5}, "f.offsets.0": {5}, "f.weights.1": {5, 1}}},
		"integral": {s, small, baselines.Integral{Centres: 20}, map[string][]int{"f.centres": {18, 3}, "f.alpha": {18}, "f.values": {18, 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			m := fit(t, c.of, c.setup, c.method)
			var b bytes.Buffer
			must(t, Safetensors(&b, m))
			model, tensors := readSafetensors(t, b.Bytes())
			for name, shape := range c.want {
				if got := tensors[name].Shape; !slices.Equal(got, shape) {
					t.Errorf("%s has the shape %v, want %v", name, got, shape)
				}
			}
			_, numbers, err := m.Store()
			must(t, err)
			if !slices.Equal(inOrder(tensors), numbers) {
				t.Error("the numbers are not those of the model")
			}
			if model["layout"] != 1. || model["method"] != m.Method || model["reading"] == nil {
				t.Errorf("layout %v, method %v, reading %v", model["layout"], model["method"], model["reading"])
			}
		})
	}
}

// TestSafetensorsTriangle: the whitening of Nyström features within a chain is a triangular matrix with K = U'U.
func TestSafetensorsTriangle(t *testing.T) {
	s := positive(t)
	gauss, err := kernels.NewGaussian(1)
	must(t, err)
	landmarks := mat.NewDense(3, 3, []float64{0, 0, 0, 1, 0, 0, 0, 1, 1})
	nystrom, err := features.NewNystrom(gauss, landmarks)
	must(t, err)
	chain, err := features.NewChain(nystrom, features.NewLinear(3))
	must(t, err)
	var b bytes.Buffer
	must(t, Safetensors(&b, fit(t, s, problem.Setup{Phi: features.Fixed(chain)}, rr.TwoStep{})))
	_, tensors := readSafetensors(t, b.Bytes())
	var got, gram mat.Dense
	u := mat.NewDense(3, 3, tensors["f.map.parts.0.whitening"].data)
	z := mat.NewDense(3, 3, tensors["f.map.parts.0.landmarks"].data)
	got.Mul(u.T(), u)
	gauss.GramTo(&gram, z, z)
	if !mat.EqualApprox(&got, &gram, 1e-15) || u.At(1, 0) != 0 {
		t.Errorf("U'U is %v, want %v", mat.Formatted(&got), mat.Formatted(&gram))
	}
}

// TestSafetensorsFails: errors of a writer and of a record without a model are returned.
func TestSafetensorsFails(t *testing.T) {
	if err := Safetensors(new(bytes.Buffer), &mediant.Model{}); err == nil {
		t.Error("a record without a model is written")
	}
	m := fit(t, positive(t), problem.Setup{}, rr.TwoStep{})
	for n := range 3 {
		if err := Safetensors(&failing{n}, m); !errors.Is(err, errFull) {
			t.Errorf("after %d writes: %v", n, err)
		}
	}
	if err := ONNX(&failing{}, m); !errors.Is(err, errFull) {
		t.Errorf("ONNX: %v", err)
	}
}

var errFull = errors.New("no space left")

// failing is a writer that fails after some writes.
type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left == 0 {
		return 0, errFull
	}
	f.left--
	return len(p), nil
}
