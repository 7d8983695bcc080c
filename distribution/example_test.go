package distribution_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/distribution"
	"mediant/experiments"
	"mediant/features"
	"mediant/problem"
)

// How far may Y be from its prediction? The intervals are tuned so that they hold 90 % of Y, without one coupled (X, Y) row.
func ExampleFit() {
	ctx := context.Background()
	from := experiments.Synthetic{D: 2, Noise: .1}
	xu, err := from.XU(1000, 1)
	if err != nil {
		panic(err)
	}
	uy, err := from.UY(1000, 1)
	if err != nil {
		panic(err)
	}
	additive := features.Spec{Kind: features.AdditiveFeatures, Size: 40}
	p, err := problem.Prepare(ctx, problem.Setup{Phi: additive, Psi: additive}, xu, uy)
	if err != nil {
		panic(err)
	}
	d, err := distribution.Fit(ctx, p, distribution.Options{})
	if err != nil {
		panic(err)
	}
	nominal, coverage := d.Assessment.Tune(.9)
	fmt.Printf("90 %% of Y are in intervals of the nominal level %.2f (standard error %.2f)\n", nominal, coverage.SE)
	x, _, err := p.X().EncodeMatrix(mat.NewDense(2, 2, []float64{0, 0, .9, .9}))
	if err != nil {
		panic(err)
	}
	var cdf mat.Dense
	d.PredictTo(&cdf, x)
	for i, name := range []string{"(0, 0)", "(0.9, 0.9)"} {
		lo, hi := d.Interval(cdf.RawRowView(i), nominal)
		fmt.Printf("X = %s: from %.1f to %.1f, median %.1f\n", name, lo, hi, d.Quantile(cdf.RawRowView(i), .5))
	}
	// Output:
	// 90 % of Y are in intervals of the nominal level 0.90 (standard error 0.01)
	// X = (0, 0): from -0.4 to 0.8, median 0.1
	// X = (0.9, 0.9): from 0.2 to 2.2, median 1.2
}
