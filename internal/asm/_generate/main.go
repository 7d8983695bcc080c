// Command generate writes the assembly of package asm and its Go declarations.
//
//	go run . -routine gemm -out ../gemm_amd64.s -stubs ../gemm_amd64.go -pkg asm
//
// Every routine is written once, over a processor level: the level knows how wide a vector is and
// how many of them there are, and the routine asks it for operations.
package main

import (
	"flag"
	"fmt"
	"os"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	routine := flag.String("routine", "", "gemm, gemm32, solve, interleave, axpy, hadamard, absdiff, quadratic, addnorms, rectify, narrow, waves, exp or sincos")
	flag.Parse()
	ConstraintExpr("amd64,!noasm")
	for _, l := range []level{avx2, avx512} {
		switch *routine {
		case "gemm":
			gemm(l)
		case "gemm32":
			gemm32(l)
		case "solve":
			solve(l)
		case "interleave":
			interleave(l)
		case "axpy":
			axpy(l)
		case "hadamard":
			hadamard(l)
		case "absdiff":
			absdiff(l)
		case "quadratic":
			quadratic(l)
		case "addnorms":
			addnorms(l)
		case "rectify":
			rectify(l)
		case "narrow":
			narrow(l)
		case "exp":
			exp(l)
		case "waves":
			waves(l)
		case "sincos":
			sincos(l)
		default:
			fmt.Fprintf(os.Stderr, "generate: no routine %q\n", *routine)
			os.Exit(2)
		}
	}
	Generate()
}
