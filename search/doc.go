// Package search chooses what is not set (feature maps, penalties, w, the method) by cross-validated errors and the
// uncoupled risk: candidates are evaluated, the best is kept, and it is fitted to all rows. It needs no pair (X, Y).
package search
