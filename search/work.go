package search

import (
	"mediant/crossfit"
	"mediant/features"
	"mediant/glm"
	"mediant/losses"
	"mediant/metric"
	"mediant/problem"
	"mediant/rr"
)

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
	if spec.Kind != features.NystromFeatures && spec.Kind != features.WarpedFeatures && !spec.AtLandmarks {
		return 0
	}
	size := float64(z.Features)
	return float64(z.Sample) * size * (size + 2*float64(z.In))
}

// learning is the metric of a map of rows, where it has one: of all of them, and as often without a fold in a comparison where it is the best of its kind and for what it takes off the risk.
func (w work) learning(spec features.Spec, z features.Size, rows float64) float64 {
	switch {
	case !spec.LearnsMetric():
		return 0
	case spec.Kind == features.WarpedFeatures:
		return features.WarpFlops(min(rows, problem.MetricRows), float64(z.In))
	case spec.Kind == features.AdaptiveFeatures:
		return metric.ScalesFlops(min(rows, problem.MetricRows), float64(z.Features), w.k())
	}
	return metric.Flops(min(rows, problem.MetricRows), float64(z.In), w.k())
}

// comparingMetrics is the metric of a candidate where it is the first of its kind, and for one kernel of two that without each fold.
func (w work) comparingMetrics(seen map[metricKind]bool, spec features.Spec, z features.Size, rows, sums float64) float64 {
	kind := metricKindOf(spec)
	if !spec.LearnsMetric() || seen[kind] {
		return 0
	}
	seen[kind] = true
	need := w.learning(spec, z, rows)
	if rows < 4*problem.MetricRows {
		need += w.folds() * (need + sums) / 2
	}
	return need
}

// byFold is maps and sums of both tables in metrics without each fold.
func (w work) byFold() float64 {
	if !learns(w.f) {
		return 0
	}
	share := min(1, float64(optimismRows)/max(w.n(), w.m())) // of rows, and so of the sums
	return w.folds() * (w.learning(w.f.Setup.Psi, w.f.U, w.m()) + w.learning(w.f.Setup.Phi, w.f.X, w.n()) + share*(w.sumsXU()+w.sumsUY()))
}

func (w work) sumsXU() float64 {
	p, q := w.p(), w.q()
	return w.mapping(w.f.X, w.n()) + w.mapping(w.f.U, w.n()) + w.n()*(p*p+2*p*q+q*q)
}

func (w work) sumsUY() float64 {
	return w.mapping(w.f.U, w.m()) + w.m()*w.q()*(w.q()+2*w.k())
}

func (w work) sums() float64 {
	learning := w.learning(w.f.Setup.Psi, w.f.U, w.m()) + w.learning(w.f.Setup.Phi, w.f.X, w.n())
	return learning + w.fitting(w.f.Phi(), w.f.X) + w.fitting(w.f.Psi(), w.f.U) + w.sumsXU() + w.sumsUY()
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

// sumsInTurn is the sums of S_Y, and those of phi with h alone over S_X.
func (w work) sumsInTurn() float64 {
	return w.mapping(w.f.X, w.n()) + w.mapping(w.f.U, w.n()) + w.n()*w.p()*(w.p()+2*(w.folds()+1)*w.k()) + w.sumsUY()
}

// assessingInTurn is the risk of 2Step-RR from sums of S_X with h alone, with what one fold chooses where it has enough rows: two passes over S_X and one over S_Y, and the products with random vectors.
func (w work) assessingInTurn() float64 {
	q, k, folds := w.q(), w.k(), w.folds()
	pass := 2*(w.mapping(w.f.X, w.n())+w.mapping(w.f.U, w.n())) + w.mapping(w.f.U, w.m())
	products := 2*w.k()*folds*w.n()*(w.p()+w.q()) + 2*k*(w.n()*(w.p()+2*q)+2*w.m()*q) + 4*64*w.n()*q
	chosen := float64(len(crossfit.Lambdas)+len(crossfit.Mus))/folds + 3 // factors of order q in each fold
	return w.factors(1, w.p()) + w.factors(chosen, q) + pass + products
}

// iterating is both steps by so many iterations of conjugate gradients each, with their preconditioners: a pass has the columns of all outputs and folds, and kernels where they are not kept.
func (w work) iterating(plan rr.IterativePlan, iterations float64) (need float64) {
	columns, sample := w.k(), float64(plan.Sample)
	if w.folds() > 1 {
		columns *= 1 + w.folds()
	}
	for side, of := range []struct {
		spec features.Spec
		size features.Size
		rows float64
	}{{w.f.Phi(), w.f.X, w.n()}, {w.f.Psi(), w.f.U, w.m()}} {
		p := float64(of.size.Features)
		pass := 4 * of.rows * p * columns
		begin := w.mapping(of.size, of.rows) + sample*sample*p
		if !plan.Kept[side] {
			pass += w.mapping(of.size, of.rows)
		}
		if plan.Sections[side] {
			pass += w.mapping(of.size, p/2) + 2*p*p*columns
			begin += p*p*p/6 + sample*p*p // in float32, which is twice as fast
		} else {
			begin += w.fitting(of.spec, of.size)
		}
		need += begin + (iterations+1)*pass
	}
	return need + w.mapping(w.f.U, w.n()) + 2*w.n()*w.q()*columns // h on S_X
}

// diagnosing is three regressions with five penalties by folds: of h on X, and of f and of Y on U.
func (w work) diagnosing() float64 {
	p, q, rows := w.p(), w.q(), min(w.n(), 1e4)+min(w.m(), 1e4)
	return w.mapping(w.f.X, rows/2) + w.mapping(w.f.U, rows) + rows/2*(p*p+2*q*q) + w.factors(5, p) + w.factors(10, q)
}

// generalising is the choice of two penalties from so many, and the final fit, by another loss: in each fold an h and an f for each penalty.
func (w work) generalising(loss losses.Canonical, penaltiesF, penaltiesH int) glm.Work {
	assessing := float64(penaltiesF) * w.assessing()
	all := glm.Work{Typical: assessing, Least: assessing, Most: assessing}
	add := func(rows, features float64, penalties int) {
		fold, whole := glm.WorkOf(loss, rows*(1-1/w.folds()), features, w.k()), glm.WorkOf(loss, rows, features, w.k())
		fits := w.folds() * float64(penalties)
		all.Typical, all.Least, all.Most = all.Typical+fits*fold.Typical+whole.Typical, all.Least+fits*fold.Least+whole.Least, all.Most+fits*fold.Most+whole.Most
	}
	add(w.m(), w.q(), penaltiesH)
	add(w.n(), w.p(), penaltiesF)
	return all
}
