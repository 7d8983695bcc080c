package solvers

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
)

// Components say which features of X each part of an additive h is regressed on. Features come in groups
// of adjacent columns, those of phi and those of psi, so that h(u) = b + Σ_g h_g(u_g), h_g = beta_g'psi_g.
type Components struct {
	// Phi and Psi are the numbers of features of each group.
	Phi, Psi []int
	// Kept lists, for each group of psi, the groups of phi that h_g is regressed on, in increasing order.
	Kept [][]int
}

// KeepAll reports whether every component keeps all groups, so that the fit is that of all at once.
func (c Components) KeepAll() bool {
	return !slices.ContainsFunc(c.Kept, func(kept []int) bool { return len(kept) < len(c.Phi) })
}

// check panics unless the groups make up p and q columns and Kept names groups of phi in order.
func (c Components) check(p, q int) {
	if sum(c.Phi) != p || sum(c.Psi) != q || len(c.Kept) != len(c.Psi) {
		panic(mat.ErrShape)
	}
	for g, kept := range c.Kept {
		for i, j := range kept {
			if j < 0 || j >= len(c.Phi) || i > 0 && j <= kept[i-1] {
				panic(fmt.Sprintf("solvers: component %d keeps the groups %v, want some of %d in increasing order", g, kept, len(c.Phi)))
			}
		}
	}
}

func sum(v []int) int {
	total := 0
	for _, n := range v {
		total += n
	}
	return total
}

// columns lists the columns of some groups, given the sizes of all.
func columns(sizes, groups []int) []int {
	var out []int
	lo := 0
	for g, size := range sizes {
		if slices.Contains(groups, g) {
			for i := range size {
				out = append(out, lo+i)
			}
		}
		lo += size
	}
	return out
}

// A part is the components that are regressed on the same groups of phi, and so in one regression of their
// sum: columns of phi and of psi.
type part struct{ phi, psi []int }

// parts joins the components by what they keep, in the order of the first of each.
func (c Components) parts() []part {
	var kept, joined [][]int
	for g, k := range c.Kept {
		at := slices.IndexFunc(kept, func(o []int) bool { return slices.Equal(o, k) })
		if at < 0 {
			at = len(kept)
			kept, joined = append(kept, k), append(joined, nil)
		}
		joined[at] = append(joined[at], g)
	}
	out := make([]part, len(kept))
	for t := range out {
		out[t] = part{columns(c.Phi, kept[t]), columns(c.Psi, joined[t])}
	}
	return out
}

// A Componentwise, made by System.Componentwise, solves for 2Step-RR by components (docs/theory.md, section 23): f = a + Σ_g
// alpha_g'phi, where alpha_g minimises
//
//	mean_SX |h_g - a_g - alpha_g'phi|² + lambda_f |alpha_g|²
//
// over the coefficients that are 0 outside the groups of phi that component g keeps. A component that keeps none adds its
// mean over S_X. Where all keep everything it is 2Step-RR, to the bit. It is not safe for concurrent use, nor together with
// its System.
type Componentwise struct {
	system *System
	parts  []part
}

// Componentwise returns the solver by components. A System without intercepts panics: its A and B are not
// centred, so that a component would be asked to predict its mean from features that it does not depend on. So do
// components of other sizes.
func (s *System) Componentwise(c Components) *Componentwise {
	if !s.intercept {
		panic("solvers: by components, but without intercepts")
	}
	c.check(s.b.Dims())
	return &Componentwise{system: s, parts: c.parts()}
}

// Solve returns the minimiser. Each lambda_f costs the sum over the distinct sets of kept groups, of p_t features together,
// of p_t³/3 flops. Params with a w other than 1 panic, and so do those that fail Check. CondF is the largest among the sets,
// 1 if all are empty, RankF is p less the largest rank deficiency.
func (c *Componentwise) Solve(p Params) *Solution {
	_, lambdaH := p.checkedAlone()
	h := new(Factor)
	c.system.factorRight(h, 1, lambdaH, true)
	sol := c.followOne(p, c.system.solveH(h), true)
	sol.CondF, sol.CondH = math.Max(1, sol.CondF), h.Cond()
	return sol
}

// Coefficients is Solve for each of ps without the condition numbers, which are 0. Those of the same lambda_f that stand
// together share its factors, of which there is one at a time. It checks ctx before each solution; its error is that of ctx.
func (c *Componentwise) Coefficients(ctx context.Context, ps []Params) ([]*Solution, error) {
	h := make([]hSolution, len(ps))
	for i, p := range ps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		_, lambdaH := p.checkedAlone()
		h[i] = c.system.coefficientsAlone(lambdaH)
	}
	return c.follow(ctx, ps, h, false)
}

// checkedAlone is checked for params that must have w = 1.
func (p Params) checkedAlone() (lambdaF, lambdaH float64) {
	if p.W != 1 {
		panic(fmt.Sprintf("solvers: by components with w = %g, want 1", p.W))
	}
	return p.checked()
}

// follow fits f to each h, part by part, until ctx is done.
func (c *Componentwise) follow(ctx context.Context, ps []Params, h []hSolution, cond bool) ([]*Solution, error) {
	out := make([]*Solution, len(ps))
	for i := range out {
		out[i] = c.empty(h[i])
	}
	for _, t := range c.parts {
		if len(t.phi) == 0 {
			continue
		}
		a, b := within(c.system.a, t.phi), pick(c.system.b, t.phi, t.psi)
		var f *Factor
		for i, p := range ps {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if i == 0 || p.LambdaF != ps[i-1].LambdaF {
				f = NewFactor(a, p.LambdaF)
			}
			addRows(out[i].Alpha, t.phi, t.alpha(f, b, out[i].Beta))
			out[i].RankF = min(out[i].RankF, len(c.system.phi)-len(t.phi)+f.Rank())
			if cond {
				out[i].CondF = math.Max(out[i].CondF, f.Cond())
			}
		}
	}
	for _, sol := range out {
		c.system.intercepts(sol)
	}
	return out, nil
}

// followOne is follow for one h.
func (c *Componentwise) followOne(p Params, h hSolution, cond bool) *Solution {
	all, err := c.follow(context.Background(), []Params{p}, []hSolution{h}, cond)
	if err != nil {
		panic(err) // of a context that never ends
	}
	return all[0]
}

// empty is the solution in which no component has any group yet.
func (c *Componentwise) empty(h hSolution) *Solution {
	p, _ := c.system.b.Dims()
	_, k := h.beta.Dims()
	return &Solution{Alpha: mat.NewDense(p, k, nil), Beta: h.beta, RankF: p, RankH: h.rank}
}

// alpha returns the coefficients of the part's columns of phi by the factor of its system.
func (t part) alpha(f *Factor, b, beta *mat.Dense) *mat.Dense {
	var alpha mat.Dense
	fast.MulTo(&alpha, blas.NoTrans, b, blas.NoTrans, t.beta(beta))
	f.SolveTo(&alpha, &alpha)
	return &alpha
}

// beta returns the coefficients of the part's columns of psi.
func (t part) beta(beta *mat.Dense) *mat.Dense {
	_, k := beta.Dims()
	return pick(beta, t.psi, columns([]int{k}, []int{0}))
}

// within returns the rows and columns of a that are listed in increasing order.
func within(a *mat.SymDense, at []int) *mat.SymDense {
	out := mat.NewSymDense(len(at), nil)
	for i, r := range at {
		for j := i; j < len(at); j++ {
			out.SetSym(i, j, a.At(r, at[j]))
		}
	}
	return out
}

// pick returns the listed rows and columns of a.
func pick(a *mat.Dense, rows, cols []int) *mat.Dense {
	out := mat.NewDense(len(rows), len(cols), nil)
	for i, r := range rows {
		from, to := a.RawRowView(r), out.RawRowView(i)
		for j, at := range cols {
			to[j] = from[at]
		}
	}
	return out
}

// addRows adds the rows of a to those of dst that are listed.
func addRows(dst *mat.Dense, at []int, a *mat.Dense) {
	for i, r := range at {
		floats.Add(dst.RawRowView(r), a.RawRowView(i))
	}
}
