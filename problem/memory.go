package problem

import (
	"runtime"

	"mediant/crossfit"
	"mediant/features"
	"mediant/moments"
	"mediant/solvers"
	"mediant/tables"
)

// MapRows is the number of rows from which bandwidths and landmarks are drawn: landmarks by
// pivoted Cholesky cost sampleRows·size² flops, so more would dominate a fit.
const MapRows = 20000

// ProgramBytes is what a program takes beside its work: 13 MB of code and runtime before there is any, and stacks,
// buffers of readers and small objects.
const ProgramBytes = 24 << 20

// A Footprint, made by a Problem, is what the memory that the parts of a fit take depends on. Its methods return bytes, as
// floating-point numbers, so that absurd widths do not overflow. Each bounds from above what is in use at a time, at the
// sizes that are known; what the garbage collector has not yet freed is not in it.
type Footprint struct {
	Setup     Setup
	X, U      features.Size
	Outputs   float64
	Columns   float64 // of both tables together
	Rows      [2]int  // that tables stand for
	stored    [2]int  // that they have
	Held      float64 // by tables in memory
	classes   bool
	Sparse    struct{ X, U bool }
	ErrorsToo bool // predictions are with standard errors
}

// Footprint returns that of the problem's setup.
func (e *Encoded) Footprint() Footprint {
	by := Encoding{Roles: e.roles, X: e.x, U: e.u, Y: e.y}
	return by.footprint(e.setup, e.counts, e.stored, e.sources)
}

// Footprint is that of rows of a source, in the place of both tables, that are encoded by e.
func (e Encoding) Footprint(s Setup, src tables.Source) Footprint {
	var rows [2]int
	copy(rows[:], e.U.SourceRows())
	f := e.footprint(s, rows, rows, [2]tables.Source{src, src})
	f.Held /= 2
	return f
}

// footprint is that of tables that stand for rows; X may be missing.
func (e Encoding) footprint(s Setup, rows, stored [2]int, sources [2]tables.Source) Footprint {
	f := Footprint{Setup: s, Outputs: float64(e.Y.Len()), classes: e.Y.Classes() != nil, Rows: rows, stored: stored}
	f.U, f.Sparse.U = s.Psi.SizeOf(e.U, min(MapRows, e.U.Rows())), e.U.Sparse()
	if e.X != nil {
		f.X, f.Sparse.X = s.Phi.SizeOf(e.X, min(MapRows, e.X.Rows())), e.X.Sparse()
	}
	for i, src := range sources {
		if src == nil {
			continue
		}
		f.Columns += float64(len(src.Columns()))
		own := float64(tables.FactsOf(src).Held)
		f.Held += own
		if tables.HasVectors(src.Columns()) && f.stored[i] > 0 {
			f.X.RowBytes, f.U.RowBytes = max(f.X.RowBytes, own/float64(f.stored[i])), max(f.U.RowBytes, own/float64(f.stored[i]))
		}
	}
	return f
}

// OfU is f for features of U alone.
func (f Footprint) OfU() Footprint {
	f.Setup.Phi, f.X = features.Spec{Kind: features.LinearFeatures}, features.Size{}
	return f
}

// MayHold reports whether a table of so many bytes is small enough to be held in memory, instead of being read again
// and again: both tables then take a quarter of the limit at most, and never more than 2 GiB.
func (s Setup) MayHold(bytes float64) bool {
	return bytes <= 1<<30 && (s.Memory <= 0 || bytes <= float64(s.Memory)/8)
}

// With returns f with other maps.
func (f Footprint) With(phi, psi features.Spec) Footprint {
	f.X, f.U = resized(f.X, f.Setup.Phi, phi.For(f.Sparse.X)), resized(f.U, f.Setup.Psi, psi.For(f.Sparse.U))
	f.Setup.Phi, f.Setup.Psi = phi, psi
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

func (f Footprint) Phi() features.Spec { return f.Setup.Phi.For(f.Sparse.X) }

func (f Footprint) Psi() features.Spec { return f.Setup.Psi.For(f.Sparse.U) }

func (f Footprint) P() float64 { return float64(f.X.Features) }

func (f Footprint) Q() float64 { return float64(f.U.Features) }

func (f Footprint) Folds() float64 { return float64(max(1, f.Setup.Folds)) }

// Workers is the number of folds that are worked on at a time.
func (f Footprint) Workers() float64 { return min(f.Folds(), float64(runtime.GOMAXPROCS(0))) }

// PairXU and pairUY are the sums of one fold.
func (f Footprint) PairXU() float64 { return moments.Bytes(f.P(), f.Q()) }

func (f Footprint) PairUY() float64 { return moments.Bytes(f.Q(), f.Outputs) }

// Base is what is there at any time once there are maps: the program, tables, both maps, and the buffers of passes.
func (f Footprint) Base() float64 {
	phi, psi := f.Phi(), f.Psi()
	rows := f.X.RowBytes + f.U.RowBytes + 8*f.Columns
	pass := passBytes(rows, f.P()+f.Q()+f.Outputs, f.Folds())
	return ProgramBytes + f.Held + phi.MapBytes(f.X) + psi.MapBytes(f.U) + pass + phi.UseBytes(f.X) + psi.UseBytes(f.U)
}

// Mapping is the making of both maps, one after the other.
func (f Footprint) Mapping() float64 {
	x := SampledBytes(f.X, f.Sparse.X, f.Phi().FitBytes(f.X))
	u := SampledBytes(f.U, f.Sparse.U, f.Psi().FitBytes(f.U))
	return f.Base() + max(x, u)
}

// SampledBytes is a sample of rows with what is done with it. Sparse ones are gathered in parts, of which there are two copies
// while they are put together.
func SampledBytes(z features.Size, sparse bool, after float64) float64 {
	sample := sampleBytes(z.Sample, z.RowBytes)
	if sparse {
		after = max(after, sample)
	}
	return sample + after
}

// Sums are the moments of all folds, and of all of them together.
func (f Footprint) Sums() float64 {
	pairs := f.Folds()
	if pairs > 1 {
		pairs++
	}
	return pairs * (f.PairXU() + f.PairUY())
}

// Others are the sums of the other folds, for each fold.
func (f Footprint) Others() float64 { return f.Folds()*(f.PairXU()+f.PairUY()) + f.projecting() }

// projecting takes Nyström landmarks of a fold out of the sums of the others.
func (f Footprint) projecting() float64 {
	if f.Phi().Kind != features.NystromFeatures && f.Psi().Kind != features.NystromFeatures {
		return 0
	}
	largest := max(f.P(), f.Q())
	return f.Workers() * (f.PairXU() + 8*3*largest*largest)
}

// unknowns is what a risk takes to say what S_Y lacks.
func (f Footprint) unknowns() float64 {
	q := f.Q() + 1
	functionals := 8 * 3 * q * (2*f.Outputs + 1)
	return f.PairXU() + f.PairUY() + 8*3*q*q + solvers.FactorBytes(q) + functionals + f.Workers()*(8*4*q*q+solvers.FactorBytes(q))
}

// CrossValidation is the choice of a penalty of h, with sums of the other folds at hand.
func (f Footprint) CrossValidation() float64 { return f.CrossValidated(f.Q(), f.Outputs) }

// CrossValidated is that of a regression on p columns with k outputs.
func (f Footprint) CrossValidated(p, k float64) float64 {
	lambdas := float64(len(crossfit.Lambdas))
	fits := 8 * f.Folds() * lambdas * p * k
	return fits + max(f.Workers()*solvers.RidgeBytes(p, k, 0), 2*8*p*lambdas*k+moments.InnerBytes(p, k, lambdas*k))
}

// RieszWeights is the choice of Riesz weights for so many functionals at a time.
func (f Footprint) RieszWeights(columns float64) float64 {
	q, mus := f.Q()+1, float64(len(crossfit.Mus))
	solved := 8 * f.Folds() * q * columns * (mus + 3) // and targets, and the chosen ones
	work := 8*q*q + solvers.FactorBytes(q) + 8*2*q*mus*columns + moments.InnerBytes(q, f.Outputs, mus*columns)
	return solved + f.Workers()*work
}

// Solving is a fit from sums that are there, and what is reserved for after it.
func (f Footprint) Solving() float64 {
	need := solvers.SystemBytes(f.P(), f.Q(), f.Outputs)
	if f.Setup.Reserve != nil {
		need += f.Setup.Reserve(f)
	}
	return need
}

// Assessing is cross-fitting from sums that are there, by a method in closed form.
func (f Footprint) Assessing(shifted bool) float64 {
	p, k := f.P(), f.Outputs
	fits := 8 * f.Folds() * (p + 2*f.Q()) * k
	fitting := f.PairXU() + f.PairUY() + solvers.SystemBytes(p, f.Q(), k)
	return fits + max(fitting, f.nuisances(shifted))
}

// nuisances are those of a risk, fitted with the sums of S_Y by folds at hand.
func (f Footprint) nuisances(shifted bool) float64 {
	columns, one := f.Outputs, f.Folds()*f.PairUY()+f.projecting()+f.CrossValidation()
	if f.classes {
		columns += f.Outputs
	}
	if shifted {
		return 2*one + f.Folds()*f.PairUY() + max(f.RieszWeights(columns+1), f.unknowns())
	}
	return one + max(f.RieszWeights(columns), f.unknowns())
}

// Judging is the risk of a model on other tables.
func (f Footprint) Judging(shifted bool) float64 {
	return f.Base() + 8*2*f.Q()*f.Q() + f.Folds()*(f.PairUY()+moments.Bytes(1, f.Q())) + f.nuisances(shifted)
}

// weighing is what weights of rows by the ratio of the distributions of U take: sums by folds, if there are none, and of the
// other folds.
func (f Footprint) weighing() float64 {
	if !f.Setup.Shift {
		return 0
	}
	need, f := f.ByFolds()
	return need + f.PairXU() + f.PairUY() + f.RieszWeights(1)
}

// ByFolds is what sums by folds take, if there are none, and those of the other folds.
func (f Footprint) ByFolds() (float64, Footprint) {
	need := 0.0
	if f.Setup.Folds < 2 {
		f.Setup.Folds = DefaultFolds
		need += f.Sums()
	}
	return need + f.Others(), f
}

// Reserving returns the setup with more set aside for what is done with the problem.
func (s Setup) Reserving(more func(Footprint) float64) Setup {
	before := s.Reserve
	s.Reserve = func(f Footprint) float64 {
		need := more(f)
		if before != nil {
			need += before(f)
		}
		return need
	}
	return s
}

// Preparing is Prepare, with what follows it in closed form: a fit, and a risk if there are folds.
func (f Footprint) Preparing() float64 {
	after := max(f.Solving(), f.weighing())
	if f.Setup.Folds > 1 {
		after = max(after, f.Assessing(false))
	}
	return max(f.Mapping(), f.Base()+f.Sums()+after)
}

// encoding is all rows of both tables as numbers, and a copy of the outputs, which learners scale.
func (f Footprint) encoding() float64 {
	x, y := float64(f.stored[0]), float64(f.stored[1])
	rows := 8 * (x*float64(f.X.In+f.U.In+2) + y*(float64(f.U.In+1)+2*f.Outputs))
	return ProgramBytes + f.Held + rows + passBytes(f.X.RowBytes+f.U.RowBytes+8*f.Columns, 0, 1)
}
