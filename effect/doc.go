// Package effect estimates the average effect on Y of a treatment, randomised or decided by known columns, when one table has the treatment and U, and the other U and Y. U are
// surrogates: short-term outcomes on the path from treatment to Y (docs/theory.md, section 17).
package effect
