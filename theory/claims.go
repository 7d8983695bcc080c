package theory

import "slices"

// Claims returns all claims, in the order of docs/theory.md.
func Claims() []Claim {
	return slices.Concat(
		[]Claim{
			rightBound.claim(),
			rightClosedForm.claim(),
			rightLimit.claim(),
			rightConsistency.claim(),
			rightShrinkage.claim(),
			rightJensen.claim(),
		},
		// Here: excessClaims(), minimaxClaims().
		[]Claim{
			rightViolation.claim(),
			rightEmbedding.claim(),
		},
		// Here: randomFeatureClaims().
		[]Claim{
			rightUncoupledRisk.claim(),
		},
		// Here: appendixClaims().
	)
}
