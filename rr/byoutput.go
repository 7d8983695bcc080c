package rr

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/features"
	"mediant/problem"
)

// ByOutput fits each column of Y by a method of its own, with the features that all share, so that each has its own w and penalties: f and h of an output are those of its method on a problem of it alone. Outputs
// of the same method share its factorisations. Of has 2Step-RR and Joint-RR by ridge regression, one for each output in the order of Y, which must be columns of numbers. The zero value is not usable.
type ByOutput struct{ Of []Method }

var _ Method = ByOutput{}

// Fit implements Method.
func (b ByOutput) Fit(ctx context.Context, p *problem.Problem) (*Model, error) {
	if err := b.Validate(); err != nil {
		return nil, err
	}
	k := p.Y().Len()
	if len(b.Of) != k || p.Y().Together() {
		return nil, fmt.Errorf("rr: ByOutput.Of has %d methods for the outputs %q, want one for each of several columns of numbers", len(b.Of), p.Y().Names())
	}
	m := NewModel(p, "2step")
	m.Params.Outputs = make([]Params, k)
	f, h := zeroOf(p.Phi(), k), zeroOf(p.Psi(), k)
	for _, at := range b.groups(p) {
		own, err := FitWith(ctx, b.Of[at[0]], p.Only(at))
		if err != nil {
			return nil, err
		}
		setOutputs(f, at, p.Phi(), own.F)
		setOutputs(h, at, p.Psi(), own.H)
		m.addOutputs(at, own)
	}
	m.F, m.H = NewLinear(p.Phi(), f.Coef, f.Intercept), NewLinear(p.Psi(), h.Coef, h.Intercept)
	m.shareParams()
	return m, nil
}

// zeroOf is 0 of so many outputs.
func zeroOf(m features.Map, outputs int) crossfit.Affine {
	_, p := m.Dims()
	return crossfit.Affine{Coef: mat.NewDense(p, outputs, nil), Intercept: make([]float64, outputs)}
}

// byOutput fits each output by the same method.
func byOutput(ctx context.Context, p *problem.Problem, m Method) (*Model, error) {
	return ByOutput{slices.Repeat([]Method{m}, p.Y().Len())}.Fit(ctx, p)
}

// groups are the outputs that are fitted together: those of one method and without weights of their own.
func (b ByOutput) groups(p *problem.Problem) [][]int {
	var all [][]int
	for j, of := range b.Of {
		at := slices.IndexFunc(all, func(group []int) bool { return b.Of[group[0]] == of && !p.FitsAlone(group[0]) })
		if at < 0 || p.FitsAlone(j) {
			at, all = len(all), append(all, nil)
		}
		all[at] = append(all[at], j)
	}
	return all
}

// setOutputs sets the outputs of f at these indices to those of a predictor that is linear in the features m.
func setOutputs(f crossfit.Affine, at []int, m features.Map, of Predictor) {
	own, _ := of.(*Linear).AffineIn(m)
	for i, j := range at {
		f.Coef.SetCol(j, mat.Col(nil, i, own.Coef))
		f.Intercept[j] = own.Intercept[i]
	}
}

// addOutputs adds what is known of the model of the outputs at these indices: of the systems that are solved the condition and the rank of the worst.
func (m *Model) addOutputs(at []int, own *Model) {
	for _, j := range at {
		m.Params.Outputs[j] = own.Params
	}
	if own.Method == "joint" {
		m.Method = "joint"
	}
	for name, c := range own.Condition {
		if worst, ok := m.Condition[name]; ok {
			c.Rank = min(c.Rank, worst.Rank)
			if worst.Number == nil || c.Number != nil && *worst.Number > *c.Number {
				c.Number = worst.Number
			}
		} else if m.Condition == nil {
			m.Condition = make(map[string]Condition)
		}
		m.Condition[name] = c
	}
	merge := func(all *[]string, more []string) {
		for _, text := range more {
			if !slices.Contains(*all, text) {
				*all = append((*all)[:len(*all):len(*all)], text)
			}
		}
	}
	merge(&m.Notes, own.Notes)
	merge(&m.Warnings, own.Warnings)
}

// shareParams sets the hyperparameters that all outputs have alike, and leaves out Outputs if they are all alike.
func (m *Model) shareParams() {
	p, outputs := &m.Params, m.Params.Outputs
	same := func(of func(Params) any) bool {
		return !slices.ContainsFunc(outputs, func(o Params) bool { return !reflect.DeepEqual(of(o), of(outputs[0])) })
	}
	if same(func(o Params) any { return o }) {
		m.Params = outputs[0]
		return
	}
	for _, of := range []func(*Params) **float64{
		func(o *Params) **float64 { return &o.W }, func(o *Params) **float64 { return &o.LambdaF }, func(o *Params) **float64 { return &o.LambdaH },
	} {
		if same(func(o Params) any { return *of(&o) }) {
			*of(p) = *of(&outputs[0])
		}
	}
	if same(func(o Params) any { return o.Penalty }) {
		p.Penalty = outputs[0].Penalty
	}
}

// String lists w, the penalties and the kind of fit, as in "w 1, lambda_f 0.001, lambda_h 1e-05, weighted by precision".
func (p Params) String() string {
	var parts []string
	for _, v := range []struct {
		name  string
		value *float64
	}{{"w", p.W}, {"lambda_f", p.LambdaF}, {"lambda_g", p.LambdaG}, {"lambda_xu", p.LambdaXU}, {"lambda_h", p.LambdaH}} {
		if v.value != nil {
			parts = append(parts, fmt.Sprintf("%s %g", v.name, *v.value))
		}
	}
	if p.Components != nil {
		parts = append(parts, "by components")
	}
	if p.Precision {
		parts = append(parts, "weighted by precision")
	}
	return strings.Join(parts, ", ")
}

// Validate returns an error that names the first method that is none of 2Step-RR and Joint-RR by ridge regression, or has a field out of range.
func (b ByOutput) Validate() error {
	if len(b.Of) == 0 {
		return fmt.Errorf("rr: ByOutput.Of is empty, must have a method for each output")
	}
	for j, of := range b.Of {
		var err error
		switch m := of.(type) {
		case TwoStep:
			if err = m.Validate(); m.F != nil || m.H != nil {
				err = fmt.Errorf("learners of its own, want ridge regression")
			}
		case Joint:
			err = m.Validate()
		default:
			err = fmt.Errorf("a %T, want rr.TwoStep or rr.Joint", of)
		}
		if err != nil {
			return fmt.Errorf("rr: ByOutput.Of[%d]: %w", j, err)
		}
	}
	return nil
}
