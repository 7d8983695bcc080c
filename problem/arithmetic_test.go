package problem_test

import (
	"bytes"
	"context"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/internal/checkpoint"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
)

// TestMixedProblem: all sums of a problem are in its arithmetic and within its errors of those in float64, which are other bits, and predictions of a fit
// are within 1e-5 of their scale: sums are off by 1e-7, and penalties are 1e-4 of them or more.
func TestMixedProblem(t *testing.T) {
	xu, uy := fixture.Surrogates(t, 3000, 3000, false)
	for _, shift := range []bool{false, true} {
		setup := problemtest.Setup(features.FourierFeatures)
		setup.Shift = shift
		double := problemtest.Prepared(t, setup, xu, uy)
		setup.Arithmetic = moments.Mixed
		mixed := problemtest.Prepared(t, setup, xu, uy)
		all := [][2]*moments.CoMoments{{mixed.XU(), double.XU()}, {mixed.UY(), double.UY()}}
		for k := range mixed.FoldsXU() {
			all = append(all, [2]*moments.CoMoments{mixed.FoldsXU()[k], double.FoldsXU()[k]}, [2]*moments.CoMoments{mixed.FoldsUY()[k], double.FoldsUY()[k]})
		}
		for i, m := range all {
			if m[0].Arithmetic() != moments.Mixed || m[1].Arithmetic() != moments.Float64 {
				t.Fatalf("shift %v: sums %d are in %s and %s", shift, i, m[0].Arithmetic(), m[1].Arithmetic())
			}
			var got, want mat.SymDense
			m[0].LeftTo(&got, true)
			m[1].LeftTo(&want, true)
			worst, _ := moments.MixedErrors(m[0].Rows())
			if d := fixture.Distance(&got, &want); d == 0 || !shift && d > worst*mat.Trace(&want) { // weights of a shift are of other sums themselves
				t.Errorf("shift %v: sums %d are off by %g, at most %g", shift, i, d, worst*mat.Trace(&want))
			}
		}
		for _, m := range mixed.EmptyXU(nil) {
			if m.Arithmetic() != moments.Mixed {
				t.Errorf("new sums are in %s", m.Arithmetic())
			}
		}
		fit := func(p *problem.Problem) (*rr.Model, *mat.Dense) {
			m, err := rr.Joint{W: rr.Value(.5)}.Fit(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			var f []float64
			for block, err := range m.Predict(t.Context(), xu) {
				if err != nil {
					t.Fatal(err)
				}
				f = append(f, mat.Col(nil, 0, block.Values)...)
			}
			return m, mat.NewDense(len(f), 1, f)
		}
		want, wantF := fit(double)
		got, gotF := fit(mixed)
		if got.Params.Arithmetic != moments.Mixed || want.Params.Arithmetic != "" {
			t.Errorf("models are of %q and %q arithmetic", got.Params.Arithmetic, want.Params.Arithmetic)
		}
		if d := fixture.Distance(gotF, wantF); d > 1e-5*mat.Norm(wantF, 2)/math.Sqrt(3000) {
			t.Errorf("shift %v: predictions are off by %g", shift, d)
		}
	}
}

// TestCheckpointIsOfItsArithmetic: sums in float64 that a pass has left are not those of one in mixed arithmetic.
func TestCheckpointIsOfItsArithmetic(t *testing.T) {
	src := fixture.Table(t, "a", fixture.Ramp(5000))
	e := fixture.Must[*encode.Encoder](t)(encode.FitEncoder(t.Context(), src.Columns(), encode.EncoderOptions{}, src))
	dir := t.TempDir()
	for _, a := range []moments.Arithmetic{moments.Float64, moments.Mixed, moments.Float64} {
		folder, err := checkpoint.Open(dir, nil, time.Nanosecond)
		if err != nil {
			t.Fatal(err)
		}
		var bits [2]bytes.Buffer
		for i, ctx := range []context.Context{t.Context(), checkpoint.With(t.Context(), folder)} {
			folds, _, err := problem.Accumulate(ctx, src, e, e, problem.PassOptions{Arithmetic: a})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := folds[0].WriteTo(&bits[i]); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(bits[0].Bytes(), bits[1].Bytes()) {
			t.Errorf("%s: a folder of checkpoints changes sums", a)
		}
	}
}
