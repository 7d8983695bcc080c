// Package problem holds both tables under fixed encoders and feature maps: sums of products by fold, and passes over the rows.
//
// [Prepare] reads the tables into a [Problem] according to a [Setup], in three stages, each of which is an immutable type:
//
//   - [Encode] assigns roles and weights, finds copies of rows and rows without overlap, and fits encoders and targets: [Encoded].
//   - [Encoded.Map] fits the feature maps phi and psi: [Mapped].
//   - [Mapped.Sum] sums the products of each fold in one pass over each table: [Problem].
//
// Methods (package rr) fit to the sums; risk, diagnose, effect, inference and search use one of the stages. [Walk] is one pass over a table, [Accumulate] sums
// its products by fold.
//
// [Sums] make a Problem without rows, for parties that share a [Plan] and exchange sums instead of rows.
package problem
