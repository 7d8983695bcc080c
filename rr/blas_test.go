package rr_test

import (
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"

	"mediant/rr"
)

func TestUseFastBLAS(t *testing.T) {
	if _, ok := blas64.Implementation().(gonum.Implementation); !ok {
		t.Error("an import has changed gonum's BLAS")
	}
	rr.UseFastBLAS()
	defer blas64.Use(gonum.Implementation{})
	if _, ok := blas64.Implementation().(gonum.Implementation); ok {
		t.Error("gonum's BLAS is still its own")
	}
}
