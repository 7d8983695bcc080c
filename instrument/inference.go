package instrument

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"mediant/internal/bounds"
	"mediant/internal/weighted"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
)

// scores are the means over a table of z times a residual, whose covariance is that of the coefficients of the residual's regression on z.
type scores struct{ *weighted.Means }

func newScores(count, q int) []scores {
	s := make([]scores, count)
	for i := range s {
		s[i] = scores{weighted.New(q)}
	}
	return s
}

// small is n/(n-q-1) of a regression on q columns and an intercept, where a mean has n/(n-1).
func (s scores) small() float64 {
	q := float64(len(s.Mean))
	return (s.Count - 1) / (s.Count - q - 1)
}

// covariance is that of the coefficients, by the factor of the second moments of z.
func (s scores) covariance(factor *mat.Cholesky) (*mat.SymDense, error) {
	var left, both mat.Dense
	if err := ignoreCondition(factor.SolveTo(&left, s.Covariance())); err != nil {
		return nil, err
	}
	if err := ignoreCondition(factor.SolveTo(&both, left.T())); err != nil {
		return nil, err
	}
	v := symmetric(&both)
	v.ScaleSym(s.small(), v)
	return v, nil
}

// variance is that of gradient'coefficients.
func (s scores) variance(factor *mat.Cholesky, gradient []float64) (weighted.Variance, error) {
	var g mat.VecDense
	if err := ignoreCondition(factor.SolveVecTo(&g, mat.NewVecDense(len(gradient), gradient))); err != nil {
		return weighted.Variance{}, err
	}
	v := s.MeanVariance(g.RawVector().Data)
	v.Variance *= s.small()
	v.Freedom -= float64(len(gradient))
	return v, nil
}

// walk passes over both tables for the scores.
func (s *system) walk(ctx context.Context, p *problem.Problem) error {
	q, outputs := len(s.z.at), len(s.scaleY)
	s.structural, s.strengthScores, s.reducedScores = newScores(outputs, q), newScores(s.endogenous, q), newScores(outputs, q)
	var weights mat.Dense // of residuals of the first stage
	weights.Augment(&s.coef, &s.partial)
	var fitted, residual, left mat.Dense
	score := make([]float64, q)
	add := func(to scores, w moments.Weights, i int, z []float64, e float64) {
		for j, v := range z {
			score[j] = v * e
		}
		to.Add(w, i, score...)
	}
	err := p.WalkXU(ctx, p.SidePhi(), p.SidePsi(), func(_ int, phi, psi *mat.Dense, w moments.Weights) {
		x, z := standard(phi, s.x.at, s.meanX, s.scaleX), standard(psi, s.z.at, s.meanZ, s.scaleZ)
		fitted.Reset()
		fitted.Mul(z, &s.stage)
		x.Sub(x, &fitted)
		residual.Reset()
		residual.Mul(x, &weights)
		n, _ := x.Dims()
		for i := range n {
			for j, to := range s.structural {
				add(to, w, i, z.RawRowView(i), residual.At(i, j))
			}
			for j, to := range s.strengthScores {
				add(to, w, i, z.RawRowView(i), residual.At(i, outputs+j))
			}
		}
	})
	if err != nil {
		return err
	}
	all := make([]int, outputs)
	for j := range all {
		all[j] = j
	}
	err = p.WalkUY(ctx, p.SidePsi(), p.Y(), func(_ int, psi, y *mat.Dense, w moments.Weights) {
		z, e := standard(psi, s.z.at, s.meanZ2, s.scaleZ), standard(y, all, s.meanY, s.scaleY)
		left.Reset()
		left.Mul(z, &s.reduced)
		e.Sub(e, &left)
		n, _ := e.Dims()
		for i := range n {
			for j, to := range s.reducedScores {
				add(to, w, i, z.RawRowView(i), e.At(i, j))
			}
		}
	})
	if err != nil {
		return err
	}
	return bounds.First(s.enough(problem.TableXU, int(s.structural[0].Count)), s.enough(problem.TableUY, int(s.reducedScores[0].Count)))
}

// standard picks columns, less their means and divided by their scales.
func standard(rows *mat.Dense, at []int, means, scales []float64) *mat.Dense {
	n, _ := rows.Dims()
	out := mat.NewDense(n, len(at), nil)
	for i := range n {
		from, to := rows.RawRowView(i), out.RawRowView(i)
		for j, a := range at {
			to[j] = (from[a] - means[j]) / scales[j]
		}
	}
	return out
}

// coefficients lists b in the units of the columns: its variance is that of project (reduced - P b), where reduced comes from S_Y and P from S_X.
func (s *system) coefficients(p *problem.Problem) ([]Coefficient, error) {
	var out []Coefficient
	for j, output := range p.Y().Names() {
		for i, name := range s.x.names {
			gradient := mat.Row(nil, i, &s.project)
			first, err := s.structural[j].variance(&s.first, gradient)
			if err != nil {
				return nil, err
			}
			second, err := s.reducedScores[j].variance(&s.second, gradient)
			if err != nil {
				return nil, err
			}
			unit := s.scaleY[j] / s.scaleX[i]
			out = append(out, Coefficient{Output: output, Column: name, Control: s.x.control[i],
				Interval: risk.NewInterval(unit*s.coef.At(i, j), unit*unit*(first.Variance+second.Variance), weighted.SumFreedom(first, second))})
		}
	}
	return out, nil
}

// strengths are those of the endogenous columns: with the coefficients p of what is left of a column on z, their covariance V, and the second moments Q of z,
// of which G is left without the directions of the other columns of x,
//
//	F = p'Q p / trace(V G)
func (s *system) strengths() ([]Strength, error) {
	q := len(s.z.at)
	var out []Strength
	for j := range s.endogenous {
		v, err := s.strengthScores[j].covariance(&s.first)
		if err != nil {
			return nil, err
		}
		left, err := s.withoutOthers(j)
		if err != nil {
			return nil, err
		}
		var p, moved mat.VecDense
		p.MulVec(&s.stage, s.partial.ColView(j))
		moved.MulVec(s.zz1, &p)
		var noise mat.Dense
		noise.Mul(v, left)
		one := Strength{Column: s.x.names[j], Instruments: q - len(s.x.at) + 1, Freedom: s.strengthScores[j].Count - float64(q) - 1}
		if f := mat.Dot(&p, &moved) / mat.Trace(&noise); !math.IsInf(f, 0) && !math.IsNaN(f) && f < exact {
			one.F = &f
		}
		out = append(out, one)
	}
	return out, nil
}

// exact is an F, or a reciprocal variance of standardised coefficients, that rounding alone leaves of a regression without residuals.
const exact = 1e20

// withoutOthers is Q - Q P (P'Q P)⁻¹P'Q, for the columns of x but j as P.
func (s *system) withoutOthers(j int) (*mat.Dense, error) {
	out := mat.DenseCopyOf(s.zz1)
	q, n := s.stage.Dims()
	if n == 1 {
		return out, nil
	}
	others := mat.NewDense(q, n-1, nil)
	at := 0
	for i := range n {
		if i != j {
			others.SetCol(at, mat.Col(nil, i, &s.stage))
			at++
		}
	}
	var moved, gram, solved, product mat.Dense
	moved.Mul(s.zz1, others)
	gram.Mul(others.T(), &moved)
	var factor mat.Cholesky
	if !factor.Factorize(symmetric(&gram)) {
		panic("instrument: fitted columns that are not collinear have a factor")
	}
	if err := ignoreCondition(factor.SolveTo(&solved, moved.T())); err != nil {
		return nil, err
	}
	product.Mul(&moved, &solved)
	out.Sub(out, &product)
	return out, nil
}

// tests are those of over-identification: J = min_b d'V⁻¹d of d = reduced - P b, with the covariance V of d at the estimate.
func (s *system) tests(p *problem.Problem) ([]Test, error) {
	q, n := s.stage.Dims()
	if q == n {
		return nil, nil
	}
	var out []Test
	for j, output := range p.Y().Names() {
		first, err := s.structural[j].covariance(&s.first)
		if err != nil {
			return nil, err
		}
		v, err := s.reducedScores[j].covariance(&s.second)
		if err != nil {
			return nil, err
		}
		v.AddSym(v, first)
		var factor mat.Cholesky
		if mat.Trace(v) < 1/exact || dependent(v) >= 0 || !factor.Factorize(v) { // without residuals there is nothing to test against
			continue
		}
		value, err := least(&factor, &s.stage, s.reduced.ColView(j))
		if err != nil {
			return nil, err
		}
		if math.IsNaN(value) {
			continue
		}
		out = append(out, Test{Output: output, J: value, Freedom: q - n, P: distuv.ChiSquared{K: float64(q - n)}.Survival(value)})
	}
	return out, nil
}

// least is the minimum over b of (d - P b)'V⁻¹(d - P b), NaN if that is singular to rounding.
func least(v *mat.Cholesky, p *mat.Dense, d mat.Vector) (float64, error) {
	var weighed, gram mat.Dense
	if err := ignoreCondition(v.SolveTo(&weighed, p)); err != nil {
		return 0, err
	}
	gram.Mul(p.T(), &weighed)
	var right, b, left, solved mat.VecDense
	right.MulVec(weighed.T(), d)
	var factor mat.Cholesky
	if !factor.Factorize(symmetric(&gram)) {
		return math.NaN(), nil
	}
	if err := ignoreCondition(factor.SolveVecTo(&b, &right)); err != nil {
		return 0, err
	}
	left.MulVec(p, &b)
	left.SubVec(d, &left)
	if err := ignoreCondition(v.SolveVecTo(&solved, &left)); err != nil {
		return 0, err
	}
	return mat.Dot(&left, &solved), nil
}
