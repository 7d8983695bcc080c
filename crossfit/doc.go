// Package crossfit has cross-fitting on sums of products by fold, without reading rows: models are fitted on all folds but one
// and evaluated on that one.
//
// A [Splitter] turns the sums of each fold into [Splits]: the sums of all other folds, and those of the fold itself.
// [CrossValidate] fits ridge regressions over a grid of penalties. [Riesz] computes the weights by which means over S_Y
// estimate means over S_X. [FoldRisks] computes the uncoupled risk of functions that were fitted in this way (docs/theory.md,
// section 15). Package problem makes the sums; risk, diagnose, effect and search use this package.
package crossfit
