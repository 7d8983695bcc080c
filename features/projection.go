package features

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
	"mediant/internal/rowops"
)

// A projection is x·w for a fixed w, kept as it is, for sparse rows and files, and packed for dense rows.
type projection struct {
	blas64.General
	packed *fast.Packed
}

func newProjection(w blas64.General) projection { return projection{w, fast.Pack(blas.NoTrans, w)} }

// to stores x·w in dst.
func (p projection) to(dst, x blas64.General) { p.packed.MulTo(dst, 0, 1, x) }

func (p projection) dims() (in, count int) { return p.Rows, p.Cols }

func (p projection) phasesTo(dst blas64.General, x mat.Matrix, lo int) {
	if sparse, ok := x.(mat.RowNonZeroDoer); ok {
		projectNonzeros(dst, sparse, lo, p.General)
		return
	}
	s := rowops.Scratches.Get().(*rowops.Scratch)
	defer rowops.Scratches.Put(s)
	p.to(dst, rowops.Dense(x, lo, lo+dst.Rows, s))
}

// projectNonzeros stores in dst the rows of x·w from lo on.
func projectNonzeros(dst blas64.General, x mat.RowNonZeroDoer, lo int, w blas64.General) {
	var sum fast.RowSum
	add := func(_, j int, v float64) { sum.Add(j, v, rowops.Row(w, j)) }
	for i := range dst.Rows {
		sum.Start(rowops.Row(dst, i))
		x.DoRowNonZero(lo+i, add)
		sum.Done()
	}
}

func (p projection) arrays() []array {
	return []array{{Name: "frequencies", Rows: p.Rows, Cols: p.Cols}}
}

func (p projection) appendWeights(dst []float64) []float64 { return append(dst, p.Data...) }

func (r *reader) projection(h header) (frequencies, error) {
	w, err := r.matrix(h.Arrays[0], "frequencies", h.In, -1)
	if err != nil {
		return nil, err
	}
	return newProjection(w), nil
}
