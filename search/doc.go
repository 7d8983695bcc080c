// Package search chooses the hyperparameters that are not set (feature maps, penalties, w, the method) by cross-validated
// squared error and by uncoupled risk: it evaluates candidates, keeps the best, and fits it to all rows. It needs no coupled
// (X, Y) rows.
package search
