// Package theory verifies each claim of [Yamane21], and of docs/theory.md, numerically.
//
// A [Claim] states what is claimed, under which assumptions and how it is measured, and its Run
// returns [Check]s: a number, the value or bound that it is compared with, and a verdict. [Verify] runs all of them and
// makes a [report.Document].
//
// Populations are of two kinds. On a finite [Distribution] of (X, U, Y) all expectations are exact sums, so
// that identities must hold to rounding; distributions with and without conditional mean independence are
// drawn at random. On distributions with densities whose moments are known, samples are drawn and every number
// comes with its standard error; such a check errs in fewer than one in a million runs.
//
// Each check holds the formula it checks as a value of its own, a struct of small functions and
// constants, and measures it against expectations that are computed without that formula. Tests put a
// wrong sign, exponent, constant or weight in its place and see the verdict change.
package theory
