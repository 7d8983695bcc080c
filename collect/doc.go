// Package collect says what to collect next: how the variance of an estimate divides between the two tables, what more rows of either would do to it,
// and how to divide a budget between them.
package collect
