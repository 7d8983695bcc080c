package theory

import (
	"context"

	"mediant/report"
)

// A Check is one measurement of a claim: the result, the value or bound that it is compared with, and the verdict.
type Check struct {
	Name      string  `json:"name"`
	Reference string  `json:"reference"` // "[Yamane21, Thm 1]", or "docs/theory.md, 3"
	Statement string  `json:"statement"` // what was measured, in one sentence
	Got       float64 `json:"got"`
	Bound     float64 `json:"bound"` // bound, expected value or tolerance: Relation says which
	Relation  string  `json:"relation"`
	StdErr    float64 `json:"std_err,omitempty"` // of Got, 0 for exact sums
	// Deviation says that Got is the largest difference of two sides, and Bound its tolerance.
	Deviation bool    `json:"deviation,omitempty"`
	Verdict   Verdict `json:"verdict"`
}

// A Verdict is the outcome of a Check.
type Verdict string

const (
	Holds Verdict = "holds"
	Fails Verdict = "FAILS"
)

// A Claim is a statement of the paper or of ours with the way it is checked.
type Claim struct {
	Name        string
	Reference   string
	Statement   string   // the claim in words
	Formulas    []string // the claim in the notation of docs/theory.md, as report.Section has formulas
	Assumptions string
	Method      string // how it is measured
	Run         func(ctx context.Context, o Options) (Result, error)
}

// Options say how much work to do. The zero value is the full run with seed 0.
type Options struct {
	Quick bool
	Seed  uint64
}

// A Result is what a Claim's Run measured.
type Result struct {
	Checks []Check
	Tables []report.Table
	Charts []report.Chart
}
