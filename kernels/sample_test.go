package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Half of a sample comes from either half of the rows: 1,000 of 4,000 rows have 500 from the first,
// standard deviation sqrt(1000/4 · 3000/3999) = 13.7. Another seed would leave 5 of these at a rate of
// 6e-7.
func TestSampleIsUniform(t *testing.T) {
	rows := sample(mat.NewDense(4000, 1, nil), rand.NewPCG(1, 1))
	if len(rows) != sampleSize {
		t.Fatalf("%d rows, want %d", len(rows), sampleSize)
	}
	first := 0
	for i, r := range rows {
		if r < 0 || r >= 4000 || i > 0 && r <= rows[i-1] {
			t.Fatalf("row %d after %v", r, rows[:i])
		}
		if r < 2000 {
			first++
		}
	}
	if math.Abs(float64(first)-500) > 5*13.7 {
		t.Errorf("%d of %d rows are from the first half", first, sampleSize)
	}
}
