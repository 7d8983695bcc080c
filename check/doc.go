// Package check looks at two tables, S_X = {(X, U)} and S_Y = {(U, Y)}, before anything is learned from them. It reads each
// once, in bounded memory, makes a Profile of every column, and compares the columns of U. What would make a result wrong is a
// Finding: a stable code, a severity, the columns, what it is, what it does to the result, and the flag or the edit that
// settles it. No thresholds are set by the caller.
//
// An Error makes the result meaningless, and callers end there; a Warning is doubtful; a Note says what was decided.
// docs/check.md has every code with an example, how it is found and how often it is wrong.
package check
