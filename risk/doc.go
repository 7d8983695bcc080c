// Package risk estimates the error of a predictor of Y from X without one pair (X, Y): the uncoupled risk, its standard error,
// its brackets without assumptions, and the accuracy (docs/theory.md, section 15).
//
// [Assess] cross-fits a method over the folds of a problem. [AssessModel] assesses a fitted model on new tables. An
// [Assessment] concerns the rows of S_X with overlap, whose U the second table has; its brackets concern all rows.
package risk
