package experiments

import "mediant/features"

// An ImagePlan says how images become features: patches, pooled, and a Gaussian kernel of what is pooled
// by the Nyström method. X and U are told without the shape of the images, which the data have.
type ImagePlan struct {
	X, U features.PatchSpec
	// MultipleX and MultipleU are the bandwidths in medians of the distances of pooled features.
	MultipleX, MultipleU float64
	// Landmarks are those of the fit, a side. Penalties, w and the scale of outputs are chosen with the first
	// features only, as many as Tuning.
	Landmarks, Tuning int
	// Mirror takes the mean of the features of an image and its mirror image, which is the same as mirror
	// images as extra rows of both tables but that f and h need not learn to treat both alike.
	Mirror bool
}

// Plan returns the plan for a set. Its numbers were chosen on training tables of seed 2^32, which no
// repetition uses: for U by the squared error of h on rows of S_Y that were held out, then for X
// by that of f against h on rows of S_X.
func (s ImageSet) Plan() ImagePlan {
	p := ImagePlan{
		X:         features.PatchSpec{Side: 4, Filters: 300, Grid: 3, Threshold: .25},
		U:         features.PatchSpec{Side: 5, Filters: 300, Grid: 3, Threshold: .25},
		MultipleX: 1, MultipleU: 1, Landmarks: 4000, Tuning: 1500,
	}
	if s == CIFAR10 || s == CIFAR100 {
		p.U.Side, p.X.Grid, p.U.Grid = 6, 2, 2
		p.X.Filters, p.U.Filters = 1000, 1000
		p.Mirror = true
	}
	return p
}
