package rr

import (
	"context"
	"fmt"
	"iter"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/internal/weighted"
	"mediant/losses"
	"mediant/moments"
	"mediant/problem"
	"mediant/tables"
)

// A Score is the error of a model on coupled rows.
type Score struct {
	Rows int     `json:"rows"`
	MSE  float64 `json:"mse"` // summed over outputs
	// SE is the standard error of MSE over rows, or over observations of a table without copies (check.Copies); nil of a single row.
	SE   *float64 `json:"se,omitempty"`
	RMSE float64  `json:"rmse"` // its square root
	// R2 is 1 - SSE/SST pooled over outputs, nil if Y is constant.
	R2 *float64 `json:"r2"`
	// Loss is the mean loss in which the model was fitted (Linked); nil for squared error, and with unknown labels, which have no loss.
	Loss *LossScore `json:"loss,omitempty"`
	// Calibration is that of probabilities of classes; nil for others, and with unknown labels.
	Calibration *losses.Calibration `json:"calibration,omitempty"`
	// Accuracy is the share of rows whose label is that of the largest output; nil for regression.
	Accuracy *float64 `json:"accuracy,omitempty"`
	Dropped  int      `json:"dropped"` // rows without Y
	// Missing is set if predictions of the rows without Y differ from those of the others.
	Missing *MissingY `json:"missing_y,omitempty"`
	// UnknownLabels are labels that are no class; their rows count as errors. Nil if there are none.
	UnknownLabels *encode.UnknownLabels `json:"unknown_labels,omitempty"`
	// Clusters is the number of clusters of the rows (tables.Clusters), over which SE is; 0 if rows are independent.
	Clusters int `json:"clusters,omitempty"`
	// Counts are the values of X that training had not prepared for.
	Counts encode.Counts `json:"-"`
}

// A LossScore is the mean loss over rows, with its standard error (nil of a single row), and that of the mean of Y.
type LossScore struct {
	Loss     string   `json:"loss"`
	Value    float64  `json:"value"`
	SE       *float64 `json:"se,omitempty"`
	Constant float64  `json:"constant"`
}

// A MissingY reports that predictions of rows without Y are higher, or lower, than those of rows with Y.
type MissingY struct {
	Output  string  `json:"output"`  // the output whose predictions differ most
	Without float64 `json:"without"` // the mean prediction of the rows without Y
	With    float64 `json:"with"`    // and of the others
	PValue  float64 `json:"p_value"` // of a permutation test by its normal limit, times the number of outputs
}

// missingY compares the mean predictions of rows with and without Y. If the rows without Y were a random choice, the
// difference of the means would have the variance S² (1/n + 1/m), S² being that of all predictions.
func missingY(names []string, with, without *weighted.Means) *MissingY {
	n, m := with.Count, without.Count
	if n < 2 || m < 2 {
		return nil
	}
	var least *MissingY
	for j, name := range names {
		gap := without.Mean[j] - with.Mean[j]
		total := (with.Cross.At(j, j) + without.Cross.At(j, j) + gap*gap*n*m/(n+m)) / (n + m - 1)
		p := math.Erfc(math.Abs(gap)/math.Sqrt(2*total*(1/n+1/m))) * float64(len(names))
		if p < missingAlarm && (least == nil || p < least.PValue) {
			least = &MissingY{Output: name, Without: without.Mean[j], With: with.Mean[j], PValue: p}
		}
	}
	return least
}

// Evaluate compares f(X) with Y on a table of coupled rows, those without Y left out. A label that
// training did not have counts as a row of zeros, and as missed, unless it is another spelling of a class (encode.Targets); it is an
// error if no row has the label of a class. Weights of a table from tables.Weigh count, and clusters of one from tables.Clusters.
func (m *Model) Evaluate(ctx context.Context, xy tables.Source) (Score, error) {
	table := tables.NewGuard("coupled rows", xy)
	bind, err := m.Y.Bind(table.Columns())
	if err != nil {
		return Score{}, err
	}
	t := newTally(m.Y)
	if l := m.Loss(); l != nil {
		t.loss = l
	}
	if m.Probabilities() {
		t.bins = weighted.New(3 * losses.CalibrationBins)
	}
	next, stop := iter.Pull2(m.Predict(ctx, table))
	defer stop()
	var y mat.Dense
	var counts encode.Counts
	var labels encode.LabelCounter
	for b, err := range table.Batches(ctx) {
		if err != nil {
			return Score{}, err
		}
		f, err, ok := next()
		if err != nil {
			return Score{}, err
		}
		if !ok {
			return Score{}, fmt.Errorf("rr: coupled rows: a second pass ends before row %d: did it change?", b.Start+1)
		}
		if n, _ := f.Values.Dims(); f.Start != b.Start || n != b.Rows {
			return Score{}, fmt.Errorf("rr: coupled rows: a second pass has %d rows after row %d, the first %d: did the table change?", n, b.Start, b.Rows)
		}
		y.Reset()
		complete := bind.EncodeTo(&y, b)
		bind.CountUnknown(&labels, b)
		counts.Add(f.Counts)
		t.addBlock(b, f.Values, &y, complete)
	}
	if _, err, more := next(); err != nil {
		return Score{}, err
	} else if more {
		return Score{}, fmt.Errorf("rr: coupled rows: a second pass has more rows: did the table change?")
	}
	if t.weight == 0 {
		return Score{}, problem.NoYError(ctx, "nothing to evaluate", m.Y, table)
	}
	if err := m.Y.UnknownError(labels.Unknown()); err != nil {
		return Score{}, fmt.Errorf("rr: nothing to evaluate: %w", err)
	}
	score, err := t.score()
	if labels.Unknown() != nil {
		score.Loss, score.Calibration = nil, nil
	}
	score.Counts, score.UnknownLabels, score.Missing = counts, labels.Unknown(), missingY(m.Y.Names(), t.with, t.without)
	return score, err
}

// A tally sums squared errors, and Y by Welford's recurrence.
type tally struct {
	classify      bool
	rows, dropped int
	weight, hits  float64
	sse, sst      float64
	mean          []float64
	errors        *weighted.Means // squared errors of rows
	with, without *weighted.Means // predictions of rows with Y and without, each once
	loss          losses.Loss     // nil: squared error alone
	losses        *weighted.Means // of rows, and F(y)
	bins          *weighted.Means // of each bin of probabilities whether the class is right, whether the row is in it, and its probability; nil for others
}

func newTally(y *encode.Targets) *tally {
	k := y.Len()
	return &tally{classify: y.Classes() != nil, mean: make([]float64, k), errors: weighted.New(1), losses: weighted.New(2), with: weighted.New(k), without: weighted.New(k)}
}

// addBlock adds the rows of a batch with predictions f, of which those that are complete have the rows of y.
func (t *tally) addBlock(b tables.Batch, f, y *mat.Dense, complete []int) {
	t.dropped += b.Count()
	for _, i := range complete {
		t.dropped -= b.Copies(i)
		t.rows += b.Copies(i)
		weight := 1.
		if w := b.Weights(); w != nil {
			weight = w[i]
		}
		t.add(f.RawRowView(i), y.RawRowView(i), problem.RowWeights(b), i, weight)
	}
	for i, at := 0, 0; i < b.Rows; i++ {
		to := t.without
		if at < len(complete) && complete[at] == i {
			at++
			to = t.with
		}
		to.Add(moments.Weights{}, i, f.RawRowView(i)...)
	}
}

func (t *tally) add(f, y []float64, w moments.Weights, i int, weight float64) {
	t.weight += weight
	squared := 0.
	for j, v := range y {
		d := f[j] - v
		t.sse += weight * d * d
		squared += d * d
		d = v - t.mean[j]
		t.mean[j] += d * weight / t.weight
		t.sst += weight * d * (v - t.mean[j])
	}
	t.errors.Add(w, i, squared)
	if t.loss != nil {
		t.losses.Add(w, i, losses.Divergence(t.loss, y, f), t.loss.Potential(y))
	}
	if t.bins != nil {
		terms := make([]float64, len(t.bins.Mean))
		output, bin := losses.BinOf(f)
		terms[3*bin], terms[3*bin+1], terms[3*bin+2] = y[output], 1, f[output]
		t.bins.Add(w, i, terms...)
	}
	if t.classify && y[floats.MaxIdx(f)] == 1 {
		t.hits += weight
	}
}

func (t *tally) score() (Score, error) {
	n := t.weight
	if math.IsInf(t.sse, 0) || math.IsNaN(t.sse) || math.IsInf(t.sst, 0) || math.IsNaN(t.sst) {
		return Score{}, fmt.Errorf("rr: squared errors overflow: the predictions or Y are too large to be compared")
	}
	s := Score{Rows: t.rows, MSE: t.sse / n, RMSE: math.Sqrt(t.sse / n), Dropped: t.dropped}
	if se := math.Sqrt(t.errors.Variance(1)); !math.IsNaN(se) {
		s.SE = &se
	}
	s.Clusters = weighted.CountClusters(t.errors)
	if t.sst > 0 {
		r2 := 1 - t.sse/t.sst
		s.R2 = &r2
	}
	if t.classify {
		a := t.hits / n
		s.Accuracy = &a
	}
	if t.bins != nil && t.bins.Count >= 2 {
		s.Calibration = t.calibration()
	}
	if t.loss != nil {
		s.Loss = &LossScore{Loss: t.loss.Name(), Value: t.losses.Mean[0], Constant: t.losses.Mean[1] - t.loss.Potential(t.mean)}
		if se := math.Sqrt(t.losses.Variance(1, 0)); !math.IsNaN(se) {
			s.Loss.SE = &se
		}
		if math.IsNaN(s.Loss.Value) || math.IsInf(s.Loss.Value, 0) {
			return Score{}, fmt.Errorf("rr: the loss %s of some rows is not finite: Y is outside of what the loss is for, or a prediction is at the end of its range", t.loss.Name())
		}
	}
	return s, nil
}

// calibration turns the sums of bins into shares, with standard errors of ratios.
func (t *tally) calibration() *losses.Calibration {
	c := &losses.Calibration{}
	rows := make([]float64, losses.CalibrationBins)
	for b := range rows {
		rows[b] = t.bins.Mean[3*b+1] * t.bins.Count
	}
	for _, run := range losses.JoinBins(rows) {
		bin, g, gap := losses.BinOfSums(t.bins.Mean, run)
		v := t.bins.MeanVariance(g)
		bin.SE = math.Sqrt(v.Variance)
		margin := weighted.Student95(v.Freedom) * bin.SE
		bin.RightLo, bin.RightHi = bin.Right-margin, bin.Right+margin
		c.Add(run, bin, math.Sqrt(t.bins.Variance(gap...)))
	}
	return c
}
