// Package problem holds both tables under fixed encoders and feature maps: sums of products by fold, and passes over the rows.
//
// [Prepare] reads the tables into a [Problem] as a [Setup] says: roles and weights of columns, copies of rows and rows without
// overlap, encoders, targets, feature maps, and the sums of each fold. Methods (package rr) fit to its sums; risk, diagnose,
// effect, inference and search make more of it. [Walk] is one pass over a table, [Accumulate] its sums by fold.
package problem
