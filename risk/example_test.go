package risk_test

import (
	"context"
	"fmt"

	"mediant/experiments"
	"mediant/features"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
)

// How good is a method, when no X was ever seen with its Y? The distribution of this example has the truth in
// closed form: the noise of Y and what X does not tell of U make an MSE of 0.206 unavoidable.
func ExampleAssess() {
	ctx := context.Background()
	distribution := experiments.Synthetic{D: 2, Noise: .1}
	xu, err := distribution.XU(2000, 1)
	if err != nil {
		panic(err)
	}
	uy, err := distribution.UY(2000, 1)
	if err != nil {
		panic(err)
	}
	additive := features.Spec{Kind: features.AdditiveFeatures, Size: 40}
	p, err := problem.Prepare(ctx, problem.Setup{Phi: additive, Psi: additive, Folds: problem.DefaultFolds}, xu, uy)
	if err != nil {
		panic(err)
	}
	a, err := risk.Assess(ctx, p, risk.Fitted(rr.Joint{}), risk.AssessOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("MSE %.2f, between %.2f and %.2f; whatever the distribution, up to %.2f\n", a.Risk.MSE, a.Risk.Lo, a.Risk.Hi, a.Tight.Upper)
	// Output: MSE 0.22, between 0.21 and 0.24; whatever the distribution, up to 0.34
}
