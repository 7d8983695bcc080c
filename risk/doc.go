// Package risk estimates the error of a predictor of Y from X without one pair (X, Y): the uncoupled risk, its standard error,
// its brackets without assumptions, and the accuracy (docs/theory.md, section 15).
//
// [Assess] cross-fits a method over the folds of a problem, [AssessModel] takes a fitted model and tables that it has not
// learned from. An [Assessment] is of the rows whose U the second table has; its brackets are of all rows.
package risk
