// Package problem makes sums of products of two tables by fold.
package problem
