// Package rr learns to predict Y from X when X and Y were never seen together, only (X, U) in one
// table and (U, Y) in another: 2Step-RR and Joint-RR of Yamane, Honda, Yger and Sugiyama, "Mediated
// Uncoupled Learning: Learning Functions without Direct Input-output Correspondences", ICML 2021.
//
// [Fit] fits a [Method] ([TwoStep], [Joint], and those of package baselines) to two tables. Inside, [Prepare] reads the tables
// into a [Problem] (encoders, feature maps, moments), and a method's Fit needs no rows any more; callers that try several
// methods or penalties prepare once and fit often.
//
// The error of f that counts is against Y, but every assumption that links X to Y goes through U:
// under conditional mean independence, E[Y|U] = E[Y|U,X], f estimates E[Y|X].
package rr
