package experiments

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/solvers"
)

// naive is the chain X -> U -> Y.
var naive = BesideMethods[1]

// pixelLambdas are the penalties of U's pixels on X's, which are in [0, 1].
var pixelLambdas = []float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2}

// guess returns psi of the U of each test image as predicted from its X: by ridge regression of U's pixels on X's in the
// images of S_X, with the penalty of the least error on those that are held out, cut to [0, 1].
func (d *ImageData) guess(ctx context.Context, psi features.Map, first []int, mirror bool) (*mat.Dense, error) {
	train := learned(len(first))
	pixels := func(of []int) (x, u *mat.Dense) {
		return d.Train.matrix(of, false, false), d.Train.matrix(of, true, false)
	}
	path, err := solvers.RidgePath(ctx, sumRows(pixels(first[:train])), pixelLambdas, true)
	if err != nil {
		return nil, err
	}
	x, u := pixels(first[train:])
	least, lambda := math.Inf(1), 0.
	for i, of := range path {
		e := affine(x, of.Coef, of.Intercept)
		e.Sub(e, u)
		if loss := mat.Norm(e, 2); loss < least {
			least, lambda = loss, pixelLambdas[i]
		}
	}
	best, err := solvers.RidgePath(ctx, sumRows(pixels(first)), []float64{lambda}, true)
	if err != nil {
		return nil, err
	}
	_, q := psi.Dims()
	out := mat.NewDense(d.Test.Len(), q, nil)
	shape, _ := d.Test.Shape()
	return out, mapImages(ctx, out, psi, mirror, func(lo, hi int, mirrored bool) *mat.Dense {
		of := make([]int, hi-lo)
		for i := range of {
			of[i] = lo + i
		}
		u := affine(d.Test.matrix(of, false, false), best[0].Coef, best[0].Intercept)
		for i := range of {
			row := u.RawRowView(i)
			for j, v := range row {
				row[j] = min(1, max(0, v))
			}
			if mirrored {
				reverseLines(row, shape.Width)
			}
		}
		return u
	})
}

// reverseLines turns an image into its mirror image.
func reverseLines(image []float64, width int) {
	for lo := 0; lo < len(image); lo += width {
		slices.Reverse(image[lo : lo+width])
	}
}
