package baselines

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/problem"
	"mediant/rr"
)

func TestIntegralsComeBack(t *testing.T) {
	xu, uy := square(t, 60, 2, 3)
	rnd := rand.New(rand.NewPCG(2, 2))
	x := mat.NewDense(300, 2, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = 3 * rnd.NormFloat64()
	}
	for _, c := range []struct {
		setup problem.Setup
		n     Integral
	}{{}, {n: Integral{Estimator: NadarayaWatson}}, {problem.Setup{NoStandardize: true}, Integral{Centres: 5}}} {
		m, err := rr.Fit(context.Background(), c.setup, c.n, xu, uy)
		if err != nil {
			t.Fatal(err)
		}
		kind, header, numbers := m.F.(rr.Storer).Store()
		text, err := json.Marshal(header)
		if err != nil || kind != Format().Kind {
			t.Fatalf("stored as %s %s: %v", kind, text, err)
		}
		read, err := Format().Read(text, slices.Clone(numbers))
		if err != nil {
			t.Fatal(err)
		}
		var got, want mat.Dense
		m.F.PredictTo(&want, x)
		read.PredictTo(&got, x)
		if !mat.Equal(&got, &want) {
			t.Errorf("%+v: predictions are others", c)
		}
		if in, out := read.Dims(); in != 2 || out != 1 {
			t.Errorf("%+v: %d columns, %d outputs", c, in, out)
		}
	}
}

func TestReadIntegralRefuses(t *testing.T) {
	good := []float64{1, 2, 3, 4, .5, .25, 7, 8} // two centres of two columns, coefficients, one output
	read := func(header string, numbers []float64) error {
		_, err := Format().Read(json.RawMessage(header), numbers)
		return err
	}
	if err := read(`{"centres":2,"columns":2,"outputs":1,"bandwidth":0.5}`, good); err != nil {
		t.Fatal(err)
	}
	zero := slices.Clone(good)
	zero[5] = 0
	for _, c := range []struct {
		header  string
		numbers []float64
		want    string
	}{
		{`{"centres":2,"columns":2,"outputs":1,"bandwidth":0.5}`, good[:7], "2 centres of 2 columns and 1 outputs in 7 numbers"},
		{`{"centres":2,"columns":2,"outputs":1,"bandwidth":0.5}`, zero, "a coefficient is 0, want positive ones"},
		{`{"centres":2,"columns":3,"outputs":0,"bandwidth":0.5}`, good, "0 outputs"},
		{`{"centres":-2,"columns":2,"outputs":1,"bandwidth":0.5}`, good, "-2 centres"},
		{`{"centres":2,"columns":9223372036854775807,"outputs":1,"bandwidth":0.5}`, good, "9223372036854775807 columns"},
		{`{"centres":2,"columns":2,"outputs":1,"bandwidth":0}`, good, "bandwidth is 0"},
		{`{"centres":2,"columns":2,"outputs":1,"bandwidth":1e-200}`, good, "bandwidth is 1e-200"},
		{`{"centres":2,"columns":2,"outputs":1}`, good, "bandwidth is 0"},
		{`{}`, nil, "0 centres"},
		{`[]`, nil, "cannot unmarshal"},
		{``, nil, "unexpected end"},
	} {
		if err := read(c.header, c.numbers); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.header, err, c.want)
		}
	}
}
