package risk

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/internal/weighted"
	"mediant/losses"
	"mediant/moments"
)

// mostCalibrated classes have a calibration: with more there would be too many Riesz weights.
const mostCalibrated = 50

// calibrator sums the terms of a Calibration over the rows of both tables:
//
//	S_X c_b h_k,  c_b,  c_b f_k      S_Y Σ_k r_bk (Y_k - h_k),  r_bk ~ E[c_bk|U]
//
// where c_bk is 1 for a row in bin b whose output is k, else 0.
type calibrator struct {
	k    int
	r    []crossfit.Affine
	x, y *weighted.Means
}

// calibrate estimates the calibration, which is right under conditional mean independence (docs/theory.md, 9.14), with the h of the nuisances and Riesz weights of the indicators of bins. It reads S_X twice and S_Y once.
func calibrate(ctx context.Context, p evidence, m foldModels, n *fittedNuisances, opt AssessOptions) (*losses.Calibration, error) {
	if err := p.NeedsRows("the calibration of probabilities"); err != nil {
		return nil, err
	}
	c := &calibrator{k: p.Y().Len(), x: weighted.New(3 * losses.CalibrationBins), y: weighted.New(losses.CalibrationBins)}
	var f, g mat.Dense
	train, held, err := sumTargets(ctx, p, m, losses.CalibrationBins*c.k, func(model int, rows *mat.Dense) *mat.Dense {
		m.predict(model, &f, rows)
		of, _ := f.Dims()
		g.Reset()
		g.ReuseAs(of, losses.CalibrationBins*c.k)
		for i := range of {
			output, bin := losses.BinOf(f.RawRowView(i))
			g.Set(i, bin*c.k+output, 1)
		}
		return &g
	})
	if err != nil {
		return nil, err
	}
	if c.r, _, err = (crossfit.Riesz{UY: n.uy, Mus: opt.Mu.Grid(crossfit.Mus)}).Weights(ctx, train, held); err != nil {
		return nil, err
	}
	if err := c.sum(ctx, p, m, n); err != nil {
		return nil, err
	}
	return c.calibration()
}

// sum adds the rows of both tables.
func (c *calibrator) sum(ctx context.Context, p evidence, m foldModels, n *fittedNuisances) error {
	var f, h, r mat.Dense
	terms := make([]float64, 3*losses.CalibrationBins)
	err := p.WalkXU(ctx, m.side, p.SidePsi(), func(k int, rows, psi *mat.Dense, w moments.Weights) {
		m.predict(k, &f, rows)
		n.of[k].hTo(&h, psi)
		of, _ := f.Dims()
		for i := range of {
			output, bin := losses.BinOf(f.RawRowView(i))
			clear(terms)
			terms[3*bin], terms[3*bin+1], terms[3*bin+2] = h.At(i, output), 1, f.At(i, output)
			c.x.Add(w, i, terms...)
		}
	})
	if err != nil {
		return err
	}
	own, gap := make([]float64, losses.CalibrationBins), make([]float64, c.k)
	return p.WalkUY(ctx, p.SidePsi(), p.Y(), func(k int, psi, y *mat.Dense, w moments.Weights) {
		n.of[k].hTo(&h, psi)
		c.r[k].ApplyTo(&r, psi)
		of, _ := y.Dims()
		for i := range of {
			floats.SubTo(gap, y.RawRowView(i), h.RawRowView(i))
			for b := range own {
				own[b] = floats.Dot(r.RawRowView(i)[b*c.k:(b+1)*c.k], gap)
			}
			c.y.Add(w, i, own...)
		}
	})
}

// calibration turns the sums into estimates.
func (c *calibrator) calibration() (*losses.Calibration, error) {
	out := &losses.Calibration{}
	rows := make([]float64, losses.CalibrationBins)
	for b := range rows {
		rows[b] = c.x.Mean[3*b+1] * c.x.Count
	}
	for _, run := range losses.JoinBins(rows) {
		bin, gx, gapX := losses.BinOfSums(c.x.Mean, run, floats.Sum(c.y.Mean[run[0]:run[1]]))
		gy := make([]float64, len(c.y.Mean))
		for b := run[0]; b < run[1]; b++ {
			gy[b] = 1 / bin.Share
		}
		x, y := c.x.MeanVariance(gx), c.y.MeanVariance(gy)
		right := NewInterval(bin.Right, x.Variance+y.Variance, weighted.SumFreedom(x, y))
		if v := right.Value + right.SE; v-v != 0 {
			return nil, fmt.Errorf("%w: probabilities of bins overflow", ErrNoRisk)
		}
		bin.SE, bin.RightLo, bin.RightHi = right.SE, right.Lo, right.Hi
		out.Add(run, bin, math.Sqrt(c.x.MeanVariance(gapX).Variance+y.Variance))
	}
	return out, nil
}
