// Package risk estimates the mean squared error of a predictor of Y from X without coupled (X, Y) rows: the uncoupled risk
// with its standard error, brackets that hold without assumptions, and the accuracy of classes (docs/theory.md, section 15).
//
// [Assess] estimates the risk of a method by cross-fitting over the folds of a problem. [AssessModel] estimates that of a
// fitted model on new tables. An [Assessment] refers to the rows of S_X with overlap, whose U lies in the support of U in S_Y;
// its brackets refer to all rows.
package risk
