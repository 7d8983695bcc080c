package search

import (
	"mediant/crossfit"
	"mediant/features"
	"mediant/problem"
)

// An Outline says what a fit is going to do, and roughly what that takes.
type Outline struct {
	Phi, Psi []string // the maps that are compared, by name; one each if they are set
	// Compared and Final are the numbers of features of X and of U at which maps are compared and of the final fit, of maps whose size is not set. They are
	// equal where nothing is compared.
	Compared, Final [2]int
	Bytes           float64 // of memory, an upper bound (problem.Footprint)
	// Flops estimates the number of floating-point operations, without reading the tables. It counts products, factorisations and features, as if they ran
	// at one speed; additive maps and fits by components may take half as much again.
	Flops float64
}

// Outline returns the outline of Choose for encoded tables, of a fit of the choice and of its risk. It reads nothing.
func (s Search) Outline(e *problem.Encoded) Outline {
	if s.Folds < 2 {
		s.Folds = Folds
	}
	f := e.Footprint()
	f.Setup.Folds = min(s.Folds, f.Rows[0], f.Rows[1])
	phis, psis := s.candidates(f)
	o := Outline{Phi: candidateNames(phis), Psi: candidateNames(psis)}
	phi, psi := requiredOf(phis)[0], requiredOf(psis)[0]
	at := func(sizes [2]int) problem.Footprint {
		return f.With(sized(phi, sizes[0], f.X.In), sized(psi, sizes[1], f.U.In))
	}
	small := at([2]int{searchSize(e.X().Rows()), searchSize(e.U().Rows())})
	e = s.atFinalSize(e, phi, psi)
	final := f.With(e.Setup().Phi, e.Setup().Psi)
	o.Final = [2]int{final.X.Features, final.U.Features}
	o.Compared = o.Final
	o.Bytes = s.hyperparameterBytes(final)
	w := work{f: final}
	if len(phis) > 1 || len(psis) > 1 {
		o.Compared = [2]int{small.X.Features, small.U.Features}
		o.Bytes = max(o.Bytes, s.stages(f))
		c := work{f: small}
		o.Flops += float64(len(psis)) * c.tryPsi()
		if len(phis) > 1 {
			o.Flops += float64(len(phis)) * c.tryPhi()
		}
	}
	points, methods := float64(len(refine)*len(refine)*len(s.wGrid(s.W))), 1.
	tuning := w.tuning(len(refine), points)
	if s.weighs(f.Rows[0]) {
		tuning += w.sumsXU() + w.crossValidation(w.p()) + w.tuning(len(refine), points)
	}
	if s.Rivals != nil {
		methods++
	}
	o.Flops += w.sums() + w.crossValidation(w.q()) + w.riesz(0) + w.tuning(len(searchLambdas), float64(len(searchLambdas))) + tuning + methods*w.assessing() + w.solving()
	return o
}

// OutlineOf returns the outline of the fit of a method in closed form whose hyperparameters are set, and of its risk if risk is true.
func OutlineOf(e *problem.Encoded, risk bool) Outline {
	f := e.Footprint()
	f.Setup.Folds = 0
	if risk {
		f.Setup.Folds = min(problem.DefaultFolds, f.Rows[0], f.Rows[1])
	}
	o := Outline{Phi: []string{f.Phi().String()}, Psi: []string{f.Psi().String()}, Final: [2]int{f.X.Features, f.U.Features}, Bytes: f.Preparing()}
	o.Compared = o.Final
	w := work{f: f}
	o.Flops = w.sums() + w.solving()
	if risk {
		o.Flops += w.assessing()
	}
	return o
}

func candidateNames(specs []features.Spec) []string {
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = candidateName(s)
	}
	return names
}

// A work counts the floating-point operations of the parts of a fit with the maps of a footprint.
type work struct{ f problem.Footprint }

func (w work) p() float64     { return w.f.P() }
func (w work) q() float64     { return w.f.Q() }
func (w work) k() float64     { return w.f.Outputs }
func (w work) n() float64     { return float64(w.f.Rows[0]) }
func (w work) m() float64     { return float64(w.f.Rows[1]) }
func (w work) folds() float64 { return w.f.Folds() }

// mapping is reading rows and their features. A cosine takes some 20 operations, and a row in itself as much time as some 10,000.
func (w work) mapping(z features.Size, rows float64) float64 {
	return rows * (float64(z.Features)*(2*float64(z.In)+20) + 1e4)
}

// fitting is a Nyström map's: pivoted Cholesky of a sample.
func (w work) fitting(spec features.Spec, z features.Size) float64 {
	if spec.Kind != features.NystromFeatures {
		return 0
	}
	size := float64(z.Features)
	return float64(z.Sample) * size * (size + 2*float64(z.In))
}

func (w work) sumsXU() float64 {
	p, q := w.p(), w.q()
	return w.mapping(w.f.X, w.n()) + w.mapping(w.f.U, w.n()) + w.n()*(p*p+2*p*q+q*q)
}

func (w work) sumsUY() float64 {
	return w.mapping(w.f.U, w.m()) + w.m()*w.q()*(w.q()+2*w.k())
}

func (w work) sums() float64 {
	return w.fitting(w.f.Phi(), w.f.X) + w.fitting(w.f.Psi(), w.f.U) + w.sumsXU() + w.sumsUY()
}

// factors is a number of Cholesky factors of order p in each fold. They take p³/3 operations, and as much time as p²(p+300)/3 of products.
func (w work) factors(count, p float64) float64 { return w.folds() * count * p * p * (p + 300) / 3 }

// crossValidation is the choice of a penalty of a regression on p columns.
func (w work) crossValidation(p float64) float64 {
	return w.factors(float64(len(crossfit.Lambdas)), p) + w.folds()*float64(len(crossfit.Lambdas))*4*p*p*w.k()
}

// riesz is the Riesz weights of a number of functions f, and their risks; with none, the factors that all share.
func (w work) riesz(functions float64) float64 {
	p, q := w.p(), w.q()
	if functions == 0 {
		return w.factors(float64(len(crossfit.Mus)), q)
	}
	return w.folds() * functions * w.k() * (float64(len(crossfit.Mus))*4*q*q + 2*p*p + 4*p*q + 4*q*q)
}

// tuning is the fits of a grid of so many points, with so many penalties of f, and their risks. With w below 1 each penalty has a Schur complement, and each
// point a factor of order q.
func (w work) tuning(lambdas int, points float64) float64 {
	p, q := w.p(), w.q()
	need := w.factors(float64(lambdas), p) + w.riesz(points)
	if points > float64(lambdas) {
		need += w.folds()*float64(lambdas)*2*p*q*(p+q) + w.factors(points, q)
	}
	return need
}

func (w work) tryPsi() float64 {
	return w.fitting(w.f.Psi(), w.f.U) + w.sumsUY() + w.crossValidation(w.q())
}

func (w work) tryPhi() float64 {
	return w.fitting(w.f.Phi(), w.f.X) + w.sumsXU() + w.tuning(len(searchLambdas), float64(len(searchLambdas)))
}

// solving is one fit from sums, with w below 1.
func (w work) solving() float64 {
	p, q := w.p(), w.q()
	return (p*p*p+2*q*q*q)/3 + 2*p*q*(p+q)
}

// assessing is the risk of a method: a fit a fold, the nuisances, the posterior of thin overlap, and a pass over both tables.
func (w work) assessing() float64 {
	q := w.q()
	pass := w.mapping(w.f.X, w.n()) + w.mapping(w.f.U, w.n()+w.m()) + 2*w.k()*(w.n()*(w.p()+2*q)+2*w.m()*q)
	return w.folds()*w.solving() + w.crossValidation(q) + w.riesz(0) + w.riesz(1) + 5*(w.folds()+1)*q*q*q + pass
}
