// Package problem holds both tables under fixed encoders and feature maps: sums of products by fold, and passes over the rows.
//
// [Prepare] reads the tables into a [Problem] as a [Setup] says, in three stages: [Encode] finds roles and weights of columns, copies of rows and rows without
// overlap, encoders and targets, [Encoded.Map] the feature maps, and [Mapped.Sum] the sums of each fold. None of the three changes once it is made. Methods
// (package rr) fit to the sums; risk, diagnose, effect, inference and search work on one of the stages. [Walk] is one pass over a table, [Accumulate] its sums
// by fold.
//
// [Sums] make a Problem without rows, of parties that share a [Plan] and no row.
package problem
