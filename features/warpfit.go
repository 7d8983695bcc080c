package features

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// warpMaker is that of features of a kernel of warped columns beside Gaussian ones.
func warpMaker() *maker {
	return &maker{
		kind: WarpedFeatures, heads: []string{"warped"}, names: alone("warped:KERNEL"), parse: parseWithKernel(WarpedFeatures), write: writeWithKernel,
		takes: isSpectral, least: func(Spec, int) int { return leastWarped },
		validate: func(s Spec) error {
			if s.Size != 0 && s.Size < leastWarped {
				return fmt.Errorf("features: size %d with %s, want at least %d", s.Size, s, leastWarped)
			}
			return nil
		},
		bytes: func(s Spec, z Size) float64 {
			step, smooth := z, z
			step.Features, smooth.Features = s.shareWarped(z.Features)
			return 8*float64(z.In)*(1+2*min(maxBins, float64(z.Sample))) + nystromBytes(s, step) + fourierBytes(s.smooth(smooth.Features), smooth)
		},
		fitBytes: func(s Spec, z Size) float64 {
			step := z
			step.Features, _ = s.shareWarped(z.Features)
			return nystromFitBytes(s, step) + 8*float64(z.Sample)*float64(z.In)
		},
		fit: (*specFit).warped,
	}
}

// leastWarped is a landmark, and a cosine and a sine.
const leastWarped = 3

// shareWarped is the number of landmarks and of Gaussian features of size together. Of an odd size the landmarks have the odd one.
func (s Spec) shareWarped(size int) (steps, smooth int) {
	smooth = max(2, size/2&^1)
	return size - smooth, smooth
}

// smooth are the Gaussian features beside warped ones.
func (s Spec) smooth(size int) Spec { return Spec{Kernel: "gaussian", Size: size} }

var errSparseWarp = errors.New("features: columns are warped of numbers and levels, not of hashed text or sparse rows")

// warped makes Nyström features of the kernel of warped columns, and beside them Gaussian features of the columns as they are, at the median bandwidth: a map of the sum of both
// kernels, since functions that have steps are smooth elsewhere. Without a learned Warp the columns become their quantiles.
func (f *specFit) warped() (Map, error) {
	if _, sparse := f.rows.(mat.RowNonZeroDoer); sparse {
		return nil, errSparseWarp
	}
	_, in := f.rows.Dims()
	first := f.Warp
	if first == nil {
		var err error
		if first, err = QuantileWarp(f.rows); err != nil {
			return nil, err
		}
	}
	if width, _ := first.Dims(); width != in {
		return nil, fmt.Errorf("features: %s: the warp has %d columns, want %d", f.Spec, width, in)
	}
	steps, smooth := f.shareWarped(f.Estimate(in))
	var moved mat.Dense
	first.MapTo(&moved, f.rows)
	own := *f
	own.Kind, own.Warp, own.Size, own.rows = NystromFeatures, nil, steps, &moved
	then, err := own.nystrom()
	if err != nil {
		return nil, err
	}
	f.notes = own.notes
	chain, err := NewChain(first, then)
	if err != nil {
		return nil, err
	}
	own = *f
	own.Spec = f.smooth(smooth)
	beside, err := own.fourier()
	if err != nil {
		return nil, err
	}
	f.notes = own.notes
	return NewConcat(chain, beside)
}
