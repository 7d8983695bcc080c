package instrument

import (
	"fmt"

	"mediant/risk"
	"mediant/rr"
)

// Weak is the F statistic of the first stage below which an instrument counts as weak [Staiger and Stock, Econometrica 65, 1997].
const Weak = 10

// Assumptions say in a sentence each what identifies f: for the methods of this package, and for those that take the shared columns for a mediator.
type Assumptions struct {
	Instrument string `json:"instrument"`
	Mediator   string `json:"mediator"`
}

// Assumed are the assumptions of every Result.
var Assumed = Assumptions{
	Instrument: "X changes Y; Z affects Y only through X (and the controls) and is independent of the error; E[X|Z] is the same in both tables",
	Mediator:   "E[Y|U,X] = E[Y|U]: given U, X carries no further information about the mean of Y",
}

// A Coefficient is what one unit more of an encoded column of X adds to an output, with a 95 % interval.
type Coefficient struct {
	Output string `json:"y"`
	// Column is the encoded column: that of a number, or COLUMN=LEVEL, which is compared with the first level.
	Column  string `json:"x"`
	Control bool   `json:"control"`
	risk.Interval
}

// A Strength says how strongly the instruments move an endogenous column, given the controls and all other endogenous columns.
type Strength struct {
	Column string `json:"x"`
	// F is the effective F statistic [Montiel Olea and Pflueger, Journal of Business & Economic Statistics 31, 2013], for several endogenous columns that of the part of the
	// column that the others do not explain [Sanderson and Windmeijer, Journal of Econometrics 190, 2016]; nil if the column is an exact function of the instruments.
	F *float64 `json:"f"`
	// Instruments and Freedom are the degrees of freedom of F: instruments less other endogenous columns, and rows less coefficients of the first stage.
	Instruments int     `json:"instruments"`
	Freedom     float64 `json:"degrees_of_freedom"`
}

// Weak reports whether F is below Weak.
func (s Strength) Weak() bool { return s.F != nil && *s.F < Weak }

// A Test is a test of the hypothesis that all instruments imply the same coefficients for an output: J has a chi-squared distribution with so many
// degrees of freedom if it is true. A small P says that some instrument affects Y other than through X, or that the effect of X is not linear.
type Test struct {
	Output  string  `json:"y"`
	J       float64 `json:"j"`
	Freedom int     `json:"degrees_of_freedom"`
	P       float64 `json:"p"`
}

// A Result is an estimated f.
type Result struct {
	Method      string   `json:"method"` // "ts2sls" or "kernel-iv"
	X           []string `json:"x"`      // endogenous columns
	Controls    []string `json:"controls"`
	Instruments []string `json:"instruments"` // Z without the controls
	Y           []string `json:"y"`
	// Coefficients are those of a linear f, by output, and of each the endogenous columns first; nil for features.
	Coefficients []Coefficient `json:"coefficients,omitempty"`
	// FirstStage has the strength for each endogenous column of a linear f, nil for features.
	FirstStage []Strength `json:"first_stage,omitempty"`
	// Overidentification tests a linear f of each output where there are more instruments than endogenous columns; an output that the instruments fit exactly has none.
	Overidentification []Test `json:"overidentification,omitempty"`
	// Explained is the share of the variance of the features of X that the instruments and controls explain in held-out rows; nil for a linear f.
	Explained *float64 `json:"first_stage_explains,omitempty"`
	LambdaXU  *float64 `json:"lambda_xu,omitempty"`
	LambdaF   *float64 `json:"lambda_f,omitempty"`
	Rows      rr.Rows  `json:"rows"`
	// DroppedXU counts the rows of S_X that are left out because an endogenous column is missing.
	DroppedXU   int         `json:"dropped_xu"`
	Assumptions Assumptions `json:"assumptions"`
	Notes       []string    `json:"notes"`
	Warnings    []string    `json:"warnings"`
	// Model predicts f(X) from X and the controls, and with its H E[f(X)|Z] from Z.
	Model *rr.Model `json:"-"`
}

// warnWeak adds a warning for each weak column.
func (r *Result) warnWeak() {
	for _, s := range r.FirstStage {
		if s.Weak() {
			r.Warnings = append(r.Warnings, fmt.Sprintf("the first stage is weak: F is %.3g for %q, below %d: the estimate is biased towards 0 and its interval is too short", *s.F, s.Column, Weak))
		}
	}
}
