package theory

import (
	"context"
	"fmt"
	"sync/atomic"

	"mediant/internal/parallel"
	"mediant/internal/progress"
	"mediant/report"
)

// Verify runs all claims, as many at a time as there are processors, and returns the report, with one
// section for each claim, and all checks in the order of the claims. The same options give the same
// report. The error is of a claim that could not be measured, or of a cancelled context; a check that
// fails is no error.
func Verify(ctx context.Context, o Options) (*report.Document, []Check, error) {
	return verify(ctx, o, Claims())
}

func verify(ctx context.Context, o Options, claims []Claim) (*report.Document, []Check, error) {
	results, err := runAll(ctx, o, claims)
	if err != nil {
		return nil, nil, err
	}
	var checks []Check
	for i, c := range claims {
		for j := range results[i].Checks {
			check := &results[i].Checks[j]
			if check.Name == "" {
				check.Name = c.Name
			}
			if check.Reference == "" {
				check.Reference = c.Reference
			}
		}
		checks = append(checks, results[i].Checks...)
	}
	return document(o, claims, results, checks), checks, nil
}

// runAll runs the claims and returns their results in the same order, or the first error in it.
func runAll(ctx context.Context, o Options, claims []Claim) ([]Result, error) {
	results, errs := make([]Result, len(claims)), make([]error, len(claims))
	within := progress.Step(ctx, "checking claims", 0, len(claims))
	var done atomic.Int64
	parallel.Blocks(len(claims), 1, func(i, _ int) {
		if errs[i] = ctx.Err(); errs[i] == nil {
			results[i], errs[i] = claims[i].Run(within, o)
		}
		progress.Report(ctx, "checking claims", done.Add(1), int64(len(claims)))
	})
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("theory: %s: %w", claims[i].Name, err)
		}
		if len(results[i].Checks) == 0 {
			return nil, fmt.Errorf("theory: %s: nothing was measured", claims[i].Name)
		}
	}
	return results, nil
}
