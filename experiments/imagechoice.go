package experiments

import (
	"context"
	"math"
	"slices"

	"mediant/solvers"
)

// Grids of the choice for images. Penalties are half a factor of ten apart, for features of length 1 or less;
// weights are those of Joint-RR that search.Search tries, and two nearer to 2Step-RR. Scales are tried in order as long as
// the risk falls; 0 are the outputs of ridge regression themselves.
var (
	imageLambdas = []float64{1e-8, 3e-8, 1e-7, 3e-7, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4}
	imageWs      = []float64{.95, .9, .8, half, .3}
	imageScales  = []float64{0, 1, 1.2, 1.4, 1.7, 2, 2.4, 2.8, 3.3, 4, 4.8, 5.7, 6.7}
)

// half is the w of the paper's experiments.
const half = .5

// choose finds the penalty of h by its held-out loss on S_Y, that of f and the scale for 2Step-RR by uncoupled
// risk, and w for Joint-RR with these penalties, or less of one on h, which is held by f as well.
func (r ImageRun) choose(ctx context.Context, j *rowScorer, methods map[string]ImageMethod) error {
	r.show("penalties of 2step")
	var params []solvers.Params
	lambdas, _, _ := j.fitter.grid()
	for _, lambda := range lambdas {
		params = append(params, solvers.Params{W: 1, LambdaF: lambda, LambdaH: j.lambdaH})
	}
	two, err := j.best(ctx, params)
	if err != nil {
		return err
	}
	if r.Loss == LogLoss {
		two.ScaleH = j.scaleH
	}
	methods[ImageMethods[0]] = two
	if len(r.Loss.Methods()) == 1 {
		return nil
	}
	r.show("w and penalties of joint")
	params = nil
	for _, w := range imageWs {
		for _, lambda := range []float64{j.lambdaH, j.lambdaH / 10} {
			params = append(params, solvers.Params{W: w, LambdaF: two.LambdaF, LambdaH: lambda})
		}
	}
	if methods[ImageMethods[1]], err = j.best(ctx, params); err != nil || !r.Beside {
		return err
	}
	params = slices.DeleteFunc(params, func(p solvers.Params) bool { return p.W != half })
	methods[BesideMethods[0]], err = j.best(ctx, params)
	return err
}

// best is the one of the lowest risk, at its best scale.
func (j *rowScorer) best(ctx context.Context, params []solvers.Params) (ImageMethod, error) {
	m := ImageMethod{Risk: math.Inf(1)}
	fits, err := j.candidates(ctx, params)
	if err != nil {
		return m, err
	}
	for i, c := range fits {
		m.rival(j, c, params[i])
		if err := ctx.Err(); err != nil {
			return m, err
		}
	}
	return m, nil
}

// rival replaces m by c, fitted with p, at its best scale, if that has the lower risk.
func (m *ImageMethod) rival(j *rowScorer, c candidate, p solvers.Params) {
	_, classes := c.held.Dims()
	before := math.Inf(1)
	_, _, all := j.fitter.grid()
	for scales := range slices.Chunk(all, max(1, scoredColumns/classes)) {
		for i, e := range j.risks(c, scales) {
			if scales[i] > 1 && e.risk >= before {
				return
			}
			before = e.risk
			if e.risk < m.Risk {
				*m = ImageMethod{W: p.W, LambdaF: p.LambdaF, LambdaH: p.LambdaH, Scale: scales[i], Risk: e.risk, SE: e.se}
			}
		}
	}
}
