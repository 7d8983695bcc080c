package solvers

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// partial is a problem with weights whose components keep one group, two and none.
func partial() (problem, Components) {
	rnd := rand.New(rand.NewPCG(8, 2))
	pr := problem{phi: random(rnd, 40, 4), psi: random(rnd, 40, 3), psi2: random(rnd, 30, 3), y: random(rnd, 30, 2)}
	for range 40 {
		pr.wx = append(pr.wx, .5+rnd.Float64())
	}
	for range 30 {
		pr.wy = append(pr.wy, .5+rnd.Float64())
	}
	return pr, Components{Phi: []int{2, 1, 1}, Psi: []int{1, 1, 1}, Kept: [][]int{{0}, {1, 2}, nil}}
}

// at returns f of each output at a row of features.
func (s *Solution) at(phi []float64) []float64 {
	out := make([]float64, len(s.InterceptF))
	for j := range out {
		out[j] = s.InterceptF[j] + floats.Dot(phi, mat.Col(nil, j, s.Alpha))
	}
	return out
}

// TestComponentInfluenceIsTheDerivative: the moves of rows, less their mean, are the derivatives of f by the weights of
// the rows, times the total weight, here by central differences of new fits.
func TestComponentInfluenceIsTheDerivative(t *testing.T) {
	pr, c := partial()
	params := Params{W: 1, LambdaF: .1, LambdaH: .2}
	query := []float64{1, -.5, .3, 2}
	v := pr.system(t).Componentwise(c).Influence(params)
	p, q, k := 4, 3, 2
	sx, sy := shares(pr.wx, 40), shares(pr.wy, 30)

	movesX := [2]*mat.Dense{mat.NewDense(40, p+1, nil), mat.NewDense(40, p+1, nil)}
	v.EachPart(pr.phi, pr.psi, func(rows, e *mat.Dense, _, _ []float64) {
		for i := range 40 {
			for j := range k {
				floats.AddScaled(movesX[j].RawRowView(i), e.At(i, j), rows.RawRowView(i))
			}
		}
	})
	var rows mat.Dense
	v.RowsYTo(&rows, make([]float64, 30), make([]float64, 30), pr.psi2)
	movesY := [2]*mat.Dense{}
	for j := range k {
		scores := mat.NewDense(q+1, 30, nil)
		for i := range 30 {
			h := v.InterceptH[j] + floats.Dot(pr.psi2.RawRowView(i), mat.Col(nil, j, v.Beta))
			for a, z := range rows.RawRowView(i) {
				scores.Set(a, i, (pr.y.At(i, j)-h)*z)
			}
		}
		movesY[j] = mat.DenseCopyOf(v.applyY(scores).T())
	}

	z := append(floats.SubTo(make([]float64, p), query, v.CentreF()), 1)
	check := func(table string, weights, shares []float64, moves [2]*mat.Dense) {
		for j := range k {
			mean := 0.0
			for i, s := range shares {
				mean += s * floats.Dot(z, moves[j].RawRowView(i))
			}
			for i := range weights {
				const step = 1e-4 // errors of step² and of eps/step, both about 1e-8 at worst
				old := weights[i]
				var f [2]float64
				for side, by := range []float64{-step, step} {
					weights[i] = old + by
					f[side] = pr.system(t).Componentwise(c).Solve(params).at(query)[j]
				}
				weights[i] = old
				got, want := floats.Dot(z, moves[j].RawRowView(i))-mean, (f[1]-f[0])/(2*step)*floats.Sum(weights)
				if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("%s, row %d, output %d: %.8g, the derivative is %.8g", table, i, j, got, want)
				}
			}
		}
	}
	check("S_X", pr.wx, sx, movesX)
	check("S_Y", pr.wy, sy, movesY)

	y := mat.NewSymDense(q+1, nil)
	y.SymRankOne(y, 1, rows.RowView(5))
	cov := v.CovarianceY(y)
	moved := v.applyY(mat.DenseCopyOf(rows.Slice(5, 6, 0, q+1).T()))
	want := math.Pow(floats.Dot(z, mat.Col(nil, 0, moved)), 2)
	zv := mat.NewVecDense(p+1, z)
	if got := mat.Inner(zv, cov, zv); math.Abs(got/want-1) > 1e-12 {
		t.Errorf("the variance is %g, want %g", got, want)
	}
}

// TestComponentLeveragesAreThoseOfTheirSystem: where all components keep the same groups, leverages are those of
// 2Step-RR with the features of these alone, and so are the rows, after what Influence leaves to CovarianceX.
func TestComponentLeveragesAreThoseOfTheirSystem(t *testing.T) {
	pr, c := partial()
	params := Params{W: 1, LambdaF: .1, LambdaH: .2}
	c.Kept = [][]int{{0, 2}, {0, 2}, {0, 2}}
	at := []int{0, 1, 3}
	few := pr
	few.phi = pick(pr.phi, all(40), at)
	alone := few.system(t).Influence(params)
	var want, left mat.Dense
	l, pen := make([]float64, 40), make([]float64, 40)
	alone.RowsXTo(&want, &left, l, pen, few.phi, few.psi)
	moved := alone.applyX(mat.DenseCopyOf(want.T()))
	parts := 0
	pr.system(t).Componentwise(c).Influence(params).EachPart(pr.phi, pr.psi, func(rows, e *mat.Dense, gotL, gotPen []float64) {
		parts++
		// The same sums of 40 rows in the same order, and systems of condition 100.
		if !floats.EqualApprox(gotL, l, 1e-12) || !floats.EqualApprox(gotPen, pen, 1e-12) {
			t.Errorf("leverages %v and %v, want %v and %v", gotL, gotPen, l, pen)
		}
		for i := range 40 {
			for j, col := range append(at, 4) {
				if math.Abs(rows.At(i, col)-moved.At(j, i)) > 1e-12 {
					t.Errorf("row %d: %v", i, rows.RawRowView(i))
				}
			}
			if rows.At(i, 2) != 0 {
				t.Errorf("row %d moves what is left out", i)
			}
			for j := range 2 {
				h := floats.Dot(pr.psi.RawRowView(i), mat.Col(nil, j, alone.Beta)) + alone.InterceptH[j]
				if want := h - alone.at(few.phi.RawRowView(i))[j]; math.Abs(e.At(i, j)-want) > 1e-12 {
					t.Errorf("row %d: residual %g, want %g", i, e.At(i, j), want)
				}
			}
		}
	})
	if parts != 1 {
		t.Errorf("%d parts, want 1", parts)
	}
}
