package diagnose

import (
	"mediant/moments"
	"mediant/problem"
)

// diagnosing is the memory for a diagnosis: keys of rows of U, the permutations of rows of two samples of U, and the
// regressions on samples of both tables.
func diagnosing(f problem.Footprint) float64 {
	p, q, k := f.P(), f.Q(), f.Outputs
	const keys, growth = sharedKeys * (16 + 8 + 16) * 2, 1.25
	comparing := keys*growth + 8*comparedRows*(4*q+2*float64(f.U.In)) + 8*(permutations+1)*(2*comparedRows+q)
	samples := 0.0
	for _, rows := range f.Rows {
		samples += growth * max(8*f.Columns, f.X.RowBytes, f.U.RowBytes) * min(float64(rows), diagnosisRows)
	}
	folds := f.Folds() * (moments.Bytes(p, k) + 2*moments.Bytes(q, k))
	largest := max(p, q)
	explaining := samples + folds + f.Folds()*moments.Bytes(largest, k) + f.CrossValidated(largest, k)
	return f.Base() + 8*2*(p*p+q*q) + max(comparing, explaining)
}
