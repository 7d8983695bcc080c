package mlp

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestNetworksComeBack(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 2))
	x := normal(rnd, 300, 3)
	for name, n := range map[string]*network{
		"network 3-7-1":                     newNetwork([]int{3, 7, 1}, Identity, rnd),
		"network 3-2":                       newNetwork([]int{3, 2}, Identity, rnd),
		"network 3-4-4-4-5, square-softmax": newNetwork([]int{3, 4, 4, 4, 5}, SquareSoftmax, rnd),
		"network 3-4-5, softmax":            newNetwork([]int{3, 4, 5}, Softmax, rnd),
	} {
		kind, header, numbers := n.Store()
		text, err := json.Marshal(header)
		if err != nil || kind != Format().Kind || n.String() != name {
			t.Fatalf("%v is stored as %s %s: %v", n, kind, text, err)
		}
		read, err := Format().Read(text, slices.Clone(numbers))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got, want mat.Dense
		n.PredictTo(&want, x)
		read.PredictTo(&got, x)
		if !mat.Equal(&got, &want) {
			t.Errorf("%s: predictions are others", name)
		}
		if in, out := read.Dims(); in != 3 || out != want.RawMatrix().Cols {
			t.Errorf("%s: %d columns, %d outputs", name, in, out)
		}
	}
}

func TestReadNetworkRefuses(t *testing.T) {
	for _, c := range []struct {
		header  string
		numbers int
		want    string
	}{
		{`{"widths":[2,3,1],"output":"identity"}`, 12, "the first 2 layers have 13 parameters, of 12"},
		{`{"widths":[2,3,1],"output":"identity"}`, 14, "14 parameters, want 13"},
		{`{"widths":[2,3,1],"output":"sigmoid"}`, 13, `output "sigmoid", want one of identity, square-softmax, softmax`},
		{`{"widths":[2,3,1]}`, 13, `output ""`},
		{`{"widths":[2,0,1],"output":"identity"}`, 1, "layer 1 has 0 units"},
		{`{"widths":[-2,3,1],"output":"identity"}`, 1, "layer 0 has -2 units"},
		{`{"widths":[2147483647,2147483647,2147483647],"output":"identity"}`, 5, "the first 1 layers have 4611686016279904256 parameters, of 5"},
		{`{"widths":[9223372036854775807,1],"output":"identity"}`, 5, "layer 0 has"},
		{`{"widths":[2],"output":"identity"}`, 0, "a network of 1 layers"},
		{`{"output":"identity"}`, 0, "a network of 0 layers"},
		{`{"widths":"no"}`, 0, "cannot unmarshal"},
		{``, 0, "unexpected end"},
	} {
		if _, err := Format().Read(json.RawMessage(c.header), make([]float64, c.numbers)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.header, err, c.want)
		}
	}
}
