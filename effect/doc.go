// Package effect estimates the mean effect on Y of a randomised treatment that is seen with U only, where Y is seen with U only:
// U are surrogates, short-term outcomes between treatment and Y (docs/theory.md, section 17).
package effect
