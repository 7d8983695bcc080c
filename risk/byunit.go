package risk

import (
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/moments"
)

// byUnit are the nuisances of each unit of the outputs by itself, so that what follows from them does not depend on the others.
func (n *fittedNuisances) byUnit(u crossfit.Units) []*fittedNuisances {
	if u.Count() == 1 {
		return []*fittedNuisances{n}
	}
	var all []*fittedNuisances
	for j := range u.Count() {
		all = append(all, n.output(j))
	}
	return all
}

// output are the nuisances of one of several columns of Y.
func (n *fittedNuisances) output(j int) *fittedNuisances {
	one := func(f crossfit.Affine) crossfit.Affine {
		if f.Coef == nil {
			return f
		}
		return f.Outputs(j, j+1)
	}
	column := func(s crossfit.Splits) (own crossfit.Splits) {
		for k := range s.Held {
			own.Train = append(own.Train, s.Train[k].RightColumns([]int{j}, moments.ID{}))
			own.Held = append(own.Held, s.Held[k].RightColumns([]int{j}, moments.ID{}))
		}
		return own
	}
	own := &fittedNuisances{uy: column(n.uy), squares: column(n.squares), centre: n.centre[j : j+1], firstFold: n.firstFold}
	for k, of := range n.of {
		own.of = append(own.of, nuisances{h: one(of.h), r: one(of.r), v: one(of.v), omega: of.omega})
		q, columns := n.held[k].Dims()
		held := mat.NewDense(q, 1+columns-len(n.centre), nil) // with that of omega
		held.SetCol(0, mat.Col(nil, j, n.held[k]))
		for i := len(n.centre); i < columns; i++ {
			held.SetCol(1+i-len(n.centre), mat.Col(nil, i, n.held[k]))
		}
		own.held = append(own.held, held)
	}
	return own
}
