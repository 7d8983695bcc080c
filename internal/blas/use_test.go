package blas

import (
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/blas/testblas"
	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/testlapack"

	"mediant/internal/asm"
)

// eachLevel calls do at each level the processor has.
func eachLevel(do func(l asm.Level)) {
	defer asm.SetLevel(asm.Current())
	for _, l := range asm.Levels() {
		asm.SetLevel(l)
		do(l)
	}
}

func TestGonumsBLASSuite(t *testing.T) {
	eachLevel(func(asm.Level) {
		testblas.TestDgemm(t, Implementation{})
		testblas.DsyrkTest(t, Implementation{})
		testblas.DtrsmTest(t, Implementation{})
	})
}

// LAPACK's factorisations and solves stand on the three routines.
func TestGonumsLAPACKSuite(t *testing.T) {
	Use()
	defer blas64.Use(gonum.Implementation{})
	testlapack.DpotrfTest(t, lapack.Implementation{})
	testlapack.DpotrsTest(t, lapack.Implementation{})
	testlapack.DgetrfTest(t, lapack.Implementation{})
	testlapack.DgetrsTest(t, lapack.Implementation{})
	testlapack.DgeqrfTest(t, lapack.Implementation{})
	testlapack.DormqrTest(t, lapack.Implementation{})
	testlapack.DtrtriTest(t, lapack.Implementation{})
	testlapack.DlauumTest(t, lapack.Implementation{})
}

func TestUseIsNoSideEffect(t *testing.T) {
	if _, ok := blas64.Implementation().(Implementation); ok {
		t.Error("the import has installed the implementation")
	}
	Use()
	defer blas64.Use(gonum.Implementation{})
	if _, ok := blas64.Implementation().(Implementation); !ok {
		t.Error("Use has not installed the implementation")
	}
}

func TestRefusesWhatGonumRefuses(t *testing.T) {
	const n, tr, l, u, nu = blas.NoTrans, blas.Trans, blas.Left, blas.Upper, blas.NonUnit
	x, short := make([]float64, 100), make([]float64, 5)
	for name, call := range map[string]func(i blas.Float64Level3){
		"gemm transpose": func(i blas.Float64Level3) { i.Dgemm('x', n, 3, 3, 3, 1, x, 3, x, 3, 1, x, 3) },
		"gemm rows":      func(i blas.Float64Level3) { i.Dgemm(n, n, -1, 3, 3, 1, x, 3, x, 3, 1, x, 3) },
		"gemm stride":    func(i blas.Float64Level3) { i.Dgemm(n, n, 3, 3, 3, 1, x, 2, x, 3, 1, x, 3) },
		"gemm length":    func(i blas.Float64Level3) { i.Dgemm(n, n, 3, 3, 3, 1, x, 3, short, 3, 1, x, 3) },
		"syrk triangle":  func(i blas.Float64Level3) { i.Dsyrk('x', tr, 3, 3, 1, x, 3, 1, x, 3) },
		"syrk length":    func(i blas.Float64Level3) { i.Dsyrk(u, tr, 3, 3, 1, x, 3, 1, short, 3) },
		"trsm side":      func(i blas.Float64Level3) { i.Dtrsm('x', u, tr, nu, 3, 3, 1, x, 3, x, 3) },
		"trsm diagonal":  func(i blas.Float64Level3) { i.Dtrsm(l, u, tr, 'x', 3, 3, 1, x, 3, x, 3) },
		"trsm columns":   func(i blas.Float64Level3) { i.Dtrsm(l, u, tr, nu, 3, -3, 1, x, 3, x, 3) },
		"trsm length":    func(i blas.Float64Level3) { i.Dtrsm(l, u, tr, nu, 3, 3, 1, x, 3, short, 3) },
	} {
		message := func(i blas.Float64Level3) (m any) {
			defer func() { m = recover() }()
			call(i)
			return nil
		}
		got, want := message(Implementation{}), message(gonum.Implementation{})
		if got != want || want == nil {
			t.Errorf("%s: panic %v, want %v", name, got, want)
		}
	}
}
