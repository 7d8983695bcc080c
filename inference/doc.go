// Package inference estimates standard errors of f, which is linear in its features, from the rows of both tables
// (docs/theory.md, section 16).
package inference
