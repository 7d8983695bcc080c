package experiments

import (
	"context"
	"math"

	"mediant/solvers"
)

// Grids of the choice for images. Penalties are half a factor of ten apart, for features of length 1 or less;
// weights are those of Joint-RR that rr.Search tries, and two nearer to 2Step-RR. Scales are tried in order as long as
// the risk falls; 0 are the outputs of ridge regression themselves.
var (
	imageLambdas = []float64{1e-8, 3e-8, 1e-7, 3e-7, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4}
	imageWs      = []float64{.95, .9, .8, .5, .3}
	imageScales  = []float64{0, 1, 1.2, 1.4, 1.7, 2, 2.4, 2.8, 3.3, 4, 4.8, 5.7, 6.7}
)

// choose finds the penalty of h by its held-out error on S_Y, that of f and the scale for 2Step-RR by uncoupled
// risk, and w for Joint-RR with these penalties, or less of one on h, which is held by f as well.
func (r ImageRun) choose(ctx context.Context, t *imageTables, methods map[string]ImageMethod) error {
	r.show("nuisances of the risk")
	j, err := newRowJudge(t, r.Plan.Tuning)
	if err != nil {
		return err
	}
	r.show("penalties of 2step")
	two := ImageMethod{Risk: math.Inf(1)}
	for _, lambda := range imageLambdas {
		if err := ctx.Err(); err != nil {
			return err
		}
		two.rival(j, solvers.Params{W: 1, LambdaF: lambda, LambdaH: j.lambdaH})
	}
	r.show("w and penalties of joint")
	joint := ImageMethod{Risk: math.Inf(1)}
	for _, w := range imageWs {
		for _, lambda := range []float64{j.lambdaH, j.lambdaH / 10} {
			if err := ctx.Err(); err != nil {
				return err
			}
			joint.rival(j, solvers.Params{W: w, LambdaF: two.LambdaF, LambdaH: lambda})
		}
	}
	methods[ImageMethods[0]], methods[ImageMethods[1]] = two, joint
	return nil
}

// rival replaces m by what p gives at its best scale, if that has the lower risk.
func (m *ImageMethod) rival(j *rowJudge, p solvers.Params) {
	c := j.candidate(p)
	before := math.Inf(1)
	for _, scale := range imageScales {
		risk, se := j.risk(c, scale)
		if scale > 1 && risk >= before {
			return
		}
		before = risk
		if risk < m.Risk {
			*m = ImageMethod{W: p.W, LambdaF: p.LambdaF, LambdaH: p.LambdaH, Scale: scale, Risk: risk, SE: se}
		}
	}
}
