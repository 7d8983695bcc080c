// Package rr has the methods 2Step-RR and Joint-RR of Yamane, Honda, Yger and Sugiyama, "Mediated Uncoupled Learning: Learning
// Functions without Direct Input-output Correspondences", ICML 2021, and the models that they make.
//
// A [Method] ([TwoStep], [Joint], and those of package baselines) is its own hyperparameters. [Fit] fits one to two tables;
// callers that try several methods or penalties prepare a problem once and call a method's Fit often.
//
// The error of f that counts is against Y, but every assumption that links X to Y goes through U: under conditional mean
// independence, E[Y|U] = E[Y|U,X], f estimates E[Y|X]. Package risk estimates it.
package rr
