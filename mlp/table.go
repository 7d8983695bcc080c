package mlp

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A table is the rows that batches are drawn from, with memory for one batch.
type table struct {
	left, right    *mat.Dense
	weights        []float64 // nil: all 1
	total          float64   // of the weights
	batches        *batches
	batchL, batchR *mat.Dense
	batchW         []float64
}

func newTable(left, right *mat.Dense, weights []float64, size int, seed uint64, purpose string) *table {
	n, a := left.Dims()
	_, b := right.Dims()
	t := &table{left: left, right: right, weights: weights, total: float64(n), batches: newBatches(n, size, seed, purpose)}
	if weights != nil {
		t.total = floats.Sum(weights)
	}
	rows := t.batches.size
	t.batchL, t.batchR, t.batchW = mat.NewDense(rows, a, nil), mat.NewDense(rows, b, nil), make([]float64, rows)
	return t
}

// deal returns the rows of a batch and their shares, so that the sum of shares times losses estimates the
// weighted mean of the loss without bias. They are valid until the next call.
func (t *table) deal() (left, right *mat.Dense, shares []float64) {
	rows := t.batches.deal()
	shares = t.batchW[:len(rows)]
	each := float64(len(t.batches.order)) / (float64(len(rows)) * t.total)
	for i, r := range rows {
		shares[i] = each
		if t.weights != nil {
			shares[i] *= t.weights[r]
		}
	}
	return gather(t.batchL, t.left, rows), gather(t.batchR, t.right, rows), shares
}
