// Package crossfit fits on some folds and measures on another, from sums of products by fold alone: no rows are read.
//
// A [Splitter] turns the sums of each fold into [Splits], the sums of all other folds and of the fold itself. [CrossValidate]
// fits ridge regressions to the other folds over a path of penalties, [Riesz] the weights that carry means over one table to
// another, and [FoldRisks] is the uncoupled risk of functions that were fitted so (docs/theory.md, section 15). Package problem
// makes the sums; risk, diagnose, effect and search are made of these parts.
package crossfit
