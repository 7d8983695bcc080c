package theory

import (
	"context"
	"fmt"
	"math"

	"mediant/features"
	"mediant/kernels"
	"mediant/report"
)

// orthogonalVariance is the variance of phi(x)'phi(y) for blocks of d orthogonal frequencies, size/2 in
// all, whole blocks: of a mean of n cosines of which each has d-1 companions,
//
//	(1/n) [ Var cos + (d-1) (E cos cos' - k²) ]
func (f featureFormula) orthogonalVariance(d int, t, k1, k2 float64, size int) float64 {
	return f.variance(k1, k2, size) + 2*float64(d-1)*(f.together(d, t)-k1*k1)/float64(size)
}

func runOrthogonal(ctx context.Context, f featureFormula, o Options) (Result, error) {
	g := &gauge{reference: "Yu et al., NIPS 2016; docs/theory.md, 13"}
	draws := 6000
	if o.Quick {
		draws = 3000
	}
	gaussian, err := kernels.NewGaussian(1)
	if err != nil {
		return Result{}, err
	}
	lengths := []float64{.5, 1, 2, 3}
	t := report.Table{Caption: fmt.Sprintf("Mean squared errors of 2d orthogonal and independent frequencies over %d maps, Gaussian kernel, |x-y| in bandwidths", draws),
		Columns: []string{"d", "|x-y|", "independent", "exact", "orthogonal", "exact", "ratio", "exact"}}
	chart := report.Chart{Name: "orthogonal-features", Title: "Mean squared error, orthogonal over independent features", XLabel: "|x-y| / b", YLabel: "ratio"}
	for _, d := range []int{2, 3, 4, 8, 16} {
		direction := make([]float64, d)
		for i := range direction {
			direction[i] = 1 / math.Sqrt(float64(d))
		}
		points, at := distances(gaussian, direction, lengths)
		size := 4 * d
		iid, err := kernelErrors(ctx, points, at, size, draws, o.Seed, func(size int, seed uint64, purpose string) (*features.Fourier, error) {
			return features.NewFourier(gaussian, d, size, seed, purpose+"/independent")
		})
		if err != nil {
			return Result{}, err
		}
		blocks, err := kernelErrors(ctx, points, at, size, draws, o.Seed, func(size int, seed uint64, purpose string) (*features.Fourier, error) {
			return features.NewOrthogonal(gaussian, d, size, seed, purpose+"/orthogonal")
		})
		if err != nil {
			return Result{}, err
		}
		s := report.Series{Name: fmt.Sprintf("d = %d", d), Kind: report.LinePoints}
		for j, length := range lengths {
			half := length * length / 2
			k := at[j]
			exactIID, exactBlocks := f.variance(k[1], k[2], size), f.orthogonalVariance(d, half, k[1], k[2], size)
			g.orthogonal(fmt.Sprintf("d = %d, |x-y| = %g", d, length), length, iid, blocks, j, exactIID, exactBlocks)
			t.Rows = append(t.Rows, numbers(float64(d), length, iid.squared[j].mean, exactIID, blocks.squared[j].mean, exactBlocks, blocks.squared[j].mean/iid.squared[j].mean, exactBlocks/exactIID))
			s.X, s.Y = append(s.X, length), append(s.Y, blocks.squared[j].mean/exactIID)
			s.Err = append(s.Err, blocks.squared[j].se()/exactIID)
		}
		chart.Series = append(chart.Series, s)
	}
	k1, k2 := math.Exp(-4.5), math.Exp(-18)
	ratio := f.orthogonalVariance(8, 4.5, k1, k2, 32) / f.variance(k1, k2, 32)
	g.add("not everywhere, d = 8, |x-y| = 3", "Exact variance of orthogonal over independent features.", ratio, 1, ">", 0, ratio > 1)
	return Result{Checks: g.checks, Tables: []report.Table{t}, Charts: []report.Chart{chart}}, nil
}

// orthogonal checks orthogonal features beside independent ones at distance j, in units of the variance of the independent ones.
func (g *gauge) orthogonal(where string, length float64, iid, blocks kernelError, j int, exactIID, exactBlocks float64) {
	g.near("orthogonal variance, "+where, "Mean squared error of orthogonal features over the variance of independent ones.",
		blocks.squared[j].mean/exactIID, exactBlocks/exactIID, blocks.squared[j].se()/exactIID, 0)
	g.near("unbiased, "+where, "Mean error of orthogonal features over the standard deviation of independent ones.",
		blocks.plain[j].mean/math.Sqrt(exactIID), 0, blocks.plain[j].se()/math.Sqrt(exactIID), 0)
	if length > 2 {
		return
	}
	g.add("orthogonal is better, "+where, "Exact variance of orthogonal over independent features.", exactBlocks/exactIID, 1, "<", 0, exactBlocks < exactIID)
	gap := blocks.squared[j].mean - iid.squared[j].mean
	// The exact difference is at least 0.27 of the independent variance. Its standard error with
	// 3,000 maps is below 0.05, so a difference of the wrong sign is more than 5 of them away.
	se := math.Hypot(blocks.squared[j].se(), iid.squared[j].se()) / exactIID
	g.add("orthogonal is better, measured, "+where, "Difference of mean squared errors, in units of the independent variance.", gap/exactIID, 0, "<", se, gap < 0)
}
