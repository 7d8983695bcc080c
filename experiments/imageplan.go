package experiments

import "mediant/features"

// An ImagePlan says how images become features: patches, pooled, and a Gaussian kernel of what is pooled
// by the Nyström method. X and U are told without the shape of the images, which the data have.
type ImagePlan struct {
	X features.PatchSpec `json:"x"`
	U features.PatchSpec `json:"u"`
	// MultipleX and MultipleU are the bandwidths in medians of the distances of pooled features.
	MultipleX float64 `json:"multiple_x"`
	MultipleU float64 `json:"multiple_u"`
	// Landmarks are those of the fit, a side. Penalties, w and the scale of outputs are chosen with the first
	// features only, as many as Tuning.
	Landmarks int `json:"landmarks"`
	Tuning    int `json:"tuning"`
	// Mirror takes the mean of the features of an image and its mirror image, which is the same as mirror
	// images as extra rows of both tables but that f and h need not learn to treat both alike.
	Mirror bool `json:"mirror"`
}

// Plan returns the plan for a set. Sizes of patches, cells and the bandwidth are a first guess. Numbers of filters
// and landmarks are what the time of a repetition allows: more were better wherever we looked. Thresholds and
// means over mirror images were decided on rows of the training tables of another split that were held
// out: for U by the squared error of h, for X by that of f against h. Test labels decide nothing.
func (s ImageSet) Plan() ImagePlan {
	p := ImagePlan{
		X:         features.PatchSpec{Side: 4, Filters: 300, Grid: 3, Threshold: .25},
		U:         features.PatchSpec{Side: 5, Filters: 300, Grid: 3, Threshold: .25},
		MultipleX: 1, MultipleU: 1, Landmarks: 4000, Tuning: 1500,
	}
	switch s {
	case Fashion:
		p.X.Filters, p.Landmarks = 600, 5000
	case CIFAR10, CIFAR100:
		p.U.Side, p.X.Grid, p.U.Grid = 6, 2, 2
		p.X.Filters, p.U.Filters = 1000, 1000
		p.Landmarks, p.Tuning, p.Mirror = 5000, 2000, true
	}
	return p
}
