package diagnose

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/encode"
	fast "mediant/internal/blas"
	"mediant/internal/draw"
	"mediant/internal/fault"
	"mediant/internal/weighted"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// A CMITest tests conditional mean independence, E[Y|U,X] = E[Y|U], on coupled rows (X, U, Y) by the moment condition
//
//	E[(phi(X) - E[phi(X)|U]) (Y - E[Y|U])] = 0
//
// and estimates the effect of a violation on the error (docs/theory.md, section 18). E[phi|U] is learned from S_X and E[Y|U]
// from S_Y, and an error in one of them alone does not bias the test. The p-value comes from random signs of the coupled
// rows' products. It has power against violations that are correlated with phi; those that average out over U are not
// detected.
type CMITest struct {
	Rows   int     `json:"rows"`
	PValue float64 `json:"p_value"`
	Flips  int     `json:"flips"`
	// C is a lower estimate of the root mean square of E[Y|U,X] - E[Y|U].
	C float64 `json:"c"`
	// Shift is the difference between the mean squared error of f and the uncoupled risk that the violation causes.
	Shift risk.Interval `json:"mse_shift"`
	Text  string        `json:"text"`
}

// AddCMI tests CMI on the rows of a coupled table that has X, U and Y; rows without Y are left out. xu and uy are the tables
// of Diagnose, and none of their rows may be among the coupled ones. It costs one pass over each of S_X and S_Y, and one
// more for Nyström features. Whole weights of the coupled table, if it is from tables.Weigh, are frequencies; others are an
// error.
func (d *Diagnosis) AddCMI(ctx context.Context, m *rr.Model, xu, uy, xuy tables.Source, roles tables.RoleOptions) error {
	p, err := problemOf(ctx, m, xu, uy, roles)
	if err != nil {
		return err
	}
	rows, err := newCoupled(ctx, p, m, xuy)
	if err != nil {
		return err
	}
	d.CMI, err = rows.test(ctx, p.Setup().Seed)
	return err
}

// problemOf makes a problem of tables with the encoders and features of the model.
func problemOf(ctx context.Context, m *rr.Model, xu, uy tables.Source, roles tables.RoleOptions) (*problem.Mapped, error) {
	e, psi, err := encodeBy(ctx, m, xu, uy, roles)
	if err != nil {
		return nil, err
	}
	return mapped(ctx, e, m, psi)
}

// coupled holds, of coupled rows, phi(x) - E[phi|u], f(x) - E[f|u] and y - E[Y|u].
type coupled struct{ phi, f, y *mat.Dense }

func newCoupled(ctx context.Context, p *problem.Mapped, m *rr.Model, xuy tables.Source) (*coupled, error) {
	ofPhi, err := regressionOn(ctx, p, p.SidePhi())
	if err != nil {
		return nil, err
	}
	ofF, err := pairsOf(ctx, p, p.SidePsi(), p.X(), m.F)
	if err != nil {
		return nil, err
	}
	f, err := wholeFit(ctx, p.Splitter(), ofF, p.Y().Classes() != nil)
	if err != nil {
		return nil, err
	}
	ofY, _, err := p.CoMomentsByFold(ctx, problem.TableUY, p.SidePsi(), p.Y())
	if err != nil {
		return nil, fmt.Errorf("table of U and Y: %w", err)
	}
	h, err := wholeFit(ctx, p.Splitter(), ofY, p.Y().Classes() != nil)
	if err != nil {
		return nil, err
	}
	return residuals(ctx, p, m, xuy, ofPhi, f, h)
}

// regressionOn regresses another side of S_X on psi.
func regressionOn(ctx context.Context, p *problem.Mapped, of encode.Side) (crossfit.Affine, error) {
	folds, _, err := p.CoMomentsByFold(ctx, problem.TableXU, p.SidePsi(), of)
	if err != nil {
		return crossfit.Affine{}, fmt.Errorf("table of X and U: %w", err)
	}
	return wholeFit(ctx, p.Splitter(), folds, true)
}

// wholeFit fits the right columns on the left ones at a cross-validated penalty. It averages the fits of the folds, each
// fitted on the rows of the other folds, which saves one factorisation.
func wholeFit(ctx context.Context, sp crossfit.Splitter, folds []*moments.CoMoments, together bool) (crossfit.Affine, error) {
	s, err := sp.Split(ctx, folds)
	if err != nil {
		return crossfit.Affine{}, err
	}
	if err := someInEach(folds); err != nil {
		return crossfit.Affine{}, err
	}
	u, err := crossfit.UnitsOf(folds, together)
	if err != nil {
		return crossfit.Affine{}, err
	}
	c, err := crossfit.CrossValidate(ctx, s, u, diagnosisLambdas, true)
	if err != nil {
		return crossfit.Affine{}, err
	}
	fits, _ := c.BestFits()
	r, k := fits[0].Coef.Dims()
	mean := crossfit.Affine{Coef: mat.NewDense(r, k, nil), Intercept: make([]float64, k)}
	for _, f := range fits {
		mean.Coef.Add(mean.Coef, f.Coef)
		floats.Add(mean.Intercept, f.Intercept)
	}
	mean.Coef.Scale(1/float64(len(fits)), mean.Coef)
	floats.Scale(1/float64(len(fits)), mean.Intercept)
	return mean, nil
}

// residuals reads the coupled rows.
func residuals(ctx context.Context, p *problem.Mapped, m *rr.Model, xuy tables.Source, phi, f, h crossfit.Affine) (c *coupled, err error) {
	defer fault.Recover(&err)
	xuy = tables.NewGuard("coupled rows", xuy)
	phiX, y, weights, _, err := problem.Matrices(ctx, xuy, p.SidePhi(), p.Y(), problem.PassOptions{})
	if err != nil {
		return nil, fmt.Errorf("table of X, U and Y: %w", err)
	}
	fX, _, _, _, err := problem.Matrices(ctx, xuy, rr.Predicted(p.X(), p.Y().Len(), m.F), p.Y(), problem.PassOptions{})
	if err != nil {
		return nil, fmt.Errorf("table of X, U and Y: %w", err)
	}
	psi, _, _, _, err := problem.Matrices(ctx, xuy, p.SidePsi(), p.Y(), problem.PassOptions{})
	if err != nil {
		return nil, fmt.Errorf("table of X, U and Y: %w", err)
	}
	if weights != nil {
		for _, m := range []**mat.Dense{&phiX, &fX, &psi, &y} {
			if *m, err = written(*m, weights); err != nil {
				return nil, err
			}
		}
	}
	if n, _ := y.Dims(); n < 2*problem.DefaultFolds {
		return nil, fmt.Errorf("diagnose: %d coupled rows with Y, at least %d are needed to test conditional mean independence", n, 2*problem.DefaultFolds)
	}
	c = &coupled{phi: phiX, f: fX, y: y}
	var given mat.Dense
	for _, r := range []struct {
		of *mat.Dense
		by crossfit.Affine
	}{{c.phi, phi}, {c.f, f}, {c.y, h}} {
		r.by.ApplyTo(&given, psi)
		r.of.Sub(r.of, &given)
	}
	return c, nil
}

// written has each row as often as its frequency says.
func written(rows *mat.Dense, frequencies []float64) (*mat.Dense, error) {
	var data []float64
	_, c := rows.Dims()
	for i, w := range frequencies {
		if w != math.Trunc(w) {
			return nil, fmt.Errorf("diagnose: the coupled rows have sampling weights, which the test of conditional mean independence does not know: want whole ones or none")
		}
		for range int(w) {
			data = append(data, rows.RawRowView(i)...)
		}
	}
	return mat.NewDense(len(data)/c, c, data), nil
}

func (c *coupled) test(ctx context.Context, seed uint64) (*CMITest, error) {
	n, _ := c.y.Dims()
	t := &CMITest{Rows: n, Flips: permutations, PValue: c.flip(draw.Rand(seed, "cmi", 0))}
	shift := weighted.New(1)
	for i := range n {
		shift.Add(moments.Weights{}, i, -2*floats.Dot(c.f.RawRowView(i), c.y.RawRowView(i)))
	}
	t.Shift = risk.NewInterval(shift.Mean[0], shift.Variance(1), shift.Effective()-1)
	var err error
	if t.C, err = c.size(ctx); err != nil {
		return nil, err
	}
	if t.PValue <= doubt {
		t.Text = fmt.Sprintf("On %d coupled rows X says more of Y than U does (p = %.2g): E[Y|U,X] and E[Y|U] differ by %.3g or more in root mean square, which moves the MSE by %.3g (95 %% interval %.3g to %.3g) from the uncoupled risk.",
			n, t.PValue, t.C, t.Shift.Value, t.Shift.Lo, t.Shift.Hi)
	} else {
		t.Text = fmt.Sprintf("%d coupled rows show no sign that X says more of Y than U does (p = %.2g); the MSE may be off the uncoupled risk by %.3g (95 %% interval %.3g to %.3g).",
			n, t.PValue, t.Shift.Value, t.Shift.Lo, t.Shift.Hi)
	}
	return t, nil
}

// flip returns the p-value of the sum over outputs of |Σ phi_i y_i|² / Σ y_i² among those with random
// signs of the rows: flips of the data's signs would do as well if the products are symmetric about 0,
// and nearly so for many rows if they have mean 0.
func (c *coupled) flip(rnd *rand.Rand) float64 {
	n, k := c.y.Dims()
	_, q := c.phi.Dims()
	signs := mat.NewDense(permutations+1, n, nil)
	for b := range permutations + 1 {
		row := signs.RawRowView(b)
		for i := range row {
			row[i] = 1
			if b > 0 && rnd.Uint64()&1 == 0 {
				row[i] = -1
			}
		}
	}
	statistics := make([]float64, permutations+1)
	products := mat.NewDense(n, q, nil)
	var sums mat.Dense
	for j := range k {
		y := mat.Col(nil, j, c.y)
		scale := floats.Dot(y, y)
		if scale == 0 {
			continue // met exactly
		}
		for i := range n {
			floats.ScaleTo(products.RawRowView(i), y[i], c.phi.RawRowView(i))
		}
		fast.MulTo(&sums, blas.NoTrans, signs, blas.NoTrans, products)
		for b := range statistics {
			row := sums.RawRowView(b)
			statistics[b] += floats.Dot(row, row) / scale
		}
	}
	return pValue(statistics)
}

// size estimates c from below: for any g of phi - E[phi|U], c² >= E[2 g (Y - E[Y|U]) - g²], the part of
// the squared residuals that g explains on rows it was not fitted on.
func (c *coupled) size(ctx context.Context) (float64, error) {
	folds := make([]*moments.CoMoments, problem.DefaultFolds)
	n, q := c.phi.Dims()
	_, k := c.y.Dims()
	for f := range folds {
		lo, hi := f*n/problem.DefaultFolds, (f+1)*n/problem.DefaultFolds
		folds[f] = new(moments.CoMoments)
		folds[f].Add(c.phi.Slice(lo, hi, 0, q).(*mat.Dense), c.y.Slice(lo, hi, 0, k).(*mat.Dense), nil)
	}
	s, err := crossfit.Splitter{}.Split(ctx, folds)
	if err != nil {
		return 0, err
	}
	u, err := crossfit.UnitsOf(folds, false)
	if err != nil {
		return 0, err
	}
	found, err := crossfit.CrossValidate(ctx, s, u, sizeLambdas, false)
	if err != nil {
		return 0, err
	}
	whole := mat.Norm(c.y, 2) // Frobenius
	return math.Sqrt(max(0, whole*whole/float64(n)-floats.Sum(found.Least()))), nil
}

// sizeLambdas end where nothing is explained.
var sizeLambdas = []float64{1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 1e3}
