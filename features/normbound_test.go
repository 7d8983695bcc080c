package features

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestNormBound: no row has a longer vector of features than the bound, some row has one as long, to rounding, and maps without a bound say so.
func TestNormBound(t *testing.T) {
	rows := mat.NewDense(6, 2, []float64{1, 2, 3, 4, 5, 7, 6, 1, 0, 2, 1e9, 1})
	fit := func(name string) Map {
		spec, err := ParseSpec(name)
		if err != nil {
			t.Fatal(err)
		}
		spec.Size = 8
		m, _, err := spec.FitContext(t.Context(), rows, 1, "phi")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	concat := func(parts ...Map) Map {
		m, err := NewConcat(parts...)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	columns, err := NewColumns(3, []int{2, 0}, fit("additive:gaussian"))
	if err != nil {
		t.Fatal(err)
	}
	chain, err := NewChain(fit("linear"), fit("gaussian"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		m    Map
		want float64
	}{
		{fit("gaussian"), 1}, {fit("quasi:matern32"), 1}, {fit("additive:gaussian"), math.Sqrt2}, {columns, math.Sqrt2}, {chain, 1}, {NewBias(2), 1},
		{concat(fit("gaussian"), fit("additive:laplacian"), NewBias(2)), 2},
		{fit("linear"), math.Inf(1)}, {fit("polynomial:2"), math.Inf(1)}, {fit("nystrom:gaussian"), math.Inf(1)}, {fit("rectified"), math.Inf(1)}, {concat(fit("gaussian"), NewLinear(2)), math.Inf(1)},
	} {
		if got := NormBound(c.m); math.Abs(got-c.want) > 1e-15*c.want && !math.IsInf(c.want, 1) || math.IsInf(got, 1) != math.IsInf(c.want, 1) {
			t.Errorf("%s: the bound is %g, want %g", Describe(c.m), got, c.want)
		}
		if math.IsInf(c.want, 1) {
			continue
		}
		in, out := c.m.Dims()
		x := mat.NewDense(6, in, nil)
		for i := range 6 {
			for j := range in {
				x.Set(i, j, rows.At(i, j%2))
			}
		}
		phi := mat.NewDense(6, out, nil)
		c.m.MapTo(phi, x)
		for i := range 6 {
			// A sum of out squares of rounded sines and cosines.
			if norm := mat.Norm(phi.RowView(i), 2); norm > c.want*(1+1e-14) || norm < c.want*(1-1e-14) {
				t.Errorf("%s: norm %g, bound %g", Describe(c.m), norm, c.want)
			}
		}
	}
}
