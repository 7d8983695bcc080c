// Package mediant learns to predict Y from X when X and Y were never seen together, only (X, U) in one table and (U, Y) in
// another: 2Step-RR and Joint-RR of Yamane, Honda, Yger and Sugiyama, "Mediated Uncoupled Learning: Learning Functions without
// Direct Input-output Correspondences", ICML 2021.
//
// [Fit] checks two tables, chooses what is not set, fits, and estimates the error. A [Model] is the fitted predictor
// (package rr) together with its risk, standard errors, and the candidates of the search. Model.Save and [Load] write and
// read it.
package mediant
