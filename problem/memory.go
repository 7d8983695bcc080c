package problem

import (
	"runtime"

	"mediant/crossfit"
	"mediant/features"
	"mediant/metric"
	"mediant/moments"
	"mediant/solvers"
	"mediant/tables"
)

// MapRows is the largest number of rows from which bandwidths and landmarks are chosen: landmarks by pivoted Cholesky cost MapRows·size² flops, so
// more rows would dominate a fit.
const MapRows = 20000

// ProgramBytes is the memory of the program apart from tables, maps and sums: some 30 MB of code and runtime, of which the libraries of file formats are 8, those
// of the server 2 and that of progress bars 2, and stacks, buffers of readers and small objects.
const ProgramBytes = 38 << 20

// A Footprint, made by Encoded.Footprint, estimates the memory that each stage of a fit needs. Its methods return bytes, as
// floating-point numbers, so that very large sizes do not overflow. Each result is an upper bound of the memory in use at one
// time; what the garbage collector has not yet freed is not included.
type Footprint struct {
	Setup     Setup
	X, U      features.Size
	Outputs   float64
	Columns   float64 // number of columns of both tables
	Rows      [2]int  // observations of each table
	stored    [2]int  // rows of each table
	Held      float64 // bytes of tables in memory
	classes   bool
	together  bool // the outputs are one unit
	inTurn    bool // see PreparingInTurn
	Sparse    struct{ X, U bool }
	ErrorsToo bool // standard errors are predicted as well
}

// Footprint returns the memory estimates for the problem and its setup.
func (e *Encoded) Footprint() Footprint {
	by := Encoding{Roles: e.roles, X: e.x, U: e.u, Y: e.y}
	f := by.footprint(e.setup, e.counts, e.stored, e.sources)
	f.inTurn = e.inTurn
	if e.clusters != nil {
		f.Held += clusterBytes * float64(len(e.clusters.places))
	}
	return f
}

// Units is the number of units of the outputs (crossfit.Units), each of which may have weights of its own in the fit of f.
func (f Footprint) Units() float64 {
	if f.together {
		return 1
	}
	return f.Outputs
}

// Footprint returns the memory estimates for rows of a table src, in place of both tables, that e encodes.
func (e Encoding) Footprint(s Setup, src tables.Source) Footprint {
	var rows [2]int
	copy(rows[:], e.U.SourceRows())
	f := e.footprint(s, rows, rows, [2]tables.Source{src, src})
	f.Held /= 2
	return f
}

// footprint is that of tables that stand for rows; X may be missing.
func (e Encoding) footprint(s Setup, rows, stored [2]int, sources [2]tables.Source) Footprint {
	f := Footprint{Setup: s, Outputs: float64(e.Y.Len()), classes: e.Y.Classes() != nil, together: e.Y.Together(), Rows: rows, stored: stored}
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

// OfU returns f for features of U alone.
func (f Footprint) OfU() Footprint {
	f.Setup.Phi, f.X = features.Spec{Kind: features.LinearFeatures}, features.Size{}
	return f
}

// MayHold reports whether a table of this size in bytes may be kept in memory instead of being read in every pass: both tables
// then take at most a quarter of the memory limit, and at most 2 GiB.
func (s Setup) MayHold(bytes float64) bool {
	return bytes <= 1<<30 && (s.Memory <= 0 || bytes <= float64(s.Memory)/8)
}

// With returns f for other feature maps.
func (f Footprint) With(phi, psi features.Spec) Footprint {
	f.X, f.U = resized(f.X, f.Setup.Phi, phi.Resolve(f.Sparse.X)), resized(f.U, f.Setup.Psi, psi.Resolve(f.Sparse.U))
	f.Setup.Phi, f.Setup.Psi = phi, psi
	return f
}

// resized returns the size z of one map for another of the same rows.
func resized(z features.Size, from, to features.Spec) features.Size {
	one, other := from, to
	if one.LandmarkRows, other.LandmarkRows = nil, nil; one == other { // landmarks that were given stay, and need not be comparable
		return z
	}
	z.Features = to.Estimate(z.In)
	if to.Kind == features.NystromFeatures && to.LandmarkRows == nil {
		z.Features = min(z.Features, z.Sample)
	}
	return z
}

// Phi returns the map of X, with the defaults for dense or sparse rows filled in.
func (f Footprint) Phi() features.Spec { return f.Setup.Phi.Resolve(f.Sparse.X) }

// Psi returns the map of U likewise.
func (f Footprint) Psi() features.Spec { return f.Setup.Psi.Resolve(f.Sparse.U) }

// P returns the number of features of X.
func (f Footprint) P() float64 { return float64(f.X.Features) }

// Q returns the number of features of U.
func (f Footprint) Q() float64 { return float64(f.U.Features) }

// Folds returns the number of folds, at least 1.
func (f Footprint) Folds() float64 { return float64(max(1, f.Setup.Folds)) }

// Workers returns the number of folds that are processed at the same time.
func (f Footprint) Workers() float64 { return min(f.Folds(), float64(runtime.GOMAXPROCS(0))) }

// CoMomentsXU returns the bytes of the sums of S_X of one fold.
func (f Footprint) CoMomentsXU() float64 {
	if f.inTurn {
		return moments.Bytes(f.P(), (f.Folds()+1)*f.Outputs)
	}
	return moments.Bytes(f.P(), f.Q())
}

// CoMomentsUY returns the bytes of the sums of S_Y of one fold.
func (f Footprint) CoMomentsUY() float64 { return moments.Bytes(f.Q(), f.Outputs) }

// Base returns the bytes in use at any time once the maps are fitted: the program, tables, both maps, and the buffers of
// passes.
func (f Footprint) Base() float64 {
	phi, psi := f.Phi(), f.Psi()
	rows := f.X.RowBytes + f.U.RowBytes + 8*f.Columns
	pass := passBytes(rows, f.P()+f.Q()+f.Outputs, f.Folds())
	return ProgramBytes + f.Held + phi.MapBytes(f.X) + psi.MapBytes(f.U) + pass + phi.UseBytes(f.X) + psi.UseBytes(f.U)
}

// Mapping returns the bytes in use while both maps are fitted, one after the other.
func (f Footprint) Mapping() float64 {
	x := SampledBytes(f.X, f.Sparse.X, f.Phi().FitBytes(f.X))
	u := SampledBytes(f.U, f.Sparse.U, f.Psi().FitBytes(f.U))
	return f.Base() + max(x, u, f.LearningX(), f.LearningU())
}

// LearningX returns the bytes in use while the metric of phi is learned, 0 where there is none.
func (f Footprint) LearningX() float64 { return f.learning(f.Setup.Phi, f.X, f.Rows[TableXU]) }

// LearningU is LearningX of psi.
func (f Footprint) LearningU() float64 { return f.learning(f.Setup.Psi, f.U, f.Rows[TableUY]) }

func (f Footprint) learning(s features.Spec, z features.Size, rows int) float64 {
	if !s.LearnsMetric() {
		return 0
	}
	n := float64(min(rows, MetricRows))
	if s.Kind == features.WarpedFeatures {
		return features.WarpBytes(n, float64(z.In), f.Outputs) + 8*n*float64(z.Features)
	}
	work := metric.Bytes(n, float64(z.In), f.Outputs)
	if s.Kind == features.AdaptiveFeatures {
		work = metric.ScalesBytes(n, float64(z.Features), f.Outputs)
	}
	return work + 8*n*float64(z.Features) // of psi, of which h is a function
}

// SampledBytes returns the bytes of a sample of rows and of the work after it. A sparse sample is gathered in parts, and there
// are two copies while they are concatenated.
func SampledBytes(z features.Size, sparse bool, after float64) float64 {
	sample := sampleBytes(z.Sample, z.RowBytes)
	if sparse {
		after = max(after, sample)
	}
	return sample + after
}

// Sums returns the bytes of the sums of all folds and of their total.
func (f Footprint) Sums() float64 {
	pairs := f.Folds()
	if pairs > 1 {
		pairs++
	}
	return pairs * (f.CoMomentsXU() + f.CoMomentsUY())
}

// OtherFolds returns the bytes of the sums of the other folds, for every fold.
func (f Footprint) OtherFolds() float64 {
	return f.Folds()*(f.CoMomentsXU()+f.CoMomentsUY()) + f.projecting()
}

// projecting takes Nyström landmarks of a fold out of the sums of the others.
func (f Footprint) projecting() float64 {
	if f.Phi().Kind != features.NystromFeatures && f.Psi().Kind != features.NystromFeatures {
		return 0
	}
	largest := max(f.P(), f.Q())
	return f.Workers() * (f.CoMomentsXU() + 8*3*largest*largest)
}

// ExactOrder is the largest order of psi at which a risk computes traces of products from whole matrices, at 4 q³ flops for each fold. Beyond it random vectors estimate them.
const ExactOrder = 512

// posteriors returns the bytes that a risk needs for the bias from thin overlap.
func (f Footprint) posteriors() float64 {
	q := f.Q() + 1
	if f.inTurn && f.Q() > ExactOrder { // 64 random vectors and some of each output in each fold, their products with two matrices; sums of S_Y, D and a factor, of all rows and, for some folds at a time, of the others with D of the fold
		vectors := 8 * 3 * f.Folds() * q * (64 + 2*f.Outputs)
		return f.CoMomentsUY() + 8*q*q + solvers.FactorBytes(q) + vectors + f.Workers()*(8*2*q*q+solvers.FactorBytes(q))
	}
	functionals := 8 * 3 * q * (2*f.Outputs + 1)
	return f.CoMomentsXU() + f.CoMomentsUY() + 8*3*q*q + solvers.FactorBytes(q) + functionals + f.Workers()*(8*4*q*q+solvers.FactorBytes(q))
}

// CrossValidation returns the bytes that the choice of the penalty of h needs, beside the sums of the other folds.
func (f Footprint) CrossValidation() float64 { return f.CrossValidated(f.Q(), f.Outputs) }

// CrossValidated is CrossValidation for a regression on p columns with k outputs.
func (f Footprint) CrossValidated(p, k float64) float64 {
	fits, validating := f.crossValidated(p, k)
	return fits + validating
}

// crossValidated are the bytes of the fits and those of the work on them.
func (f Footprint) crossValidated(p, k float64) (fits, validating float64) {
	lambdas := float64(len(crossfit.Lambdas))
	return 8 * f.Folds() * lambdas * p * k, max(f.Workers()*solvers.RidgeBytes(p, k, 0), 2*8*p*lambdas*k+moments.InnerBytes(p, k, lambdas*k))
}

// RieszWeights returns the bytes that the choice of Riesz weights for this number of functionals needs.
func (f Footprint) RieszWeights(columns float64) float64 {
	q, mus := f.Q()+1, float64(len(crossfit.Mus))
	solved := 8 * f.Folds() * q * columns * (mus + 3) // and targets, and the chosen ones
	work := 8*q*q + solvers.FactorBytes(q) + 8*2*q*mus*columns + moments.InnerBytes(q, f.Outputs, mus*columns)
	return solved + f.Workers()*work
}

// Solving returns the bytes that a fit from existing sums needs, with what is reserved for after it (Setup.Reserve).
func (f Footprint) Solving() float64 {
	need := f.system()
	if f.Setup.Reserve != nil {
		need += f.Setup.Reserve(f)
	}
	return need
}

// system is what a fit in closed form holds besides the sums.
func (f Footprint) system() float64 {
	if f.inTurn {
		return max(solvers.RidgeBytes(f.P(), f.Outputs, 1), solvers.RidgeBytes(f.Q(), f.Outputs, 1))
	}
	return solvers.SystemBytes(f.P(), f.Q(), f.Outputs)
}

// Assessing returns the bytes that cross-fitting a method in closed form from existing sums needs; shifted is form 2.
func (f Footprint) Assessing(shifted bool) float64 {
	p, k := f.P(), f.Outputs
	fits := 8 * f.Folds() * (p + 2*f.Q()) * k
	fitting := f.CoMomentsXU() + f.CoMomentsUY() + f.system()
	return fits + max(fitting, f.nuisances(shifted))
}

// nuisances are those of a risk, fitted with the sums of S_Y by folds at hand.
func (f Footprint) nuisances(shifted bool) float64 {
	columns, others := f.Outputs, f.Folds()*f.CoMomentsUY()+f.projecting()
	if f.classes {
		columns += f.Outputs
	}
	fits, validating := f.crossValidated(f.Q(), f.Outputs)
	if shifted {
		return 2*(others+fits) + f.Folds()*f.CoMomentsUY() + max(validating, f.RieszWeights(columns+1), f.posteriors())
	}
	return others + fits + max(validating, f.RieszWeights(columns), f.posteriors())
}

// AssessingModel returns the bytes that the risk of a fitted model on new tables needs; shifted is form 2.
func (f Footprint) AssessingModel(shifted bool) float64 {
	return f.Base() + 8*2*f.Q()*f.Q() + f.Folds()*(f.CoMomentsUY()+moments.Bytes(1, f.Q())) + f.nuisances(shifted)
}

// weighing is what weights of rows by the ratio of the distributions of U take: sums by folds, if there are none, and of the
// other folds.
func (f Footprint) weighing() float64 {
	if !f.Setup.Shift {
		return 0
	}
	need, f := f.ByFolds()
	return need + f.CoMomentsXU() + f.CoMomentsUY() + f.RieszWeights(1)
}

// ByFolds returns the bytes of sums by fold, if there are none yet, and of the sums of the other folds, and f with that number
// of folds.
func (f Footprint) ByFolds() (float64, Footprint) {
	need := 0.0
	if f.Setup.Folds < 2 {
		f.Setup.Folds = DefaultFolds
		need += f.Sums()
	}
	return need + f.OtherFolds(), f
}

// Reserving returns the setup with more memory reserved for work after the fit.
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

// Preparing returns the bytes that Prepare needs, with a fit in closed form and, if there are folds, a risk after it.
func (f Footprint) Preparing() float64 {
	after := max(f.Solving(), f.weighing())
	if f.Setup.Folds > 1 {
		after = max(after, f.Assessing(false))
	}
	return max(f.Mapping(), f.Base()+f.Sums()+after)
}

// PreparingInTurn is Preparing where S_X is summed for 2Step-RR alone (Mapped.SumInTurn).
func (f Footprint) PreparingInTurn() float64 {
	f.inTurn = true
	return f.Preparing()
}

// Iterating returns the bytes that conjugate gradients in place of sums need, with a preconditioner of this sample, where Nyström maps of more landmarks than whitened are sections.
func (f Footprint) Iterating(sample, whitened float64) float64 {
	columns := f.Outputs
	if f.Folds() > 1 {
		columns *= 1 + f.Folds()
	}
	f, sections := f.Unwhitened(whitened)
	step := func(spec features.Spec, z features.Size, rows int, sections bool) (maps, work float64) {
		p, block, factor := float64(z.Features), 0., 0.
		maps = spec.MapBytes(z)
		if sections {
			maps, block = 2*p*z.RowBytes, 2*8*SectionRows*p
			factor = 2 * p * p // in float32
		} else if spec.Kind == features.NystromFeatures {
			maps += spec.FittingBytes(z) // its identity is not asked for
		}
		batch := max(passBytes(z.RowBytes+8*f.Columns, p, f.Folds()), block)
		own := min(sample, float64(rows))
		return maps, batch + factor + 8*p*(8*columns+own) + 8*4*own*own
	}
	mapsX, x := step(f.Phi(), f.X, f.Rows[TableXU], sections[TableXU])
	mapsU, u := step(f.Psi(), f.U, f.Rows[TableXU]+f.Rows[TableUY], sections[TableUY])
	return ProgramBytes + f.Held + mapsX + mapsU + max(x, u)
}

// Unwhitened is f with the features of MapUnwhitened: Nyström maps of more landmarks than whitened are sections, with as many as the Spec asks for and there are rows. sections says which of X
// and U are.
func (f Footprint) Unwhitened(whitened float64) (of Footprint, sections [2]bool) {
	for side, at := range []struct {
		spec features.Spec
		size *features.Size
		rows int
	}{{f.Phi(), &f.X, f.Rows[TableXU]}, {f.Psi(), &f.U, f.Rows[TableXU] + f.Rows[TableUY]}} {
		if n := min(at.spec.Estimate(at.size.In), at.rows); at.spec.Kind == features.NystromFeatures && float64(n) > whitened {
			at.size.Features, sections[side] = n, true
		}
	}
	return f, sections
}

// SectionRows are the rows of a Gram matrix of landmarks that conjugate gradients hold.
const SectionRows = 512

// encoding is all rows of both tables as numbers, and a copy of the outputs, which learners scale.
func (f Footprint) encoding() float64 {
	x, y := float64(f.stored[0]), float64(f.stored[1])
	rows := 8 * (x*float64(f.X.In+f.U.In+2) + y*(float64(f.U.In+1)+2*f.Outputs))
	return ProgramBytes + f.Held + rows + passBytes(f.X.RowBytes+f.U.RowBytes+8*f.Columns, 0, 1)
}
