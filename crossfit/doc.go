// Package crossfit does cross-fitting: it fits on all folds but one and evaluates on that one, from sums of products by fold
// alone, without reading rows.
//
// A [Splitter] turns the sums of each fold into [Splits], the sums of all other folds and of the fold itself.
// [CrossValidate] fits ridge regressions over a path of penalties, [Riesz] the weights that turn means over one table into
// means over the other, and [FoldRisks] is the uncoupled risk of functions that were fitted so (docs/theory.md, section 15).
// Package problem makes the sums; risk, diagnose, effect and search use these parts.
package crossfit
