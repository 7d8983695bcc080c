package risk

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/weighted"
	"mediant/losses"
	"mediant/moments"
)

// mostCalibrated classes have a calibration: with more there would be too many Riesz weights.
const mostCalibrated = 50

// Calibrate adds the calibration to the assessment of the CrossFit, where it has one.
func (c *CrossFit) Calibrate(ctx context.Context, a *Assessment) (err error) {
	if _, classes := c.opt.Loss.(losses.Log); classes && c.p.Y().Len() <= mostCalibrated {
		a.Calibration, err = c.calibration(ctx)
	}
	return err
}

// calibration estimates how often probabilities of classes are right (docs/theory.md, 9.13). It reads S_X three times and S_Y once.
func (c *CrossFit) calibration(ctx context.Context) (*losses.Calibration, error) {
	if err := c.p.NeedsRows("the calibration of probabilities"); err != nil {
		return nil, err
	}
	rows := make([]float64, losses.CalibrationBins)
	shares, means := weighted.NewAverages(len(rows)), make([]*weighted.Averages, len(rows))
	for b := range means {
		means[b] = weighted.NewAverages(1)
	}
	var f mat.Dense
	err := c.p.WalkXU(ctx, c.m.side, c.p.SidePsi(), func(k int, x, _ *mat.Dense, w moments.Weights) {
		c.m.predict(k, &f, x)
		n, _ := f.Dims()
		for i := range n {
			output, bin := losses.BinOf(f.RawRowView(i))
			rows[bin] += w.FrequencyOf(i)
			shares.Add(w.Of(i), Unit(len(rows), bin))
			means[bin].Add(w.Of(i), []float64{f.At(i, output)})
		}
	})
	if err != nil {
		return nil, err
	}
	runs := losses.JoinBins(rows)
	runOf := make([]int, len(rows))
	for at, run := range runs {
		for b := run[0]; b < run[1]; b++ {
			runOf[b] = at
		}
	}
	right, err := c.Functionals(ctx, Functionals{Count: len(runs), Of: func(of, in, f, _ *mat.Dense) {
		n, k := f.Dims()
		for i := range n {
			output, bin := losses.BinOf(f.RawRowView(i))
			of.Set(i, runOf[bin]*k+output, 1)
			in.Set(i, runOf[bin], 1)
		}
	}})
	if err != nil {
		return nil, err
	}
	out := &losses.Calibration{}
	for at, run := range runs {
		r := right[at]
		bin := losses.CalibrationBin{Right: r.Value, SE: r.SE, RightLo: r.Lo, RightHi: r.Hi}
		mean := weighted.NewAverages(1)
		for b := run[0]; b < run[1]; b++ {
			bin.Share += shares.Mean[b]
			mean.Add(means[b].Weight, means[b].Mean)
		}
		bin.Mean = mean.Mean[0]
		out.Add(run, bin, r.SE) // predictions vary little within a bin
	}
	return out, nil
}
