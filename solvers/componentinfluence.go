package solvers

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
)

// A ComponentInfluence, made by Componentwise.Influence, is the Influence of a fit by components (docs/theory.md, section
// 23). Rows of S_Y have the same influence as in Influence, with alpha following beta part by part. For rows of S_X use
// EachPart, whose moves are those of (alpha, a) themselves; RowsXTo and CovarianceX do not apply here.
type ComponentInfluence struct {
	*Influence
	parts   []part
	factors []*Factor    // of A + lambda_f I within each part, nil for one without columns of phi
	alphas  []*mat.Dense // likewise
}

// Influence solves for p and keeps what influences need.
func (c *Componentwise) Influence(p Params) *ComponentInfluence {
	lambdaF, lambdaH := p.checkedAlone()
	s, h := c.system, new(Factor)
	s.factorRight(h, 1, lambdaH, true)
	sol := c.followOne(p, s.solveH(h), false)
	q := s.d.SymmetricDim()
	v := &ComponentInfluence{parts: c.parts, factors: make([]*Factor, len(c.parts)), alphas: make([]*mat.Dense, len(c.parts))}
	v.Influence = &Influence{
		Solution: sol, intercept: true, lambdaF: lambdaF, lambdaH: lambdaH, h: h, b: s.b, gb: mat.NewDense(len(s.phi), q, nil), d: mat.DenseCopyOf(s.d),
		phi: s.phi, psi: s.psi, other: s.other, shift: floats.SubTo(make([]float64, q), s.psi, s.other),
	}
	for t, part := range c.parts {
		if len(part.phi) > 0 {
			v.keep(t, NewFactor(within(s.a, part.phi), lambdaF))
		}
	}
	return v
}

// keep stores the system of part t, whose block of the linear map from beta to alpha is (A_S + lambda_f I)⁻¹ B_S.
func (v *ComponentInfluence) keep(t int, f *Factor) {
	part := v.parts[t]
	b := pick(v.b, part.phi, part.psi)
	v.factors[t], v.alphas[t] = f, part.alpha(f, b, v.Beta)
	f.SolveTo(b, b)
	for i, r := range part.phi {
		for j, col := range part.psi {
			v.gb.Set(r, col, b.At(i, j))
		}
	}
}

// EachPart calls do for each part of h, the components that are regressed together, with, for rows (phi, psi) of S_X, the
// residuals e, n×k, of that part of h about its regression, and rows, n×(p+1), and leverages l and pen as in Influence,
//
//	rows = ((A_S + lambda_f I)⁻¹ (phi - phi_X)_S, 1)     l = 1 + (phi - phi_X)_S'(A_S + lambda_f I)⁻¹(phi - phi_X)_S
//	pen = lambda_f |(A_S + lambda_f I)⁻¹ (phi - phi_X)_S|²
//
// S being the features that it keeps; the other numbers of rows are 0. A row of share s moves (alpha, a) by s times
// the sum of e rows / (1 - s l) over the parts. It costs 2p_S² flops a row.
func (v *ComponentInfluence) EachPart(phi, psi *mat.Dense, do func(rows, e *mat.Dense, l, pen []float64)) {
	n, p := phi.Dims()
	for t, part := range v.parts {
		rows, l, pen := mat.NewDense(n, p+1, nil), make([]float64, n), make([]float64, n)
		e := v.residuals(t, phi, psi)
		for i := range n {
			rows.Set(i, p, 1)
			l[i] = 1
		}
		if f := v.factors[t]; f != nil {
			own := centredColumns(phi, v.phi, part.phi)
			solved := solveRows(f, own)
			addRowDots(l, 1, own, solved)
			addRowDots(pen, v.lambdaF, solved, solved)
			for i := range n {
				to := rows.RawRowView(i)
				for j, col := range part.phi {
					to[col] = solved.At(i, j)
				}
			}
		}
		do(rows, e, l, pen)
	}
}

// residuals returns what part t of h is above its regression in each row.
func (v *ComponentInfluence) residuals(t int, phi, psi *mat.Dense) *mat.Dense {
	part := v.parts[t]
	var e, f mat.Dense
	fast.MulTo(&e, blas.NoTrans, centredColumns(psi, v.psi, part.psi), blas.NoTrans, part.beta(v.Beta))
	if v.alphas[t] != nil {
		fast.MulTo(&f, blas.NoTrans, centredColumns(phi, v.phi, part.phi), blas.NoTrans, v.alphas[t])
		e.Sub(&e, &f)
	}
	return &e
}

// centredColumns returns the listed columns less their means.
func centredColumns(rows *mat.Dense, means []float64, at []int) *mat.Dense {
	n, _ := rows.Dims()
	out := mat.NewDense(n, len(at), nil)
	for i := range n {
		from, to := rows.RawRowView(i), out.RawRowView(i)
		for j, col := range at {
			to[j] = from[col] - means[col]
		}
	}
	return out
}
