package experiments

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/draw"
)

// imageTables are the tables of one repetition with images turned into features, by which all later passes
// are over numbers: a row of S_X has phi and psi, one of S_Y psi and the classes as 0/1.
type imageTables struct {
	phi     features.Map // of pixels
	x, y    *mat.Dense   // S_X and S_Y
	p, q, k int          // columns of phi, psi and classes
	guessed *mat.Dense   // psi of the test images' U as predicted from X, for the naive chain
}

// split draws rows + rows disjoint training images.
func (d *ImageData) split(rows int, seed uint64) (first, second []int, err error) {
	if rows < 1 || 2*rows > d.Train.Len() {
		return nil, nil, fmt.Errorf("experiments: %s: 2×%d images from %d", d.Set.Title(), rows, d.Train.Len())
	}
	order := draw.Rand(seed, "experiments/split", 0).Perm(d.Train.Len())
	return order[:rows], order[rows : 2*rows], nil
}

// matrix has a row for each of the given images, whole or averaged over 2×2 pixels.
func (m Images) matrix(of []int, whole, mirrored bool) *mat.Dense {
	u, x := m.Shape()
	if whole {
		x = u
	}
	out := mat.NewDense(len(of), x.Len(), nil)
	for to, i := range of {
		if whole {
			m.rowsTo(out.RawRowView(to), nil, i, mirrored)
		} else {
			m.rowsTo(nil, out.RawRowView(to), i, mirrored)
		}
	}
	return out
}

// fitMap fits patches on the images, and the Nyström features of a Gaussian kernel of what is pooled with as
// many of them as landmarks, drawn at random.
func (m Images) fitMap(specs []features.PatchSpec, of []int, whole bool, multiple float64, landmarks int, seed uint64, purpose string) (features.Map, error) {
	patches, err := m.fitPatches(specs, of, whole, seed, purpose)
	if err != nil {
		return nil, err
	}
	picked := draw.Rand(seed, "experiments/landmarks/"+purpose, 0).Perm(len(of))[:min(landmarks, len(of))]
	for i, at := range picked {
		picked[i] = of[at]
	}
	var pooled mat.Dense
	patches.MapTo(&pooled, m.matrix(picked, whole, false))
	kernel := features.Spec{Kind: features.NystromFeatures, Multiple: multiple, Size: len(picked), Landmarks: features.Uniform}
	then, _, err := kernel.Fit(&pooled, seed, purpose)
	if err != nil {
		return nil, err
	}
	return features.NewChain(patches, then)
}

// fitPatches fits the patches of each spec; what they pool stands side by side.
func (m Images) fitPatches(specs []features.PatchSpec, of []int, whole bool, seed uint64, purpose string) (features.Map, error) {
	u, x := m.Shape()
	images := m.matrix(of, whole, false)
	var parts []features.Map
	for i, spec := range specs {
		spec.Image = x
		if whole {
			spec.Image = u
		}
		if i > 0 {
			purpose += "/next"
		}
		patches, err := features.FitPatches(spec, images, seed, purpose)
		if err != nil {
			return nil, err
		}
		parts = append(parts, patches)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return features.NewConcat(parts...)
}

// mapRows is the number of images whose pixels are held at a time.
const mapRows = 3072

// mapTo stores the features of the given images in dst, or the means of those of an image and its mirror image.
func (m Images) mapTo(ctx context.Context, dst *mat.Dense, phi features.Map, of []int, whole, mirror bool) error {
	return mapImages(ctx, dst, phi, mirror, func(lo, hi int, mirrored bool) *mat.Dense {
		return m.matrix(of[lo:hi], whole, mirrored)
	})
}

// mapImages is mapTo of the rows of pixels that matrix returns.
func mapImages(ctx context.Context, dst *mat.Dense, phi features.Map, mirror bool, matrix func(lo, hi int, mirrored bool) *mat.Dense) error {
	n, p := dst.Dims()
	for lo := 0; lo < n; lo += mapRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+mapRows, n)
		to := dst.Slice(lo, hi, 0, p).(*mat.Dense)
		phi.MapTo(to, matrix(lo, hi, false))
		if mirror {
			var other mat.Dense
			phi.MapTo(&other, matrix(lo, hi, true))
			to.Add(to, &other)
			to.Scale(.5, to)
		}
	}
	return nil
}

// tables fits the maps of a plan on the images of the split that train, and maps them all; guess asks for what the naive chain needs.
func (d *ImageData) tables(ctx context.Context, plan ImagePlan, rows int, seed uint64, guess bool) (*imageTables, error) {
	first, second, err := d.split(rows, seed)
	if err != nil {
		return nil, err
	}
	t, train := &imageTables{k: d.Set.Classes()}, learned(rows)
	if t.phi, err = d.Train.fitMap(plan.X, first[:train], false, plan.MultipleX, plan.Landmarks, seed, "phi"); err != nil {
		return nil, err
	}
	psi, err := d.Train.fitMap(plan.U, slices.Concat(first[:train], second[:train]), true, plan.MultipleU, plan.Landmarks, seed, "psi")
	if err != nil {
		return nil, err
	}
	_, t.p = t.phi.Dims()
	_, t.q = psi.Dims()
	t.x, t.y = mat.NewDense(rows, t.p+t.q, nil), mat.NewDense(rows, t.q+t.k, nil)
	for _, part := range []struct {
		dst   mat.Matrix
		phi   features.Map
		of    []int
		whole bool
	}{
		{t.x.Slice(0, rows, 0, t.p), t.phi, first, false},
		{t.x.Slice(0, rows, t.p, t.p+t.q), psi, first, true},
		{t.y.Slice(0, rows, 0, t.q), psi, second, true},
	} {
		if err := d.Train.mapTo(ctx, part.dst.(*mat.Dense), part.phi, part.of, part.whole, plan.Mirror); err != nil {
			return nil, err
		}
	}
	if guess {
		if t.guessed, err = d.guess(ctx, psi, first, plan.Mirror); err != nil {
			return nil, err
		}
	}
	for i, image := range second {
		t.y.Set(i, t.q+int(d.Train.Labels[image]), 1)
	}
	return t, nil
}
