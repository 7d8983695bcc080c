package features

import (
	"gonum.org/v1/gonum/mat"

	"mediant/internal/parallel"
	"mediant/internal/rowops"
	"mediant/moments"
)

// A Map turns encoded rows x into features phi(x). Maps are immutable and safe for concurrent use. A map of another module is registered (Register)
// and tested with featurestest.Run.
type Map interface {
	// Dims returns the number of columns of x and of features.
	Dims() (in, out int)
	// MapTo stores phi of each row of x in the rows of dst. An empty dst is resized, a dst or x of
	// another shape panics. x may be dense or sparse (mat.RowNonZeroDoer); dst must not share its
	// memory. Each row of dst depends on its row of x alone.
	MapTo(dst *mat.Dense, x mat.Matrix)
	// ID is the SHA-256 of the map's canonical bytes: equal maps have equal identities on every
	// machine. Identity is that of a registered one.
	ID() moments.ID
}

// A Folder is a Map that ends in a linear step, phi(x) = T' raw(x), which can be moved into the
// coefficients: alpha' phi(x) = (T alpha)' raw(x).
type Folder interface {
	Map
	// Fold returns the map raw and T·coef, so that a predictor needs neither T nor the product.
	Fold(coef *mat.Dense) (Map, *mat.Dense)
}

// A ByFold is a Map with features that were learned from Y: in a pass over rows with folds, those of a fold get the map that was learned without it. MapTo is the map that was learned from
// all rows.
type ByFold interface {
	Map
	// OfFold returns the map of a fold, of the same Dims.
	OfFold(fold int) Map
}

// mapRows is MapTo of a map that stores the features of one row x in phi.
func mapRows(m Map, dst *mat.Dense, x mat.Matrix, store func(phi, x []float64)) {
	n := prepare(m, dst, x)
	to := dst.RawMatrix()
	parallel.Blocks(n, rowops.BlockRows, func(lo, hi int) {
		s := rowops.Scratches.Get().(*rowops.Scratch)
		defer rowops.Scratches.Put(s)
		from := rowops.Dense(x, lo, hi, s)
		for i := lo; i < hi; i++ {
			store(rowops.Row(to, i), rowops.Row(from, i-lo))
		}
	})
}

// prepare checks the shapes of a call of MapTo, resizes an empty dst and returns the number of rows.
func prepare(m Map, dst *mat.Dense, x mat.Matrix) int {
	in, out := m.Dims()
	n, c := x.Dims()
	if c != in {
		panic(mat.ErrShape)
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, out)
		return n
	}
	if r, c := dst.Dims(); r != n || c != out {
		panic(mat.ErrShape)
	}
	return n
}
