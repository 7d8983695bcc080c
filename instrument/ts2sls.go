package instrument

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/encode"
	"mediant/features"
	"mediant/internal/bounds"
	"mediant/internal/names"
	"mediant/internal/progress"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// TS2SLS is two-sample two-stage least squares for a linear f [Angrist and Krueger, JASA 87, 1992; Inoue and Solon, Review of Economics and Statistics 92, 2010]:
// with the coefficients P of the regression of x on z over S_X and the second moments D of z over S_Y, both with intercepts,
//
//	b = (P'D P)⁻¹ P' mean_SY z y
//
// The controls (Roles.Controls) are in x and in z. Standard errors are those of two independent samples, robust to heteroscedastic errors [Pacini and
// Windmeijer, Economics Letters 146, 2016] and multiplied by n/(n-q-1) for each table. The zero value is usable.
type TS2SLS struct {
	// Setup says how columns are read. Phi, Psi, Folds, NoStandardize and AllRows are not used: maps are linear, numbers stay in their units, and no row
	// is left out for lack of overlap. NoIntercept, Shift and clusters are errors.
	problem.Setup
}

// Validate returns an error that names the first field out of range.
func (e TS2SLS) Validate() error {
	switch {
	case e.NoIntercept:
		return fmt.Errorf("instrument: TS2SLS.NoIntercept is set, and both stages have intercepts")
	case e.Shift:
		return fmt.Errorf("instrument: TS2SLS.Shift is set, and rows are not weighted by a ratio of densities")
	case e.Roles.ClusterXU != "" || e.Roles.ClusterUY != "":
		return fmt.Errorf("instrument: TS2SLS.Roles has clusters, and standard errors are those of independent rows")
	}
	return bounds.First(e.Setup.Validate(), e.linear().Validate())
}

// linear is the setup of the fit.
func (e TS2SLS) linear() problem.Setup {
	s := e.Setup
	s.Phi, s.Psi = features.Spec{Kind: features.LinearFeatures}, features.Spec{Kind: features.LinearFeatures}
	s.Folds, s.NoStandardize, s.AllRows, s.Arithmetic = 0, true, true, moments.Float64
	return s
}

// CheckMemory is Setup.CheckMemory for this estimate.
func (e TS2SLS) CheckMemory(xu, uy problem.Preview) error { return e.linear().CheckMemory(xu, uy) }

// Estimate reads the two tables, each a few times. Rows of S_X in which an endogenous column is missing, and rows of S_Y without Y, are left out; a missing instrument or control is a value of its own.
// It is an error if there are fewer instruments than endogenous columns, if columns are collinear in a table, if a column is free text or of sparse rows, or
// if a table has too few rows.
func (e TS2SLS) Estimate(ctx context.Context, xu, uy tables.Source) (*Result, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	in, err := open(ctx, e.Roles, xu, uy)
	if err != nil {
		return nil, err
	}
	p, err := e.prepare(ctx, in)
	if err != nil {
		return nil, err
	}
	ctx = progress.Stage(ctx, "estimating the coefficients")
	s, err := newSystem(p, in)
	if err != nil {
		return nil, err
	}
	if err := s.walk(ctx, p); err != nil {
		return nil, err
	}
	r := in.result("ts2sls", p)
	if r.Coefficients, err = s.coefficients(p); err != nil {
		return nil, err
	}
	if r.FirstStage, err = s.strengths(); err != nil {
		return nil, err
	}
	if r.Overidentification, err = s.tests(p); err != nil {
		return nil, err
	}
	r.Model = s.model(p)
	r.Rows = r.Model.Rows
	r.warnWeak()
	r.Model.Warnings = append(r.Model.Warnings, r.Warnings...)
	return r, nil
}

// prepare sums both tables.
func (e TS2SLS) prepare(ctx context.Context, in *inputs) (*problem.Problem, error) {
	encoded, err := problem.EncodeFor(ctx, e.linear(), in.xu, in.uy, solving, "")
	if err != nil {
		return nil, err
	}
	for _, side := range []struct {
		name string
		of   *encode.Encoder
	}{{"X", encoded.X()}, {"the instruments or controls", encoded.U()}} {
		if side.of.Sparse() {
			return nil, fmt.Errorf("instrument: a column of %s is free text or has sparse rows, which have too many coefficients for TS2SLS", side.name)
		}
	}
	mapped, err := encoded.Map(ctx)
	if err != nil {
		return nil, err
	}
	return mapped.Sum(ctx)
}

// columns are the encoded columns of one side without the first level of each column of text, with which the others are compared.
type columns struct {
	at      []int // among the encoded columns
	names   []string
	control []bool
}

func columnsOf(e *encode.Encoder, controls []string) columns {
	var c columns
	all, of := e.Names(), e.Columns()
	for i, origin := range e.Origins() {
		if first := i == 0 || e.Origins()[i-1] != origin; first && of[origin].Kind == tables.Text {
			continue
		}
		c.at, c.names, c.control = append(c.at, i), append(c.names, all[i]), append(c.control, slices.Contains(controls, of[origin].Name))
	}
	return c
}

// others are the columns that are no controls.
func (c columns) others() []string {
	var names []string
	for i, name := range c.names {
		if !c.control[i] {
			names = append(names, name)
		}
	}
	return names
}

// A system holds the moments of both tables, of columns divided by their standard deviations (x and z by those in S_X), and what is solved from them. It is made by newSystem.
type system struct {
	x, z                        columns
	endogenous                  int // columns of x before the controls
	scaleX, scaleZ, scaleY      []float64
	meanX, meanZ, meanZ2, meanY []float64 // in the units of the columns
	first, second               mat.Cholesky
	zz1, zz2                    *mat.SymDense
	stage                       mat.Dense // P, z×x
	reduced                     mat.Dense // coefficients of y on z, z×outputs
	project                     mat.Dense // (P'D P)⁻¹P'D, x×z
	coef                        mat.Dense // b, x×outputs
	partial                     mat.Dense // of an endogenous column on the others: what is left of it is x times column j
	reducedScores, structural   []scores  // by output: z (y - reduced'z) over S_Y, and z (x - P'z)'b over S_X
	strengthScores              []scores  // by endogenous column: z (x - P'z)'partial over S_X
}

// errConstantX reports that encoders, which leave constants out, have no column of X but controls.
var errConstantX = errors.New("instrument: no column of X varies in the first table")

// newSystem solves from the sums.
func newSystem(p *problem.Problem, in *inputs) (*system, error) {
	s := &system{x: columnsOf(p.X(), in.controls), z: columnsOf(p.U(), in.controls)}
	endogenous, instruments := s.x.others(), s.z.others()
	s.endogenous = len(endogenous)
	if s.endogenous == 0 {
		return nil, errConstantX
	}
	if len(instruments) < s.endogenous {
		return nil, fmt.Errorf("instrument: %d endogenous columns (%s) need as many instruments, and there are %d (%s)", s.endogenous, names.List(endogenous), len(instruments), names.List(instruments))
	}
	for t, m := range []*moments.CoMoments{p.XU(), p.UY()} {
		if err := s.enough(t, m.Rows()); err != nil {
			return nil, err
		}
	}
	if err := s.takeMoments(p); err != nil {
		return nil, err
	}
	return s, s.solve(p)
}

// enough returns an error if a table has too few rows for the coefficients of z, an intercept and a variance.
func (s *system) enough(table, rows int) error {
	if least := len(s.z.at) + 2; rows < least {
		return fmt.Errorf("instrument: the %s table has %d rows to use, and %d instruments and controls need at least %d", ordinal(table), rows, len(s.z.at), least)
	}
	return nil
}

func ordinal(table int) string {
	return []string{problem.TableXU: "first", problem.TableUY: "second"}[table]
}

// takeMoments finds means and scales, and refuses columns that are constant or collinear.
func (s *system) takeMoments(p *problem.Problem) error {
	xz, zy := p.XU(), p.UY()
	var xx, zz1, zz2, yy mat.SymDense
	xz.LeftTo(&xx, true)
	xz.RightTo(&zz1, true)
	zy.LeftTo(&zz2, true)
	zy.RightTo(&yy, true)
	s.meanX, s.meanZ, s.meanZ2, s.meanY = pick(xz.MeanA(), s.x.at), pick(xz.MeanB(), s.z.at), pick(zy.MeanA(), s.z.at), zy.MeanB()
	for _, side := range []struct {
		of    columns
		m     *mat.SymDense
		means []float64
		table int
		scale *[]float64
	}{{s.x, &xx, s.meanX, problem.TableXU, &s.scaleX}, {s.z, &zz1, s.meanZ, problem.TableXU, &s.scaleZ}, {s.z, &zz2, s.meanZ2, problem.TableUY, new([]float64)}} {
		var err error
		if *side.scale, err = scales(side.of, side.m, side.means, ordinal(side.table)); err != nil {
			return err
		}
		if at := dependent(scaled(side.m, side.of.at, *side.scale)); at >= 0 {
			return fmt.Errorf("instrument: column %q is a linear combination of other columns in the %s table; leave it out with --ignore or Roles.Ignore", side.of.names[at], ordinal(side.table))
		}
	}
	s.scaleY = make([]float64, len(s.meanY))
	for j := range s.scaleY {
		if s.scaleY[j] = math.Sqrt(yy.At(j, j)); !crossfit.Varies(yy.At(j, j), s.meanY[j]) {
			return fmt.Errorf("instrument: %q does not vary in the second table", p.Y().Names()[j])
		}
	}
	s.zz1, s.zz2 = scaled(&zz1, s.z.at, s.scaleZ), scaled(&zz2, s.z.at, s.scaleZ)
	return nil
}

// solve does both stages.
func (s *system) solve(p *problem.Problem) error {
	if !s.first.Factorize(s.zz1) || !s.second.Factorize(s.zz2) {
		panic("instrument: moments that are not collinear have a factor")
	}
	var cross, zy mat.Dense
	p.XU().CrossTo(&cross, true)
	p.UY().CrossTo(&zy, true)
	zx := mat.NewDense(len(s.z.at), len(s.x.at), nil)
	for i, a := range s.z.at {
		for j, b := range s.x.at {
			zx.Set(i, j, cross.At(b, a)/s.scaleZ[i]/s.scaleX[j])
		}
	}
	right := mat.NewDense(len(s.z.at), len(s.scaleY), nil)
	for i, a := range s.z.at {
		for j := range s.scaleY {
			right.Set(i, j, zy.At(a, j)/s.scaleZ[i]/s.scaleY[j])
		}
	}
	if err := ignoreCondition(s.first.SolveTo(&s.stage, zx), s.second.SolveTo(&s.reduced, right)); err != nil {
		return err
	}
	var half, gram mat.Dense
	half.Mul(s.stage.T(), s.zz2)
	gram.Mul(&half, &s.stage)
	fitted := symmetric(&gram)
	if at := dependent(fitted); at >= 0 {
		return fmt.Errorf("instrument: the instruments do not move %q apart from the other columns of X: its coefficient is not identified", s.x.names[at])
	}
	var factor mat.Cholesky
	if !factor.Factorize(fitted) {
		panic("instrument: fitted columns that are not collinear have a factor")
	}
	if err := ignoreCondition(factor.SolveTo(&s.project, &half)); err != nil {
		return err
	}
	s.coef.Mul(&s.project, &s.reduced)
	return s.partialOut()
}

// partialOut finds, for each endogenous column, what is left of it without the others: x_j - d'x_others, where d is of two-stage least squares over S_X.
func (s *system) partialOut() error {
	n := len(s.x.at)
	var half, gram mat.Dense
	half.Mul(s.stage.T(), s.zz1)
	gram.Mul(&half, &s.stage)
	s.partial = *mat.NewDense(n, s.endogenous, nil)
	for j := range s.endogenous {
		var others []int
		for i := range n {
			if i != j {
				others = append(others, i)
			}
		}
		s.partial.Set(j, j, 1)
		if len(others) == 0 {
			continue
		}
		m, right := mat.NewSymDense(len(others), nil), mat.NewDense(len(others), 1, nil)
		for a, i := range others {
			right.Set(a, 0, gram.At(i, j))
			for b := a; b < len(others); b++ {
				m.SetSym(a, b, gram.At(i, others[b]))
			}
		}
		var factor mat.Cholesky
		if dependent(m) >= 0 || !factor.Factorize(m) {
			return fmt.Errorf("instrument: the instruments do not move the columns of X apart in the first table: no coefficient of %q is identified", s.x.names[j])
		}
		var d mat.Dense
		if err := ignoreCondition(factor.SolveTo(&d, right)); err != nil {
			return err
		}
		for a, i := range others {
			s.partial.Set(i, j, -d.At(a, 0))
		}
	}
	return nil
}

// model is f in the units of the columns, with what it implies for E[Y|Z] as h.
func (s *system) model(p *problem.Problem) *rr.Model {
	outputs := len(s.scaleY)
	f, h := mat.NewDense(p.X().Width(), outputs, nil), mat.NewDense(p.U().Width(), outputs, nil)
	a, c := slices.Clone(s.meanY), slices.Clone(s.meanY)
	var implied mat.Dense
	implied.Mul(&s.stage, &s.coef)
	for j := range outputs {
		for i, at := range s.x.at {
			b := s.coef.At(i, j) * s.scaleY[j] / s.scaleX[i]
			f.Set(at, j, b)
			a[j] -= b * s.meanX[i]
		}
		for i, at := range s.z.at {
			b := implied.At(i, j) * s.scaleY[j] / s.scaleZ[i]
			h.Set(at, j, b)
			c[j] -= b * s.meanZ2[i]
			a[j] -= b * (s.meanZ2[i] - s.meanZ[i]) // of E[X] in S_Y, which the first stage predicts
		}
	}
	m := rr.NewModel(p, "ts2sls")
	m.F, m.H = rr.NewLinear(p.Phi(), f, a), rr.NewLinear(p.Psi(), h, c)
	return m
}

// solving is the memory in bytes of the estimate. That of the sums is small beside what the check of the tables has left, some 10 MiB.
func solving(f problem.Footprint) float64 { return f.Preparing() + 10<<20 }
