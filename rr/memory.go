package rr

import (
	"cmp"

	"mediant/features"
	"mediant/problem"
	"mediant/tables"
)

// CheckMemory is Setup.CheckMemory for this method, which may need less.
func (t TwoStep) CheckMemory(s problem.Setup, xu, uy problem.Preview) error {
	if t.F != nil || t.H != nil {
		return nil // which need rows, not features
	}
	if t.InTurn(s) {
		return s.LeastWithin(problem.Footprint.PreparingInTurn, "", xu, uy)
	}
	return s.CheckMemory(xu, uy)
}

// need is the memory of both steps in turn, without features that are kept.
func (t Iterative) need(f problem.Footprint) float64 {
	return f.Iterating(float64(cmp.Or(t.Sample, defaultSample)), float64(t.whitened(f.Setup.Memory)))
}

// An IterativePlan says what Iterative does with the tables of a footprint.
type IterativePlan struct {
	Footprint problem.Footprint // with the features that passes have
	// Sections and Kept say which of X and U are sections of a kernel at landmarks, with a factor of K_ZZ, and whose features are kept between passes over S_X and S_Y.
	Sections, Kept [2]bool
	Sample         int     // rows of the preconditioner
	Bytes          float64 // of memory, an upper bound
}

// Plan returns the plan for a footprint with the maps of the setup.
func (t Iterative) Plan(f problem.Footprint) IterativePlan {
	of, sections := f.Unwhitened(float64(t.whitened(f.Setup.Memory)))
	p := IterativePlan{Footprint: of, Sections: sections, Sample: cmp.Or(t.Sample, defaultSample)}
	room, kept := t.room(f), 0.
	for side, features := range []float64{of.P(), of.Q()} {
		need := 8 * features * float64(of.Rows[side])
		if p.Kept[side] = need <= room; p.Kept[side] {
			kept = max(kept, need)
		}
	}
	p.Bytes = t.need(f) + kept
	return p
}

// CheckMemory is Setup.CheckMemory for this method with the maps of the setup.
func (t Iterative) CheckMemory(s problem.Setup, xu, uy problem.Preview) error {
	return s.LeastWithin(t.need, "", xu, uy)
}

// predicting is the memory for a block of predictions.
func predicting(f problem.Footprint) float64 {
	rows := 2*f.X.RowBytes + 8*(f.Columns+3*f.Outputs)
	if f.ErrorsToo {
		rows += 8 * f.P()
	}
	return problem.ProgramBytes + f.Held + tables.BlockRows*rows + f.Phi().UseBytes(f.X)
}

// Footprint returns the memory estimates for the tables of e, on which the model is assessed.
func (m *Model) Footprint(e *problem.Encoded) problem.Footprint {
	linear := features.Spec{Kind: features.LinearFeatures}
	f := e.With(linear, linear).Footprint()
	f.Rows = e.TableRows()
	return m.mapped(f)
}

// mapped is f with the model's maps in the place of linear ones.
func (m *Model) mapped(f problem.Footprint) problem.Footprint {
	for _, side := range []struct {
		of Predictor
		to *features.Size
	}{{m.F, &f.X}, {m.H, &f.U}} {
		l := LinearOf(side.of)
		if l == nil {
			continue
		}
		_, side.to.Features = l.Map.Dims()
		f.Held += features.Bytes(l.Map) + 8*float64(side.to.Features)*f.Outputs
	}
	f.Held += m.Held
	return f
}

// mayPredict returns an error if predictions would go above the model's limit.
func (m *Model) mayPredict(src tables.Source, errors bool) error {
	if m.Memory <= 0 {
		return nil
	}
	linear := features.Spec{Kind: features.LinearFeatures}
	setup := problem.Setup{Memory: m.Memory, Phi: linear, Psi: linear}
	f := m.mapped(problem.Encoding{X: m.X, U: m.U, Y: m.Y}.Footprint(setup, src))
	f.ErrorsToo = errors
	return f.Within(predicting, "the model and a block of rows")
}
