package experiments

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/features"
	"mediant/kernels"
)

// TestMapTrialDistribution: X is uniform with variance 1, and Y given X has the mean of the distribution. Off by no more than 5 standard
// errors: of a variance of uniform draws sqrt(0.8/n), of Y less its mean by its own spread.
func TestMapTrialDistribution(t *testing.T) {
	distribution := Synthetic{D: 3, Noise: .1}
	trial := distribution.MapTrial(6000, 1)
	x, train := trial.X()
	n, _ := x.Dims()
	if rows, columns := trial.Train().Dims(); n != 8000 || train != 6000 || rows != 6000 || columns != 3 {
		t.Fatalf("%d rows, %d to fit, %d×%d", n, train, rows, columns)
	}
	for j := range 3 {
		if v := stat.Variance(mat.Col(nil, j, x), nil); math.Abs(v-1) > 5*math.Sqrt(.8/8000) {
			t.Errorf("column %d has variance %g", j, v)
		}
	}
	off := make([]float64, n)
	for i := range off {
		row := mat.Row(nil, i, x)
		for j := range row {
			row[j] /= math.Sqrt(3)
		}
		off[i] = trial.y[i] - distribution.Regression(row)
	}
	if mean, std := stat.MeanStdDev(off, nil); math.Abs(mean) > 5*std/math.Sqrt(float64(n)) || math.Abs(std*std-(.1+.053175*3)) > .03 {
		t.Errorf("Y less its mean given X has mean %g and variance %g, want 0 and %g", mean, std*std, .1+.053175*3)
	}
	if other := distribution.MapTrial(6000, 2); other.y[0] == trial.y[0] {
		t.Error("the seed does not matter")
	}
}

// TestMapTrialMeasures what is known: features that are Y leave no error but the least penalty's, 1e-8 of the kernel's
// diagonal, of the size of 1e-16 squared; features of zeros are all wrong of the kernel, and predict the mean; X itself
// is the linear kernel.
func TestMapTrialMeasures(t *testing.T) {
	trial := Synthetic{D: 2, Noise: .1}.MapTrial(300, 1)
	x, _ := trial.X()
	n, _ := x.Dims()
	measure := func(phi *mat.Dense) MapResult {
		r, err := trial.Measure(t.Context(), phi, kernels.Linear{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := measure(mat.NewDense(n, 1, trial.y)); r.MSE > 1e-12 || r.Size != 1 {
		t.Errorf("features that are Y: %+v", r)
	}
	mean, test := stat.Mean(trial.y[:300], nil), trial.y[1300:]
	var want float64
	for _, y := range test {
		want += (y - mean) * (y - mean) / float64(len(test))
	}
	if r := measure(mat.NewDense(n, 3, nil)); r.Kernel != 1 || math.Abs(r.MSE-want) > 1e-12 {
		t.Errorf("features of zeros: %+v, want a kernel error of 1 and an MSE of %g", r, want)
	}
	if r := measure(x); r.Kernel > 1e-15 {
		t.Errorf("the linear kernel is off by %g", r.Kernel)
	}
	defer func() {
		if recover() == nil {
			t.Error("features of other rows are taken")
		}
	}()
	measure(mat.NewDense(5, 1, nil))
}

// TestMapTrialFits every kind of map against its own kernel: with 400 features in 2 columns no error is near 1.
func TestMapTrialFits(t *testing.T) {
	trial := Synthetic{D: 2, Noise: .1}.MapTrial(500, 1)
	for _, text := range []string{"linear", "countsketch", "gaussian", "laplacian", "quasi:matern52", "additive:gaussian", "nystrom:gaussian", "polynomial:3", "tensorsketch:3"} {
		spec, err := features.ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		spec.Size = 400
		r, err := trial.Fit(t.Context(), spec, 1)
		if err != nil || !(r.Kernel < .2) || !(r.MSE < 1) || r.Size < 2 || !(r.Fit > 0) || !(r.Map > 0) {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
	}
	if _, err := trial.Fit(t.Context(), features.Spec{Size: 7}, 1); err == nil || !strings.Contains(err.Error(), "even") {
		t.Errorf("a size of 7: error %v", err)
	}
	if _, err := kernelOf(features.NewBias(2)); err == nil || !strings.Contains(err.Error(), "Bias") {
		t.Errorf("the kernel of a bias: error %v", err)
	}
}
