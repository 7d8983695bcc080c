// Package mediant learns to predict Y from X when X and Y were never seen together, only (X, U) in one table and (U, Y) in
// another: 2Step-RR and Joint-RR of Yamane, Honda, Yger and Sugiyama, "Mediated Uncoupled Learning: Learning Functions without
// Direct Input-output Correspondences", ICML 2021.
//
// A [Model] is a fitted predictor (package rr) and what was found out about it: its risk, standard errors, and what a search
// tried. It is what a model file holds.
package mediant
