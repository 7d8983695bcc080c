package theory

import (
	"context"
	"math"

	"mediant/report"
)

// Le Cam's method, [Yamane21, appendix B]. Let d(q_1, q_2) = RMS(E_1[Y|X] - E_2[Y|X]), d(p_1, p_2) = 2 delta, and let P_1, P_2 be the
// distributions of the samples. The paper has the lower bounds
//
//	delta²/2 (1 - TV(P_1, P_2)) >= delta²/2 (1 - sqrt(KL(P_1, P_2)/2))
//
// of the worst E d². For squared distances the factor 1/2 can be dropped (docs/theory.md, 12): with d(p, q)² + d(p, r)² >=
// d(q, r)²/2,
//
//	worst E d² >= 1/2 Σ_s min(P_1(s), P_2(s)) d(p_1, p_2)²/2 = delta² (1 - TV)
//
// and this is attained for each TV. Measured on random samples' distributions with finitely many points, with the best estimator
// of each, p = (P_1 p_1 + P_2 p_2)/(P_1 + P_2), at which the average risk is delta² Σ 2 P_1 P_2/(P_1 + P_2).

// A leCam holds the formulas.
type leCam struct {
	ours    func(delta, tv float64) float64
	printed func(delta, tv float64) float64
	pinsker func(kl float64) float64 // bound of TV
	norms   func(a, b float64) float64
}

var rightLeCam = leCam{
	ours:    func(delta, tv float64) float64 { return delta * delta * (1 - tv) },
	printed: func(delta, tv float64) float64 { return delta * delta / 2 * (1 - tv) },
	pinsker: func(kl float64) float64 { return math.Sqrt(kl / 2) },
	norms:   func(a, b float64) float64 { return a + b },
}

func (k leCam) claim() Claim {
	return Claim{
		Name:      "Le Cam's bound for squared distances",
		Reference: "[Yamane21, appendix B]; docs/theory.md, 12",
		Statement: "Where two regression functions are 2 delta apart in L2, the worst risk of the two is at least twice what is printed, and this is attained for each total variation distance TV of the samples' distributions. The distance is a semi-metric; its square is not.",
		Formulas: []string{
			`\max_{i=1,2} E(\hat{f}-E_i[Y|X])^2 \ge \delta^2(1-\operatorname{TV})`,
			`\operatorname{TV} \le \sqrt{\operatorname{KL}/2}`,
		},
		Assumptions: "Two distributions with one p(x).",
		Method:      "Random distributions of samples on finitely many points, with the best estimator of the two; triangle inequality on random distributions.",
		Run:         k.run,
	}
}

type leCamTallies struct{ ours, printed, pinsker, attained, triangle tally }

func (k leCam) run(ctx context.Context, o Options) (Result, error) {
	var t leCamTallies
	for i := range o.distributionCount() {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		k.onSamples(&t, newSampler(o, "minimax/lecam", i))
	}
	return Result{Checks: t.checks(), Charts: []report.Chart{k.chart(o)}}, nil
}

func (t *leCamTallies) checks() []Check {
	return []Check{
		t.ours.inequality("delta² (1 - TV) <= least average risk of the two"),
		t.attained.identity("least average risk = delta² (1 - TV) where the samples' probabilities are equal or one of them is 0"),
		t.printed.inequality("delta²/2 (1 - sqrt(KL/2)) <= delta²/2 (1 - TV) <= delta² (1 - TV), the first two as printed"),
		t.pinsker.inequality("TV <= sqrt(KL/2)"),
		t.triangle.inequality("d(q_1, q_3) <= d(q_1, q_2) + d(q_2, q_3)"),
	}
}

// averageRisk is the least of (E_1 |p - p_1|² + E_2 |p - p_2|²)/2 over estimators p of the sample, p_1 and p_2 being 2 delta apart.
func averageRisk(delta float64, p1, p2 []float64) float64 {
	var sum float64
	for s := range p1 {
		if both := p1[s] + p2[s]; both > 0 {
			at := p2[s] / both * 2 * delta // distance of the best p from p_1
			sum += (p1[s]*squared(at) + p2[s]*squared(2*delta-at)) / 2
		}
	}
	return sum
}

// distances of two distributions of samples.
func sampleDistances(p1, p2 []float64) (tv, kl float64) {
	for s := range p1 {
		tv += math.Abs(p1[s]-p2[s]) / 2
		if p1[s] > 0 {
			kl += p1[s] * math.Log(p1[s]/p2[s])
		}
	}
	return tv, kl
}

func (k leCam) onSamples(t *leCamTallies, s sampler) {
	n, delta := s.integer(2, 6), s.between(.1, 3)
	p1, p2 := s.shares(n), s.shares(n)
	tv, kl := sampleDistances(p1, p2)
	t.ours.below(k.ours(delta, tv), averageRisk(delta, p1, p2), delta*delta)
	t.printed.below(k.printed(delta, tv), k.ours(delta, tv), delta*delta)
	t.printed.below(k.printed(delta, k.pinsker(kl)), k.printed(delta, tv), delta*delta)
	t.pinsker.below(tv*tv, squared(k.pinsker(kl)), 1) // squares: the root of a KL near 0 has lost half of its digits

	v := s()
	p1, p2 = []float64{1 - v, v, 0}, []float64{1 - v, 0, v}
	t.attained.equal(averageRisk(delta, p1, p2), k.ours(delta, v), delta*delta)

	// Three functions E_i[Y|X] on atoms of X of probabilities px.
	px := s.shares(n)
	f := [3][]float64{s.values(n), s.values(n), s.values(n)}
	d := func(i, j int) float64 {
		sum := 0.0
		for x, p := range px {
			sum += p * squared(f[i][x]-f[j][x])
		}
		return math.Sqrt(sum)
	}
	t.triangle.below(d(0, 2), k.norms(d(0, 1), d(1, 2)), 1)
}

// chart draws the least average risk of random samples' distributions and the bounds over TV.
func (k leCam) chart(o Options) report.Chart {
	var x, risk []float64
	for i := range 300 {
		s := newSampler(o, "minimax/lecam/chart", i)
		n := s.integer(2, 6)
		p1, p2 := s.shares(n), s.shares(n)
		tv, _ := sampleDistances(p1, p2)
		x, risk = append(x, tv), append(risk, averageRisk(1, p1, p2))
	}
	return report.Chart{
		Name: "lecam", Title: "Least average risk of two distributions 2 apart", XLabel: "TV of the samples' distributions", YLabel: "risk",
		Series: []report.Series{
			{Name: "random", Kind: report.Points, X: x, Y: risk},
			{Name: "1 - TV", Kind: report.Line, X: []float64{0, 1}, Y: []float64{k.ours(1, 0), k.ours(1, 1)}},
			{Name: "(1 - TV)/2, as printed", Kind: report.Line, X: []float64{0, 1}, Y: []float64{k.printed(1, 0), k.printed(1, 1)}},
		},
	}
}
