package theory

import "slices"

// Claims returns all claims, in the order of docs/theory.md.
func Claims() []Claim {
	return slices.Concat(
		[]Claim{
			rightBound.claim(),
			rightClosedForm.claim(),
			rightLimit.claim(),
			rightClassLimit.claim(),
			rightConsistency.claim(),
			rightShrinkage.claim(),
			rightJensen.claim(),
		},
		excessClaims(),
		minimaxClaims(),
		[]Claim{
			rightMinimaxAny.claim(),
			rightLeCam.claim(),
			rightTwins.claim(),
			rightViolation.claim(),
			rightEmbedding.claim(),
		},
		randomFeatureClaims(),
		[]Claim{
			rightUncoupledRisk.claim(),
			rightBregmanRisk.claim(),
			rightPrecision.claim(),
			rightOptimism.claim(),
		},
		printedClaims(),
	)
}
