// Package rr has the methods 2Step-RR and Joint-RR of Yamane, Honda, Yger and Sugiyama, "Mediated Uncoupled Learning: Learning
// Functions without Direct Input-output Correspondences", ICML 2021, and the models that they make.
//
// A [Method] ([TwoStep], [Joint], and those of package baselines) consists of its hyperparameters. [Fit] fits one to two
// tables. Callers that try several methods or penalties prepare a problem once (problem.Prepare) and call Method.Fit for
// each.
//
// Under conditional mean independence, E[Y|U] = E[Y|U,X], f estimates E[Y|X]. Package risk estimates its mean squared error.
package rr
