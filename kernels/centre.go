package kernels

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A centre is what both sides of a product are reduced by. The zero value is the origin, for dense
// rows.
type centre struct {
	at     []float64 // nil at the origin
	sparse bool      // whether x's rows are to be loaded by their nonzeros
	heavy  []int     // sparse: the columns where the centre is not 0
	place  []int     // sparse: 1 + position of each column in heavy, 0 if light
}

// sparseEnough is the share of heavy columns up to which sparse rows are kept sparse: a product
// costs about four times as much by nonzeros as it does in tiles.
const sparseEnough = 0.25

// originOf returns the centre 0.
func originOf(x mat.Matrix) centre { return centre{sparse: asSparse(x) != nil} }

// centreOf returns y's column mean. If x is sparse, only heavy columns, those at least half full in
// y, are centred: sparse rows less the centre are still sparse, nothing has to be subtracted again
// that was added for their zeros, and a light column loses nothing, since at least half its mean
// square is variance. There are at most twice as many heavy columns as nonzeros in a row of y.
func centreOf(x, y mat.Matrix) centre {
	at := columnMean(y)
	if asSparse(x) == nil {
		return centre{at: at}
	}
	m, width := y.Dims()
	full := make([]int, width)
	eachNonzero(y, func(_, j int, _ float64) { full[j]++ })
	var heavy []int
	for j, rows := range full {
		if 2*rows >= m {
			heavy = append(heavy, j)
		}
	}
	if float64(len(heavy)) > sparseEnough*float64(width) {
		return centre{at: at}
	}
	return centre{at: at, heavy: heavy}.light()
}

// columnMean is the mean of the rows of y.
func columnMean(y mat.Matrix) []float64 {
	m, width := y.Dims()
	at := make([]float64, width)
	if asSparse(y) == nil {
		EachRow(y, func(_ int, row []float64) { floats.Add(at, row) })
	} else {
		eachNonzero(y, func(_, j int, v float64) { at[j] += v })
	}
	for j := range at {
		at[j] /= float64(m)
	}
	return at
}

// light makes c a centre for sparse rows.
func (c centre) light() centre {
	c.sparse = true
	c.place = make([]int, len(c.at))
	mean := c.at
	c.at = make([]float64, len(mean))
	for t, j := range c.heavy {
		c.place[j] = t + 1
		c.at[j] = mean[j]
	}
	return c
}
