package experiments

import (
	"mediant/features"
)

// An ImagePlan says how images become features: patches of one or several sizes, pooled, and a Gaussian kernel of
// all that is pooled by the Nyström method. X and U are described without the shape of the images, which the data have.
type ImagePlan struct {
	X []features.PatchSpec `json:"x"`
	U []features.PatchSpec `json:"u"`
	// MultipleX and MultipleU are the bandwidths in medians of the distances of pooled features.
	MultipleX float64 `json:"multiple_x"`
	MultipleU float64 `json:"multiple_u"`
	// Landmarks are those of each side.
	Landmarks int `json:"landmarks"`
	// Mirror takes the mean of the features of an image and its mirror image, which is the same as mirror
	// images as extra rows of both tables but that f and h need not learn to treat both alike.
	Mirror bool `json:"mirror"`
}

// Plan returns the plan for a set. The bandwidth is a first guess. Numbers of filters and landmarks are what the time and
// memory of a repetition allow: more were better wherever we looked. Sizes of patches, cells, thresholds and means over
// mirror images were decided on rows of the training tables of another split that were held out: for U by the squared
// error of h, for X by that of f against h or against the labels of those rows. Test labels decide nothing.
func (s ImageSet) Plan() ImagePlan {
	threshold := .25
	if s == Digits {
		threshold = 1
	}
	patches := func(filters, grid int, sides ...int) (out []features.PatchSpec) {
		for _, side := range sides {
			out = append(out, features.PatchSpec{Side: side, Filters: filters, Grid: grid, Threshold: threshold, Overlap: true, Root: true})
		}
		return out
	}
	p := ImagePlan{X: patches(150, 3, 3, 5), U: patches(150, 3, 4, 7), MultipleX: 1, MultipleU: 1, Landmarks: 5000}
	switch s {
	case Fashion:
		p.X, p.U = patches(300, 4, 3, 5), patches(300, 4, 5, 8)
		p.Landmarks = 7000
	case CIFAR10, CIFAR100:
		p.X, p.U = patches(500, 3, 3, 5), patches(1000, 3, 6)
		p.MultipleX, p.MultipleU = 1.4, 1.4
		p.Landmarks, p.Mirror = 6000, true
	}
	return p
}
