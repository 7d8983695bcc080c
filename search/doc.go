// Package search chooses what is not set, feature maps, penalties, w, and the method, by cross-validated errors and the uncoupled
// risk: candidates are evaluated, the best is kept, and it is fitted to all rows. Nothing of it needs a pair (X, Y).
package search
