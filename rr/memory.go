package rr

import (
	"errors"
	"fmt"
	"math"
	"runtime"

	"mediant/crossfit"
	"mediant/features"
	"mediant/moments"
	"mediant/problem"
	"mediant/solvers"
	"mediant/tables"
)

// sampleRows is the number of rows from which bandwidths and landmarks are drawn: landmarks by
// pivoted Cholesky cost sampleRows·size² flops, so more would dominate a fit.
const sampleRows = 20000

// programBytes is what a program takes beside its work: 13 MB of code and runtime before there is any, and stacks,
// buffers of readers and small objects.
const programBytes = 24 << 20

// A footprint is what the memory that the parts of a fit take depends on. Its methods return bytes, as floating-point
// numbers, so that widths that nobody can mean do not overflow. Each bounds from above what is in use at a time, at the
// sizes that are known; what the garbage collector has not yet freed is not in it.
type footprint struct {
	setup     Setup
	x, u      features.Size
	outputs   float64
	columns   float64 // of both tables together
	rows      [2]int  // that tables stand for
	stored    [2]int  // that they have
	held      float64 // by tables in memory
	classes   bool
	sparse    struct{ x, u bool }
	errorsToo bool // predictions are with standard errors
}

// footprint returns that of the problem's setup; X may be missing.
func (p *Problem) footprint() footprint {
	f := footprint{setup: p.Setup, outputs: float64(p.Y.Len()), classes: p.Y.Classes() != nil}
	copy(f.rows[:], p.U.SourceRows())
	copy(f.stored[:], p.tableRows())
	f.u, f.sparse.u = p.Setup.Psi.SizeOf(p.U, min(sampleRows, p.U.Rows())), p.U.Sparse()
	if p.X != nil {
		f.x, f.sparse.x = p.Setup.Phi.SizeOf(p.X, min(sampleRows, p.X.Rows())), p.X.Sparse()
	}
	for i, src := range p.sources {
		f.columns += float64(len(src.Columns()))
		own := float64(tables.Held(src))
		f.held += own
		if tables.HasVectors(src.Columns()) && f.stored[i] > 0 {
			f.x.RowBytes, f.u.RowBytes = max(f.x.RowBytes, own/float64(f.stored[i])), max(f.u.RowBytes, own/float64(f.stored[i]))
		}
	}
	return f
}

// A Glimpse is what is known of a table before it is read: its columns, nil if they are not known either, and a number of
// rows that it has at least.
type Glimpse struct {
	Columns []tables.Column
	Rows    int
}

// leastFootprint returns one that is no larger than that of any two tables of which so much is known, sparse ones or not.
func (s Setup) leastFootprint(sparse bool, xu, uy Glimpse) footprint {
	f := footprint{setup: s, outputs: 1, rows: [2]int{max(1, xu.Rows), max(1, uy.Rows)}}
	for i, name := range []string{s.Roles.WeightsXU, s.Roles.WeightsUY} {
		if name != "" { // rows of weight 0 are left out, and others may stand for many
			f.rows[i] = 1
		}
	}
	f.stored = f.rows
	f.columns = float64(len(xu.Columns) + len(uy.Columns))
	if roles, err := tables.AssignRoles(xu.Columns, uy.Columns, s.Roles); err == nil {
		f.outputs = float64(len(roles.Y)) // at least: a label has several
	}
	f.sparse.x, f.sparse.u = sparse, sparse
	f.x, f.u = f.phi().LeastSize(min(sampleRows, f.rows[0])), f.psi().LeastSize(min(sampleRows, f.rows[0]+f.rows[1]))
	return f
}

// leastWithin returns an error if need will be above the limit whatever is found in the tables.
func (s Setup) leastWithin(need func(footprint) float64, what string, xu, uy Glimpse) error {
	for _, sparse := range []bool{true, false} {
		err := s.leastFootprint(sparse, xu, uy).within(need, what)
		if memory := new(MemoryError); !errors.As(err, &memory) {
			return err
		} else if memory.Least = true; !sparse {
			return memory
		}
	}
	return nil
}

// CheckMemory returns a MemoryError if a fit with this setup, and a risk if it has folds, takes more than Memory whatever
// is found in the tables. Fits check it themselves; it is for those whose tables take long to open.
func (s Setup) CheckMemory(xu, uy Glimpse) error {
	return s.leastWithin(footprint.preparing, "", xu, uy)
}

// CheckMemory is that of a Setup, for a fit that may need less.
func (t TwoStep) CheckMemory(s Setup, xu, uy Glimpse) error {
	if t.F != nil || t.H != nil {
		return nil // which need rows, not features
	}
	if t.inTurn(s) {
		return s.leastWithin(footprint.inTurn, "", xu, uy)
	}
	return s.CheckMemory(xu, uy)
}

// CheckMemory is that of a Setup, for the whole search.
func (s Search) CheckMemory(xu, uy Glimpse) error {
	if s.Folds < 2 {
		s.Folds = SearchFolds
	}
	return s.leastWithin(s.stages, searchMemory, xu, uy)
}

// CheckMemory is that of a Setup.
func (e Effect) CheckMemory(xu, uy Glimpse) error {
	if e.Folds == 0 {
		e.Folds = effectFolds
	}
	return e.leastWithin(footprint.estimating, effectMemory, xu, uy)
}

// beforeReading is leastWithin of the problem.
func (p *Problem) beforeReading(need func(footprint) float64, what string) error {
	var seen [2]Glimpse
	for i, src := range p.sources {
		seen[i].Columns = src.Columns()
		seen[i].Rows, _ = tables.KnownRows(src)
	}
	return p.Setup.leastWithin(need, what, seen[tableXU], seen[tableUY])
}

// ofU is f for features of U alone.
func (f footprint) ofU() footprint {
	f.setup.Phi, f.x = features.Spec{Kind: features.LinearFeatures}, features.Size{}
	return f
}

// mayHold reports whether a table of so many bytes is small enough to be held in memory, instead of being read again
// and again: both tables then take a quarter of the limit at most, and never more than 2 GiB.
func (s Setup) mayHold(bytes float64) bool {
	return bytes <= 1<<30 && (s.Memory <= 0 || bytes <= float64(s.Memory)/8)
}

// with returns f with other maps.
func (f footprint) with(phi, psi features.Spec) footprint {
	f.x, f.u = resized(f.x, f.setup.Phi, phi.For(f.sparse.x)), resized(f.u, f.setup.Psi, psi.For(f.sparse.u))
	f.setup.Phi, f.setup.Psi = phi, psi
	return f
}

// resized returns the size z of one map for another of the same rows.
func resized(z features.Size, from, to features.Spec) features.Size {
	one, other := from, to
	if one.Given, other.Given = nil, nil; one == other { // landmarks that were given stay, and need not be comparable
		return z
	}
	z.Features = to.Estimate(z.In)
	if to.Kind == features.NystromFeatures && to.Given == nil {
		z.Features = min(z.Features, z.Sample)
	}
	return z
}

func (f footprint) phi() features.Spec { return f.setup.Phi.For(f.sparse.x) }

func (f footprint) psi() features.Spec { return f.setup.Psi.For(f.sparse.u) }

func (f footprint) p() float64 { return float64(f.x.Features) }

func (f footprint) q() float64 { return float64(f.u.Features) }

func (f footprint) folds() float64 { return float64(max(1, f.setup.Folds)) }

// workers is the number of folds that are worked on at a time.
func (f footprint) workers() float64 { return min(f.folds(), float64(runtime.GOMAXPROCS(0))) }

// pairXU and pairUY are the sums of one fold.
func (f footprint) pairXU() float64 { return moments.Bytes(f.p(), f.q()) }

func (f footprint) pairUY() float64 { return moments.Bytes(f.q(), f.outputs) }

// base is what is there at any time once there are maps: the program, tables, both maps, and the buffers of passes.
func (f footprint) base() float64 {
	phi, psi := f.phi(), f.psi()
	rows := f.x.RowBytes + f.u.RowBytes + 8*f.columns
	pass := problem.PassBytes(rows, f.p()+f.q()+f.outputs, f.folds())
	return programBytes + f.held + phi.MapBytes(f.x) + psi.MapBytes(f.u) + pass + phi.UseBytes(f.x) + psi.UseBytes(f.u)
}

// mapping is the making of both maps, one after the other.
func (f footprint) mapping() float64 {
	x := sampled(f.x, f.sparse.x, f.phi().FitBytes(f.x))
	u := sampled(f.u, f.sparse.u, f.psi().FitBytes(f.u))
	return f.base() + max(x, u)
}

// sampled is a sample of rows with what is done with it. Sparse ones are gathered in parts, of which there are two copies
// while they are put together.
func sampled(z features.Size, sparse bool, after float64) float64 {
	sample := problem.SampleBytes(z.Sample, z.RowBytes)
	if sparse {
		after = max(after, sample)
	}
	return sample + after
}

// sums are the moments of all folds, and of all of them together.
func (f footprint) sums() float64 {
	pairs := f.folds()
	if pairs > 1 {
		pairs++
	}
	return pairs * (f.pairXU() + f.pairUY())
}

// others are the sums of the other folds, for each fold.
func (f footprint) others() float64 { return f.folds()*(f.pairXU()+f.pairUY()) + f.projecting() }

// projecting takes Nyström landmarks of a fold out of the sums of the others.
func (f footprint) projecting() float64 {
	if f.phi().Kind != features.NystromFeatures && f.psi().Kind != features.NystromFeatures {
		return 0
	}
	largest := max(f.p(), f.q())
	return f.workers() * (f.pairXU() + 8*3*largest*largest)
}

// unknowns is what a risk takes to say what S_Y lacks.
func (f footprint) unknowns() float64 {
	q := f.q() + 1
	functionals := 8 * 3 * q * (2*f.outputs + 1)
	return f.pairXU() + f.pairUY() + 8*3*q*q + solvers.FactorBytes(q) + functionals + f.workers()*(8*4*q*q+solvers.FactorBytes(q))
}

// crossValidation is the choice of a penalty of h, with sums of the other folds at hand.
func (f footprint) crossValidation() float64 { return f.crossValidated(f.q(), f.outputs) }

// crossValidated is that of a regression on p columns with k outputs.
func (f footprint) crossValidated(p, k float64) float64 {
	lambdas := float64(len(crossfit.Lambdas))
	fits := 8 * f.folds() * lambdas * p * k
	return fits + max(f.workers()*solvers.RidgeBytes(p, k, 0), 2*8*p*lambdas*k+moments.InnerBytes(p, k, lambdas*k))
}

// rieszWeights is the choice of Riesz weights for so many functionals at a time.
func (f footprint) rieszWeights(columns float64) float64 {
	q, mus := f.q()+1, float64(len(crossfit.Mus))
	solved := 8 * f.folds() * q * columns * (mus + 3) // and targets, and the chosen ones
	work := 8*q*q + solvers.FactorBytes(q) + 8*2*q*mus*columns + moments.InnerBytes(q, f.outputs, mus*columns)
	return solved + f.workers()*work
}

// tuning is the fits of f at so many points of a grid, and their comparison.
func (f footprint) tuning(points float64) float64 {
	p, q, k := f.p(), f.q(), f.outputs
	fits := 8 * f.folds() * points * p * k
	columns := min(points, max(1, math.Floor(judgeColumns/k))) * k
	judging := 8*f.folds()*p*columns + max(f.rieszWeights(columns), f.workers()*(moments.InnerBytes(p, q, columns)+8*(p+q)*columns)+8*f.folds()*q*columns*4)
	return fits + max(f.workers()*solvers.SystemBytes(p, q, k), judging)
}

// errors is what standard errors take: sums and roots for each output, of two kinds where they are corrected, and rows.
func (f footprint) errors(kind Covariance) float64 {
	p, q, k := f.p()+1, f.q()+1, f.outputs
	rows := tables.BlockRows / f.folds()
	scores := moments.Bytes(p, 1) + moments.Bytes(q, 1) + 8*2*rows*(p+q) + 8*p*p
	if kind == Corrected {
		scores += moments.Bytes(p, 1) + moments.Bytes(q, 1) + 8*(3*q*q+p*p) + 8*2*rows*(p+q)
	}
	return solvers.InfluenceBytes(p, q) + k*scores + 8*6*rows*(p+q)
}

// solving is a fit from sums that are there, and what is reserved for after it.
func (f footprint) solving() float64 {
	need := solvers.SystemBytes(f.p(), f.q(), f.outputs)
	if f.setup.reserve != nil {
		need += f.setup.reserve(f)
	}
	return need
}

// assessing is cross-fitting from sums that are there, by a method in closed form.
func (f footprint) assessing(shifted bool) float64 {
	p, k := f.p(), f.outputs
	fits := 8 * f.folds() * (p + 2*f.q()) * k
	fitting := f.pairXU() + f.pairUY() + solvers.SystemBytes(p, f.q(), k)
	return fits + max(fitting, f.nuisances(shifted))
}

// nuisances are those of a risk, fitted with the sums of S_Y by folds at hand.
func (f footprint) nuisances(shifted bool) float64 {
	columns, one := f.outputs, f.folds()*f.pairUY()+f.projecting()+f.crossValidation()
	if f.classes {
		columns += f.outputs
	}
	if shifted {
		return 2*one + f.folds()*f.pairUY() + max(f.rieszWeights(columns+1), f.unknowns())
	}
	return one + max(f.rieszWeights(columns), f.unknowns())
}

// judging is the risk of a model on other tables.
func (f footprint) judging(shifted bool) float64 {
	return f.base() + 8*2*f.q()*f.q() + f.folds()*(f.pairUY()+moments.Bytes(1, f.q())) + f.nuisances(shifted)
}

// diagnosing is a diagnosis: keys of rows of U, the permutations of rows of two samples of U, and the regressions on
// samples of both tables.
func (f footprint) diagnosing() float64 {
	p, q, k := f.p(), f.q(), f.outputs
	const keys, growth = sharedKeys * (16 + 8 + 16) * 2, 1.25
	comparing := keys*growth + 8*lawRows*(4*q+2*float64(f.u.In)) + 8*(permutations+1)*(2*lawRows+q)
	samples := 0.0
	for _, rows := range f.rows {
		samples += growth * max(8*f.columns, f.x.RowBytes, f.u.RowBytes) * min(float64(rows), diagnosisRows)
	}
	folds := f.folds() * (moments.Bytes(p, k) + 2*moments.Bytes(q, k))
	largest := max(p, q)
	explaining := samples + folds + f.folds()*moments.Bytes(largest, k) + f.crossValidated(largest, k)
	return f.base() + 8*2*(p*p+q*q) + max(comparing, explaining)
}

// predicting is a block of predictions.
func (f footprint) predicting() float64 {
	rows := 2*f.x.RowBytes + 8*(f.columns+3*f.outputs)
	if f.errorsToo {
		rows += 8 * f.p()
	}
	return programBytes + f.held + tables.BlockRows*rows + f.phi().UseBytes(f.x)
}

// weighing is what weights of rows by the ratio of the distributions of U take: sums by folds, if there are none, and of the
// other folds.
func (f footprint) weighing() float64 {
	if !f.setup.Shift {
		return 0
	}
	need, f := f.byFolds()
	return need + f.pairXU() + f.pairUY() + f.rieszWeights(1)
}

// byFolds is what sums by folds take, if there are none, and those of the other folds.
func (f footprint) byFolds() (float64, footprint) {
	need := 0.0
	if f.setup.Folds < 2 {
		f.setup.Folds = RiskFolds
		need += f.sums()
	}
	return need + f.others(), f
}

// weighingByPrecision is what weights by precision take: sums by folds, a pilot fit, the variance, and sums anew.
func (f footprint) weighingByPrecision() float64 {
	need, f := f.byFolds()
	return need + f.crossValidation() + f.precision() + f.tuning(float64(len(searchLambdas))) + (f.folds()+1)*f.pairXU()
}

// reserving returns the setup with more set aside for what is done with the problem.
func (s Setup) reserving(more func(footprint) float64) Setup {
	before := s.reserve
	s.reserve = func(f footprint) float64 {
		need := more(f)
		if before != nil {
			need += before(f)
		}
		return need
	}
	return s
}

// precision is the regression of the variance, and S_X summed anew by folds, with the sums of the other folds.
func (f footprint) precision() float64 {
	variance := 2*f.folds()*moments.Bytes(f.p(), 1) + f.crossValidated(f.p(), 1)
	return max(variance, (2*f.folds()+1)*f.pairXU())
}

// preparing is Prepare, with what follows it in closed form: a fit, and a risk if there are folds.
func (f footprint) preparing() float64 {
	after := max(f.solving(), f.weighing())
	if f.setup.Folds > 1 {
		after = max(after, f.assessing(false))
	}
	return max(f.mapping(), f.base()+f.sums()+after)
}

// inTurn is 2Step-RR where nothing but the model is wanted.
func (f footprint) inTurn() float64 {
	p, q, k := f.p(), f.q(), f.outputs
	h := moments.Bytes(q, k) + solvers.RidgeBytes(q, k, 1)
	g := 8*q*k + moments.Bytes(p, k) + solvers.RidgeBytes(p, k, 1)
	return max(f.mapping(), f.base()+max(h, g))
}

// estimating is an Effect.
func (f footprint) estimating() float64 {
	f = f.ofU()
	folds := f.folds()
	sums := 2 * folds * (moments.Bytes(1, f.q()) + f.pairUY())
	return max(f.mapping(), f.base()+sums+f.crossValidation()+f.rieszWeights(1))
}

// encoding is all rows of both tables as numbers, and a copy of the outputs, which learners scale.
func (f footprint) encoding() float64 {
	x, y := float64(f.stored[0]), float64(f.stored[1])
	rows := 8 * (x*float64(f.x.In+f.u.In+2) + y*(float64(f.u.In+1)+2*f.outputs))
	return programBytes + f.held + rows + problem.PassBytes(f.x.RowBytes+f.u.RowBytes+8*f.columns, 0, 1)
}

// trying is a candidate for psi in stage 1 of a search, beside the best so far.
func (f footprint) tryingPsi() float64 {
	f = f.ofU()
	one := 2 * f.folds() * f.pairUY()
	best := one + 8*f.folds()*float64(len(searchLambdas))*f.q()*f.outputs
	return f.base() + best + sampled(f.u, f.sparse.u, max(one+f.crossValidation(), f.psi().FitBytes(f.u)))
}

// tryingPhi is a candidate for phi in stage 2.
func (f footprint) tryingPhi() float64 {
	judge := 2*f.folds()*f.pairUY() + 8*f.folds()*float64(len(searchLambdas))*f.q()*f.outputs
	return f.base() + judge + sampled(f.x, f.sparse.x, max(2*f.folds()*f.pairXU()+f.tuning(float64(len(searchLambdas))), f.phi().FitBytes(f.x)))
}

// numbers is stage 3 of a search, and stage 4 and the fit that follow it. points is the size of the grid.
func (s Search) numbers(f footprint) float64 {
	lambdas := float64(len(searchLambdas))
	kept := 8 * f.folds() * lambdas * (f.p() + f.q()) * f.outputs // coarse fits of f, and all of h
	points := float64(len(refine) * len(refine) * len(s.wGrid(s.W)))
	tuning := max(f.tuning(lambdas), f.tuning(points))
	assessing := max(f.assessing(s.Assess.Form == ShiftedLaw), f.solving())
	if s.Rivals != nil { // the naive chain predicts U, or psi where rows of U are sparse
		columns := float64(f.u.In)
		if f.sparse.u {
			columns = f.q()
		}
		assessing = max(assessing, f.folds()*moments.Bytes(f.p(), columns)+solvers.RidgeBytes(f.p(), columns, 1))
	}
	if additive(f.setup.Phi) && additive(f.setup.Psi) && s.triesComponents(f.rows[0]) {
		points = float64(len(refine) * len(refineComponents))
		part := 8*f.p()*(f.p()+f.q()) + solvers.FactorBytes(f.p()) + 8*points*(f.p()+f.q())*f.outputs
		tuning = max(tuning, f.tuning(points)+f.workers()*part)
	}
	if s.weighs(f.rows[0]) {
		tuning = max(tuning, f.precision()) + f.precision()
		assessing += (f.folds() + 2) * f.pairXU() // for all folds, all together, and the others
	}
	return max(f.mapping(), f.base()+f.sums()+max(f.others()+kept+tuning, assessing))
}

func additive(s features.Spec) bool { return s.Kind == features.AdditiveFeatures }

// searchMemory is what takes that of stages.
const searchMemory = "a search"

// stages is a whole search. Candidates whose sizes the search sets, or the caller has set, must fit, those that have
// the size that their columns give them only if there is no other: they are left out where they do not fit.
func (s Search) stages(f footprint) float64 {
	need := 0.0
	phis, psis := s.candidates(f)
	rowsX, rowsU := f.rows[0], f.rows[0]+f.rows[1]
	for _, phi := range requiredOf(phis) {
		for _, psi := range requiredOf(psis) {
			at := f.with(sized(phi, searchSize(rowsX), f.x.In), sized(psi, searchSize(rowsU), f.u.In))
			need = max(need, s.numbers(at))
			if len(phis) > 1 || len(psis) > 1 {
				need = max(need, at.tryingPsi())
			}
			if len(phis) > 1 {
				need = max(need, at.tryingPhi())
			}
		}
	}
	return need
}

// candidates are the maps that the search tries on both sides.
func (s Search) candidates(f footprint) (phis, psis []features.Spec) {
	return s.withGroups(candidatesFor(f.sparse.x, f.setup.Phi, s.PhiCandidates)), s.withGroups(candidatesFor(f.sparse.u, f.setup.Psi, s.PsiCandidates))
}

// requiredOf returns the specs that have the size that they are given, or all if there are none.
func requiredOf(specs []features.Spec) []features.Spec {
	var out []features.Spec
	for _, s := range specs {
		if s.HasSize() && !additive(s) {
			out = append(out, s)
		}
	}
	if out == nil {
		return specs
	}
	return out
}

// judged returns the footprint of a problem of tables that a model is judged on.
func (p *Problem) judged(m *Model) footprint {
	p.Setup.Phi, p.Setup.Psi = features.Spec{Kind: features.LinearFeatures}, features.Spec{Kind: features.LinearFeatures}
	f := p.footprint()
	f.rows = p.weighed
	for _, side := range []struct {
		of Predictor
		to *features.Size
	}{{m.F, &f.x}, {m.H, &f.u}} {
		if c, ok := side.of.(Chain); ok {
			side.of = c.First
		}
		l, ok := side.of.(*Linear)
		if !ok {
			continue
		}
		_, side.to.Features = l.Map.Dims()
		f.held += features.Bytes(l.Map) + 8*float64(side.to.Features)*f.outputs
	}
	f.held += m.Held
	return f
}

// mayPredict returns an error if predictions would go above the model's limit.
func (m *Model) mayPredict(src tables.Source, errors bool) error {
	if m.Memory <= 0 {
		return nil
	}
	p := &Problem{Setup: Setup{Memory: m.Memory}, X: m.X, U: m.U, Y: m.Y, sources: [2]tables.Source{src, src}}
	f := p.judged(m)
	f.held -= float64(tables.Held(src)) // counted twice
	f.errorsToo = errors
	return f.within(footprint.predicting, "the model and a block of rows")
}

// CheckMemory returns a MemoryError if work that takes so many bytes beside the problem's own sums, its maps and its
// tables would go above the Memory of its Setup. what is large in it. Methods ask before they begin.
func (p *Problem) CheckMemory(bytes float64, what string) error {
	return p.footprint().within(func(f footprint) float64 { return f.base() + f.sums() + bytes }, what)
}

// CheckMemory returns a MemoryError if work that takes so many bytes beside the rows would go above the Memory of the
// Setup. what is large in it. Methods ask before they begin.
func (e *Encoded) CheckMemory(bytes float64, what string) error {
	return e.problem.footprint().within(func(f footprint) float64 { return f.encoding() + bytes }, what)
}

// A MemoryError says that a fit would need more memory, in bytes, than its Setup allows.
type MemoryError struct {
	Need  float64
	Limit int64
	What  string // that is large
	// Size is the largest Size of both maps that would fit, 0 if none would or sizes do not matter.
	Size int
	// Least says that tables are not read yet, so that it may be more.
	Least bool
}

func (e *MemoryError) Error() string {
	about, smaller := "about", ""
	if e.Least {
		about = "at least"
	}
	if e.Size > 0 {
		smaller = fmt.Sprintf("ask for maps of size %d or ", e.Size)
	}
	return fmt.Sprintf("rr: this needs %s %s for %s, above the limit of %s: %sraise the limit", about, bytesText(e.Need), e.What, bytesText(float64(e.Limit)), smaller)
}

// bytesText writes a number of bytes for people, rounded up.
func bytesText(n float64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", math.Ceil(10*n/(1<<30))/10)
	case n >= 1<<20:
		return fmt.Sprintf("%.0f MiB", math.Ceil(n/(1<<20)))
	default:
		return fmt.Sprintf("%.0f KiB", math.Ceil(n/(1<<10)))
	}
}

// within returns an error if need is above the limit of f's setup.
func (f footprint) within(need func(footprint) float64, what string) error {
	limit := float64(f.setup.Memory)
	bytes := need(f)
	if f.setup.Memory <= 0 || bytes <= limit {
		return nil
	}
	if what == "" {
		what = fmt.Sprintf("%d and %d features", f.x.Features, f.u.Features)
		if f.held > 0 {
			what += fmt.Sprintf(" and tables of %s", bytesText(f.held))
		}
	}
	return &MemoryError{Need: bytes, Limit: f.setup.Memory, What: what, Size: f.largest(func(f footprint) bool { return need(f) <= limit })}
}

// largest returns the largest size of both maps that fits, to two digits, or 0.
func (f footprint) largest(fits func(footprint) bool) int {
	lo, hi := 0, max(f.x.Features, f.u.Features) // lo fits, hi does not
	if !f.setup.Phi.HasSize() && !f.setup.Psi.HasSize() {
		return 0
	}
	for hi-lo > 2 {
		at := (lo + hi) / 4 * 2
		if at <= lo {
			break
		}
		if fits(f.with(f.setup.Phi.WithSize(at), f.setup.Psi.WithSize(at))) {
			lo = at
		} else {
			hi = at
		}
	}
	for unit := 2; unit <= lo; unit *= 10 { // 2, 20, 200: even
		if lo >= 100*unit/2 {
			lo = lo / unit * unit
		}
	}
	return lo
}
