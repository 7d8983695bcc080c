package problem

import (
	"slices"

	"mediant/moments"
)

// Only returns the problem of the outputs at these indices, of several columns of Y, with the same rows, maps and sums of all else, and the weights of the fit of these outputs if all have
// the same.
func (p *Problem) Only(at []int) *Problem {
	own := *p
	own.y = p.y.Only(at)
	own.roles.Y = own.y.Names()
	pick := func(m *moments.CoMoments) *moments.CoMoments { return m.RightColumns(at, own.y.ID()) }
	own.foldsUY, own.uy = mapped(p.foldsUY, pick), pick(p.uy)
	if p.splitUY.Train != nil {
		own.splitUY.Train, own.splitUY.Held = mapped(p.splitUY.Train, pick), mapped(p.splitUY.Held, pick)
	}
	if p.blocks != nil {
		own.blocks = &blocks{p.blocks.xu, nil}
		for _, fold := range p.blocks.uy {
			own.blocks.uy = append(own.blocks.uy, mapped(fold, pick))
		}
	}
	if p.first != nil {
		own.first = p.first.only(at)
		ofH := func(m *moments.CoMoments) *moments.CoMoments { return onlyOf(m, at, p.y.Len()) }
		own.foldsXU, own.xu = mapped(p.foldsXU, ofH), ofH(p.xu)
	}
	if p.fitOf != nil {
		own.fitOf = make([]*fitSums, len(at))
		for i, j := range at {
			own.fitOf[i] = p.fitOf[j]
		}
		if own.fit = own.fitOf[0]; !slices.ContainsFunc(own.fitOf, func(f *fitSums) bool { return f != own.fit }) {
			own.fitOf = nil
		}
	}
	return complete(own)
}

func mapped(all []*moments.CoMoments, by func(*moments.CoMoments) *moments.CoMoments) []*moments.CoMoments {
	out := make([]*moments.CoMoments, len(all))
	for i, m := range all {
		out[i] = by(m)
	}
	return out
}

// WithFitWeightsOfEach returns p with the weights of the fit of f that each of the problems has for its output (Only); nil stands for none. A method fits such a problem output by output.
func (p *Problem) WithFitWeightsOfEach(of []*Problem) *Problem {
	own := p.WithoutFitWeights()
	if !slices.ContainsFunc(of, func(o *Problem) bool { return o != nil && o.fit != nil }) {
		return own
	}
	each := *own
	each.fitOf = make([]*fitSums, len(of))
	for j, o := range of {
		if o != nil {
			each.fitOf[j] = o.fit
		}
	}
	return complete(each)
}

// FitsAlone reports whether output j has such weights.
func (p *Problem) FitsAlone(j int) bool { return p.fitOf != nil && p.fitOf[j] != nil }

// FitsEach reports whether outputs have weights of their own in the fit of f (WithFitWeightsOfEach).
func (p *Problem) FitsEach() bool { return p.fitOf != nil }
