package experiments

import (
	"context"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/solvers"
)

// An ImageRun is one repetition of the paper's image experiment: X is an image averaged over 2×2 pixels, U
// the image, Y its class. Rows images come as (X, U), Rows others as (U, Y), and the coupled test images
// measure its error. Penalties, w and the scale of outputs are chosen on the tables by uncoupled risk.
type ImageRun struct {
	Data *ImageData
	Plan ImagePlan
	Loss ImageLoss
	Rows int
	Seed uint64
	// Beside adds, for squared error, methods to compare with: those of BesideMethods.
	Beside bool
	// Show, if not nil, is called with what is being done.
	Show func(what string)
}

// An ImageResult is what a repetition comes to; the same run gives the same result, to the bit, but for
// Seconds, which are not part of its JSON.
type ImageResult struct {
	Set     ImageSet               `json:"set"`
	Seed    uint64                 `json:"seed"`
	Rows    int                    `json:"rows"`
	Data    string                 `json:"data_sha256"`
	Plan    ImagePlan              `json:"plan"`
	Loss    ImageLoss              `json:"loss,omitempty"`
	Methods map[string]ImageMethod `json:"methods"`
	Seconds ImageSeconds           `json:"-"`
}

// An ImageMethod is the outcome of a method.
type ImageMethod struct {
	W       float64 `json:"w"`
	LambdaF float64 `json:"lambda_f"`
	LambdaH float64 `json:"lambda_h"`
	// Scale of the outputs around the shares of the classes; 0: as ridge regression gives them. For log loss the T of
	// f^T / Σ f^T.
	Scale float64 `json:"scale"`
	// ScaleH is that of the probabilities h that f is fitted to; 0 for squared error, which is fitted to ridge regressions.
	ScaleH float64 `json:"scale_h,omitempty"`
	// Risk is what the two tables say of the MSE, or the log loss, of the model of the rows that train; it is the least of
	// many and so rather too low.
	Risk float64 `json:"uncoupled_risk"`
	SE   float64 `json:"uncoupled_se"`
	// On the test images: Accuracy, MSE of the calibrated outputs, and of those of the fit without a scale.
	Accuracy float64 `json:"accuracy"`
	MSE      float64 `json:"mse"`
	RawMSE   float64 `json:"raw_mse"`
	// SquareAccuracy and SquareMSE are those of a_k²/Σ a_j² of the fit a without a scale, the form of the paper's outputs, for squared error.
	SquareAccuracy float64 `json:"square_accuracy,omitempty"`
	SquareMSE      float64 `json:"square_mse,omitempty"`
	// LogLoss is that on the test images, for models that minimise it.
	LogLoss float64 `json:"log_loss,omitempty"`
}

// ImageSeconds are the times of a repetition: features of all images, choices, fits and predictions.
type ImageSeconds struct {
	Features float64 `json:"features"`
	Choice   float64 `json:"choice"`
	Fit      float64 `json:"fit"`
	Test     float64 `json:"test"`
	Total    float64 `json:"total"`
}

// ImageMethods are the names of the methods in order.
var ImageMethods = []string{"2step", "joint"}

// BesideMethods are those that ImageRun.Beside adds: Joint-RR with the paper's w = 1/2, and the naive chain, h of the U
// that ridge regression predicts from X, pixels from pixels.
var BesideMethods = []string{"half", "naive"}

// methods are the names of the methods of a run in order.
func (r ImageRun) methods() []string {
	if r.Beside && r.Loss == SquaredError {
		return slices.Concat(ImageMethods, BesideMethods)
	}
	return r.Loss.Methods()
}

// methods are those that the result has, in order.
func (r *ImageResult) methods() []string {
	var names []string
	for _, name := range slices.Concat(ImageMethods, BesideMethods) {
		if _, ok := r.Methods[name]; ok {
			names = append(names, name)
		}
	}
	return names
}

// Run does the repetition. It needs 24 bytes for each row and landmark, and some 200 for each pair of landmarks.
func (r ImageRun) Run(ctx context.Context) (*ImageResult, error) {
	out := &ImageResult{Set: r.Data.Set, Seed: r.Seed, Rows: r.Rows, Data: r.Data.SHA256, Plan: r.Plan, Loss: r.Loss, Methods: make(map[string]ImageMethod)}
	start := time.Now()
	lap := func() func(*float64) {
		last := start
		return func(to *float64) {
			now := time.Now()
			*to, last = now.Sub(last).Seconds(), now
		}
	}()
	r.show("features")
	t, err := r.Data.tables(ctx, r.Plan, r.Rows, r.Seed, slices.Contains(r.methods(), naive))
	if err != nil {
		return nil, err
	}
	lap(&out.Seconds.Features)
	r.show("moments and nuisances of the risk")
	j, err := newRowScorer(ctx, t, r.Loss)
	if err != nil {
		return nil, err
	}
	if err := r.choose(ctx, j, out.Methods); err != nil {
		return nil, err
	}
	lap(&out.Seconds.Choice)
	models, err := r.fit(ctx, j, out.Methods)
	if err != nil {
		return nil, err
	}
	lap(&out.Seconds.Fit)
	r.show("test images")
	if err := r.test(ctx, t, models, out.Methods); err != nil {
		return nil, err
	}
	lap(&out.Seconds.Test)
	out.Seconds.Total = time.Since(start).Seconds()
	return out, nil
}

func (r ImageRun) show(what string) {
	if r.Show != nil {
		r.Show(what)
	}
}

// params are the numbers of the method.
func (m ImageMethod) params() solvers.Params {
	return solvers.Params{W: m.W, LambdaF: m.LambdaF, LambdaH: m.LambdaH}
}

// An imageModel is f with the fitter that turns its outputs into predictions.
type imageModel struct {
	f  *solvers.Linear
	to imageFitter
}

// fit fits the methods to all rows.
func (r ImageRun) fit(ctx context.Context, j *rowScorer, methods map[string]ImageMethod) (map[string]imageModel, error) {
	fitter, err := j.fitter.with(j.held)
	if err != nil {
		return nil, err
	}
	models := make(map[string]imageModel)
	for _, name := range r.methods() {
		r.show("solving " + name)
		if name == naive {
			h, err := fitter.h(ctx, []float64{j.lambdaH})
			if err != nil {
				return nil, err
			}
			models[name] = imageModel{h[0], fitter}
			methods[name] = ImageMethod{LambdaH: j.lambdaH, Scale: j.scaleH}
			continue
		}
		f, err := fitter.f(ctx, []solvers.Params{methods[name].params()})
		if err != nil {
			return nil, err
		}
		models[name] = imageModel{f[0], fitter}
	}
	return models, nil
}

// test evaluates the models on all test images.
func (r ImageRun) test(ctx context.Context, t *imageTables, models map[string]imageModel, methods map[string]ImageMethod) error {
	images := r.Data.Test
	for lo := 0; lo < images.Len(); lo += mapRows {
		of := make([]int, min(mapRows, images.Len()-lo))
		for i := range of {
			of[i] = lo + i
		}
		phi := mat.NewDense(len(of), t.p, nil)
		if err := images.mapTo(ctx, phi, t.phi, of, false, r.Plan.Mirror); err != nil {
			return err
		}
		for name, model := range models {
			m, rows := methods[name], phi
			if name == naive {
				rows = t.guessed.Slice(lo, lo+len(of), 0, t.q).(*mat.Dense)
			}
			r.tally(&m, affine(rows, model.f.Coef, model.f.Intercept), model.to, images.Labels[lo:lo+len(of)])
			methods[name] = m
		}
	}
	for name, m := range methods {
		n := float64(images.Len())
		m.Accuracy, m.MSE, m.RawMSE, m.LogLoss = m.Accuracy/n, m.MSE/n, m.RawMSE/n, m.LogLoss/n
		m.SquareAccuracy, m.SquareMSE = m.SquareAccuracy/n, m.SquareMSE/n
		methods[name] = m
	}
	return nil
}

// tally adds the hits and errors of outputs on some test images.
func (r ImageRun) tally(m *ImageMethod, f *mat.Dense, to imageFitter, labels []byte) {
	_, _, scales := to.grid()
	raw := mat.DenseCopyOf(f)
	to.gradients(raw, scales[0])
	to.predictions(raw)
	to.gradients(f, m.Scale)
	if r.Loss == LogLoss {
		for i, label := range labels {
			m.LogLoss -= f.At(i, int(label))
		}
	}
	to.predictions(f)
	if r.Loss == SquaredError {
		m.tallySquares(raw, labels)
	}
	for i, label := range labels {
		m.RawMSE += squaredError(raw.RawRowView(i), int(label))
		m.MSE += squaredError(f.RawRowView(i), int(label))
		if floats.MaxIdx(raw.RawRowView(i)) == int(label) {
			m.Accuracy++
		}
	}
}

// tallySquares adds the hits and errors of a_k²/Σ a_j² of the rows a of raw; where all are 0 they stay so.
func (m *ImageMethod) tallySquares(raw *mat.Dense, labels []byte) {
	_, k := raw.Dims()
	squares := make([]float64, k)
	for i, label := range labels {
		floats.MulTo(squares, raw.RawRowView(i), raw.RawRowView(i))
		if sum := floats.Sum(squares); sum > 0 {
			floats.Scale(1/sum, squares)
		}
		m.SquareMSE += squaredError(squares, int(label))
		if floats.MaxIdx(squares) == int(label) {
			m.SquareAccuracy++
		}
	}
}

// squaredError is |f - e|², e the unit vector of the label.
func squaredError(f []float64, label int) float64 {
	e := f[label] - 1
	return floats.Dot(f, f) - f[label]*f[label] + e*e
}
