package problem

import (
	"fmt"
	"math"

	"mediant/crossfit"
	"mediant/moments"
)

// Private returns the runs of a table whose sums have noise.
func (s *Sums) Private(table int) []Run {
	var found []Run
	for _, run := range s.Runs {
		if run.Table == table && run.Private != nil {
			found = append(found, run)
		}
	}
	return found
}

// noise is that of the sums of each fold of both tables: the variances of runs and blocks add.
func (s *Sums) noise() map[[2]moments.ID]crossfit.Noise {
	all := make(map[[2]moments.ID]crossfit.Noise)
	for t := range s.Plan.Grids {
		var n crossfit.Noise
		for _, run := range s.Private(t) {
			of, root := run.Private, math.Sqrt(float64(s.Plan.blocks()))*run.Factor()
			add := func(side *crossfit.SideNoise, first, second, norm float64) {
				side.First, side.Second, side.Norm = math.Hypot(side.First, root*norm*first), math.Hypot(side.Second, root*norm*norm*second), norm
			}
			add(&n.Left, of.Noise.A, of.Noise.AA, of.Left)
			if t == TableXU {
				add(&n.Right, of.Noise.B, of.Noise.BB, of.Right[0])
			}
		}
		if n != (crossfit.Noise{}) {
			left, right := s.Plan.ids(t)
			all[[2]moments.ID{left, right}] = n
		}
	}
	return all
}

// noteNoise says what the noise of the sums adds to the penalties.
func (p *Problem) noteNoise(s *Sums) {
	for t, sum := range []*moments.CoMoments{p.xu, p.uy} {
		runs := s.Private(t)
		if len(runs) == 0 {
			continue
		}
		least := runs[0].Private.Privacy
		for _, run := range runs {
			least.Epsilon, least.Delta = min(least.Epsilon, run.Private.Epsilon), min(least.Delta, run.Private.Delta)
		}
		left, _ := p.Splitter().NoiseOf(sum).Floor(sum, len(p.foldsXU))
		what := [2]string{"lambda_f", "lambda_h"}[t]
		p.note(fmt.Sprintf("the sums of %s have noise for privacy (epsilon %g, delta %g): %.2g is added to %s, as much as the noise can be, and standard errors of the risk contain the noise",
			tableNames[t], least.Epsilon, least.Delta, left/sum.Weight(), what))
	}
}

// HasNoise reports whether the problem is of sums with noise for privacy.
func (m *Mapped) HasNoise() bool { return len(m.noise) > 0 }

// check returns an error unless the run can be of a table of the plan.
func (r PrivateRun) check(p Plan, table int) error {
	_, b := p.widths(table)
	ranges := 0
	if table == TableUY && p.Y.Classes() == nil {
		ranges = b
	}
	fine := len(r.Clip) == ranges && (len(r.Right) == 1 || len(r.Right) == b) && (table == TableUY || len(r.Right) == 1)
	for _, v := range append([]float64{r.Epsilon, r.Delta, r.Left, r.Noise.Weight, r.Noise.A, r.Noise.B, r.Noise.AA, r.Noise.AB, r.Noise.BB}, r.Right...) {
		fine = fine && v > 0 && !math.IsInf(v, 1)
	}
	if !fine {
		return fmt.Errorf("a private run has noise that no sums can have")
	}
	return nil
}
