package solvers

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
)

// An Influence, made by System.Influence, is the influence of single rows on the f of a solution (docs/theory.md, section
// 16). With f written as a + alpha'(phi(x) - phi_X), phi_X the mean over S_X, and c = (1-w)/w, a row of S_X with share s of
// the weight and residual e = h(u) - f(x), or one of S_Y with residual e = y - h(u), moves
//
//	(alpha, a) by s e / (1 - s l) M v
//
// which is exactly the change if the row is left out and the penalties and the other rows' shares are kept. If all rows have
// noise of the same variance, that of the residual e is 1 - s (l + pen) times as large: between (1 - s l)² and, without
// penalties, 1 - s l. RowsXTo and RowsYTo return v, l and pen, CovarianceX and CovarianceY apply M. Without intercept phi_X is 0 and so is
// the last number of v.
//
// Noise of S_Y that moves beta by d, and alpha and the intercepts with it, moves the residual of a row of
// S_X by t'd: RowsXTo returns t, BetaCovarianceY the covariance of d.
type Influence struct {
	*Solution
	intercept        bool
	c                float64
	lambdaF, lambdaH float64 // under Scaled
	f, h             *Factor // of A + lambda_f I, and of the matrix for beta
	b, gb            *mat.Dense
	d                *mat.Dense // D, both triangles
	phi              []float64  // means of phi and psi over S_X and of psi over S_Y
	psi              []float64
	other            []float64
	shift            []float64 // psi - other
}

// Influence solves for p and keeps what influences need, at p²q flops more than Solve. Params that fail Check panic.
func (s *System) Influence(p Params) *Influence {
	sol, f, h := s.solve(p)
	sol.CondF, sol.CondH = f.Cond(), h.Cond()
	v := &Influence{
		Solution: sol, intercept: s.intercept, c: (1 - p.W) / p.W, f: f, h: h, b: s.b, gb: new(mat.Dense), d: mat.DenseCopyOf(s.d),
		phi: s.phi, psi: s.psi, other: s.other, shift: make([]float64, len(s.psi)),
	}
	v.lambdaF, v.lambdaH = p.scaled()
	f.SolveTo(v.gb, s.b)
	if s.intercept {
		floats.SubTo(v.shift, s.psi, s.other)
	} else {
		v.phi, v.psi, v.other = make([]float64, len(s.phi)), make([]float64, len(s.psi)), make([]float64, len(s.psi))
	}
	return v
}

// CentreF returns phi_X, zeros without intercept, which the caller must not change.
func (v *Influence) CentreF() []float64 { return v.phi }

// RowsXTo stores v, t, l and pen of rows (phi, psi) of S_X in dst, n×(p+1), t, n×q, l and pen. With
// t = psi - psi_X - B'(A + lambda_f I)⁻¹(phi - phi_X) and z = T⁻¹t, T the matrix for beta,
//
//	v = (phi - phi_X - c B z, 1 - c (psi_X - psi_Y)'z)
//	l = 1 + (phi - phi_X)'(A + lambda_f I)⁻¹(phi - phi_X) + c t'z
//	pen = lambda_f |(A + lambda_f I)⁻¹(phi - phi_X - c B z)|² + c z'(D + lambda_h I) z
//
// the 1 of both only with an intercept. It costs 2p²+4pq+4q² flops a row, 2p²+2pq at w = 1.
func (v *Influence) RowsXTo(dst, t *mat.Dense, l, pen []float64, phi, psi *mat.Dense) {
	n, p := phi.Dims()
	centred := v.centreTo(dst, l, phi, v.phi)
	solved := solveRows(v.f, centred)
	addRowDots(l, 1, centred, solved)
	v.unexplainedTo(t, solved, psi)
	clear(pen)
	if v.c > 0 {
		v.bend(dst, t, l, pen)
		solved = solveRows(v.f, dst.Slice(0, n, 0, p))
	}
	addRowDots(pen, v.lambdaF, solved, solved)
}

// unexplainedTo stores t, what the regression on phi leaves of psi, for the rows (phi - phi_X)'(A +
// lambda_f I)⁻¹ of solved.
func (v *Influence) unexplainedTo(t, solved, psi *mat.Dense) {
	fast.MulTo(t, blas.NoTrans, solved, blas.NoTrans, v.b)
	for i := range t.RawMatrix().Rows {
		row := t.RawRowView(i)
		floats.SubTo(row, psi.RawRowView(i), row)
		floats.Sub(row, v.psi)
	}
}

// bend adds what w < 1 adds to RowsXTo but for the first term of pen.
func (v *Influence) bend(dst, t *mat.Dense, l, pen []float64) {
	n, p := len(l), len(v.phi)
	var back, dz mat.Dense
	z := solveRows(v.h, t)
	addRowDots(l, v.c, t, z)
	fast.MulTo(&dz, blas.NoTrans, z, blas.NoTrans, v.d)
	addRowDots(pen, v.c, z, &dz)
	addRowDots(pen, v.c*v.lambdaH, z, z)
	fast.MulTo(&back, blas.NoTrans, z, blas.Trans, v.b)
	for i := range n {
		row := dst.RawRowView(i)
		floats.AddScaled(row[:p], -v.c, back.RawRowView(i))
		row[p] -= v.c * floats.Dot(v.shift, z.RawRowView(i))
	}
}

// RowsYTo stores v = (psi - psi_Y, 1), l = 1 + (psi - psi_Y)'z and pen = z'(T - D) z for z = T⁻¹(psi -
// psi_Y) of rows psi of S_Y in dst, n×(q+1), l and pen, the 1 of both only with an intercept. It costs
// 4q² flops a row.
func (v *Influence) RowsYTo(dst *mat.Dense, l, pen []float64, psi *mat.Dense) {
	centred := v.centreTo(dst, l, psi, v.other)
	z := solveRows(v.h, centred)
	var dz mat.Dense
	fast.MulTo(&dz, blas.NoTrans, z, blas.NoTrans, v.d)
	clear(pen)
	addRowDots(pen, 1, centred, z)
	addRowDots(pen, -1, z, &dz)
	addRowDots(l, 1, centred, z)
}

// solveRows returns the rows x'M⁺ of the rows x.
func solveRows(f *Factor, rows mat.Matrix) *mat.Dense {
	var columns mat.Dense
	columns.CloneFrom(rows.T())
	f.SolveTo(&columns, &columns)
	return mat.DenseCopyOf(columns.T())
}

// addRowDots adds scale times the inner products of the rows of a and b to dst.
func addRowDots(dst []float64, scale float64, a, b *mat.Dense) {
	for i := range dst {
		dst[i] += scale * floats.Dot(a.RawRowView(i), b.RawRowView(i))
	}
}

// centreTo fills dst with (rows - mean, 1), l with 1, 0 in both without intercept, and returns the
// columns rows - mean.
func (v *Influence) centreTo(dst *mat.Dense, l []float64, rows *mat.Dense, mean []float64) *mat.Dense {
	n, p := rows.Dims()
	bias := 0.0
	if v.intercept {
		bias = 1
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, p+1)
	}
	if r, c := dst.Dims(); r != n || c != p+1 || len(l) != n {
		panic(mat.ErrShape)
	}
	for i := range n {
		row := dst.RawRowView(i)
		floats.SubTo(row[:p], rows.RawRowView(i), mean)
		row[p], l[i] = bias, bias
	}
	return dst.Slice(0, n, 0, p).(*mat.Dense)
}

// CovarianceX returns M_X X M_X', the covariance of (alpha, a) that S_X makes, for the matrix X of order p+1 of sums of products of the
// rows s e v/(1 - s l) of S_X, in 4p³ flops.
func (v *Influence) CovarianceX(x mat.Symmetric) *mat.SymDense {
	if x.SymmetricDim() != len(v.phi)+1 {
		panic(mat.ErrShape)
	}
	return congruence(v.applyX, x)
}

// CovarianceY returns M_Y Y M_Y', the covariance of (alpha, a) that S_Y makes, for the matrix Y of order q+1 of likewise sums of S_Y, in
// 2pq(p+q) flops.
func (v *Influence) CovarianceY(y mat.Symmetric) *mat.SymDense {
	if y.SymmetricDim() != len(v.psi)+1 {
		panic(mat.ErrShape)
	}
	return congruence(v.applyY, y)
}

// BetaCovarianceY returns T⁻¹YT⁻¹, the covariance of beta due to the noise of S_Y, for the matrix Y of CovarianceY, whose
// last row and column, those of the intercept, do not affect residuals of S_X. It costs 4q³ flops.
func (v *Influence) BetaCovarianceY(y *mat.SymDense) *mat.SymDense {
	if y.SymmetricDim() != len(v.psi)+1 {
		panic(mat.ErrShape)
	}
	return congruence(v.solveBeta, y.SliceSym(0, len(v.psi)))
}

// BetaCovarianceX returns c²T⁻¹XT⁻¹, the covariance of beta due to the noise of S_X, for the matrix X of order q of sums of
// products of the rows s e t/(1 - s l) of S_X: 0 at w = 1. It costs 4q³ flops.
func (v *Influence) BetaCovarianceX(x mat.Symmetric) *mat.SymDense {
	if x.SymmetricDim() != len(v.psi) {
		panic(mat.ErrShape)
	}
	cov := congruence(v.solveBeta, x)
	cov.ScaleSym(v.c*v.c, cov)
	return cov
}

// solveBeta applies T⁻¹ to columns, which it overwrites.
func (v *Influence) solveBeta(columns *mat.Dense) *mat.Dense {
	v.h.SolveTo(columns, columns)
	return columns
}

// congruence returns M s M' for the map M of columns.
func congruence(m func(*mat.Dense) *mat.Dense, s mat.Symmetric) *mat.SymDense {
	left := m(mat.DenseCopyOf(s))
	both := m(mat.DenseCopyOf(left.T()))
	n, _ := both.Dims()
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, (both.At(i, j)+both.At(j, i))/2)
		}
	}
	return out
}

// applyX applies M of S_X, diag((A + lambda_f I)⁻¹, 1), to columns, which it overwrites.
func (v *Influence) applyX(columns *mat.Dense) *mat.Dense {
	p, k := len(v.phi), columns.RawMatrix().Cols
	top := columns.Slice(0, p, 0, k).(*mat.Dense)
	v.f.SolveTo(top, top)
	return columns
}

// applyY applies M of S_Y: beta moves by T⁻¹ of the first q numbers of a column and b by the last;
// alpha follows beta by (A + lambda_f I)⁻¹B, and a by the difference of the means of psi.
func (v *Influence) applyY(columns *mat.Dense) *mat.Dense {
	p, q, k := len(v.phi), len(v.psi), columns.RawMatrix().Cols
	beta := v.solveBeta(columns.Slice(0, q, 0, k).(*mat.Dense))
	out := mat.NewDense(p+1, k, nil)
	fast.MulTo(out.Slice(0, p, 0, k).(*mat.Dense), blas.NoTrans, v.gb, blas.NoTrans, beta)
	last := out.RawRowView(p)
	copy(last, columns.RawRowView(q))
	for i, d := range v.shift {
		floats.AddScaled(last, d, beta.RawRowView(i))
	}
	return out
}
