// Package effect estimates the mean effect on Y of a randomised treatment when one table has the treatment and U, and the
// other U and Y: U are surrogates, short-term outcomes between treatment and Y (docs/theory.md, section 17).
package effect
